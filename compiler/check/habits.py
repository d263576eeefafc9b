"""Suggestions for list methods and attributes of other languages."""

from __future__ import annotations

_SIZE = ("length", "len", "count", "size")
_ENDS = {"head": "head", "first": "head", "front": "head", "tail": "tail", "last": "tail", "back": "tail"}
_FILL = ("add", "append", "enqueue", "insert", "place", "push", "put")
_DRAIN = ("delete", "dequeue", "evict", "pop", "remove", "take")


def of_a_list(name: str, member: str) -> str:
    """What to write instead of `name.member` for a list; empty if there is no suggestion."""
    if member in _SIZE:
        return f"write `{name}.size`"
    if member in _ENDS:
        return f"write `scan {name} from {_ENDS[member]} up to 1 as g {{ … }}`"
    if member in _FILL:
        return f"write `place f at tail of {name}` in `on added`, and `move f to tail of {name}` elsewhere"
    if member in _DRAIN:
        return f"write `scan {name} from head as f {{ evict f }}` in `on evict`"
    return ""
