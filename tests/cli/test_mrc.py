"""`cpolc mrc`: exact curves are what `cpolc sim` counts; those of samples have errors that hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.compiler.compiled import compiled
from cpol.compiler.policies import resolve
from cpol.runtime.machine.settings.assumed import Assumed
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.curve import LEAST_PAGES, Curves, samples, spread
from cpol.runtime.simulate.runs.evict import Setup
from cpol.runtime.simulate.traces import Trace
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
            assert (point["error"], point["doubtful"]) == (None, False)


def test_params_make_curves_of_their_own(keys: Path) -> None:
    words = ("--set", "small_percent=5,10", "--capacity", "50,100", "--json")
    found = objects(cpolc("mrc", keys, "s3fifo", *words))
    assert [curve["label"] for curve in found] == ["s3fifo small_percent=5", "s3fifo small_percent=10"]


def setups(names: Sequence[str], batch: int = 1) -> list[Setup]:
    found = [Candidate(name, compiled(resolve(name)), {}, [], name, {}) for name in names]
    return [Setup(each, batch, 1, Assumed(), False) for each in found]


def ratios(curves: Curves) -> list[float]:
    return [task.run() for task in curves.tasks()]


@pytest.fixture(scope="module")
def zipf() -> Trace:
    return make(parse(["zipf:objects=4000,skew=0.8,requests=60000"]), SEED)


@pytest.mark.slow
def test_the_interval_of_samples_holds_the_exact_ratio(zipf: Trace) -> None:
    capacities = [400, 1200]
    exact = Curves(zipf, setups(["lru"]), capacities, [])
    truth = [point.miss_ratio for point in exact.points(ratios(exact))[0]]
    held = 0
    for seed in range(40):
        curves = Curves(zipf, setups(["lru"]), capacities, samples(zipf, 0.1, 5, seed))
        (points,) = curves.points(ratios(curves))
        for point, ratio in zip(points, truth, strict=True):
            assert point.error is not None and not point.doubtful
            held += abs(point.miss_ratio - ratio) <= point.error
            assert abs(point.miss_ratio - ratio) < 0.06, seed
    assert held >= 0.9 * 80, f"{held} of 80 intervals hold"


def test_a_sample_has_all_requests_of_its_objects(zipf: Trace) -> None:
    first, second = samples(zipf, 0.25, 2, SEED)
    (again, _) = samples(zipf, 0.25, 2, SEED)
    assert first.trace.ids == again.trace.ids != second.trace.ids
    taken = set(first.trace.ids)
    assert len(taken) == round(0.25 * zipf.distinct)
    assert [each for each in zipf.ids if each in taken] == first.trace.ids.tolist()
    assert first.share == len(taken) / zipf.distinct


def test_a_cache_of_all_objects_misses_each_once(zipf: Trace) -> None:
    curves = Curves(zipf, setups(["s3fifo"]), [zipf.distinct], samples(zipf, 0.1, 3, SEED))
    ((point,),) = curves.points(ratios(curves))
    assert point.miss_ratio == pytest.approx(zipf.distinct / zipf.requests)
    assert point.error == pytest.approx(0, abs=1e-12)


def test_small_caches_of_samples_are_doubtful(keys: Path) -> None:
    result = cpolc("mrc", keys, "lru", "--sample", "0.1", "--capacity", f"{5 * LEAST_PAGES},{20 * LEAST_PAGES}")
    assert result.exit_code == 0
    first, second = result.stdout.splitlines()[2:]
    assert first.endswith("?") and not second.endswith("?")
    assert "±" in second and "`?`" in result.stderr


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
        (("lru", "--samples", "1"), 2, "1"),
        (("lru", "--plot", "a.txt"), 2, "a.txt has no known ending; give one of .png, .svg, .pdf"),
        (("leap",), 1, "leap only prefetches"),
        (("lru", "lru"), 2, "lru is given twice"),
        (("lru", "--capacity", "0"), 2, "0"),
    ],
)
def test_bad_words(keys: Path, words: tuple[str, ...], code: int, said: str) -> None:
    result = cpolc("mrc", keys, *words)
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "capacity " not in result.stdout
