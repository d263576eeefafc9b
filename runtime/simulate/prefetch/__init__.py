"""A model of swap and of readahead, in which prefetch policies are compared without a kernel (docs/simulator.md).

protocol.py   what a policy is asked, and what it answers
rows.py       traces: touches of memory, and reads of files
read.py       reads them
regimes.py    makes them
medium.py     when a read ends
memory.py     pages in memory, least recently used first
slots.py      which page is in which swap slot
swap_out.py   what a policy is asked before a page goes out
kernel.py     the kernel's own readahead of swap
ondemand.py   the kernel's own readahead of files
model.py      one run
"""
