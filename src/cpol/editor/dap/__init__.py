"""The debug adapter: `cpolc step` for editors, by the Debug Adapter Protocol.

requests.py   what an editor asks is read, carried out and answered
arguments.py  what comes with a request, checked
adapter.py    the session that answers
scopes.py     the state of the machine as variables
watch.py      expressions of the language, evaluated in that state
"""
