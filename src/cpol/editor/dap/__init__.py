"""The debug adapter: `cpolc step` for editors, by the Debug Adapter Protocol.

adapter.py  what an editor asks, and the session that answers
scopes.py   the state of the machine as variables
watch.py    expressions of the language, evaluated in that state
"""
