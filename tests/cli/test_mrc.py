"""`cpolc mrc`: exact curves are what `cpolc sim` counts; those of samples tell their errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.runtime.simulate.runs.curve import LEAST_PAGES, spread
from cpol.runtime.simulate.traces.synth import make, parse

SEED = 5
"""Of the traces of this file."""


def cpolc(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    made = make(parse(["zipf:objects=500,requests=5000+scan:requests=500", "loop:objects=90,requests=900"]), SEED)
    path.write_text("".join(f"{each}\n" for each in made.ids))
    return path


def test_an_exact_curve_is_what_sim_counts(keys: Path) -> None:
    curves = objects(cpolc("mrc", keys, "s3fifo", "lru", "--points", "6", "--json"))
    assert [curve["label"] for curve in curves] == ["s3fifo", "lru"]
    sizes = [point["capacity"] for point in curves[0]["points"]]
    assert sizes == spread(curves[0]["objects"], 6)
    listed = ",".join(map(str, sizes))
    runs = objects(cpolc("sim", "s3fifo", "lru", "--trace", keys, "--capacity", listed, "--json"))
    expected = {(run["policy"], run["capacity"]): run["miss_ratio"] for run in runs}
    for curve in curves:
        for point in curve["points"]:
            assert point["miss_ratio"] == expected[curve["label"], point["capacity"]]
            assert point["error"] is None


def test_params_make_curves_of_their_own(keys: Path) -> None:
    words = ("--set", "small_percent=5,10", "--capacity", "50,100", "--json")
    found = objects(cpolc("mrc", keys, "s3fifo", *words))
    assert [curve["label"] for curve in found] == ["s3fifo small_percent=5", "s3fifo small_percent=10"]


def test_capacities_are_shown_in_order(keys: Path) -> None:
    (curve,) = objects(cpolc("mrc", keys, "lru", "--capacity", "100,50", "--capacity", "70", "--json"))
    assert [point["capacity"] for point in curve["points"]] == [50, 70, 100]


def test_a_sample_tells_its_error(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    made = make(parse(["zipf:objects=4000,skew=0.8,requests=40000"]), SEED)
    path.write_text("".join(f"{each}\n" for each in made.ids))
    words = ("mrc", path, "fifo", "--sample", "0.2", "--capacity", f"{LEAST_PAGES},{4 * LEAST_PAGES}")
    result = cpolc(*words)
    assert result.exit_code == 0, result.output
    heading, _, exact, sampled = result.stdout.splitlines()
    assert "samples of 20.00% of the objects or more, ± by chance to 95 %" in heading
    assert "±" in sampled and "±" not in exact
    (curve,) = objects(cpolc(*words, "--json"))
    assert curve["sample"] == 0.2
    assert [point["error"] is None for point in curve["points"]] == [True, False]
    assert objects(cpolc(*words, "--json", "--seed", "2")) != [curve] == objects(cpolc(*words, "--json"))


@pytest.mark.slow
def test_policies_that_prefetch_run_on_their_model(tmp_path: Path) -> None:
    path = tmp_path / "strided.txt"
    path.write_text("".join(f"{3 * each % 1000}\n" for each in range(3000)))
    words = ("leap", "none", "default")
    curves = objects(cpolc("mrc", path, *words, "--capacity", "100,20", "--json"))
    runs = objects(cpolc("sim", *words, "--trace", path, "--capacity", "20,100", "--json"))
    expected = {(run["label"], run["capacity"]): run["miss_ratio"] for run in runs}
    found = {(curve["label"], point["capacity"]): point["miss_ratio"] for curve in curves for point in curve["points"]}
    assert found == expected
    assert found["leap", 100] < found["none", 100] / 2
    heading, names, *lines = cpolc("mrc", path, *words, "--points", "4").stdout.splitlines()
    assert "3,000 accesses, 1,000 pages; prefetching; exact" in heading
    assert names.split() == ["capacity", *words]
    assert len(lines) == 4


@pytest.mark.slow
def test_a_plot_is_drawn(keys: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, begins in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        result = cpolc("mrc", keys, "lru", "--points", "3", "--sample", "0.5", "--plot", tmp_path / name)
        assert result.exit_code == 0, result.output
        assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("lru", "--sample", "2"), 2, "'2' is no share of the objects; give auto, or a share such as 0.01"),
        (("lru", "--sample", "nan"), 2, "'nan' is no share"),
        (("lru", "--plot", "a.txt"), 2, "a.txt has no known ending; give one of .png, .svg, .pdf"),
        (("leap", "lru"), 1, "lru prefetches nothing, and others only prefetch; run them one after the other"),
        (("leap", "--sample", "auto"), 2, "the others run on a model, exactly: leave it out"),
        (("leap", "--batch", "2"), 2, "the others run on a model, exactly: leave it out"),
        (("lru", "lru"), 2, "lru is given twice"),
        (("lru", "--capacity", "0"), 2, "0"),
    ],
)
def test_bad_words(keys: Path, words: tuple[str, ...], code: int, said: str) -> None:
    result = cpolc("mrc", keys, *words)
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "capacity " not in result.stdout
