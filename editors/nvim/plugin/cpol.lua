-- What files are cpol's, and which server knows the language (lsp/cpol.lua).
vim.filetype.add({ extension = { cpol = "cpol" } })

if vim.lsp.enable and vim.fn.executable("cpolc") == 1 then
  vim.lsp.enable("cpol")
end

-- What the lenses above the code run (vim.lsp.codelens): cpolc, in a terminal below the policy.
local function run(policy, words)
  vim.cmd("silent update")
  local folder = vim.fn.fnamemodify(policy, ":h")
  vim.cmd("botright new")
  vim.fn.termopen(vim.list_extend({ "cpolc" }, words), { cwd = folder })
end

vim.lsp.commands["cpol.test"] = function(command)
  local policy, test = command.arguments[1], command.arguments[2]
  run(policy, test and { "test", policy, "--filter", test } or { "test", policy })
end
vim.lsp.commands["cpol.check"] = function(command)
  run(command.arguments[1], { "check", command.arguments[1] })
end
vim.lsp.commands["cpol.step"] = function(command)
  run(command.arguments[1], { "step", command.arguments[1], "--test", command.arguments[2] })
end
vim.lsp.commands["cpol.simulate"] = function(command)
  vim.ui.input({ prompt = "A trace to simulate on: ", completion = "file" }, function(trace)
    if not trace or trace == "" then return end
    run(command.arguments[1], { "sim", command.arguments[1], "--trace", vim.fn.fnamemodify(trace, ":p"), "--capacity", "1000,10000" })
  end)
end
