"""Counters of a cgroup's files, and the measures of a window."""

from __future__ import annotations

from pathlib import Path

from cpol.runtime.operate.loader.statistics import Statistics
from cpol.runtime.operate.trial.measures import MEASURES, grown, mean, measure, snapshot

PSI = "some avg10=1.00 avg60=0.00 avg300=0.00 total={}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"


def write(folder: Path, refaults: int, stalled: int, read: int) -> None:
    (folder / "memory.stat").write_text(f"anon 5\nworkingset_refault_file {refaults}\npgmajfault 3\npgsteal 40\n")
    (folder / "memory.pressure").write_text(PSI.format(stalled, stalled // 2))
    (folder / "io.pressure").write_text(PSI.format(2 * stalled, 0))
    (folder / "io.stat").write_text(f"8:0 rbytes={read} wbytes=1 rios=2\n8:16 rbytes=1000 wbytes=0\n")


def policy(**numbers: int) -> Statistics:
    return Statistics(1, "/a", "lru", "attached", numbers)


def test_measures_of_a_window(tmp_path: Path) -> None:
    write(tmp_path, 100, 1_000_000, 0)
    start = snapshot(tmp_path, policy(hits=10, misses=0))
    write(tmp_path, 300, 3_000_000, 5000)
    end = snapshot(tmp_path, policy(hits=40, misses=10))
    start["time"], end["time"] = 50.0, 60.0
    found = measure(start, end, {"slow": [(51.0, 1.0), (52.0, 4.0)], "none": []})
    assert found == {
        "refaults": 20.0, "major_faults": 0.0, "reclaimed": 0.0, "read_bytes": 500.0, "hits": 3.0, "misses": 1.0,
        "miss_ratio": 0.25, "pressure": 20.0, "pressure_full": 10.0, "io_pressure": 40.0, "io_pressure_full": 0.0,
        "slow": 2.5, "none": None,
    }  # fmt: skip
    assert {*MEASURES} <= {*found}


def test_counters_of_the_service_are_rates() -> None:
    ends = {"time": 0.0}, {"time": 9.0}
    samples = {"a": [(1.0, 10.0), (2.0, 14.0), (5.0, 30.0)], "b": [(1.0, 5.0), (2.0, 3.0)], "c": [(1.0, 2.0)]}
    found = measure(*ends, samples, counters=("a", "b", "c", "d"))
    assert (found["a"], found["b"], found["c"]) == (5.0, None, None)
    assert measure(*ends, samples)["a"] == 18.0


def test_what_is_not_there_is_not_known(tmp_path: Path) -> None:
    start = snapshot(tmp_path, None)
    assert {*start} == {"time"}
    end = {**snapshot(tmp_path, None), "time": start["time"] + 1}
    assert set(measure(start, end, {}).values()) == {None}


def test_malformed_files_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "memory.stat").write_text("workingset_refault_file -7\npgsteal\npgmajfault 1e9\n\n \xff\n")
    (tmp_path / "memory.pressure").write_text("some total=x\nfull\n\n")
    (tmp_path / "io.stat").write_text("8:0 rbytes=\n")
    found = snapshot(tmp_path, policy())
    assert {*found} <= {"time", "pressure", "pressure_full", "read_bytes", "io_pressure"}, found


def test_counters_that_begin_anew_are_not_known() -> None:
    found = measure({"time": 0.0, "hits": 9.0, "misses": 5.0}, {"time": 1.0, "hits": 4.0, "misses": 5.0}, {})
    assert found["hits"] is None and found["misses"] == 0.0 and found["miss_ratio"] is None


def test_what_is_beyond_all_numbers_is_unknown() -> None:
    huge = [(0.0, 1e308), (1.0, 1e308), (2.0, 1e308)]
    assert mean(huge) is None and mean(huge[:1]) == 1e308
    assert grown([(0.0, 0.0), (1e-9, 1e308)]) is None
