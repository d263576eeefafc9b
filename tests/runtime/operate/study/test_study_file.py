"""The file of a study: each mistake is one error, which names the place and says what to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studies import study_in

from cpol.errors import UserError
from cpol.runtime.operate.study.job import SETTINGS, Job, Medium, read_job, word_of, wrong_setting
from cpol.runtime.operate.study.order import job_of, ordered
from cpol.runtime.operate.study.spec import Study, read_study

GOOD = """trials = 2
ratios = [0.5]
[swap.none]
[swap.disk]
device = "/dev/vdb"
[swap.zram]
size = "512M"
algorithm = "lz4"
[variants.a]
sysfs = { "/proc/sys/vm/swappiness" = "60" }
[variants.b]
[programs.p]
command = ["sort", "big.txt"]
footprint = "256M"
[machine]
command = ["ssh", "-n", "host"]
"""


def read(folder: Path, text: str) -> Study:
    path = folder / "s.toml"
    path.write_text(text)
    return read_study(path)


def test_a_good_file(tmp_path: Path) -> None:
    study = read(tmp_path, GOOD)
    assert study.title == "s" and study.baseline == "a" and study.seed == 1
    assert study.media == {"none": Medium(), "disk": Medium("/dev/vdb"), "zram": Medium("", 512 << 20, "lz4")}
    assert study.variants["a"].settings == (("/proc/sys/vm/swappiness", "60"),)
    assert study.programs["p"].timeout == 3600 and study.programs["p"].footprint == 256 << 20


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("trials = 2", "trails = 2", "1:1", "there is no key `trails`; did you mean `trials`"),
        ("trials = 2", "", "1:1", "there is no key `trials`; add trials = 25"),
        ("trials = 2", "trials = 1", "1:10", "1 is no whole number from 2 to"),
        ("trials = 2", "trials = true", "1:10", "True is no whole number"),
        ("trials = 2", "trials = ", "1:10", "this is no TOML"),
        ("[0.5]", "[]", "2:10", r"\[\] is no list of ratios; write ratios = \[0\.5, 0\.75\]"),
        ("[0.5]", "0.5", "2:10", "0.5 is no list of ratios"),
        ("[0.5]", "[0]", "2:11", "0 is no ratio above 0"),
        ("[0.5]", "[0.5, 1.01]", "2:16", "1.01 is no ratio above 0"),
        ("[0.5]", "[nan]", "2:11", "NaN is no ratio above 0"),
        ("[0.5]", "[inf]", "2:11", "Infinity is no ratio above 0"),
        ("[0.5]", "[-0.5]", "2:11", "-0.5 is no ratio above 0"),
        ("[0.5]", '["half"]', "2:11", "'half' is no ratio"),
        ("[0.5]", "[true]", "2:11", "True is no ratio"),
        ("[0.5]", "[0.12345]", "2:11", "more than three decimals"),
        ("[0.5]", "[0.5, 0.50]", "2:16", "stands twice"),
        ("[swap.none]", "[swap.none]\nsize = '1G'", "", "`none` is without swap and has no keys"),
        ('"/dev/vdb"', '"vdb"', "5:10", "'vdb' is no device; write its path"),
        ('"/dev/vdb"', '"/dev/../etc/passwd"', "5:10", "is no device; write its path"),
        ('"/dev/vdb"', '"/etc/passwd"', "5:10", "is no device; write its path"),
        ('device = "/dev/vdb"', "", "", "disk has one of `device`"),
        ('device = "/dev/vdb"', 'device = "/dev/vdb"\nsize = "1G"', "", "disk has one of `device`"),
        ('device = "/dev/vdb"', 'device = "/dev/vdb"\nalgorithm = "lz4"', "6:1", "a device compresses nothing"),
        ('"512M"', "512", "7:8", '512 is no size; give one with its unit in quotes, such as "512M"'),
        ('"512M"', '"512"', "7:8", "'512' is no size"),
        ('"lz4"', '"../lz4"', "8:13", "is no algorithm of zram"),
        ("/proc/sys/vm/swappiness", "/etc/passwd", "10:11", "is no file under /sys or /proc/sys"),
        ("/proc/sys/vm/swappiness", "vm/swappiness", "10:11", "is no file under /sys or /proc/sys"),
        ("/proc/sys/vm/swappiness", "/proc/sys/../1/mem", "10:11", "is no plain path"),
        ("/proc/sys/vm/swappiness", "/sys//kernel", "10:11", "is no plain path"),
        ("/proc/sys/vm/swappiness", "/sys/kernel/\\u001b", "10:1", "is no plain path"),
        ('"60"', "60", "", 'is no text; write what goes into the file in quotes, such as "7"'),
        ('"60"', '""', "", "is no text"),
        ("[variants.b]", "", "", "one variant has nothing to be compared with"),
        ("[variants.b]", "[variants.'../b']", "", r"'\.\./b' is no name"),
        ("[variants.b]", "[variants.b]\npolicy = 'none.cpol'", "", "there is no policy .*none.cpol"),
        (
            "[variants.b]",
            "[variants.b]\npolicy = 's3fif'",
            "",
            "'s3fif' is no policy of the stdlib; did you mean `s3fifo`",
        ),
        ("[variants.b]", "[variants.b]\npolicy = 3", "", "3 is no text; write the name of a policy"),
        ("[variants.b]", "[variants.b]\nsysctl = {}", "", "there is no key `sysctl`"),
        ('command = ["sort", "big.txt"]', "", "", "the program p has no `command`"),
        ('["sort", "big.txt"]', '"sort big.txt"', "13:11", "is no command; write its words as a list"),
        ('["sort", "big.txt"]', "[]", "13:11", "is no command"),
        ('["sort", "big.txt"]', '["sort", 3]', "13:20", "3 is no word of a command"),
        ('["sort", "big.txt"]', '["", "x"]', "13:12", "'' is no word of a command"),
        ('["sort", "big.txt"]', '["a\\u0000b"]', "13:12", "is no word of a command"),
        ('"256M"', '"1M"', "14:13", "0.5 of 1 MiB is less than 1 MiB"),
        ('"256M"', "256", "14:13", "256 is no size"),
        ('footprint = "256M"', "", "", "the program p has no `footprint`"),
        ('footprint = "256M"', 'footprint = "256M"\ntimeout = 0', "15:11", "0 is no whole number from 1"),
        ('command = ["ssh", "-n", "host"]', "", "", "there is no `command`|`machine`"),
        ("trials = 2", 'trials = 2\nbaseline = "c"', "2:12", "'c' is no variant here; write one of"),
        ("trials = 2", "trials = 2\ntitle = ''", "2:9", "'' is no text; write a title"),
        ("trials = 2", "trials = 2\nseed = -1", "2:8", "-1 is no whole number from 0"),
    ],
)
def test_mistakes(old: str, new: str, place: str, said: str, tmp_path: Path) -> None:
    assert old in GOOD
    if 'command = ["ssh"' in old:
        new = 'cpolc = "cpolc"'
    with pytest.raises(UserError, match=said) as error:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert str(error.value).startswith(f"{tmp_path / 's.toml'}:{place}")


@pytest.mark.parametrize("table", ["swap", "variants", "programs"])
def test_an_empty_table(table: str, tmp_path: Path) -> None:
    blocks = re.split(r"^(?=\[)", GOOD, flags=re.MULTILINE)
    text = "".join(block for block in blocks if not block.startswith(f"[{table}."))
    assert f"[{table}." not in text
    with pytest.raises(UserError, match=f"`{table}` is empty"):
        read(tmp_path, f"{table} = {{}}\n{text}")
    with pytest.raises(UserError, match=f"there is no key `{table}`"):
        read(tmp_path, text)


@given(st.text())
def test_no_text_reaches_a_file_elsewhere(path: str) -> None:
    if not wrong_setting(path):
        assert path.startswith(SETTINGS) and ".." not in path.split("/")


def test_a_trial_is_one_word_that_no_shell_changes(tmp_path: Path) -> None:
    study = read(tmp_path, GOOD.replace('"big.txt"', '"$(rm -rf x); *"'))
    for trial in ordered(study):
        job = job_of(study, trial)
        word = word_of(job)
        assert set(word) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=")
        assert read_job(word) == job


JOB = Job("x", ("true",), (), "/", 1, 1 << 20, Medium(), (("/sys/a", "1"),))


@pytest.mark.parametrize(
    "job",
    [
        b"",
        b"x",
        b"[]",
        b"{}",
        b'{"cpol_study": 2}',
        b'{"cpol_study": 1}',
        "\udcff",
        "[" * 100_000,
        word_of(JOB)[:-8],
        word_of(Job("x", ("true",), (), "/", 1, 1 << 20, Medium(), (("/etc/passwd", "1"),))),
        word_of(Job("x", ("true",), (), "/", 1, 1 << 20, Medium(), (("/sys/../etc/passwd", "1"),))),
        word_of(Job("x", (), (), "/", 1, 1 << 20, Medium(), ())),
        word_of(Job("x", ("true",), (), "/", 0, 1 << 20, Medium(), ())),
    ],
)
def test_what_is_no_trial_is_refused(job: str | bytes) -> None:
    with pytest.raises(UserError, match="this is no trial of a study"):
        read_job(job)


def test_the_order_is_that_of_the_seed(tmp_path: Path) -> None:
    one, same, other = (
        [each.id for each in ordered(read_study(study_in(tmp_path, 20, seed=seed)))] for seed in ("1", "1", "2")
    )
    assert one == same != other
    assert sorted(one) == sorted(other) and len(set(one)) == 40


def test_a_round_has_each_variant_once_and_more_trials_add_rounds(tmp_path: Path) -> None:
    """So what was done of a longer study is the begin of its order, too."""
    short, long = ([*ordered(read_study(study_in(tmp_path, count)))] for count in (5, 30))
    assert long[:10] == short
    rounds = [{trial.variant for trial in long[at : at + 2]} for at in range(0, 60, 2)]
    assert all(each == {"slow", "fast"} for each in rounds)
    firsts = [trial.variant for trial in long[::2]]
    assert {"slow", "fast"} == set(firsts), "each variant is sometimes the first"
