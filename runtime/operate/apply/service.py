"""`cpolc apply --watch`: a service that gives cgroups their policies when they come."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from pathlib import Path
from types import FrameType
from typing import Protocol

from cpol.errors import ToldError, UserError
from cpol.runtime.operate.apply import carry_out, config
from cpol.runtime.operate.apply.carry_out import Rules
from cpol.runtime.operate.apply.cgroups import Cgroup, rule_of
from cpol.runtime.operate.apply.plan import CHANGES, LEAVE
from cpol.runtime.operate.apply.watch import POLL_SECONDS, Watch, WatchError

SETTLE_SECONDS = 0.1
"""Time from a change in the tree to the look at it, in which others of the same kind come."""
RETRIES = (0.2, 1.0, 5.0)
"""Seconds from one look at a cgroup whose memory controller is off to the next one. Nothing tells when it comes on."""
FAILED_SECONDS = 5.0
"""Seconds until cgroups have another turn if the loader could not tell what is attached. Nothing tells when it can."""


class Reports(Protocol):
    """Where the service tells what happens."""

    def say(self, message: str, severity: str = "") -> None:
        """Tell what the operator should know."""

    def show(self, text: str, failed: bool = False) -> None:
        """Tell what was done, or could not be."""

    def error(self, error: UserError | OSError) -> None:
        """Tell an error, after which the service goes on."""


RulesOf = Callable[[Path], AbstractContextManager[Rules]]
"""Reads the rules of a folder, as `carry_out.rules_of` does."""


class Service:
    """Holds the rules, and which cgroups had their turn.

    A cgroup has its turn when it comes, and again with SIGHUP. So what an operator detaches stays detached.
    """

    def __init__(self, folder: Path, rules_of: RulesOf, reports: Reports) -> None:
        self.folder, self.rules_of, self.reports = folder, rules_of, reports
        self.seen: set[int] = set()
        self._waiting: dict[int, tuple[int, float]] = {}
        """By the id of a cgroup that has another turn: how often its memory controller was off, and when."""
        self._stack = ExitStack()
        self.rules = self._stack.enter_context(rules_of(folder))
        self._say_if_empty()

    def _say_if_empty(self) -> None:
        if not self.rules.rules:
            self.reports.say(
                f"no file *.conf in {self.folder} has a section, so no cgroup gets a policy; write one, and reload "
                "this service (systemctl reload cpol-apply)",
                "note",
            )

    def reload(self) -> None:
        """Read the folder again. If it is wrong, the rules stay."""
        stack = ExitStack()
        try:
            rules = stack.enter_context(self.rules_of(self.folder))
        except (UserError, OSError) as error:
            if not isinstance(error, ToldError):
                self.reports.error(error)
            self.reports.say(f"the files of {self.folder} are not taken: the rules stay as they were")
            return
        self._stack.close()
        self._stack, self.rules = stack, rules
        self._say_if_empty()
        self.all()

    def close(self) -> None:
        """Remove the copies of the rules' objects."""
        self._stack.close()

    def all(self) -> None:
        """Give all cgroups their turn."""
        cgroups = carry_out.all_cgroups()
        self.seen = {one.id for one in cgroups}
        self._turn(cgroups)

    def changed(self) -> None:
        """Give the cgroups that came their turn, and sweep what is left of those that went."""
        cgroups = carry_out.all_cgroups()
        new = [one for one in cgroups if one.id not in self.seen]
        here = {one.id for one in cgroups}
        gone = self.seen - here
        self.seen = here
        if gone:
            self.sweep()
        if new:
            self._turn(new)

    def due(self) -> float | None:
        """Seconds until a cgroup is to be looked at again; None: there is none."""
        return max(0.0, min(at for _, at in self._waiting.values()) - time.monotonic()) if self._waiting else None

    def again(self) -> None:
        """Look again at cgroups whose memory controller was off, or of which the loader could tell nothing."""
        now = time.monotonic()
        due = {number for number, (_, at) in self._waiting.items() if at <= now}
        self._turn([one for one in carry_out.all_cgroups() if one.id in due])
        for number in due & self._waiting.keys():
            if self._waiting[number][1] <= now:  # it is gone
                del self._waiting[number]

    def _turn(self, cgroups: Iterable[Cgroup]) -> None:
        ready = [one for one in cgroups if self._is_ready(one)]
        if not ready:
            return
        try:
            steps = self.rules.steps(ready)
        except UserError as error:
            self.reports.error(error)
            at = time.monotonic() + FAILED_SECONDS
            self._waiting |= {one.id: (0, at) for one in ready}  # they count as seen, so no change gives them a turn
            return
        for done in self.rules.carry_out(steps):
            if done.error and not Path(done.step.path).exists():
                continue  # it went meanwhile
            if done.error or done.step.action in (*CHANGES, LEAVE):
                self.reports.show(done.text(False), failed=bool(done.error))

    def _is_ready(self, cgroup: Cgroup) -> bool:
        """Whether the memory controller is on. If not, the cgroup has another turn later."""
        rule = rule_of(cgroup, self.rules.rules)
        if rule is None or rule.policy == config.NO_POLICY or Path(cgroup.path, "memory.current").exists():
            self._waiting.pop(cgroup.id, None)
            return True
        tried, _ = self._waiting.get(cgroup.id, (0, 0.0))
        if tried == len(RETRIES):
            del self._waiting[cgroup.id]
            self.reports.say(
                f"{cgroup.path} has no memory controller, so it gets no policy; reload this service once it has"
            )
        else:
            self._waiting[cgroup.id] = tried + 1, time.monotonic() + RETRIES[tried]
        return False

    def sweep(self) -> None:
        try:
            said = carry_out.sweep()
        except UserError as error:
            self.reports.error(error)
        else:
            if said:
                self.reports.show(said)


def run(folder: Path, rules_of: RulesOf, reports: Reports) -> None:
    """Serve until SIGTERM or SIGINT. SIGHUP reads the folder again.

    Raises:
        UserError: the tree cannot be watched, or the folder is wrong at the start.
    """
    asked: list[int] = []

    def ask(number: int, _: FrameType | None) -> None:
        asked.append(number)

    read, write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    try:
        watch = Watch(config.CGROUPS)
        with closing(Service(folder, rules_of, reports)) as service:
            _serve(service, watch, asked, read)
    except WatchError as error:
        raise UserError(str(error)) from None


def _serve(service: Service, watch: Watch, asked: list[int], read: int) -> None:
    """Serve until one of these signals is among those that came.

    Args:
        read: the end of a pipe that each signal writes to.
    """
    service.sweep()
    service.all()
    notify("READY=1")
    service.reports.say(f"watching {config.CGROUPS}")
    told = False
    while not ({signal.SIGTERM, signal.SIGINT} & {*asked}):
        if watch.partly and not told:
            told = True
            service.reports.say(
                "the kernel has no room to watch so many cgroups, so they get their policies up to "
                f"{POLL_SECONDS:.0f} s late; raise sysctl fs.inotify.max_user_watches, and restart this service"
            )
        if signal.SIGHUP in asked:
            asked.clear()
            notify("RELOADING=1")
            service.reload()
            notify("READY=1")
        elif watch.wait(service.due(), read):
            time.sleep(SETTLE_SECONDS)
            service.changed()
        elif service.due() == 0:
            service.again()
        with suppress(BlockingIOError):
            os.read(read, 4096)


def notify(state: str) -> None:
    """Tell systemd, if it started this process (sd_notify(3))."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address[:1] not in ("/", "@"):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out, suppress(OSError):
        out.sendto(state.encode(), f"\0{address[1:]}" if address[0] == "@" else address)
