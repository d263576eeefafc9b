"""A user's settings of a policy.

params.py   params and their ranges, and the sizes that depend on them
inputs.py   sets and maps that user space fills
values.py   values as text
assumed.py  what a trace does not say
"""
