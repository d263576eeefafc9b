"""cpol where authors are: servers that an editor starts, and speaks with over stdio.

lsp/     the language server, `cpolc lsp`
dap/     the debug adapter, `cpolc dap`
wire.py  the messages of both, on two streams
"""
