"""A quiet emulated machine is stopped for a moment, so that a processor which QEMU starves runs again."""

from __future__ import annotations

import json
import socket
import time

import pytest

from cpol.kernel.vm.starved import Nudge, nudging


def commands(end: socket.socket) -> list[str]:
    """What was sent to the machine since the last call."""
    end.setblocking(False)
    try:
        text = end.recv(1 << 16)
    except BlockingIOError:
        return []
    return [json.loads(line)["execute"] for line in text.splitlines()]


@pytest.mark.slow
def test_only_a_quiet_machine_is_stopped() -> None:
    ours, machine = socket.socketpair()
    with ours, machine:
        ours.setblocking(False)
        nudge = Nudge(0.2, ours, machine)
        assert not nudge.look()
        assert commands(machine) == []
        time.sleep(0.3)
        nudge.heard()
        assert not nudge.look()
        time.sleep(0.3)
        assert nudge.look()
        assert commands(machine) == ["qmp_capabilities", "stop", "cont"]
        assert not nudge.look()
        machine.sendall(b'{"QMP": {}}\r\n{"return": {}}\r\n' * 1000)
        time.sleep(0.3)
        assert nudge.look()
        assert commands(machine) == ["stop", "cont"]
        with pytest.raises(BlockingIOError):
            ours.recv(1)


def test_a_machine_that_has_ended_is_left_alone() -> None:
    ours, machine = socket.socketpair()
    with ours:
        ours.setblocking(False)
        nudge = Nudge(0, ours, machine)
        machine.close()
        assert nudge.look()
        assert nudge.look()


@pytest.mark.parametrize(
    ("accel", "cpus", "nudged"), [("tcg", 2, True), ("icount", 2, True), ("tcg", 1, False), ("kvm", 4, False)]
)
def test_only_machines_whose_processors_can_starve(accel: str, cpus: int, nudged: bool) -> None:
    with nudging(accel, cpus) as nudge:
        assert (nudge is not None) == nudged
