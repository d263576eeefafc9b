"""Checks what tests say of prefetching, of ranges of files and of swap-out: the settings, and the steps that ask."""

from __future__ import annotations

from collections.abc import Callable

from cpol.compiler.check.prefetch import NONE_HANDLED, evicts, prefetches
from cpol.compiler.check.symbols import Symbols, Typed
from cpol.compiler.contract import PREFETCH_TARGETS
from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.words import closest
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.errors.words import MARKS, OF_FILES, VERBS
from cpol.compiler.vocabulary.event import EVENTS

NUMBERS = {"slots": (2, (1 << 62) - 1), "window": (1, PREFETCH_TARGETS), "size": (0, (1 << 62) - 1)}
"""Settings that are numbers, with their ranges."""

SETTINGS = ("area", *NUMBERS)

STEPS = ("fault", "request", *OF_FILES, "swap")
"""Steps that ask a policy what to prefetch, or what to do with a file or with pages that go out to swap."""

WHOLE = tuple(event.step for event in EVENTS.values() if event.whole)
"""Of these, steps about a file as a whole."""

OF_FOLIOS = ("access", "write", "readahead", "remove", "reclaim", "room", "busy", "idle", *MARKS)
"""Steps that a policy that only prefetches has no folios for."""

MAX_PAGE = 1 << 52
"""Pages of an address space of 64 bits."""


def only_prefetches(symbols: Symbols) -> bool:
    """Whether the policy says nothing about eviction."""
    return prefetches(symbols) and not evicts(symbols)


def misspells_slot(step: ast.Step | None, behind: ast.Step | None) -> bool:
    """Whether `step` is a `fault` whose `slot` is misspelt, so that it parsed as a step of its own."""
    if not isinstance(step, ast.TestAction) or not isinstance(behind, ast.TestAction):
        return False
    word = behind.verb.text
    return step.verb.text == "fault" and step.slot is None and word not in VERBS and bool(closest(word, ("slot",)))


def is_rest(before: ast.Step | None, step: ast.Step) -> bool:
    """Whether `step` is the `slot 5` of a step whose own word is unknown, which says what is wrong."""
    if not isinstance(before, ast.TestAction) or not isinstance(step, ast.TestAction):
        return False
    return before.verb.text not in VERBS and step.verb.text == "slot"


class AskingChecker:
    """Checks the settings and steps of one test. `constant` gives the value of a setting that is a number."""

    def __init__(
        self, typed: Typed, report: Report, constant: Callable[[ast.Expr, tuple[int, int], str], int | None]
    ) -> None:
        self.typed = typed
        self.report = report
        self.constant = constant
        self.area = (0, (1 << 20) - 1)
        self.slots = 1 << 20

    def is_setting(self, name: str) -> bool:
        """Whether a test of this policy has the setting `name`."""
        return prefetches(self.typed.symbols) and name in SETTINGS

    def setting(self, name: str, value: ast.Expr) -> None:
        """Check the value of a setting."""
        if name != "area":
            number = self.constant(value, NUMBERS[name], f"`{name}`")
            if name == "slots" and number is not None:
                self.slots = number
        elif not isinstance(value, ast.Folios) or value.file:
            self.report.error("E0115", value.span, "`area` is a range of pages", help="write `area: 0..1023`")
        elif value.first > value.last or value.last >= MAX_PAGE:
            why = f"its first page is not above its last, which is below {MAX_PAGE}"
            self.report.error(
                "E0115", value.span, "this is no area", why=why, help=f"write `area: 0..{MAX_PAGE - 1}` or less"
            )
        else:
            self.area = (value.first, value.last)

    def step(self, step: ast.TestAction, times: int) -> None:
        """Check one of STEPS, which runs so many times."""
        verb = step.verb.text
        if not prefetches(self.typed.symbols):
            message = f"`{verb}` has no meaning: the policy prefetches nothing"
            self.report.error(
                "E0116",
                step.verb.span,
                message,
                why=NONE_HANDLED,
                help="remove this step, or add `on prefetch(p) { … }`",
            )
        elif len({word.text for word in step.how}) < len(step.how):
            self.report.error("E0116", step.span, "a word is written twice", help="remove one of them")
        elif verb == "fault":
            self._fault(step, times)
        elif verb == "swap":
            self._swap(step)
        elif verb in WHOLE:
            self._whole(step)
        else:
            self._request(step)

    def _fault(self, step: ast.TestAction, times: int) -> None:
        for part in step.folios:
            if part.file or part.first > part.last:
                why = "they are virtual pages, `5`, or `5..8` in their order"
                self.report.error(
                    "E0116",
                    part.span,
                    "these are no pages of an area",
                    why=why,
                    help="write `fault 5 slot 9`, or `fault 5..8 slot 9`",
                )
                return
            if not self.area[0] <= part.first <= part.last <= self.area[1]:
                why = f"the area of this test is {self.area[0]} to {self.area[1]}"
                helps = "set it: `test NAME(area: 0..1023)`"
                self.report.error("E0116", part.span, "this page is not in the area", why=why, help=helps)
                return
        pages = sum(part.last - part.first + 1 for part in step.folios)
        if step.slot is None:
            helps = f"write `fault {step.folios[0].first} slot 9`"
            self.report.error(
                "E0116", step.span, "this fault has no slot", why="a page is swapped out to a slot", help=helps
            )
        elif not 1 <= step.slot <= self.slots - pages:
            why = f"the device of this test has the slots 1 to {self.slots - 1}: slot 0 is its header"
            self.report.error(
                "E0116",
                step.span,
                "there is no such slot",
                why=why,
                help="name another slot, or write `test NAME(slots: 4096)`",
            )
        elif not self.typed.spend(times * pages):
            self.report.error("E0116", step.span, "the tests of a policy name too many pages", help="name fewer")

    def _swap(self, step: ast.TestAction) -> None:
        only = step.folios[0]
        pages = step.size.pages if step.size is not None else 1
        low, high = self.area
        if len(step.folios) > 1 or only.first != only.last or only.file:
            helps = f"write `swap {only.first} of {max(only.last - only.first, 0) + 1} pages`"
            self.report.error("E0116", step.span, "`swap` begins at one virtual page", help=helps)
        elif not pages >= 1 or not low <= only.first <= only.first + pages - 1 <= high:
            why = f"the area of this test is {low} to {high}"
            helps = "set it: `test NAME(area: 0..1023)`"
            self.report.error("E0116", step.span, "these pages are not in the area", why=why, help=helps)

    def _whole(self, step: ast.TestAction) -> None:
        only, verb = step.folios[0], step.verb.text
        if len(step.folios) > 1 or only.first != only.last or only.file:
            self.report.error("E0116", step.span, f"`{verb}` takes one file, a number", help=f"write `{verb} 3`")

    def _request(self, step: ast.TestAction) -> None:
        verb = step.verb.text
        what = "a request" if verb == "request" else f"`{verb}`"
        only = step.folios[0]
        wanted = step.size.pages if step.size is not None else 1
        if len(step.folios) > 1 or only.first != only.last:
            file = f"{only.file}:" if only.file else ""
            helps = f"write `{verb} {file}{only.first} of {max(only.last - only.first, 0) + 1} pages`"
            self.report.error("E0116", step.span, f"{what} begins at one page", help=helps)
        elif not 1 <= wanted <= MAX_PAGE or only.first >= MAX_PAGE:
            self.report.error(
                "E0116",
                step.span,
                f"{what} is for 1 page or more, below page {MAX_PAGE}",
                help=f"write `{verb} 0 of 1 page`",
            )
