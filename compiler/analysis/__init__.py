"""What can be said of a policy or an object before it runs.

upper_bound.py  the most that an expression can be, and its formula
cost/       the most that a call can cost
profile.py  what a kernel's profile cannot carry
record.py   the size of records
limits.py   how many declarations of each kind there can be
abi_check/  whether an object keeps to a kernel's interface
"""
