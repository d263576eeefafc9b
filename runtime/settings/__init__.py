"""What a user sets before and while a policy runs: params, inputs, and values as users write them.

params.py   params, held against their ranges; sizes that depend on them
inputs.py   sets and maps that user space fills
values.py   values as text
"""
