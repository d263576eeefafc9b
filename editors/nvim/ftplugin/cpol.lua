-- Settings of a buffer that holds a policy.
vim.bo.commentstring = "// %s"
vim.bo.comments = ":///,://"
vim.bo.expandtab = true
vim.bo.shiftwidth = 2
vim.bo.softtabstop = 2
vim.bo.textwidth = 100
vim.bo.formatprg = "cpolc fmt -"

-- parser/cpol.so is there once `build` has run.
if pcall(vim.treesitter.start) then
  vim.wo.foldmethod = "expr"
  vim.wo.foldexpr = "v:lua.vim.treesitter.foldexpr()"
  vim.wo.foldlevel = 99
end
