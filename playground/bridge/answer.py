"""Answers requests of the page. Whatever is wrong, the answer is a message: nobody there can read a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from bridge import native, traces
from bridge.curves import Candidate, Runs, capacities, grows
from bridge.native import Native
from bridge.sources import PATH, as_data, compiled, diagnose
from bridge.stepping import drawn, need_evict, script_of
from bridge.traces import trace_of
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.errors import explain
from cpol.compiler.format import FormatError, format_text
from cpol.compiler.policies import STDLIB, stdlib_names
from cpol.compiler.stages import run
from cpol.errors import RequestError, UserError
from cpol.runtime.explore.check.policy_test import run_test
from cpol.runtime.explore.step import Session, StepError
from cpol.runtime.machine.errors import MachineError
from cpol.runtime.machine.interp.replay import ReplayError

Answer = dict[str, Any]
Tell = Callable[[Answer], None]

MOST_POLICIES = 6
"""Policies beside the one in the editor."""


def _tell_done(tell: Tell, before: int, total: int, requests: int) -> None:
    tell({"done": (before + requests) / total})


def _beside(asked: Answer) -> Iterator[Candidate]:
    """The policy of the editor, and those beside it."""
    text, params = asked["text"], asked.get("params", {})
    own = compiled(text).policy
    need_evict(own)
    known = own.name in stdlib_names() and text == (STDLIB / f"{own.name}.cpol").read_text(encoding="utf-8")
    yield Candidate(own.name, own, params, own.name if known else None)
    for name in [name for name in asked["beside"] if name in stdlib_names()][:MOST_POLICIES]:
        if known and name == own.name and not params:
            continue  # its line is there
        other = run((STDLIB / f"{name}.cpol").read_text(encoding="utf-8"), f"{name}.cpol").policy
        need_evict(other)
        yield Candidate(name if name != own.name else f"{name} (stdlib)", other, {}, name)


class Bridge:
    """Answers one page. It keeps the session that the page steps through. `run` runs native code, if there is any."""

    def __init__(self, run: native.Run | None = None) -> None:
        self.run = run
        self.session: Session | None = None
        self.source: list[str] = []

    def answer(self, request: str, tell: Callable[[str], None] = lambda _: None) -> str:
        """The answer to a request. `tell` hears what is known before the answer: points of curves, results of tests."""
        return json.dumps(self._safe(json.loads(request), lambda part: tell(json.dumps(part))))

    def _safe(self, asked: Answer, tell: Tell) -> Answer:
        try:
            return self._answer(asked, tell)
        except CompileError as error:
            return {"ok": False, "diagnostics": [as_data(each) for each in error.diagnostics]}
        except (UserError, MachineError, StepError, ReplayError, FormatError) as error:
            return {"ok": False, "problem": str(error)}
        except RecursionError:
            return {"ok": False, "problem": "this is nested too deeply for a browser; `cpolc` may still take it"}
        except Exception as error:  # a defect of cpol
            return {
                "ok": False,
                "problem": f"cpol has a defect here ({type(error).__name__}: {error}); please report it",
            }

    def _answer(self, asked: Answer, tell: Tell) -> Answer:
        match asked["op"]:
            case "check":
                return diagnose(asked["text"])
            case "format":
                return {"ok": True, "text": format_text(asked["text"], PATH)}
            case "tests":
                return self._tests(asked, tell)
            case "begin":
                return self._begin(asked)
            case "go" | "run":
                return self._go(asked)
            case "curves":
                return self._curves(asked, tell)
            case "explain":
                return self._explain(asked)
        raise RequestError(f"there is no request {asked['op']!r}")

    def _tests(self, asked: Answer, tell: Tell) -> Answer:
        policy = compiled(asked["text"]).policy
        failed = 0
        for test in policy.tests:
            failure = run_test(policy, test, native=False)
            failed += failure is not None
            tell(
                {
                    "name": test.name,
                    "line": test.pos.line if failure is None else failure.pos.line,
                    "about": " ".join(test.doc.split()),
                    "ok": failure is None,
                    "message": failure.message if failure else "",
                    "values": failure.values if failure else [],
                    "cache": failure.cache if failure else [],
                }
            )
        return {"ok": True, "tests": len(policy.tests), "failed": failed}

    def _begin(self, asked: Answer) -> Answer:
        self.session = None
        made = compiled(asked["text"])
        pages = trace_of(asked["trace"]) if asked.get("test") is None else []
        self.session = Session(script_of(made, asked, pages))
        self.source = asked["text"].split("\n")
        return self._shown()

    def _go(self, asked: Answer) -> Answer:
        if self.session is None:
            raise RequestError("nothing has begun: choose a test or a trace")
        if asked["op"] == "run":
            self.session.check_line(asked["line"])
            self.session.run({asked["line"]})
        else:
            number = max(0, min(asked["number"], self.session.last))
            if number > self.session.position and self.session.ended:
                return self._shown()
            self.session.go(number)
        return self._shown()

    def _shown(self) -> Answer:
        assert self.session is not None
        return {"ok": True, "step": drawn(self.session, self.session.here(), self.source)}

    def _curves(self, asked: Answer, tell: Tell) -> Answer:
        """Misses of the policy, of stdlib policies beside it, and of the optimum, each told when it is known."""
        policies = list(_beside(asked))
        fast = self.run is not None and all(each.stdlib is not None for each in policies)
        pages = trace_of(asked["trace"], native.MOST if fast else traces.MOST)
        runs = Runs(pages, Native(self.run, pages) if self.run else None)
        sizes = capacities(asked["capacities"], pages)
        total = len(policies) * len(sizes) * len(pages)
        done, anomalies = 0, []
        tell({"requests": len(pages), "different": len(set(pages)), "capacities": sizes})
        for capacity in sizes:
            tell({"name": "optimal", "capacity": capacity, "misses": runs.optimal(capacity)})
        for each in policies:
            points = []
            for capacity in sizes:
                points.append(runs.misses(each, capacity, partial(_tell_done, tell, done, total)))
                done += len(pages)
                tell({"name": each.label, "native": runs.is_native(each), "capacity": capacity, "misses": points[-1]})
            if grows(points):
                anomalies.append(each.label)
        return {"ok": True, "anomalies": anomalies, "rate": runs.rate}

    def _explain(self, asked: Answer) -> Answer:
        found = explain(asked["code"])
        if found is None:
            raise RequestError(f"there is no code {asked['code']!r}")
        return {"ok": True, "code": found.code, "title": found.title, "explanation": found.explanation,
                "wrong": found.wrong, "right": found.right}  # fmt: skip
