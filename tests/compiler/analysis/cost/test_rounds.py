"""Loops whose rounds have more paths than the verifier can follow: which they are, and what the verdict says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpol.cli.cost import cost
from cpol.compiler import compile_file
from cpol.compiler.analysis.cost.bounds import Bounds, Loop, bounds_of
from cpol.compiler.analysis.cost.rounds import Round, rounds
from cpol.compiler.analysis.cost.verifier import LIMIT
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.ir import Pos
from cpol.compiler.policies import stdlib_names
from cpol.compiler.stages import run
from cpol.kernel import profiles

from .graphs import function, objects

STDLIB = Path(__file__).resolve().parents[4] / "stdlib"
CARRIED = Bounds({}, {"readahead": [Loop("for", Pos(3, 1), 9, "", carries=True), Loop("for", Pos(4, 1), 9, "")]})

RUNS = """policy runs {
  param entries: u32 = 1024 in 16..65536
  input start: array[entries] of u64
  on readahead(r) {
    let behind = r.index + r.wanted
    let low = r.window
    VARIABLES
    for k in 0..128 {
      ROUND
    }
  }
}
"""
UNSIGNED = """if left == 0 or low + k >= start[0] { stop }
      let run = start[1 + low + k]
      let end = run / 64 + run % 64
      var first: u64 = max(run / 64, if r.marker then r.index else behind)
      let pages = min(end - first, skipped)
      skipped -= pages
      first += pages
      if first < end {
        let some = min(end - first, left)
        prefetch first up to some
        left -= some
      }"""
"""The verifier of Linux 6.12 gave up at a policy that had this loop behind two searches."""
SIGNED = """if left <= 0 or low + k >= start[0] { stop }
      let run = start[1 + low + k]
      let first = max(signed(run / 64), signed(if r.marker then r.index else behind))
      let pages = signed(run / 64 + run % 64) - first
      let past = max(min(pages, skipped), 0)
      let some = min(pages - past, left)
      skipped -= past
      if some > 0 {
        prefetch first + past up to unsigned(some)
        left -= some
      }"""
"""The same, computed by functions that the verifier checks once."""


def test_paths_of_a_round() -> None:
    """A round of two branches is gone through by four paths; the entry and the way out are not of it."""
    steps = ("call", ("bpf_iter_num_next", 3))
    code = function("nop", steps, ("if", 9), ("if", 5), "nop", ("if", 7), "nop", ("if", 1), "nop", "exit")
    on_one_path, on_two, on_four = 4, 2, 1
    assert rounds(code, objects(code), CARRIED) == (Round("3", on_one_path + 2 * on_two + 4 * on_four),)


def test_paths_of_a_nested_loop_do_not_multiply() -> None:
    outer, inner = ("call", ("bpf_iter_num_next", 3)), ("call", ("bpf_iter_num_next", 4))
    code = function(outer, ("if", 7), inner, ("if", 6), "nop", ("goto", 2), ("goto", 0), "exit")
    assert rounds(code, objects(code), CARRIED) == (Round("3", 7),)


def test_loop_that_carries_nothing_is_left_out() -> None:
    code = function(("call", ("bpf_iter_num_next", 4)), ("if", 3), ("goto", 0), "exit")
    assert rounds(code, objects(code), CARRIED) == ()


@pytest.mark.parametrize(
    ("body", "carries"),
    [
        ("for i in 1..3 { x = x + i }", True),
        ("for i in 1..3 { if i > 1 { x = i } }", True),
        ("for i in 1..3 { var y: u64 = i  y = y + x }", False),
        ("for i in 1..3 { n = x }", False),
    ],
)
def test_what_a_loop_carries(body: str, carries: bool) -> None:
    text = f"""policy p {{ list a  state n: u64 = 0  on added(f) {{ place f at tail of a }}
      on accessed(f) {{ var x: u64 = 1 {body} if x > 3 {{ n = 1 }} }}
      on evict {{ scan a from head as f {{ evict f }} }} }}"""
    policy = run(text, "p.cpol").policy
    assert [loop.carries for loop in bounds_of(policy, Setting.of(policy, 9, {})).loops["accessed"]] == [carries]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "type", "fits"), [(UNSIGNED, "u64", "unknown"), (SIGNED, "s64", "likely")], ids=["unsigned", "signed"]
)
def test_verdict(tmp_path: Path, body: str, type: str, fits: str) -> None:
    variables = f"var skipped: {type} = if r.marker then 64 else 0  var left: {type} = 64"
    path = tmp_path / "runs.cpol"
    path.write_text(RUNS.replace("VARIABLES", variables).replace("ROUND", body))
    verdict = cost(str(path), 1, profiles.load(profiles.DEFAULT)).verdict
    assert verdict.fits == fits
    if fits == "unknown":
        assert verdict.text("k") == (
            "may not fit k: the loop in line 8 of `file_readahead` changes variables, and a round has more paths "
            "than the verifier can follow one by one"
        )


def carrying() -> list[str]:
    """The stdlib policies that have a loop which carries variables."""
    found = []
    for name in stdlib_names():
        policy = compile_file(STDLIB / f"{name}.cpol")
        loops = bounds_of(policy, Setting.of(policy, 1, {})).loops.values()
        found += [name] if any(loop.carries for loops_of_one in loops for loop in loops_of_one) else []
    return found


@pytest.mark.long
def test_the_verifier_takes_the_loops_of_the_stdlib() -> None:
    """All that have loaded are far from the limit."""
    names, profile = carrying(), profiles.load(profiles.DEFAULT)
    assert {"leap", "ladder", "replay"} <= set(names)
    for name in names:
        found = [each for program in cost(name, 1, profile).programs for each in program.rounds]
        assert found and max(each.instructions for each in found) < LIMIT / 10, name
