"""A program as BPF C, for the headers of tests/kernel."""

from __future__ import annotations

from .interface import told
from .tree import Call, Each, Hold, If, Keep, Leave, Plain, Program, Record, Repeat, Stmt, Write

_ARGUMENTS = {
    "init": (("struct mem_cgroup *", "m"),),
    "exit": (("struct mem_cgroup *", "m"),),
    "tick": (("struct mem_cgroup *", "m"),),
    "evict_folios": (("struct cache_ext_evict_ctx *", "c"), ("struct mem_cgroup *", "m")),
}
_OF_A_FOLIO = (("struct folio *", "f"), ("struct mem_cgroup *", "m"))
_RESULT = {"init": "s32", "admit_folio": "bool"}
_LOCKS = {
    "preempt": ("bpf_preempt_disable();", "bpf_preempt_enable();"),
    "rcu": ("bpf_rcu_read_lock();", "bpf_rcu_read_unlock();"),
}
_HEAD = """\
// SPDX-License-Identifier: GPL-2.0
/* {about} */
#include "cache_ext.bpf.h"
{include}
extern void bpf_preempt_disable(void) KSYM;
extern void bpf_preempt_enable(void) KSYM;
extern void bpf_rcu_read_lock(void) KSYM;
extern void bpf_rcu_read_unlock(void) KSYM;
static u64 (*const bpf_get_prandom_u32)(void) = (void *)7;
static long (*const bpf_loop)(u32 nr, void *callback, void *context, u64 flags) = (void *)181;

u64 count;

const char text_odd[] SEC(".rodata") = "%s %n \\"odd\\" \\\\ \\t";
const char text_none[] SEC(".rodata") = "";
const char text_long[200] SEC(".rodata") = {{ [0 ... 198] = 'x' }};

/* Takes a while, so that other CPUs get in between. */
#define DAWDLE(rounds)                                  \\
	{{                                               \\
		struct bpf_iter_num it;                 \\
                                                        \\
		bpf_iter_num_new(&it, 0, rounds);       \\
		while (bpf_iter_num_next(&it))          \\
			__sync_fetch_and_add(&count, 1); \\
		bpf_iter_num_destroy(&it);              \\
	}}

struct env {{
	{context}
	struct mem_cgroup *m;
	struct folio *f[4];
}};
"""


_PREFETCH = """
typedef long long s64;
#include "cpol/prefetch_ext_abi.h"
"""


def _arguments(program: Program, member: str) -> tuple[tuple[str, str], ...]:
    """Types and names."""
    if program.kind == "cache":
        return _ARGUMENTS.get(member, _OF_A_FOLIO)
    struct = told(member)
    return ((f"struct {struct} *", "a"), ("struct mem_cgroup *", "m")) if struct else _ARGUMENTS["init"]


def emit(program: Program, about: str = "Made by tests/kernel/hostile.") -> str:
    """Return the C text."""
    prefetches = program.kind == "prefetch"
    context = "void *a;" if prefetches else "struct cache_ext_evict_ctx *c;"
    parts = [_HEAD.format(about=about, include=_PREFETCH if prefetches else "", context=context)]
    for member, body in program.handlers:
        handler = _Handler(member, _arguments(program, member), dict(program.fallthrough).get(member, ""))
        text = handler.text(body)
        parts += [*handler.callbacks, text]
    parts.append(_ops(program))
    return "\n".join(parts)


def _ops(program: Program) -> str:
    lines = ['SEC(".struct_ops.link")', f"struct {program.kind}_ext_ops policy = {{"]
    lines += [f"\t.{member} = (void *)do_{member}," for member, _ in program.handlers]
    lines.append(f'\t.name = "{program.name}",')
    for field in ("folio_data_size", "flags", "tick_ms", "nr_lists", "pin_pages", "waste_percent", "keep_pages"):
        value = program.data_size if field == "folio_data_size" else getattr(program, field)
        if value:
            lines.append(f"\t.{field} = {value}{'ULL' if value >= 2**63 else ''},")
    return "\n".join([*lines, "};", ""])


class _Handler:
    """The function of one member, and those that it gives to bpf_loop()."""

    def __init__(self, member: str, arguments: tuple[tuple[str, str], ...], fallthrough: str) -> None:
        self.member = member
        self.arguments = arguments
        self.fallthrough = fallthrough
        self.callbacks: list[str] = []
        self.closers: list[str] = []
        """What must be said before a return, innermost last."""
        self.returns = ""

    def text(self, body: tuple[Stmt, ...]) -> str:
        result = _RESULT.get(self.member, "void")
        lines = [f'SEC("struct_ops/{self.member}") {result} do_{self.member}(u64 *ctx)', "{"]
        for number, (type_, name) in enumerate(self.arguments):
            lines.append(f"\t{type_}{name} = ({type_.rstrip()})ctx[{number}];")
        inner = self._block(body, 1)
        if any("kept" in line for line in inner):
            lines.append("\tstruct folio *kept = NULL;")
        lines += ["", *inner]
        if self.fallthrough:
            lines.append(f"\treturn {self.fallthrough};")
        return "\n".join([*lines, "}", ""])

    def _block(self, body: tuple[Stmt, ...], depth: int) -> list[str]:
        return [line for stmt in body for line in self._stmt(stmt, depth)]

    def _stmt(self, stmt: Stmt, depth: int) -> list[str]:
        tabs = "\t" * depth
        match stmt:
            case Call(kfunc, args):
                return [f"{tabs}{kfunc}({', '.join(args)});"]
            case Write(record, offset, width, value):
                return [f"{tabs}*(volatile u{width * 8} *)({record} + {offset}) = (u{width * 8})({value});"]
            case Plain(text):
                return [f"{tabs}{text}"]
            case Keep(folio):
                return [f"{tabs}kept = {folio};"]
            case If(condition, body):
                return [f"{tabs}if ({condition}) {{", *self._block(body, depth + 1), f"{tabs}}}"]
            case Record():
                return self._record(stmt, depth)
            case Each():
                return self._each(stmt, depth)
            case Repeat():
                return self._repeat(stmt, depth)
            case Hold(lock, body):
                begin, end = _LOCKS[lock]
                return [f"{tabs}{begin}", *self._closed(body, end, depth), f"{tabs}{end}"]
            case Leave():
                return self._leave(stmt, depth)
        raise AssertionError(stmt)

    def _closed(self, body: tuple[Stmt, ...], closer: str, depth: int) -> list[str]:
        """A body that break leaves, and that must be followed by `closer`."""
        tabs = "\t" * depth
        self.closers.append(closer)
        lines = [f"{tabs}do {{", *self._block(body, depth + 1), f"{tabs}}} while (0);"]
        self.closers.pop()
        return lines

    def _leave(self, stmt: Leave, depth: int) -> list[str]:
        tabs = "\t" * depth
        if stmt.how != "return":
            return [f"{tabs}{stmt.how};"]
        value = self.returns or stmt.value or self.fallthrough
        return [*(f"{tabs}{closer}" for closer in reversed(self.closers)), f"{tabs}return {value};".replace(" ;", ";")]

    def _record(self, stmt: Record, depth: int) -> list[str]:
        tabs = "\t" * depth
        return [
            f"{tabs}{{",
            f"{tabs}\tu8 *{stmt.name} = bpf_cache_ext_folio_data({stmt.folio}, {stmt.size});",
            "",
            f"{tabs}\tif ({stmt.name}) {{",
            *self._block(stmt.body, depth + 2),
            f"{tabs}\t}}",
            f"{tabs}}}",
        ]

    def _each(self, stmt: Each, depth: int) -> list[str]:
        tabs = "\t" * (depth + 1)
        it, folio = f"it_{stmt.folio}", stmt.folio
        step = f"bpf_iter_{stmt.iterator}_next(&{it})"
        closer = f"bpf_iter_{stmt.iterator}_destroy(&{it});"
        lines = [f"{tabs[1:]}{{", f"{tabs}struct bpf_iter_{stmt.iterator} {it};"]
        if stmt.mode != "idle":
            lines.append(f"{tabs}struct folio *{folio};")
        lines += ["", f"{tabs}bpf_iter_{stmt.iterator}_new(&{', '.join((it, 'm', *stmt.args))});"]
        self.closers.append(closer)
        if stmt.mode == "once":
            inner = self._block(stmt.body, depth + 3)
            lines += [f"{tabs}{folio} = {step};", f"{tabs}do {{", f"{tabs}\tif ({folio}) {{"]
            lines += [*inner, f"{tabs}\t}}", f"{tabs}}} while (0);"]
        elif stmt.mode != "idle":
            lines.append(f"{tabs}while (({folio} = {step})) {{")
            lines += self._block(stmt.body, depth + 2)
            if stmt.mode == "pairs":
                lines.append(f"{tabs}\t{step};")
            lines.append(f"{tabs}}}")
        self.closers.pop()
        return [*lines, f"{tabs}{closer}", f"{tabs[1:]}}}"]

    def _repeat(self, stmt: Repeat, depth: int) -> list[str]:
        tabs = "\t" * (depth + 1)
        if stmt.how == "callback":
            self._callback(stmt)
            given = "".join(f", .f[{number}] = {folio}" for number, folio in enumerate(stmt.folios))
            ctx = "".join(f".{name} = {name}, " for _, name in self.arguments if name in "ac")
            return [
                f"{tabs[1:]}{{",
                f"{tabs}struct env e = {{ {ctx}.m = m{given} }};",
                "",
                f"{tabs}bpf_loop({stmt.times}, {stmt.name}, &e, 0);",
                f"{tabs[1:]}}}",
            ]
        it = f"it_{stmt.name}"
        closer = f"bpf_iter_num_destroy(&{it});"
        self.closers.append(closer)
        inner = self._block(stmt.body, depth + 2)
        self.closers.pop()
        return [
            f"{tabs[1:]}{{",
            f"{tabs}struct bpf_iter_num {it};",
            "",
            f"{tabs}bpf_iter_num_new(&{it}, 0, {stmt.times});",
            f"{tabs}while (bpf_iter_num_next(&{it})) {{",
            *inner,
            f"{tabs}}}",
            f"{tabs}{closer}",
            f"{tabs[1:]}}}",
        ]

    def _callback(self, stmt: Repeat) -> None:
        outer, self.closers, returned, self.returns = self.closers, [], self.returns, "1"
        body = self._block(stmt.body, 1)
        self.closers, self.returns = outer, returned
        lines = [f"static long {stmt.name}(u32 round, struct env *e)", "{"]
        lines += [f"\t{type_}{name} = e->{name};" for type_, name in self.arguments if name in "ac"]
        lines.append("\tstruct mem_cgroup *m = e->m;")
        lines += [f"\tstruct folio *{folio} = e->f[{number}];" for number, folio in enumerate(stmt.folios)]
        self.callbacks.append("\n".join([*lines, "", *body, "\treturn 0;", "}", ""]))
