"""`cpolc metrics`: its output through parsers and promtool's rules, and its server under hostile clients."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from metrics_world import ENTRY
from prometheus_client import parser
from prometheus_client.openmetrics import exposition as strict_exposition
from prometheus_client.openmetrics import parser as strict_parser

from cpol import version
from cpol.cli.main import cli
from cpol.runtime.operate import loader
from cpol.runtime.operate.loader.statistics import End, Statistics, parse, read
from cpol.runtime.operate.watch import families

GOLDEN = Path(__file__).with_name("golden") / "metrics.txt"


def text(policies: list[Statistics]) -> str:
    return families.text(lambda: policies)


BUILD = ("cpol_build_info", frozenset({"version": "1.2.3", "language": "0.1", "module": ""}.items()))


@pytest.fixture(autouse=True)
def versions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What `cpol_build_info` tells."""
    monkeypatch.setattr(version, "__version__", "1.2.3")
    monkeypatch.setattr(version, "LANGUAGE_VERSION", "0.1")
    monkeypatch.setattr(families, "MODULE_VERSION", tmp_path / "version")


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return all samples by name and labels. OpenMetrics goes through its own parser, which is strict."""
    found = {}
    reader = strict_parser if text.endswith("# EOF\n") else parser
    for family in reader.text_string_to_metric_families(text):
        assert family.documentation, family.name
        for sample in family.samples:
            found[sample.name, frozenset(sample.labels.items())] = sample.value
    return found


def labels(**more: str) -> frozenset[tuple[str, str]]:
    return frozenset({"cgroup": "/sys/fs/cgroup/web", "id": "4711", "policy": "s3fifo", **more}.items())


def of_kind(**more: str) -> frozenset[tuple[str, str]]:
    """Labels of a family for both kinds of policies."""
    return labels(**{"kind": "evict", **more})


def test_every_statistic_is_exported() -> None:
    found = samples(text([parse(ENTRY)]))
    assert found == {
        BUILD: 1,
        ("cpol_policy_info", of_kind(state="attached")): 1,
        ("cpol_folio_events_total", labels(event="added")): 10,
        ("cpol_folio_events_total", labels(event="accessed")): 1 << 63,
        ("cpol_hits_total", labels()): 900,
        ("cpol_misses_total", labels()): 100,
        ("cpol_requests_total", labels()): 5,
        ("cpol_evicted_pages_total", labels()): 7,
        ("cpol_refused_pages_total", labels(reason="dirty")): 1,
        ("cpol_refused_pages_total", labels(reason="busy")): 2,
        ("cpol_program_seconds_total", labels()): 1.5,
        ("cpol_owned_pages", labels()): 3,
        ("cpol_memory_bytes", labels()): 4096,
        ("cpol_list_pages", labels(number="0", list="small")): 1,
        ("cpol_list_pages", labels(number="1", list="main")): 2,
        ("cpol_other", of_kind(key="of_the_future")): 9,
    }


def test_overruled_policy_has_its_reason() -> None:
    found = samples(text([parse({**ENTRY, "state": "overruled", "reason": "starves", "offences": 64})]))
    assert found["cpol_policy_info", of_kind(state="overruled", reason="starves")] == 1
    assert found["cpol_offences_total", labels()] == 64


def test_broken_off_policy_stays() -> None:
    broken = {"path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "broken off", "list_names": []}
    assert samples(text([parse(broken)])) == {BUILD: 1, ("cpol_policy_info", of_kind(state="broken off")): 1}


ENDED: dict[str, Any] = {
    "path": "/sys/fs/cgroup/web", "cgroup": 4711, "name": "s3fifo", "state": "ended", "exit": "watchdog", "code": 64,
    "message": 'rotates: "64"', "ended_ms": 1000, "more": 5, "held": True, "list_names": [],
}  # fmt: skip


def test_policies_that_ended() -> None:
    """Those that are held appear in the info; of all, the time of the end, once for ends that are alike."""
    gone = {**ENDED, "held": False}
    entries = [ENTRY, {**gone, "ended_ms": 500}, gone, {**gone, "exit": "replaced", "code": 0}, {**ENDED, "cgroup": 9}]
    policies = [parse(entry) for entry in entries]
    assert [one.end is None for one in policies] == [True, False, False, False, False]
    before = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    page = text(policies)
    assert len(page.splitlines()) == len({*page.splitlines()}), "a sample appears twice"
    found = samples(page)
    assert found["cpol_policy_info", of_kind(state="attached")] == 1
    assert found["cpol_policy_info", of_kind(id="9", state="ended", exit="watchdog")] == 1
    assert sum(name == "cpol_policy_info" for name, _ in found) == 2
    ends = {key[1]: value for key, value in found.items() if key[0] == "cpol_policy_exit_timestamp_seconds"}
    why = {"message": 'rotates: "64"', "code": "64", "exit": "watchdog"}
    assert set(ends) == {
        of_kind(**why), of_kind(**{**why, "exit": "replaced", "code": "0"}), of_kind(**{**why, "id": "9"}),
    }  # fmt: skip
    assert abs(ends[of_kind(**why)] - (before + 1)) < 2
    assert found["cpol_other", of_kind(id="9", key="more")] == 5 and found["cpol_hits_total", labels()] == 900
    both = parse({**ENDED, "state": "overruled", "reason": "rotates", "added": 3})
    found = samples(text([both]))
    assert found["cpol_policy_info", of_kind(state="overruled", exit="watchdog", reason="rotates")] == 1
    assert found["cpol_folio_events_total", labels(event="added")] == 3
    assert parse({key: ENDED[key] for key in ("path", "cgroup", "name", "state")}).end == End(
        "unknown", 0, "", 0, False
    )


def everything_counted() -> list[Statistics]:
    numbers = dict.fromkeys(families.KNOWN, 3)
    return [Statistics(n, path, "p", "attached", {**numbers, "new": 1}, (4,)) for n, path in enumerate(("/a", "/b"))]


def test_each_help_stands_alone() -> None:
    """Rows of docs/kernel-interface.md may lean on the row before; the help of a metric has none."""
    for family in (*families.FAMILIES.values(), *families.PREFETCH_FAMILIES.values()):
        assert not re.search(r"\b(Of (these|those)|has \d+ bytes of it)\b", family.help), family.name


def test_names_are_as_dashboards_know_them() -> None:
    """An edit of compiler/contract.toml renames no metric unnoticed."""
    numbers = dict.fromkeys(families.PREFETCH_KNOWN, 3)
    prefetches = Statistics(3, "/c", "q", "attached", numbers, prefetches=True, latency=(1, 2))
    page = text([*everything_counted(), prefetches])
    if os.environ.get("CPOL_WRITE_GOLDEN"):
        GOLDEN.write_text(page, encoding="utf-8")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_policies_that_prefetch_have_families_of_their_own() -> None:
    numbers = {"faults": 100, "ra_used": 7, "nomem": 1}
    policies = [
        Statistics(4711, "/a", "leap", "attached", numbers, prefetches=True, latency=(0, 4, 36)),
        Statistics(4711, "/a", "lfu", "attached", {"nomem": 5}),
    ]
    found = samples(text(policies))
    assert found["cpol_prefetch_faults_total", labels(cgroup="/a", policy="leap")] == 100
    assert found["cpol_prefetch_used_pages_total", labels(cgroup="/a", policy="leap", of="file")] == 7
    assert found["cpol_nomem_total", labels(cgroup="/a", policy="lfu")] == 5
    buckets = {dict(key[1])["le"]: value for key, value in found.items() if key[0].endswith("fault_seconds_bucket")}
    assert buckets == {"1e-06": 0, "2e-06": 4, "+Inf": 40}


def test_policy_that_evicts_and_prefetches_has_no_sample_twice() -> None:
    """The loader's statistics have it twice, under the same name and cgroup."""
    both = {**ENTRY, "attached_ms": 5, "of_the_future": 9}
    ends = {**ENDED, "held": False}
    entries = [both, {**both, "kind": "prefetch", "lists": []}, ends, {**ends, "kind": "prefetch", "ended_ms": 900}]
    page = text([parse(entry) for entry in entries])
    lines = [line.rpartition(" ")[0] for line in page.splitlines() if not line.startswith("#")]
    assert sorted(lines) == sorted({*lines})
    found = samples(page)
    for kind in ("evict", "prefetch"):
        assert found["cpol_policy_info", of_kind(kind=kind, state="attached")] == 1
        assert found["cpol_other", of_kind(kind=kind, key="of_the_future")] == 9
    for name in ("cpol_policy_attached_timestamp_seconds", "cpol_policy_exit_timestamp_seconds"):
        assert {dict(key[1])["kind"] for key in found if key[0] == name} == {"evict", "prefetch"}


def test_both_formats_have_the_same_samples() -> None:
    policies = [*everything_counted(), parse(ENDED)]
    strict = strict_exposition.generate_latest(families.registry_of(lambda: policies)).decode()
    assert samples(strict) == samples(text(policies)) and len(samples(strict)) > 2 * len(families.FAMILIES)


def test_text_passes_the_rules_of_promtool() -> None:
    """`promtool check metrics` refuses types of OpenMetrics, and complains of names and of missing help."""
    page = text([*everything_counted(), parse(ENDED)])
    comments = [line.split(maxsplit=3) for line in page.splitlines() if line.startswith("#")]
    assert {words[1] for words in comments} == {"HELP", "TYPE"}
    types = {words[2]: words[3] for words in comments if words[1] == "TYPE"}
    assert [words[2] for words in comments if words[1] == "HELP"] == list(types), "each has help, and one"
    for name, type_ in types.items():
        assert type_ in ("counter", "gauge", "untyped") and name.endswith("_total") == (type_ == "counter"), name
        assert re.fullmatch(r"cpol(_[a-z]+)+", name) and not re.search(r"_(count|sum|bucket|counter|gauge)(_|$)", name)
    assert {name for name, _ in samples(page)} == set(types)
    for line in page.splitlines():
        assert line.startswith("#") or re.search(r"\} \S+$", line), "the textfile collector refuses times"


def test_metrics_without_policies() -> None:
    assert samples(text([])) == {BUILD: 1}


def test_versions_of_what_runs(tmp_path: Path) -> None:
    (tmp_path / "version").write_text("9.9\n")
    assert samples(text([])) == {(BUILD[0], frozenset({*BUILD[1]} - {("module", "")} | {("module", "9.9")})): 1}


def test_when_a_policy_was_attached() -> None:
    boot_ms = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    found = samples(text([parse({**ENTRY, "attached_ms": boot_ms - 90_000})]))
    assert abs(found["cpol_policy_attached_timestamp_seconds", of_kind()] - (time.time() - 90)) < 30
    assert not [key for key in samples(text([parse(ENTRY)])) if "attached" in key[0]], "nobody noted it"


def test_hostile_cgroup_names_in_metrics() -> None:
    names = ['a"b', "a\\b", "a\nb", 'x"} 1\n# EOF\n', "\x1b[2J", "ünï", "\udcff", "a\\", "{", ",", "\r"]
    found = samples(text([Statistics(n, name, "p", "attached", {"hits": n}) for n, name in enumerate(names)]))
    told = {dict(key[1])["id"]: dict(key[1])["cgroup"] for key in found if key[0] == "cpol_hits_total"}
    assert told == {str(n): name.encode(errors="replace").decode() for n, name in enumerate(names)}


def test_to_standard_output(fake_loader: Path) -> None:
    done = CliRunner().invoke(cli, ["metrics"])
    assert done.exit_code == 0 and samples(done.stdout)["cpol_hits_total", labels()] == 900


@pytest.mark.parametrize("said", ["", "{}", "[1]", "[{}]", '[{"cgroup": "x"}]', "null", '[{"cgroup": 1, "path": 2}]'])
def test_malformed_output_of_the_loader(fake_loader: Path, said: str) -> None:
    (fake_loader / "says").write_text(said)
    if said == "{}":
        assert read() == []
        return
    with pytest.raises(loader.LoaderError, match="statistics are malformed"):
        read()


def test_loader_that_fails_or_hangs(fake_loader: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (fake_loader / "loader").write_text("#!/bin/sh\necho 'cpol-loader: error: no permission' >&2; exit 1\n")
    done = CliRunner().invoke(cli, ["metrics"], standalone_mode=False)
    assert str(done.exception) == "no permission"
    (fake_loader / "loader").write_text("#!/bin/sh\nexec sleep 20\n")
    with pytest.raises(loader.LoaderError, match=r"did not end within 0\.2 s"):
        loader.output(["stat"], 0.2)
