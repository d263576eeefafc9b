-- The language server of cpol, as vim.lsp.enable("cpol") starts it.
return {
  cmd = { "cpolc", "lsp" },
  filetypes = { "cpol" },
  root_markers = { ".git" },
}
