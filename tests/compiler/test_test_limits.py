"""What tests may do together: folios, and what `repeat` does again."""

from __future__ import annotations

import pytest

from cpol.compiler import compile_source, ir
from cpol.compiler.diagnostics import CompileError

from .examples import wrap

LIMIT = r"E0116\D+ the tests of a policy name at most 262144 folios"
DEEP = 45


def compiled(steps: str) -> ir.Policy:
    return compile_source(wrap(f"test a(capacity: 8) {{ {steps} expect cache.size < 9 }}"), "p.cpol")


@pytest.mark.parametrize(
    "steps",
    [
        "repeat 10_000 { repeat 10_000 { } }",
        "repeat 10_000 { repeat 27 { tick 1 } }",
        "repeat 10_000 { repeat 26 { } repeat 2 { } }",
        f"repeat 10_000 {{ {'repeat 1 { ' * DEEP} {'} ' * DEEP} }}",
        "repeat 10_000 { access 1..30 }",
        "repeat 100 { expect not queue.has(1..3_000) }",
        "repeat 100 { expect not queue.is(1..3_000) }",
        "repeat 1_000 { expect not cache.has(1..200, 301..400) }",
        "expect not queue.has(1..200_000) expect not queue.is(1..200_000)",
        "repeat 10_000 { expect cache.size == 0 } access 1..260_000",
        "busy 1..100_000 idle 1 busy 1",
        "busy 1..1_000 repeat 1_000 { idle 1  busy 1 }",
    ],
)
def test_what_is_done_again_counts(steps: str) -> None:
    with pytest.raises(CompileError, match=LIMIT):
        compiled(steps)


def test_what_is_within_the_limit_compiles() -> None:
    policy = compiled("repeat 100 { repeat 100 { } expect not queue.has(1..1_000)  tick 0 } access 1..100_000")
    (test,) = policy.tests
    assert len(test.steps) == 202


def test_rounds_share_their_steps() -> None:
    """A condition may be long, so that one for each round would fill the memory."""
    (test,) = compiled(f"repeat 10_000 {{ expect {' + '.join(['cache.size'] * 200)} == 0 }}").tests
    assert len(test.steps) == 10_001 and len({id(step) for step in test.steps}) == 2
