"""The full-screen view of `cpolc step`."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from screens import ends_cleanly, look, press
from textual.pilot import Pilot

from cpol.cli import screen, step
from cpol.cli.main import cli
from cpol.cli.screen.step import Source, StepScreen
from cpol.compiler.stages import run
from cpol.runtime.explore.step import Session, of_log, of_test
from cpol.runtime.machine.events import parse

POLICY = """/// Keeps what was read again: [red]no markup[/], [/nor this].
policy keeper {
  list queue, kept
  folio { reads: u8 = 0 }
  state moves: u8 = 0
  on added(f)    { place f at tail of queue }
  on accessed(f) { moves += 1  f.reads += 1  move f to tail of kept }
  on evict       {
    scan queue from head as f { evict f }
    scan kept from head as f { evict f }
  }
  test moves_it(capacity: 2) {
    access 1, 2, 1
    expect kept.has(1)
  }
}
"""
HEADER = "cpol-events\t1\npolicy\tkeeper\nlists\tqueue\tkept\nghosts\ncapacity\t2\nbatch\t1\ndecisions\tno\n"


def view(log: str = "", path: str = "log") -> StepScreen:
    """The view of the policy's test, or of a log."""
    policy = run(POLICY, "keeper.cpol").policy
    script = (
        of_log(policy, parse((HEADER + log).encode().splitlines(keepends=True)), path)
        if log
        else of_test(policy, policy.tests[0])
    )
    return StepScreen(Session(script), POLICY.split("\n"), set())


@pytest.mark.slow
def test_forward_back_and_what_changed() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        shown = await press(pilot, "n", "n")
        assert shown[0].startswith(" keeper, test moves_it: event 2 of 8")
        assert " >   6    on added(f)    { place f at tail of queue }" in shown
        for line in ("added 1 (line 13)", "decides: place 1 at tail of queue", "queue: empty -> 1", "moves = 0"):
            assert line in shown, shown
        assert shown[shown.index("queue (1 page):") + 1] == "  1: reads 0"
        shown = await press(pilot, "b")
        assert "miss of 1 (line 13)" in shown and " =  13      access 1, 2, 1" in shown
        assert not [line for line in shown if line.startswith(" >")]
        shown = await press(pilot, "g", "7", "enter")
        assert "moves = 0 -> 1" in shown and "  1: reads 0 -> 1" in shown, shown

    look(view(), script)


@pytest.mark.slow
def test_breakpoint_on_the_line_under_the_cursor() -> None:
    app = view()

    async def script(pilot: Pilot[Any]) -> None:
        app.query_one(Source).move_cursor(row=6)
        shown = await press(pilot, "t", "c")
        assert "access to 1 (line 13)" in shown and "*>   7    on accessed(f) { moves += 1" in "\n".join(shown)
        assert app.query_one(Source).cursor_row == 6
        shown = await press(pilot, "enter", "g", "0", "enter", "c")
        assert "expect kept.has(1) (line 14)" in shown and not app.breakpoints
        app.query_one(Source).move_cursor(row=0)
        shown = await press(pilot, "t")
        assert "no statement begins on line 1 of keeper" in " ".join(shown), shown

    look(app, script)
    assert app.session.over


@pytest.mark.slow
def test_folio_is_found_and_followed() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        await press(pilot, "n", "n")
        shown = await press(pilot, "f", "1", "enter")
        assert "folio 1: number 1 of 1 on queue, from the head, not read yet" in shown
        shown = await press(pilot, "g", "7", "enter")
        assert "folio 1: number 1 of 1 on kept, from the head" in shown and "reads = 1" in shown
        assert "folio 1" not in "\n".join(
            line for line in await press(pilot, "escape") if line.startswith("folio 1:  n")
        )
        shown = await press(pilot, "f", "x", "enter")
        assert "'x' is not a folio" in " ".join(shown)
        shown = await press(pilot, "g", "9", "enter")
        assert "there is no event 9; the last is 8" in " ".join(shown)

    look(view(), script)


@pytest.mark.slow
def test_escape_stops_a_long_way() -> None:
    app = view("added\t0\t7\t1\nfirst_accessed\t0\t7\n" + "accessed\t0\t7\n" * 60_000)

    async def script(pilot: Pilot[Any]) -> None:
        app.action_run_on()
        while app.session.position == 0:
            await asyncio.sleep(0)
        assert app.under_way
        app.action_stop()  # as the key does; the pilot would wait for a pause before it presses it
        shown = await press(pilot)
        assert not app.under_way and 0 < app.session.position < app.session.last
        assert f"event {app.session.position} of 60002" in shown[0]
        assert "access to 7" in shown

    look(app, script)


def test_wide_terminal_has_the_state_beside_the_policy() -> None:
    async def script(pilot: Pilot[Any]) -> None:
        shown = await press(pilot, "n", "n")
        (row,) = (line for line in shown if "policy keeper {" in line)
        assert row.endswith("decides: place 1 at tail of queue")

    look(view(), script, (140, 30))


@pytest.mark.slow
def test_names_and_text_are_hostile() -> None:
    app = view("added\t0\t7\t1\n", "\x1b[2J[red]\r\u202elog[/")
    app.source = ["// \x1b]0;owned\x07 [blink]x[/blink] [/red]\t\u202e", *POLICY.split("\n")[1:]]

    async def script(pilot: Pilot[Any]) -> None:
        shown = await press(pilot, "n")
        assert all(line.isprintable() for line in shown)
        assert shown[0].startswith(r" keeper, \x1b[2J[red]\x0d\xe2\x80\xaelog[/: event 1 of 1")
        app.query_one(Source).move_cursor(row=0)
        shown = await press(pilot)
        assert r"// \x1b]0;owned\x07 [blink]x[/blink] [/red]" in "\n".join(shown), shown
        shown = await press(pilot, *"f[red]", "enter")
        assert "'[red]' is not a folio" in " ".join(shown)

    look(app, script)


@pytest.fixture
def keeper(tmp_path: Path) -> str:
    path = tmp_path / "keeper.cpol"
    path.write_text(POLICY)
    return str(path)


def test_without_textual_it_reads_commands(keeper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "on_terminal", lambda: True)
    monkeypatch.setitem(sys.modules, "textual", None)
    words = ["step", keeper, "--test", "moves_it"]
    done = CliRunner().invoke(cli, words)
    note = "note: textual 8 or newer, which draws the full-screen view, is not installed: pip install textual"
    assert done.exit_code == 0 and note in done.stderr
    assert "attached" in done.stdout
    done = CliRunner().invoke(cli, [*words, "--screen"])
    assert done.exit_code == 1 and done.stderr.endswith(f"cpolc: error: {screen.MISSING}\n")
    assert "pip install" not in CliRunner().invoke(cli, [*words, "--interactive"], input="q\n").stderr


def test_textual_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen.installed()
    for version in ("7.9.9", "unknown"):
        monkeypatch.setattr("importlib.metadata.version", lambda name, version=version: version)
        assert not screen.installed()


def test_screen_needs_a_terminal(keeper: str) -> None:
    done = CliRunner().invoke(cli, ["step", keeper, "--test", "moves_it", "--screen"])
    assert done.exit_code == 2 and "--screen needs a terminal" in done.stderr
    done = CliRunner().invoke(cli, ["step", keeper, "--test", "moves_it", "--screen", "--json"])
    assert done.exit_code == 2 and "--json and --screen exclude each other" in done.stderr


@pytest.mark.slow
def test_textual_is_imported_for_the_view_only() -> None:
    code = f"import sys; import {step.__name__}; sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_default_on_a_terminal(keeper: str) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "cpol.cli.main", "step", keeper, "--test", "moves_it"]
    environment = {**os.environ, "TERM": "xterm", "LINES": "24", "COLUMNS": "80"}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        shown = b""
        while b"attached" not in shown:
            shown += os.read(master, 65536)
        os.write(master, b"q")
        ends_cleanly(process, master, shown)
