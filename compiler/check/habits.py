"""Suggestions for words of other languages: types, events, keys, methods and attributes of lists."""

from __future__ import annotations

import re

_SIZE = ("length", "len", "count", "size")
_ENDS = {"head": "head", "first": "head", "front": "head", "tail": "tail", "last": "tail", "back": "tail"}
_FILL = ("add", "append", "enqueue", "insert", "place", "push", "push_back", "push_front", "put")
_HOLDS = ("contains", "find", "has", "holds", "includes", "is")
_DRAIN = ("delete", "dequeue", "evict", "pop", "pop_back", "pop_front", "remove", "take")


def of_a_list(name: str, member: str, folio: str = "") -> str:
    """What to write instead of `name.member` for a list; empty if there is no suggestion. `folio` is what is asked."""
    if folio and member in _HOLDS:
        return f"write `{folio}.list == {name}`"
    if member in _SIZE:
        return f"write `{name}.size`"
    if member in _ENDS:
        return f"write `scan {name} from {_ENDS[member]} up to 1 as g {{ … }}`"
    if member in _FILL:
        return f"write `place f at tail of {name}` in `on added`, and `move f to tail of {name}` elsewhere"
    if member in _DRAIN:
        return f"write `scan {name} from head as f {{ evict f }}` in `on evict`"
    return ""


OTHER_TYPES = {
    **dict.fromkeys(("int", "long", "short", "integer", "isize", "i64"), "s64` or `u64"),
    **dict.fromkeys(("uint", "unsigned", "size_t", "usize", "number", "time", "duration"), "u64"),
    **dict.fromkeys(("byte", "char", "uchar"), "u8"),
    **dict.fromkeys(("i8", "i16", "i32"), "s8` to `s32"),
    **dict.fromkeys(("float", "double", "real", "decimal", "f32", "f64"), "fix"),
    **dict.fromkeys(("boolean", "flag"), "bool"),
    **dict.fromkeys(("string", "str", "text", "comm"), 'u64`, which holds the name of a command as `"rsync"'),
}
"""How the types of values are called elsewhere."""

_OTHER_WIDTH = re.compile(r"_*(u|uint|i|int|s)_?(\d{1,4})(_t)?")
"""Types with their width in the name, such as `uint32_t`."""

OTHER_EVENTS = {
    **dict.fromkeys(("hit", "hits", "access", "touch", "touched", "get", "use", "used"), "accessed"),
    **dict.fromkeys(("insert", "inserted", "add", "new", "put", "admitted", "fetched", "load", "loaded"), "added"),
    **dict.fromkeys(("remove", "delete", "deleted", "evicted", "dropped"), "removed"),
    **dict.fromkeys(("miss", "misses"), "missed"),
    **dict.fromkeys(("reclaim", "shrink", "full", "victim", "eviction"), "evict"),
    **dict.fromkeys(("start", "attach", "attached", "create"), "init"),
    "open": "opened",
    **dict.fromkeys(("write", "wrote"), "written"),
    **dict.fromkeys(("pagefault", "page_fault", "swapin"), "fault"),
}
"""How the events are called elsewhere."""

OTHER_KEYS = {
    "pid": "process",
    "tgid": "process",
    **dict.fromkeys(("tid", "task"), "thread"),
    **dict.fromkeys(("command", "cmd", "name", "program"), "comm"),
    **dict.fromkeys(("inode", "path"), "file"),
    "folio": "page",
    **dict.fromkeys(("disk", "dev", "mount"), "device"),
    **dict.fromkeys(("memcg", "container"), "cgroup"),
}
"""How the keys of inputs are called elsewhere."""

OTHER_PARTS = {
    "task.name": "write `task.comm`",
    "task.command": "write `task.comm`",
    "task.pid": "write `task.process`",
    "task.tid": "write `task.thread`",
    "task.id": "write `task.thread`",
    "cache.now": "write `cache.time`",
    "cache.length": "write `cache.size`",
    "cache.limit": "write `cache.capacity`",
}
"""How parts of what is built in are called elsewhere."""

OTHER_SETTINGS = dict.fromkeys(("cap", "cache", "limit", "pages", "size"), "write `capacity`")
"""How the settings are called elsewhere."""

OTHER_STEPS = {
    **dict.fromkeys(("sleep", "wait"), "write `tick 5 s`"),
    **dict.fromkeys(("hit", "get", "touch", "insert", "add", "load"), "write `access 1`"),
    **dict.fromkeys(("delete", "drop", "truncate"), "write `remove 1`"),
    **dict.fromkeys(("assert", "check"), "write `expect CONDITION`"),
}
"""How the steps are called elsewhere."""

NO_VALUES = ("null", "nil", "none", "undefined", "nan")


def of_a_type(name: str) -> str:
    """What to write instead of the type `name` of another language; empty if there is no suggestion."""
    if meant := OTHER_TYPES.get(name.lower()):
        return f"write `{meant}`"
    found = _OTHER_WIDTH.fullmatch(name.lower())
    if found is None or not int(found[2]):
        return ""
    signed, bits = found[1] in ("i", "int", "s"), int(found[2])
    letter = "s" if signed else "u"
    return f"write `{letter}64`, the widest" if bits > 64 else f"write `{letter}{max(bits, 8) if signed else bits}`"


def of_a_name(name: str) -> str:
    """What to write instead of the value `name` of another language; empty if there is no suggestion."""
    if name in ("time", "now"):
        return "write `cache.time`, the milliseconds since attach"
    if name.lower() in NO_VALUES:
        return "every value is there: write `0`, or `false` for a `bool`"
    return f"write `{name.lower()}`" if name.lower() in ("true", "false") else ""


def of_a_function(name: str) -> str:
    """What to write instead of the function `name` of another language; empty if there is no suggestion."""
    if name in ("print", "printf", "printk", "debug"):
        return "a policy cannot print: `cpolc step` shows what it does"
    if name in ("len", "size", "count"):
        return "write `LIST.size`"
    if name in ("now", "time"):
        return "write `cache.time`, the milliseconds since attach"
    return "write `if x < 0 then -x else x`" if name in ("abs", "fabs") else ""
