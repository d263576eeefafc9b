"""Static analysis of policies and objects.

upper_bound.py  upper bounds of expressions, with formulas
cost/           upper bounds of a call's cost
profile.py      checks a policy against a kernel profile
record.py       sizes of records
facts.py        what an executor may lack
reads.py        where a policy reads that
limits.py       limits on the number of declarations
abi_check/      checks an object against a kernel's interface
"""
