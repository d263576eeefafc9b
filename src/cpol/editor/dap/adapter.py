"""The debug adapter: what an editor asks, and the session of `cpolc step` that answers.

A step is an event, as in `cpolc step`. It stops where a line with a breakpoint ran, at events that have a breakpoint,
and where the policy breaks a property; forward and back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from cpol.compiler.diagnostics import CompileError
from cpol.compiler.policies import resolve
from cpol.compiler.stages import Compilation, run_file
from cpol.compiler.vocabulary.event import EVENTS
from cpol.editor import wire
from cpol.editor.dap import scopes
from cpol.editor.dap.arguments import Arguments, RequestFailed
from cpol.editor.dap.requests import Requests
from cpol.editor.dap.scopes import Variable
from cpol.editor.dap.watch import Watches
from cpol.runtime.explore.step import Script, Session, StepError, of_log, of_test
from cpol.runtime.explore.step.script import Event, line_of
from cpol.runtime.machine.events import LogError, Op, read
from cpol.runtime.machine.interp.replay import ReplayError

THREAD = 1
CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsStepBack": True,
    "supportsRestartRequest": True,
    "supportsEvaluateForHovers": True,
    "supportsExceptionInfoRequest": True,
    "supportsTerminateRequest": True,
}
BETWEEN = 64
"""Events between two looks at what the editor wants meanwhile."""


class Adapter(Requests):
    """One debug session, on two streams."""

    def __init__(self, given: BinaryIO, out: BinaryIO, tell: Callable[[str], None]) -> None:
        super().__init__(given, out, tell)
        self.session: Session | None = None
        self.watches: Watches | None = None
        self.launched = Arguments("restart", {})
        self.running = False
        self.lines: set[int] = set()
        self.events: set[str] = set()
        self.entry = True
        self.made: list[Variable] = []
        """The variables whose parts may be asked for, until the next step."""

    def begun(self) -> Session:
        if self.session is None:
            raise RequestFailed("nothing is being stepped through; send `launch` first")
        return self.session

    def waiting_to_go(self) -> Session:
        """For a request that moves: it is stopped somewhere."""
        session = self.begun()
        if self.running:
            raise RequestFailed("it is running; send `pause` first")
        return session

    # How a session begins and ends.

    def on_initialize(self, given: Arguments) -> wire.Message:
        self.zero = 1 if given.flag("linesStartAt1", True) else 0
        return CAPABILITIES

    zero = 1
    """The number of the first line, as the editor counts."""

    def on_launch(self, given: Arguments) -> None:
        if self.running:
            raise RequestFailed("a session is running; send `disconnect` first")
        self._launch(given)
        self.after = lambda: self.event("initialized")

    def _launch(self, given: Arguments) -> None:
        """Begin a session; the one before stays if this one cannot begin."""
        made = compiled(given.text("policy"))
        test, log = given.text("test", ""), given.text("log", "")
        entry = given.flag("stopOnEntry", True)
        if bool(test) == bool(log):
            raise RequestFailed(
                "name what to step through: either `test`, a test of the policy, or `log`, an event log"
            )
        try:
            script = of_log(made.policy, read(Path(log)), log) if log else self._test(made, test)
            self.session = Session(script)
        except (LogError, ReplayError) as error:
            raise RequestFailed(str(error)) from None
        except OSError as error:
            raise RequestFailed(f"cannot read {log}: {error.strerror}") from None
        self.launched, self.entry = given, entry
        self.watches = Watches(made)

    @staticmethod
    def _test(made: Compilation, name: str) -> Script:
        policy = made.policy
        test = next((test for test in policy.tests if test.name == name), None)
        if test is None:
            known = ", ".join(test.name for test in policy.tests) or "none"
            raise RequestFailed(f"policy {policy.name} has no test {name!r}; it has {known}")
        return of_test(policy, test)

    def on_configurationDone(self, given: Arguments) -> None:
        self.begun()
        self.after = (lambda: self._stopped("entry")) if self.entry else self._run

    def on_restart(self, given: Arguments) -> None:
        """From the start, with the policy as its file is now. Breakpoints on lines that have a statement still stay."""
        self.begun()
        self._launch(given.inner("arguments", self.launched.given))
        self.lines = {line for line in self.lines if self._has_statement(line)}
        self.after = lambda: self._stopped("entry")

    def _has_statement(self, line: int) -> bool:
        with suppress(StepError):
            return self.begun().check_line(line) == line
        return False

    def on_disconnect(self, given: Arguments) -> None:
        self.over = True

    def on_terminate(self, given: Arguments) -> None:
        self.running = False
        self.after = lambda: self.event("terminated")

    # Breakpoints.

    def on_setBreakpoints(self, given: Arguments) -> wire.Message:
        session = self.begun()
        wanted = [each.number("line") + 1 - self.zero for each in given.each("breakpoints")]
        path = given.inner("source").text("path", "")
        if Path(path).resolve() != Path(session.policy.path).resolve():
            why = f"only lines of {session.policy.path} can stop it"
            return {"breakpoints": [{"verified": False, "message": why} for _ in wanted]}
        self.lines = set()
        out: list[wire.Message] = []
        for line in wanted:
            try:
                self.lines.add(session.check_line(line))
                out.append({"verified": True, "line": line - 1 + self.zero})
            except StepError as error:
                out.append({"verified": False, "message": str(error)})
        return {"breakpoints": out}

    def on_setFunctionBreakpoints(self, given: Arguments) -> wire.Message:
        self.begun()
        self.events = set()
        out = []
        for each in given.each("breakpoints"):
            name = each.text("name").removeprefix("on ").strip()
            known = name in EVENTS
            if known:
                self.events.add(name)
            out.append({"verified": known} if known else {"verified": False, "message": f"no event is called {name!r}"})
        return {"breakpoints": out}

    def on_setExceptionBreakpoints(self, given: Arguments) -> wire.Message:
        return {"breakpoints": []}

    # Where to go.

    def on_continue(self, given: Arguments) -> wire.Message:
        self.waiting_to_go()
        self.after = self._run
        return {"allThreadsContinued": True}

    def on_next(self, given: Arguments) -> None:
        self.waiting_to_go()
        self.after = self._forward

    on_stepIn = on_stepOut = on_next

    def on_stepBack(self, given: Arguments) -> None:
        session = self.waiting_to_go()
        if session.position == 0:
            raise RequestFailed("this is the start; nothing happened before it")
        session.go(session.position - 1)
        self.after = lambda: self._stopped("step")

    def on_reverseContinue(self, given: Arguments) -> None:
        self.waiting_to_go()
        self.after = self._back

    def on_pause(self, given: Arguments) -> None:
        self.begun()
        self.after = lambda: self._stopped("pause")

    def _forward(self) -> None:
        session = self.begun()
        if session.over:
            self.event("terminated")
            return
        step = session.next()
        self._stopped("exception" if step.problem is not None else "step")

    def _run(self) -> None:
        """Go on to what stops it, or to the end."""
        session = self.begun()
        if session.over:
            self.event("terminated")
            return
        taken = 0
        self.running = True
        while not session.over:
            session.advance(session.position + 1)
            taken += 1
            if (reason := self._reason()) is not None:
                self._stopped(reason)
                return
            if taken % BETWEEN == 0 and self._wanted():
                return
        self._stopped("step", "the end of the script")

    def _wanted(self) -> bool:
        """Whether the editor has stopped it. Other requests are answered."""
        while self.take_waiting():
            if self.over or not self.running:
                return True
        return False

    def _reason(self) -> str | None:
        """Why the step that was taken stops it."""
        session = self.begun()
        if session.problem is not None:
            return "exception"
        if session.hits(self.lines):
            return "breakpoint"
        return "function breakpoint" if self._happened() in self.events else None

    def _happened(self) -> str:
        """The event of the step that was taken last; empty for another one."""
        session = self.begun()
        item = session.script.items[session.position - 1] if session.position else None
        return Op(item.row.op).name.lower() if isinstance(item, Event) else ""

    def _back(self) -> None:
        """Go back to the last step that stops it, or to the start. A pause leaves it where the search is."""
        session = self.begun()
        end = session.position
        found, reason = 0, "entry"
        self.running = True
        session.go(0)
        while session.position < end - 1 and not session.over:
            session.advance(session.position + 1)
            if session.position % BETWEEN == 0 and self._wanted():
                return
            if (why := self._reason()) is not None:
                found, reason = session.position, why
        session.go(found)
        self._stopped(reason)

    def _stopped(self, reason: str, text: str = "") -> None:
        session = self.begun()
        self.running = False
        self.made.clear()
        step = session.here()
        body = {"reason": reason, "threadId": THREAD, "allThreadsStopped": True, "description": text or step.event}
        if step.problem is not None:
            body |= {"reason": "exception", "text": step.problem}
        self.event("stopped", **body)

    # What is shown.

    def on_threads(self, given: Arguments) -> wire.Message:
        return {"threads": [{"id": THREAD, "name": "policy" if self.session is None else self.session.policy.name}]}

    def on_stackTrace(self, given: Arguments) -> wire.Message:
        session = self.begun()
        step = session.here()
        own = [pos for pos in step.ran if not pos.file]
        at = next((pos for pos in own if pos.line in self.lines), own[0] if own else None)
        frames = []
        name = f"{step.number} of {session.last}: {step.event}"
        if at is not None:
            frames.append(self._frame(1, name, session.policy.path, at.line, at.column))
        if session.position:
            line = line_of(session.script.items[session.position - 1])
            frames.append(self._frame(2, name if at is None else session.script.name, session.script.path, line, 1))
        elif at is None:
            frames.append(self._frame(2, name, session.policy.path, 1, 1))
        return {"stackFrames": frames, "totalFrames": len(frames)}

    def _frame(self, number: int, name: str, path: str, line: int, column: int) -> wire.Message:
        where = str(Path(path).resolve())
        source = {"name": Path(path).name, "path": where}
        return {"id": number, "name": name, "source": source, "line": line - 1 + self.zero, "column": column}

    def on_scopes(self, given: Arguments) -> wire.Message:
        return {
            "scopes": [
                {**self._shown(scope), "expensive": scope.name == "Records"} for scope in scopes.scopes(self.begun())
            ]
        }

    def on_variables(self, given: Arguments) -> wire.Message:
        self.begun()
        number = given.number("variablesReference")
        if not 1 <= number <= len(self.made):
            raise RequestFailed("this variable is of an earlier step")
        variable = self.made[number - 1]
        first, count = given.number("start", 0), given.number("count", 0) or scopes.MOST
        if first < 0 or count < 0 or variable.parts is None:
            return {"variables": []}
        return {"variables": [self._shown(part) for part in variable.parts(first, min(count, scopes.MOST))]}

    def _shown(self, variable: Variable) -> wire.Message:
        out: wire.Message = {"name": variable.name, "value": variable.value, "variablesReference": 0}
        if variable.type:
            out["type"] = variable.type
        if variable.parts is not None:
            self.made.append(variable)
            out["variablesReference"] = len(self.made)
            if variable.indexed:
                out["indexedVariables"] = variable.indexed
        return out

    def on_evaluate(self, given: Arguments) -> wire.Message:
        session = self.begun()
        text = given.text("expression").strip()
        found = scopes.named(session, text)
        if found is not None:
            shown = self._shown(found)
            return {"result": shown.pop("value"), **{key: value for key, value in shown.items() if key != "name"}}
        assert self.watches is not None
        value, type = self.watches.evaluate(text, session.machine)
        return {"result": value, "type": type, "variablesReference": 0}

    def on_exceptionInfo(self, given: Arguments) -> wire.Message:
        problem = self.begun().here().problem or "nothing is broken here"
        return {"exceptionId": "broken", "description": problem, "breakMode": "always"}


def compiled(name: str) -> Compilation:
    """The policy of this name or path.

    Raises:
        RequestFailed: it has errors; the message is the compiler's.
        UserError: there is none.
    """
    try:
        return run_file(resolve(name))
    except CompileError as error:
        raise RequestFailed(error.render()) from None


def serve(given: BinaryIO, out: BinaryIO, tell: Callable[[str], None]) -> None:
    """Serve one editor on two streams, until it leaves.

    Args:
        tell: is told what is wrong with a message, in one line.

    Raises:
        UserError: what it sends cannot be read.
    """
    Adapter(given, out, tell).serve()
