"""What the loader says of `--set`."""

from __future__ import annotations

import pytest
from loader_types import Loader, MakeObject, assert_matches, refusal

from cpol.compiler import compile_source
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.params import read_params

TUNABLE = (
    b"cpol 1 tunable\nparam sample u32 512 1 65536 0 4\nparam share fix 6554 655 32768 8 8\n"
    b"param far fix 0 -65536 262144 16 8\nlists q\n"
)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("sample", "--set needs name=value"),
        ("=3", "--set needs name=value"),
        ("sampel=3", "the policy tunable has no param sampel; it has: sample, share, far"),
        ("sample=0", "sample must be a whole number from 1 to 65536, not `0`"),
        ("sample=65537", "sample must be a whole number from 1 to 65536"),
        ("sample=", "sample must be"),
        ("sample=1.5", "sample must be"),
        ("sample=-1", "sample must be"),
        ("sample=0x10", "sample must be"),
        ("sample=99999999999999999999", "sample must be"),
        ("share=0.51", r"share must be a number from 0\.01 to 0\.5, not `0\.51`"),
        ("share=0.50001", "share must be"),
        ("share=.5", "share must be"),
        ("share=0.", "share must be"),
        ("share=1e-1", "share must be"),
        ("share=99999999999999999999", "share must be"),
        ("share=0.123456789012345678901", "share must be"),
        ("far=-1.00001", "far must be a number from -1 to 4"),
        ("sample=1", "there is no cgroup"),
        ("sample=65536", "there is no cgroup"),
        ("share=0.01", "there is no cgroup"),
        ("share=0.5", "there is no cgroup"),
        ("far=-1", "there is no cgroup"),
        ("far=4.000000", "there is no cgroup"),
    ],
)
def test_settings_are_checked(loader: Loader, with_manifest: MakeObject, setting: str, message: str) -> None:
    assert_matches(message, refusal(loader("attach", with_manifest(TUNABLE), "/nowhere", "--set", setting)))


def test_policy_without_params(loader: Loader, with_manifest: MakeObject) -> None:
    done = loader("attach", with_manifest(b"cpol 1 plain\nlists q\n"), "/nowhere", "--set", "a=1")
    assert_matches("the policy plain has no params", refusal(done))


def test_param_set_twice(loader: Loader, with_manifest: MakeObject) -> None:
    done = loader("attach", with_manifest(TUNABLE), "/nowhere", "--set", "sample=3", "--set", "sample=3")
    assert_matches("sample is set twice", refusal(done))


def test_other_types_of_params(loader: Loader, with_manifest: MakeObject) -> None:
    made = with_manifest(
        b"cpol 1 p\nparam e enum:low:mid:high 1 0 2 0 1\nparam b bool 1 0 1 1 1\nparam s s8 -3 -10 10 2 1\nlists q\n"
    )
    for setting, message in {
        "e=top": "e must be one of low, mid, high, not `top`",
        "b=1": "b must be true or false, not `1`",
        "s=-11": "s must be a whole number from -10 to 10, not `-11`",
        "e=mid": "there is no cgroup",
        "b=false": "there is no cgroup",
        "s=-10": "there is no cgroup",
    }.items():
        assert_matches(message, refusal(loader("attach", made, "/nowhere", "--set", setting)))


TIMES = {
    "5000": 5000,
    "250ms": 250,
    "250 ms": 250,
    "5s": 5000,
    "2min": 120_000,
    "1h": 3_600_000,
    "0s": None,  # below the range
    "2h": None,
    "99999999999999999999h": None,
    "5  s": None,
    "5 ": None,
    "s": None,
    "5sec": None,
    "5m": None,
    "-5s": None,
    "1.5s": None,
}


@pytest.mark.parametrize("text", TIMES)
def test_times_are_read_as_the_simulator_reads_them(loader: Loader, with_manifest: MakeObject, text: str) -> None:
    made = with_manifest(b"cpol 1 p\nparam life u64 5000 1 3600000 0 8 ms live\nparams data\nlists q\n")
    told = refusal(loader("attach", made, "/nowhere", "--set", f"life={text}"))
    wanted = "a whole number from 1 to 3600000 of milliseconds, or a time such as 250ms, 5s, 2min or 1h"
    policy = compile_source(
        "policy p { list q param life: u64 = 5 s in 1 ms..1 h live on added(f) { place f at tail of q }"
        " on evict { scan q from head as f { when cache.time < life { keep } otherwise { evict f } } } }",
        "p.cpol",
    )
    if TIMES[text] is None:
        assert f"life must be {wanted}, not `{text}`" in told
        with pytest.raises(ParamError, match="life"):
            read_params(policy, {"life": text})
    else:
        assert "there is no cgroup" in told
        assert read_params(policy, {"life": text}) == {"life": TIMES[text]}


def test_a_time_is_no_count(loader: Loader, with_manifest: MakeObject) -> None:
    told = refusal(loader("attach", with_manifest(TUNABLE), "/nowhere", "--set", "sample=5s"))
    assert "sample must be a whole number from 1 to 65536, not `5s`" in told
