"""A cgroup without a policy feels nothing of policies, good or hostile, in other cgroups: on both mounts.

beside_checks.py measures. `make bench-neighbour` does so with all policies of the stdlib (docs/measured/neighbours.md).
"""

from __future__ import annotations

import pytest
from beside import EMPTY, HOSTILE, Arm, on_mount, run_arms, stdlib
from beside_table import Found, dear, wrong_of
from kernels import ON_PATCHED

pytestmark = pytest.mark.vm

WORST = ("unused", "drops", "wild_slots", "rotates", "pins", "moves")
"""Of the hostile ones: those that make others pay if anything does."""
GOOD = ("s3fifo",)
ROUNDS, READS = 16, 6_000
ARMS: tuple[Arm, ...] = (*EMPTY, *(arm for arm in (*HOSTILE, *stdlib()) if arm.name in (*WORST, *GOOD)))


@pytest.fixture(scope="module", params=ON_PATCHED)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Found:
    return run_arms(request.param, on_mount(ARMS, request.param), tmp_path_factory.mktemp("beside"), ROUNDS, READS)


@pytest.mark.parametrize("name", [arm.name for arm in ARMS])
def test_a_neighbour_is_as_alone(found: Found, name: str) -> None:
    """Instructions as when the policy was attached; pages cached and refaults as alone: within 2 %."""
    assert not list(wrong_of(found, name)), found["arms"][name]


def test_attaching_costs_what_hooks_cost(request: pytest.FixtureRequest, found: Found) -> None:
    """Within 2 % on the patched kernel; with the module, what ftrace takes for each hook."""
    mount = request.node.callspec.params["found"]
    assert not dear(found, mount), found["alone"]


def test_the_hostile_ones_do_what_they_are_for(found: Found) -> None:
    """Otherwise the test above holds for nothing."""
    told = {name: arm["idle"] for name, arm in found["arms"].items()}
    assert told["unused"]["ra_prefetched"] > 10_000, told["unused"]
    assert told["drops"]["ranges"] > 1_000 and told["drops"]["dropped"] > 1_000, told["drops"]
    assert told["wild_slots"]["prefetched"] > 500, told["wild_slots"]
    assert told["rotates"]["offences"] > 0, told["rotates"]
    assert told["pins"]["pin_kept"] > 500, told["pins"]
    assert told["moves"]["accessed"] > 5_000, told["moves"]
