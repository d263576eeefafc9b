"""`cpolc check A --against B`: the fewest events after which two policies keep other folios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler import compile_file, compile_source
from cpol.runtime.explore.check.against import compare

STDLIB = Path(__file__).parents[2] / "stdlib"
FAULTS = {
    "lru": ("move f to tail of queue", "move f to head of queue"),
    "sieve": ("f.visited = true", "f.visited = false"),
    "s3fifo": ("move f to tail of main", "move f to head of main"),
}
"""Mistakes that break no property: a folio on the wrong end, a bit that is not set."""


def cpolc(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["check", *(str(arg) for arg in args)])


@pytest.mark.slow
def test_a_policy_is_as_itself() -> None:
    done = cpolc("lru", "--against", "lru", "--max-examples", "50")
    assert done.exit_code == 0, done.output
    assert "no difference found" in done.stdout
    assert "a search proves nothing" in done.stdout


def test_two_policies_differ_by_few_events() -> None:
    done = cpolc("fifo", "--against", "lru", "--json")
    assert done.exit_code == 1, done.output
    report = json.loads(done.stdout)
    found = report["difference"]
    assert report["ok"] is False
    assert (report["policy"], report["against"]["policy"]) == ("fifo", "lru")
    assert found["only_first"] and found["only_second"]
    # Two pages at least, one of which is read again, and one more: three misses, four accesses, one request.
    assert len([event for event in found["first"]["events"] if "miss" in str(event)]) <= 4
    text = cpolc("fifo", "--against", "lru").stdout
    assert "the first policy alone keeps" in text
    assert "evict request" in text


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_that_breaks_no_property_is_found(name: str) -> None:
    text = (STDLIB / f"{name}.cpol").read_text()
    right, wrong = FAULTS[name]
    assert right in text
    result = compare(compile_file(STDLIB / f"{name}.cpol"), compile_source(text.replace(right, wrong), "wrong.cpol"))
    assert result.difference is not None, result


def test_policies_that_evict_nothing_cannot_be_compared() -> None:
    done = cpolc("lru", "--against", "readahead")
    assert done.exit_code == 2
    assert "evicts nothing" in done.stderr
    assert "on evict" in done.stderr


@pytest.mark.parametrize("option", [("--no-native",), ("--save", "x")])
def test_options_about_properties_are_refused(option: tuple[str, ...]) -> None:
    done = cpolc("lru", "--against", "fifo", *option)
    assert done.exit_code == 2
    assert "--against looks at none" in done.stderr
