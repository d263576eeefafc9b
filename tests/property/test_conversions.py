"""Random policies convert at every place, with values that the conversion changes; a missing one is noticed."""

from __future__ import annotations

from functools import cache

import pytest
from agreement import MS_A_REQUEST, agree_on_events, agree_on_requests
from conversions import KINDS, Kind, without
from effort import SEED, generator, tried
from hypothesis import given
from hypothesis import strategies as st
from random_policy import AGREEING, Policies
from sources.source import source

from cpol.compiler import compile_source, ir
from cpol.compiler.backend import c, host
from cpol.compiler.ir.verify import mismatches
from cpol.compiler.ir.walk import all_expressions, fn_roots, walk
from cpol.compiler.types import widened
from cpol.runtime.explore.check.scenario import Scenario, scenarios
from cpol.runtime.machine.errors import PolicyError
from cpol.runtime.machine.interp import Given, Machine, run_trace
from cpol.runtime.machine.interp.snapshot import snapshot

pytestmark = pytest.mark.slow

POLICIES = 120
"""Random policies that are interpreted with and without their conversions."""
CAPACITY = 5
KEYS = generator("keys").choices(range(9), k=30)
NOTICED = 2
"""So many of them at least must show that the conversions of a kind are missing."""


@cache
def made(number: int) -> ir.Policy:
    return Policies(generator("policy", number), True).policy(f"random{number}")


@pytest.mark.parametrize("everything", [False, True], ids=["plain", "everything"])
def test_every_operand_of_random_policies_has_the_type_of_its_slot(everything: bool) -> None:
    for number in range(200):
        policy = Policies(generator("policy", number), everything).policy(f"random{number}")
        assert mismatches(policy) == [], number


def test_every_operand_of_random_sources_has_the_type_of_its_slot() -> None:
    for number in range(40):
        assert mismatches(compile_source(source(number, SEED)[0], f"source{number}.cpol")) == [], number


def test_narrow_parameters_chains_and_extreme_arguments_are_frequent() -> None:
    narrow = chains = extreme = calls = 0
    for number in range(POLICIES):
        policy = made(number)
        narrow += any(of is not None and of != widened(of) for fn in policy.fns for _, of in fn.params)
        inner = [e for fn in policy.fns for root in fn_roots(fn) for e in walk(root)]
        chains += any(isinstance(e, ir.FnCall) for e in inner)
        for call in (e for e in all_expressions(policy) if isinstance(e, ir.FnCall)):
            calls += 1
            extreme += any(
                isinstance(arg, ir.Convert) and isinstance(arg.operand, ir.Const | ir.Arith) for arg in call.args
            )
    print(
        f"{POLICIES} policies: {narrow} with narrow parameters, {chains} with chains, {calls} calls, {extreme} extreme"
    )
    assert narrow > POLICIES // 3
    assert chains > POLICIES // 4
    assert calls > 5 * POLICIES
    assert extreme > POLICIES


@pytest.mark.parametrize("kind", KINDS)
def test_the_interpreter_notices_each_missing_conversion(kind: Kind) -> None:
    noticed = sum(differs(number, kind) for number in range(POLICIES))
    print(f"{kind}: {noticed} of {POLICIES} policies")
    assert noticed >= NOTICED


def differs(number: int, kind: Kind) -> bool:
    """Return whether a trace leads to another state without the conversions of this kind."""
    policy = made(number)
    bare = without(policy, kind)
    return bare != policy and state_of(number) != state(bare)


@cache
def state_of(number: int) -> list[object]:
    return state(made(number))


def state(policy: ir.Policy) -> list[object]:
    machine, found = Machine(policy, CAPACITY), []
    try:
        for number, key in enumerate(KEYS):
            run_trace(machine, Given([key], [number * MS_A_REQUEST], [key % 3]))
            found.append(snapshot(machine))
    except (PolicyError, IndexError, OverflowError):  # a value that its type does not hold stops the machine
        pass
    return found


@pytest.mark.parametrize("kind", ["argument", "result"])
def test_a_simulator_that_does_not_clamp_is_caught(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policies are those of test_policies_agree: without the conversion in C, one of them at least differs."""
    build = host.build

    def planted(policy: ir.Policy, code: str | None = None, **chosen: bool) -> object:
        return build(policy, c.generate(without(policy, kind)), **chosen)

    monkeypatch.setattr(host, "build", planted)
    assert any(caught(number) for number in AGREEING)


def caught(number: int) -> bool:
    policy, found = made(number), list[bool]()

    @tried(20, times=1)
    @given(scenarios(policy), st.lists(st.integers(0, 20), max_size=80))
    def agree(scenario: Scenario, keys: list[int]) -> None:
        if not found:
            try:
                agree_on_events(policy, scenario, "{log}")
                agree_on_requests(policy, scenario, keys, "{log}")
            except AssertionError:
                found.append(True)

    agree()
    return bool(found)


def test_arguments_saturate_on_the_way_to_narrow_parameters() -> None:
    text = """policy narrow {
      list queue
      fn id4(v: u4): u64 = v
      fn id32(v: s32): s64 = v
      fn through(v: u16): u64 = id4(v)
      state big: u64 = 5000000000
      state low: s64 = -5000000000
      state a: u64 = 0
      state b: s64 = 0
      state d: u64 = 0
      on added(f) { place f at tail of queue }
      on accessed(f) { a = id4(big)  b = id32(low)  d = through(big) }
      on evict { scan queue from head as f { evict f } }
    }"""
    policy = compile_source(text, "narrow.cpol")
    agree_on_requests(policy, Scenario(CAPACITY, 1, {}, [], 1, ()), KEYS, "{log}")
    machine = Machine(policy, CAPACITY)
    run_trace(machine, Given([1, 1]))
    assert (machine.state["a"], machine.state["b"], machine.state["d"]) == (15, -(2**31), 15)
