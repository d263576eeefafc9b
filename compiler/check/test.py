"""Checks tests in a policy: settings, and the words and numbers of steps."""

from __future__ import annotations

from collections.abc import Iterator

from cpol.compiler.check.asking import OF_FOLIOS, AskingChecker, is_rest, misspells_slot, only_prefetches
from cpol.compiler.check.asking import SETTINGS as ASKING_SETTINGS
from cpol.compiler.check.asking import STEPS as STEPS_ASKING
from cpol.compiler.check.divisor import check_divisors
from cpol.compiler.check.expect import AGAIN, TOO_MANY, ExpectChecker
from cpol.compiler.check.expr import ExprChecker
from cpol.compiler.check.habits import OTHER_SETTINGS, OTHER_STEPS
from cpol.compiler.check.input_steps import InputStepChecker
from cpol.compiler.check.interval import folded
from cpol.compiler.check.scope import Scope, check_free
from cpol.compiler.check.symbols import ParamSym, Typed
from cpol.compiler.check.where import CONSTANT
from cpol.compiler.device import MAX_MAJOR, MAX_MINOR
from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.words import listing, suggest
from cpol.compiler.literals import show_value
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.errors.words import SETTLES, STEPS, VERBS
from cpol.compiler.types import BOOL, MAX_BATCH, U64, Type, widened
from cpol.compiler.vocabulary.event import EVENTS

SETTINGS = {"capacity": (1, 1 << 20), "batch": (1, MAX_BATCH), "seed": (0, (1 << 64) - 1)}
"""The settings of tests, with their ranges."""

MAX_REPEATS = 10_000

_NUMBERS = {
    "tick": "it is the time, in ms since the policy was attached",
    "reclaim": "it is how many pages are wanted",
    "room": "it is how many pages the cache may hold from here on",
    "device": "it is the device of the folios that come from here on, such as `device 8:1`",
    "cgroup": "it is the cgroup of the folios that come from here on",
    "readers": "it is how often file 0 is open for reading from here on; `readers 3:1` says it of file 3",
}
BRINGING = ("access", "write", "readahead")
"""Steps that bring folios in."""
OF_PAGES = ("request", *(event.step for event in EVENTS.values() if event.step and not event.whole), "swap")
"""Steps about a range of a file."""


def check_test(typed: Typed, scope: Scope, report: Report, test: ast.Test) -> None:
    """Check `test`, and record the values of its settings and input steps."""
    first = next((other for other in typed.symbols.tests if other.name.text == test.name.text), None)
    if first is not None:
        _say_twice(report, "tests", test.name, first.name)
    typed.symbols.tests.append(test)
    cases: dict[str, ast.Case] = {}
    for case in test.cases:
        same = cases.setdefault(case.name.text, case)
        if same is not case:
            _say_twice(report, "cases", case.name, same.name)
        _Checker(typed, scope, report, test, case).run(case.steps)
    if not test.cases:
        _Checker(typed, scope, report, test).run(test.steps)


def _say_twice(report: Report, what: str, name: ast.Name, first: ast.Name) -> None:
    report.error(
        "E0102",
        name.span,
        f"two {what} are called `{first.text}`",
        label="again here",
        help="choose another name",
        others=(Label(first.span, "the first"),),
    )


class _Checker:
    """Checks a test, or one case of it."""

    def __init__(
        self, typed: Typed, scope: Scope, report: Report, test: ast.Test, case: ast.Case | None = None
    ) -> None:
        self.typed = typed
        self.scope = scope
        self.report = report
        self.test = test
        self.case = case
        self.constant = ExprChecker(typed, scope, report, CONSTANT)
        self.asking = AskingChecker(typed, report, lambda e, range, what: self._constant(e, U64, *range, what, "E0115"))
        self.fill = InputStepChecker(typed, report, self._constant)
        self.expect = ExpectChecker(typed, scope, report)
        self.times = 1
        """How often the step that is checked runs."""
        self.busy = 0
        """How many folios the steps before it made busy, at most."""
        self.capacity = 0
        self.helps = ""
        """What to write instead of the step that is checked, if the step before it says so."""
        self.misspelt = False
        """Whether a setting is unknown, which may be meant as the capacity."""

    def run(self, steps: tuple[ast.Step, ...]) -> None:
        names: set[str] = set()
        for name, value in self.test.settings:
            self._once(name, names)
            self._setting(name, value)
        for cell in self.case.cells if self.case is not None else ():
            self._cell(cell, names)
        if "capacity" not in names and not self.misspelt and not only_prefetches(self.typed.symbols):
            self.report.error(
                "E0115",
                self.test.head,
                f"the test `{self.test.name.text}` has no capacity",
                why="a test needs the number of pages that the cache holds",
                help=f"write `test {self.test.name.text}(capacity: 8) {{ … }}`",
            )
        if self.case is not None:
            self.report.beside = (Label(self.case.name.span, "in this case"),)
        self._steps(steps)
        self.report.beside = ()
        if not any(isinstance(step, ast.Expect) or self.fill.asks(step) for step in _flat(steps)):
            self.report.error(
                "E0115",
                self.test.head,
                f"the test `{self.test.name.text}` expects nothing",
                why="it could never fail",
                help="write `expect CONDITION`",
            )

    def _once(self, name: ast.Name, names: set[str]) -> None:
        if name.text in names:
            self.report.error("E0102", name.span, f"`{name.text}` is set twice", help="remove one of them")
        names.add(name.text)

    def _cell(self, cell: ast.Cell, names: set[str]) -> None:
        """Check `name: value` of a case: a setting, or a value that steps have."""
        name = cell.name
        symbol = self.typed.symbols.names.get(name.text)
        if name.text in SETTINGS or self.asking.is_setting(name.text) or isinstance(symbol, ParamSym):
            self._once(name, names)
            if len(cell.values) == 1:
                self._setting(name, cell.values[0])
            else:
                self.report.error(
                    "E0115",
                    cell.span,
                    f"`{name.text}` has one value, not {len(cell.values)}",
                    help=f"write `{name.text}: 1`",
                )
        elif check_free(self.report, name, symbol) and not cell.used and self.case is self.test.cases[0]:
            why = "it is no setting, and no step has this name"
            self.report.warning("W0401", name.span, f"`{name.text}` is never used", why=why, help="remove it")

    # Settings

    def _setting(self, name: ast.Name, value: ast.Expr) -> None:
        symbol = self.typed.symbols.names.get(name.text)
        if name.text in SETTINGS:
            low, high = SETTINGS[name.text]
            set_to = self._constant(value, U64, low, high, f"`{name.text}`", "E0115")
            if name.text == "capacity":
                self.capacity = set_to or 0
            return
        if self.asking.is_setting(name.text):
            self.asking.setting(name.text, value)
            return
        if isinstance(symbol, ParamSym):
            if symbol.type is not None:
                self._constant(value, symbol.type, symbol.low, symbol.high, f"`{name.text}`", "E0115")
            return
        self.misspelt = True
        known = [*SETTINGS, *filter(self.asking.is_setting, ASKING_SETTINGS)]
        params = [s.name for s in self.typed.symbols.names.values() if isinstance(s, ParamSym)]
        self.report.error(
            "E0115",
            name.span,
            f"a test has no setting `{name.text}`",
            why=f"it has {listing(known)}, and the params of the policy",
            help=OTHER_SETTINGS.get(name.text, "") or suggest(name.text, (*known, *params)),
        )

    def _constant(self, expr: ast.Expr, type: Type, low: int, high: int, what: str, code: str) -> int | None:
        """The raw value of `expr`, between `low` and `high`, which is also recorded. None after an error."""
        wide = widened(type)
        if self.constant.check(expr, wide, what) is None or not check_divisors(self.typed, expr, self.report):
            return None
        value = folded(self.typed, expr, wide)
        if low <= value <= high:
            self.typed.values[expr] = value
            return value
        text = expr.text if isinstance(expr, ast.FixLit) else show_value(value, type)
        bounds = f"{show_value(low, type)} to {show_value(high, type)}"
        self.report.error(code, expr.span, f"{what} cannot be {text}", label=f"it is {bounds}", help=f"write {bounds}")
        return None

    # Steps

    def _steps(self, steps: tuple[ast.Step, ...]) -> None:
        for before, step, after in zip((None, *steps), steps, (*steps[1:], None), strict=False):
            self.helps = "did you mean `slot`?" if misspells_slot(before, step) else ""
            if not misspells_slot(step, after) and not is_rest(before, step):
                self._step(step)

    def _step(self, step: ast.Step) -> None:
        if isinstance(step, ast.Expect):
            self.expect.times = self.times
            if self.expect.check(step.cond, BOOL, "what is expected") is not None:
                check_divisors(self.typed, step.cond, self.report)
        elif isinstance(step, ast.Fill):
            self.fill.check(step, self.times)
        elif isinstance(step, ast.Repeat):
            self._repeat(step)
        else:
            self._action(step)

    def _action(self, step: ast.TestAction) -> None:
        verb = step.verb.text
        if verb not in VERBS:
            helps = self.helps or OTHER_STEPS.get(verb, "") or suggest(verb, (*VERBS, "expect"))
            why = "" if helps else f"the steps are {STEPS}"
            self.report.error("E0116", step.verb.span, f"a test has no step `{verb}`", why=why, help=helps)
        elif verb == "repeat":
            self.report.error("E0116", step.span, "`repeat` has no steps", help="write `repeat 3 { … }`")
        elif verb in OF_FOLIOS and only_prefetches(self.typed.symbols):
            why = "the policy says nothing about eviction, so it has no folios"
            self.report.error(
                "E0116", step.verb.span, f"`{verb}` has no meaning here", why=why, help="write `request 1`"
            )
        elif (step.task, step.comm) != (None, None) and verb not in (*BRINGING, *STEPS_ASKING):
            self.report.error("E0116", step.span, f"`{verb}` has no task", help="remove `as …`")
        elif step.size is not None and not self._size(step.size, verb):
            return
        elif verb in STEPS_ASKING:
            self.asking.step(step, self.times)
        elif verb in ("tick", "reclaim", "room", "readers", *SETTLES):
            self._number(step)
        else:
            self._folios(step)

    def _size(self, size: ast.FolioSize, verb: str) -> bool:
        """Whether a step can bring in folios of this size. It reports an error if not."""
        if verb not in (*BRINGING, *OF_PAGES):
            why = f"only {listing(BRINGING)} bring folios in, and only {listing(OF_PAGES)} are of pages"
            self.report.error(
                "E0116",
                size.span,
                f"`{verb}` takes no size",
                why=why,
                help=f"remove `of {size.pages} {size.unit.text}`",
            )
        elif size.unit.text not in ("page", "pages"):
            self.report.error("E0116", size.unit.span, "a size is in pages", help=f"write `of {size.pages} pages`")
        elif verb in OF_PAGES:
            return True
        elif self.capacity and not 1 <= size.pages <= self.capacity:
            why = f"the cache of this test holds {self.capacity}, and a folio has at least one"
            self.report.error(
                "E0116",
                size.span,
                f"a folio of {size.pages} pages cannot come",
                why=why,
                help=f"write `of {self.capacity} pages` or fewer, or a larger `capacity`",
            )
        else:
            return True
        return False

    def _repeat(self, step: ast.Repeat) -> None:
        times = step.times.first
        if not 1 <= times <= MAX_REPEATS:
            why = f"it repeats 1 to {MAX_REPEATS} times"
            self.report.error(
                "E0116",
                step.times.span,
                f"`repeat` cannot run its steps {times} times",
                why=why,
                help=f"write a number from 1 to {MAX_REPEATS}",
            )
            return
        before = self.times
        self.times *= times
        if not self.typed.spend((self.times - 1) * max(len(step.steps), 1)):
            self.report.error("E0116", step.span, TOO_MANY, why=AGAIN, help="repeat fewer times")
        else:
            self._steps(step.steps)
        self.times = before

    def _number(self, step: ast.TestAction) -> None:
        only, verb = step.folios[0], step.verb.text
        if len(step.folios) > 1 or (only.file and verb not in ("device", "readers")) or only.first != only.last:
            self.report.error(
                "E0116", step.span, f"`{verb}` takes one number", why=_NUMBERS[verb], help=f"write `{verb} 1`"
            )
        elif verb == "device" and only.file and (only.file > MAX_MAJOR or only.first > MAX_MINOR):
            why = f"MAJOR is at most {MAX_MAJOR}, MINOR at most {MAX_MINOR}"
            self.report.error(
                "E0116", only.span, "this is no MAJOR:MINOR of Linux", why=why, help="write such as `device 8:0`"
            )
        elif step.verb.text == "reclaim" and not 1 <= only.first <= MAX_BATCH:
            why = f"one request wants 1 to {MAX_BATCH} pages"
            self.report.error(
                "E0116",
                only.span,
                f"`reclaim` cannot want {only.first} pages",
                why=why,
                help=f"write a number from 1 to {MAX_BATCH}",
            )
        elif verb == "room" and not 1 <= only.first <= SETTINGS["capacity"][1]:
            why = f"a cache holds 1 to {SETTINGS['capacity'][1]} pages in a test"
            self.report.error(
                "E0116",
                only.span,
                f"the room cannot be {only.first} pages",
                why=why,
                help=f"write a number from 1 to {SETTINGS['capacity'][1]}",
            )

    def _folios(self, step: ast.TestAction) -> None:
        for part in step.folios:
            if part.first > part.last:
                self.report.error(
                    "E0206",
                    part.span,
                    "this range is empty",
                    label="its start is above its end",
                    help=f"write `{part.last}..{part.first}`",
                )
                return
        named = sum(part.last - part.first + 1 for part in step.folios)
        others = self.busy if step.verb.text in ("busy", "idle") else 0  # the step makes a new set of all of them
        if not self.typed.spend(self.times * (named + others)):
            why = AGAIN if self.times > 1 else ""
            self.report.error("E0116", step.span, TOO_MANY, why=why, help="name fewer")
        if step.verb.text == "busy":
            self.busy += named


def _flat(steps: tuple[ast.Step, ...]) -> Iterator[ast.Step]:
    for step in steps:
        yield step
        if isinstance(step, ast.Repeat):
            yield from _flat(step.steps)
