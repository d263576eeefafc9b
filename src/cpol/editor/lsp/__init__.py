"""The language server. Only server.py and listen.py know pygls; the rest answers in the protocol's types.

server.py     what an editor asks, and which module answers
listen.py     what comes from the editor: checked, answered, and what ends the server
texts.py      the open texts, and what the compiler says of each
names.py      what each name of a text means, also in texts with wrong types
places.py     offsets, and the protocol's lines and columns
problems.py   the compiler's diagnostics, and their edits as quick fixes
lints.py      what `cpolc lint` finds, while nobody types
pages.py      hover: types, docs, what a call costs, what an attribute is worth on each kernel
complete.py   completion: what may stand at a place (grammar.py), and which names it can be (offers.py)
navigate.py   definition, references, rename
beside.py     the files that may import a library
outline.py    symbols, folding
paint.py      semantic tokens, inlay hints, code lenses
"""
