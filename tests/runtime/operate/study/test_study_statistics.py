"""The figures of `cpolc study report`: beside values of textbooks, by hand, and as properties."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from statistics import fmean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from studies import kept_in

from cpol.runtime.operate.study import distributions
from cpol.runtime.operate.study.latency import PERCENTILES, latency
from cpol.runtime.operate.study.order import Trial
from cpol.runtime.operate.study.report import facts, lines, verdict
from cpol.runtime.operate.study.statistics import best, compared, differing, times

SECONDS = st.floats(0.001, 1e6)
SAMPLES = st.lists(SECONDS, min_size=2, max_size=8)


def test_mean_with_its_interval_and_quartiles() -> None:
    """By hand: s^2 = 5/3, and the table of Student's t has 3.182 for 3 degrees of freedom."""
    found = times([1, 2, 3, 4])
    assert found is not None
    assert found.mean == 2.5 and found.spread == pytest.approx(math.sqrt(5 / 3))
    assert found.high - found.mean == pytest.approx(3.182446 * math.sqrt(5 / 12), rel=1e-6)
    assert found.mean - found.low == pytest.approx(found.high - found.mean)
    assert found.quartiles == (1, 1.75, 2.5, 3.25, 4)
    assert times([1]) is None


def test_welch_is_that_of_the_first_example_of_wikipedia() -> None:
    """https://en.wikipedia.org/wiki/Welch's_t-test: t = -2.46, 25.0 degrees of freedom, p = 0.021."""
    first = [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4]
    second = [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4]
    assert distributions.welch(first, second) == pytest.approx(0.021, abs=0.0005)


def test_levene_about_medians_by_hand() -> None:
    """Distances from the medians are 1 0 1 and 4 0 4: W = 6 / (34/3 / 4), and F(1, 4) is the square of t(4)."""
    t = math.sqrt(6 / (34 / 12))
    share = t * t / (4 + t * t)
    cumulative = 0.5 + 3 / 8 * (t / math.sqrt(1 + t * t / 4)) * (1 - t * t / 12 / (1 + t * t / 4))
    assert 0 < share < 1
    assert distributions.levene([1, 2, 3], [1, 5, 9]) == pytest.approx(2 * (1 - cumulative))


def test_without_spread_means_are_the_same_or_are_not() -> None:
    assert distributions.welch([2, 2], [2, 2]) == 1
    assert distributions.welch([2, 2], [3, 3]) == 0
    assert distributions.levene([2, 2, 2], [3, 3, 3]) == 1
    assert distributions.levene([1, 2], [1, 9]) == 1, "two values are as far from their median, whatever they are"


def test_the_line_is_that_of_anscombe() -> None:
    """Anscombe, Graphs in Statistical Analysis (1973), the first of four: slope 0.5, r^2 = 0.67."""
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    found = distributions.line(x, y)
    assert found is not None
    assert found.slope == pytest.approx(0.5001, abs=1e-4) and found.r2 == pytest.approx(0.6665, abs=1e-4)
    assert distributions.line([3, 3, 3], [1, 2, 3]) is None
    assert distributions.line([1, 2], [1, 2]) is None, "a line goes through any two points"
    flat = distributions.line([1, 2, 3], [5, 5, 5])
    assert flat is not None and flat.r2 == 0


@pytest.mark.parametrize(("difference", "count"), [(1.0, 17), (0.8, 26), (0.5, 64), (0.2, 394)])
def test_trials_that_a_difference_needs_are_those_of_cohen(difference: float, count: int) -> None:
    """Cohen, Statistical Power Analysis (1988), table 2.4.1, power 0.8, two-sided 0.05; he rounds 393.4 to 393."""
    assert distributions.count_for(difference, 1, 0.05) == count


@pytest.mark.slow
@given(count=st.integers(2, 60), spread=st.floats(0.01, 100), alpha=st.sampled_from([0.05, 0.01, 0.0005]))
def test_the_least_difference_needs_as_many_trials(count: int, spread: float, alpha: float) -> None:
    least = distributions.least_difference(spread, count, alpha)
    assert distributions.count_for(least * 1.001, spread, alpha) == count
    assert distributions.power(least, spread, count, alpha) == pytest.approx(0.8, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("count", [3, 10, 25])
def test_so_many_trials_find_the_difference_that_they_are_said_to_show(count: int) -> None:
    source = random.Random(count)
    difference = distributions.least_difference(1, count, 0.05)
    found = sum(
        distributions.welch(
            [source.gauss(20, 1) for _ in range(count)], [source.gauss(20 + difference, 1) for _ in range(count)]
        )
        < 0.05
        for _ in range(1000)
    )
    # Three trials leave Welch's test fewer degrees of freedom than 2 N - 2, so it finds somewhat less.
    assert (700 if count == 3 else 760) <= found <= 840


def test_holms_correction() -> None:
    assert distributions.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert distributions.holm([0.5, 0.9]) == [1, 1]
    assert distributions.holm([]) == []


@given(st.lists(SECONDS, min_size=2, max_size=6), st.integers(2, 4))
def test_identical_samples_show_no_difference(sample: list[float], variants: int) -> None:
    seconds = {str(number): sample for number in range(variants)}
    assert differing(seconds) == () and len(best(seconds, ())) == variants


@pytest.mark.slow
@given(first=SAMPLES, second=SAMPLES)
def test_scipy_has_the_same_tests(first: list[float], second: list[float]) -> None:
    """Its own are slower to load, and warn of samples with hardly any spread, which hence are left out here."""
    from scipy import stats

    if min(stdev(first) / fmean(first), stdev(second) / fmean(second)) > 1e-6:
        expected = stats.ttest_ind(first, second, equal_var=False).pvalue
        assert distributions.welch(first, second) == pytest.approx(expected, rel=1e-6)
    if min(len(first), len(second)) > 2 and min(stdev(first), stdev(second)) > 1e-6 * max(*first, *second):
        expected = stats.levene(first, second, center="median").pvalue
        assert distributions.levene(first, second) == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.slow
@given(first=SAMPLES, second=SAMPLES)
def test_tests_do_not_mind_which_sample_is_first(first: list[float], second: list[float]) -> None:
    assert distributions.welch(first, second) == pytest.approx(distributions.welch(second, first))
    assert distributions.levene(first, second) == pytest.approx(distributions.levene(second, first))
    assert 0 <= distributions.welch(first, second) <= 1 and 0 <= distributions.levene(first, second) <= 1


@given(values=st.lists(st.integers(1, 50), min_size=1, max_size=300), parts=st.integers(1, 4))
def test_percentiles_are_those_of_all_values(values: list[int], parts: int) -> None:
    histograms = []
    for part in range(parts):
        mine = values[part::parts]
        histograms.append(tuple((upper, mine.count(upper)) for upper in sorted(set(mine))))
    found = latency("reads", histograms)
    assert found.total == len(values)
    for share, value in zip(PERCENTILES, found.percentiles, strict=True):
        left = 100 - float(share)
        if len(values) * left < 1000 - 1e-6:
            assert value is None
        else:
            assert value == sorted(values)[math.ceil(len(values) * float(share) / 100 - 1e-9) - 1]


def test_the_last_percentile_wants_a_hundred_thousand_values() -> None:
    enough = latency("reads", [((1000, 99_989), (9000, 11))])
    assert enough.percentiles == (1000, 1000, 1000, 1000, 9000)
    assert latency("reads", [((1000, 99_988), (9000, 11))]).percentiles[-1] is None


@settings(max_examples=20)
@given(data=st.data())
def test_the_order_of_trials_does_not_change_the_report(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("order")
    seconds = {name: data.draw(st.lists(SECONDS, min_size=3, max_size=5)) for name in ("slow", "fast")}
    shuffled = {name: data.draw(st.permutations(each)) for name, each in seconds.items()}
    texts = []
    for each in (seconds, shuffled):
        kept = kept_in(folder, each)
        texts.append("\n".join(lines(kept, compared(kept))))
    assert texts[0] == texts[1]


@settings(max_examples=20)
@given(data=st.data())
def test_permuting_variants_permutes_rows(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("rows")
    samples = [data.draw(st.lists(SECONDS, min_size=3, max_size=4)) for _ in range(4)]
    names = ["slow", "fast", "third", "fourth"]
    order = [names[0], *data.draw(st.permutations(names[1:]))]
    found = []
    for each in (names, order):
        kept = kept_in(folder, {name: samples[names.index(name)] for name in each})
        told = facts(kept, compared(kept))["cells"][0]
        found.append((told["verdict"], {row["variant"]: row for row in told["rows"]}))
        assert [row["variant"] for row in told["rows"]] == each
    assert found[0] == found[1]


def test_verdicts(tmp_path: Path) -> None:
    close, apart = [10.0, 10.2, 9.9, 10.1], [20.0, 20.1, 19.8, 20.3]

    def said(**seconds: list[float]) -> str:
        kept = kept_in(tmp_path, seconds)
        return verdict(compared(kept)[0])

    assert said(slow=apart, fast=close) == "best: fast"
    assert said(slow=close, fast=apart) == "best: slow"
    assert said(slow=close, fast=close[::-1]).startswith("no difference that N = 4 can show: it would find ")
    assert said(slow=apart, fast=close, third=close) == "best: fast; N = 4 cannot tell it from third"
    noisy = [1.0, 30.0, 2.0, 1.0]
    assert said(slow=apart, fast=close, third=noisy) == "N = 4 cannot tell which is best; fast is faster than slow"
    more = said(slow=apart, fast=close, third=noisy, fourth=[30.0, 30.1, 30.2, 30.1])
    assert more == "N = 4 cannot tell which is best; fast is faster than slow, and 2 more pairs differ"
    assert said(slow=apart, fast=[1.0]) == "too few trials of fast to compare"


def test_a_verdict_tells_of_trials_that_failed(tmp_path: Path) -> None:
    """Else a variant whose slow trials took too long looks fast."""
    samples = {"slow": [20.0, 20.1, 19.8, 20.3], "fast": [10.0, 10.2, 9.9, 60.0]}
    kept = kept_in(tmp_path, samples, lambda trial: {"failure": "it took longer than 60 s"} if late(trial) else {})
    assert verdict(compared(kept)[0]) == "best: fast (1 trial failed and counts nowhere)"


def late(trial: Trial) -> bool:
    return trial.variant == "fast" and trial.number == 4


def test_a_verdict_of_all_pairs_says_what_all_pairs_could_show(tmp_path: Path) -> None:
    """The table compares with the baseline alone, so smaller differences show there."""
    kept = kept_in(tmp_path, {name: [10.0, 10.2, 9.9, 10.1] for name in ("slow", "fast", "third", "fourth")})
    found = compared(kept)[0]
    spread = stdev([10.0, 10.2, 9.9, 10.1])
    assert found.shown == pytest.approx(distributions.least_difference(spread, 4, 0.05 / 6) / 10.05)
    against = found.rows[1].against
    assert against is not None and against.shown < found.shown


def test_a_failed_trial_is_no_time(tmp_path: Path) -> None:
    kept = kept_in(
        tmp_path,
        {"slow": [1.0, 2.0, 3.0, 900.0], "fast": [1.0, 2.0, 3.0]},
        lambda trial: {"failure": "exit code 7"} if trial.variant == "slow" and trial.number == 4 else {},
    )
    slow, fast = compared(kept)[0].rows
    assert slow.seconds == fast.seconds == (1, 2, 3)
    assert (slow.failed, slow.missing, fast.failed, fast.missing) == (1, 0, 0, 1)
    assert "exit code 7" in "\n".join(lines(kept, compared(kept)))
    json.dumps(facts(kept, compared(kept)))
