"""What beside_checks.py found, held to its bounds and as tables (docs/measured/neighbours.md).

beside_table.py --docs FILE: update the page, and neighbours.json beside it, from the figures of `make bench-neighbour`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BOUND = 0.02
"""Of what a policy does, a neighbour may feel so much."""
FEW = 16
"""Pages or faults by which counts may differ in any case: on a busy host `rotates` once had 9 refaults of 414 more."""
OPERATIONS = ("read", "write", "map", "fault", "miss", "truncate", "swap out", "swap in", "exit")
EACH = {"exit": "process"}
"""What an operation's instructions are for, if not a page."""
COUNTS = ("pages read", "major faults", "refault, file", "refault, anon")
MOUNTS = {"patched": "Patched kernel", "module": "Module on the stock kernel"}
NONE, NONE_AGAIN = "none", "none again"
"""The load without a policy, as the first arm and as the last one: what counts are compared with."""
EMPTY = ("empty", "empty_prefetch")
VARIES, VARIES_BY = ("fault", "miss"), 0.05
"""They differ between processes, also alone: a fault costs one of two amounts, 3 % apart; a miss on the patched kernel
up to 5 % more. So a policy may exceed the largest figure of all arms before their loads by this."""
COUNTS_VARY, COUNTS_VARY_BY = ("major faults", "refault, anon"), 0.5
"""How much of its anonymous memory the neighbour faults in differs between runs alone: from 2,025 to 2,935 faults."""
STEP = {"swap in": 60}
"""Instructions by which a page differs, also alone: slots are given out in batches."""
NEAR = 6
"""Instructions by which the price of attaching differs between processes."""
HOOK = 75
"""Instructions that a hook by ftrace may cost a cgroup without a policy: most are ftrace's, which saves registers."""
HOOKS = {"read": (1, 3), "write": (0, 2), "map": (1, 2), "truncate": (1, 1), "swap in": (0, 2), "exit": (128, 128)}
"""The price, in hooks, of attaching each of EMPTY on the module, where that is more than BOUND."""
DOCS = Path(__file__).resolve().parents[2] / "docs" / "measured"
PAGE, FIGURES = DOCS / "neighbours.md", DOCS / "neighbours.json"
BEGIN, END = "<!-- figures: beside_table.py -->\n", "<!-- end of figures -->\n"

Found = dict[str, Any]


def beyond(found: Found) -> dict[str, list[str]]:
    """What is beyond the bounds, in words, by arm. An arm that failed is beyond them."""
    return {name: wrong for name in found["arms"] if (wrong := list(wrong_of(found, name)))}


def dear(found: Found, mount: str) -> list[str]:
    """What attaching costs beyond the bounds, in words."""
    told = []
    for number, empty in enumerate(EMPTY):
        for operation in OPERATIONS:
            was, now = found["alone"][operation], found["arms"][empty]["attached"][operation]
            share = was * (VARIES_BY if operation in VARIES else BOUND)
            hooks = HOOKS.get(operation, (0, 0))[number] * HOOK if mount == "module" else 0
            if now - was > max(share, hooks) + NEAR + STEP.get(operation, 0):
                told.append(f"{empty}, {operation}: {was:,.0f} instructions alone, {now:,.0f} when it is attached")
    return told


def before(found: Found, name: str, operation: str) -> float:
    """Instructions that the operation may take beside the policy: as many as when it was attached."""
    arms = (
        [arm for arm in found["arms"].values() if "failure" not in arm]
        if operation in VARIES
        else [found["arms"][name]]
    )
    return max(float(arm["attached"][operation]) for arm in arms)


def wrong_of(found: Found, name: str) -> Iterable[str]:
    arm = found["arms"][name]
    if "failure" in arm:
        yield arm["failure"].strip().splitlines()[-1]
        return
    for operation in OPERATIONS:
        was, now = before(found, name, operation), arm["beside"][operation]
        step = STEP.get(operation, 0)
        if now > was * (1 + (VARIES_BY if operation in VARIES else BOUND)) + step:
            yield f"{operation}: {was:,.0f} instructions became {now:,.0f} ({now / was - 1:+.1%})"
        was = arm["attached"][operation]
        empty = max(found["arms"][other]["attached"][operation] for other in EMPTY)
        if operation not in VARIES and was > empty * (1 + BOUND) + step:
            yield f"{operation}: {was:,.0f} instructions when it is attached, {empty:,.0f} beside empty programs"
    was, now = arm["cached"]["before"], arm["cached"]["after"]
    if now < was * (1 - BOUND):
        yield f"cached: {was:,} pages became {now:,}"
    for count in COUNTS:
        same = [found["arms"][other]["work"][count] for other in (NONE, NONE_AGAIN, *EMPTY) if other in found["arms"]]
        was, now = max(same), arm["work"][count]
        if now > max(was * (1 + (COUNTS_VARY_BY if count in COUNTS_VARY else BOUND)), was + FEW):
            yield f"{count}: {was:,.0f} without a policy, {now:,.0f} beside it"


def percent(now: float, was: float) -> str:
    """The change; in bold if it is beyond the bound."""
    if not was:
        return f"{now:,.0f} (was 0)" if now else "0"
    text = f"{(now / was - 1) * 100:+.1f} %".replace("-0.0", "+0.0")
    return f"**{text}**" if now / was - 1 > BOUND else text


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return [f"| {' | '.join(line)} |" for line in lines]


def baseline(found: Found) -> list[str]:
    """Instructions alone, and what attaching any policy adds."""
    alone = found["alone"]
    rows = []
    for operation in OPERATIONS:
        cells = [f"{operation}, a {EACH.get(operation, 'page')}", f"{alone[operation]:,.0f}"]
        for empty in EMPTY:
            more = found["arms"][empty]["attached"][operation] - alone[operation]
            cells.append(f"{more:+,.0f} ({more / alone[operation] * 100:+.1f} %)")
        cells.append(percent(found["alone again"][operation], alone[operation]))
        rows.append(cells)
    return markdown(("operation", "alone", "empty", "empty, prefetching", "alone again"), rows)


def stopped(arm: Found) -> str:
    return "stopped" if arm["told"].get("exit") == "watchdog" else ""


def beside(found: Found) -> list[str]:
    """Instructions of each operation beside each policy, relative to those when it was attached."""
    rows = []
    for name, arm in found["arms"].items():
        if "failure" in arm:
            rows.append([name, *["failed"] * len(OPERATIONS), ""])
            continue
        cells = [percent(arm["beside"][operation], before(found, name, operation)) for operation in OPERATIONS]
        rows.append([name, *cells, stopped(arm)])
    return markdown(("policy", *OPERATIONS, "watchdog"), rows)


def counts(found: Found) -> list[str]:
    """Pages cached and refaults beside each policy."""
    without = found["arms"][NONE]["work"]
    rows = []
    for name, arm in found["arms"].items():
        if "failure" in arm:
            continue
        was, now = arm["cached"]["before"], arm["cached"]["after"]
        kept = f"{now:,} of {was:,}"
        work = [f"{arm['work'][count]:,.0f} ({percent(arm['work'][count], without[count])})" for count in COUNTS]
        rows.append([name, kept if now >= was * (1 - BOUND) else f"**{kept}**", *work])
    return markdown(("policy", "shared file, pages cached", *COUNTS), rows)


def tables(figures: dict[str, Found]) -> list[str]:
    """The lines to print, of each mount in `figures`."""
    lines: list[str] = []
    for mount, title in MOUNTS.items():
        if mount not in figures:
            continue
        found = figures[mount]
        lines += ["", f"### {title}", "", "What attaching costs, in instructions:", "", *baseline(found)]
        lines += ["", "What the policy then does, beside that:", "", *beside(found)]
        lines += ["", "Counts, while the load goes on, relative to the load without a policy:", "", *counts(found)]
        wrong = [(name, word) for name, words in beyond(found).items() for word in words]
        wrong += [("attaching", word) for word in dear(found, mount)]
        lines += [
            "",
            *(markdown(("policy", "beyond the bounds"), wrong) if wrong else ["Nothing is beyond the bounds."]),
        ]
    return lines[1:]


def page(text: str, figures: dict[str, Found]) -> str:
    """The page with the tables between its two marks.

    Raises:
        ValueError: the page has no marks.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no lines {BEGIN.strip()!r} and {END.strip()!r}")
    return before + BEGIN + "\n" + "\n".join(tables(figures)) + "\n\n" + END + after


def main() -> None:
    parser = argparse.ArgumentParser(description="tables of bench-neighbour")
    parser.add_argument("--docs", type=Path, required=True, help="update the page with these figures")
    options = parser.parse_args()
    written = json.loads(options.docs.read_text())
    PAGE.write_text(page(PAGE.read_text(), written["figures"]))
    FIGURES.write_text(json.dumps(written, indent=1, sort_keys=False) + "\n")


if __name__ == "__main__":
    main()
