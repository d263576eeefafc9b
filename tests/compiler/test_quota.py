"""A quota of cached pages that a policy gets from outside of its text."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source
from cpol.compiler.expand.quota import with_quota
from cpol.compiler.policies import STDLIB
from cpol.compiler.vocabulary.quota import PARAM
from cpol.errors import UserError
from cpol.runtime.machine.interp import Machine
from cpol.runtime.machine.interp.trace import Given, run_trace

EVICTING = ["lru", "s3fifo", "sieve", "arc", "mru", "lecar"]


@pytest.mark.parametrize("name", EVICTING)
def test_a_policy_stays_within_its_quota(name: str) -> None:
    path = STDLIB / f"{name}.cpol"
    policy = compile_source(with_quota(path.read_text(), str(path), 12), str(path))
    machine = Machine(policy, 100)
    for page in [*range(40), *range(20), *range(60)]:
        run_trace(machine, Given([page]))
        assert machine.size <= 12
    assert machine.fallbacks == 0
    assert machine.reclaimed > 40
    machine.set_param(PARAM, 5)
    run_trace(machine, Given([1000]))
    assert machine.size == 5


def test_lines_keep_their_numbers() -> None:
    text = "policy p { // } a comment\n  list q\n  on added(f) { place f at tail of q }\n"
    text += "  on evict { scan q from head as f { evict f } } // }\n} // behind it }\n"
    made = with_quota(text, "p.cpol", 7)
    assert made.splitlines()[:4] == text.splitlines()[:4]
    assert len(made.splitlines()) == len(text.splitlines())
    assert compile_source(made, "p.cpol").params[0].default == 7


def test_one_that_has_a_quota_is_refused() -> None:
    path = STDLIB / "quota.cpol"
    with pytest.raises(UserError, match="quota of its own"):
        with_quota(path.read_text(), str(path), 7)


def test_a_library_is_refused() -> None:
    with pytest.raises(UserError, match="is a library"):
        with_quota("library l { const A: u64 = 1 }", "l.cpol", 7)


def test_what_cannot_have_one_is_told_without_a_line_that_no_file_has() -> None:
    path = STDLIB / "uncached.cpol"
    with pytest.raises(UserError, match="uncached evicts nothing, so it cannot keep to a quota"):
        with_quota(path.read_text(), str(path), 7)
    text = (STDLIB / "fifo.cpol").read_text().replace("  list ", f"  state {PARAM}: u64 = 0\n  list ", 1)
    with pytest.raises(UserError, match=f"fifo declares `{PARAM}`, which is the name of the quota"):
        with_quota(text, "fifo.cpol", 7)
