"""The compiler and the tools that cpol runs, and the cache of what they make.

process.py   running a tool; its errors
clang.py     which clang, and which LLVM tools
native.py    C for this machine: shared objects
target.py    which kernel interface an object is for
trust.py     files and folders that nobody but this user and root can have written
cache.py     what is kept between runs
files.py     writing a file in one step
"""
