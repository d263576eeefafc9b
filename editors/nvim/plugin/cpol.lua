-- What files are cpol's, and which server knows the language (lsp/cpol.lua).
vim.filetype.add({ extension = { cpol = "cpol" } })

if vim.lsp.enable and vim.fn.executable("cpolc") == 1 then
  vim.lsp.enable("cpol")
end
