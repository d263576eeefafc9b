"""The words of the language: one record for each attribute, function, event and fact. All stages read them.

- `attribute.py`: what a record of an attribute says;
- `folio.py`, `around.py`, `request.py`: the attributes of folios, of the cache and the task, of faults and requests;
- `function.py`: the built-in functions;
- `event.py`: the events;
- `fact.py`: what a trace may lack, and `--assume` says;
- `quota.py`: what a policy gets that is given a quota of cached pages.
"""
