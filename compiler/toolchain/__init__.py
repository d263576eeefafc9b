"""External tools, and the cache of their results.

process.py   runs a tool; errors
clang.py     finds clang and LLVM tools
native.py    compiles C for this machine
target.py    kernel interfaces
trust.py     ownership checks of files and folders
cache.py     cached artefacts
files.py     atomic writes
"""
