-- A session of Neovim 0.7 or newer with the files of editors/nvim, whose folder is in NVIM_FILES: it opens POLICY, and
-- writes what it shows to OUT as JSON. Neovim 0.11 starts the server by itself; an older one is told to.
local files, policy, out = vim.env.NVIM_FILES, vim.env.POLICY, vim.env.OUT
local LIMIT = 120000 -- ms

vim.g.do_filetype_lua = 1
vim.cmd("set runtimepath^=" .. files)
vim.cmd("filetype plugin on")
vim.cmd("runtime plugin/cpol.lua")
vim.cmd("edit " .. policy)
local buffer = vim.api.nvim_get_current_buf()

if not vim.lsp.enable then
  local settings = dofile(files .. "/lsp/cpol.lua")
  local client = vim.lsp.start_client({ cmd = settings.cmd, root_dir = vim.fn.fnamemodify(policy, ":h") })
  vim.lsp.buf_attach_client(buffer, client)
end

-- What is wrong, once there is as much as `count`.
local function diagnostics(count)
  vim.wait(LIMIT, function() return #vim.diagnostic.get(buffer) == count end)
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, { line = each.lnum, column = each.col, message = each.message, severity = each.severity })
  end
  return found
end

local seen = { filetype = vim.bo.filetype, comment = vim.bo.commentstring, wrong = diagnostics(1) }
vim.cmd("%s/quue/queue/")
seen.lint = diagnostics(2)
vim.fn.search("queue", "w")
local at = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = 2, character = 8 } }
local said = vim.lsp.buf_request_sync(buffer, "textDocument/hover", at, LIMIT)
for _, each in pairs(said or {}) do seen.hover = each.result.contents.value end

-- A lens, as its line is chosen: what `run test` leaves in the terminal.
local lenses = vim.lsp.buf_request_sync(buffer, "textDocument/codeLens", { textDocument = at.textDocument }, LIMIT)
for _, each in pairs(lenses or {}) do
  for _, lens in ipairs(each.result) do
    if lens.command.title == "run test" then
      vim.lsp.commands[lens.command.command](lens.command)
      break
    end
  end
end
local terminal = vim.api.nvim_get_current_buf()
vim.fn.jobwait({ vim.bo[terminal].channel }, LIMIT)
vim.wait(1000, function() return false end) -- the terminal draws
seen.ran = table.concat(vim.api.nvim_buf_get_lines(terminal, 0, -1, false), "\n")

vim.fn.writefile({ vim.fn.json_encode(seen) }, out)
vim.cmd("qall!")
