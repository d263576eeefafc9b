"""Policies that a kernel's profile refuses, for each limit, with the place."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cpol.compiler.analysis.profile import SCAN, TICK, Profile, ProfileError, read_profile, refusals
from cpol.compiler.analysis.upper_bound import Setting
from cpol.compiler.diagnostics.render import render
from cpol.compiler.policies import stdlib_names
from cpol.compiler.stages import run, run_file
from cpol.kernel import profiles

from ...corpus import ROOT

KERNEL = Profile(
    name="test",
    events={"added": "folio_added", "accessed": "folio_accessed", "removed": "folio_removed", "evict": "evict_folios"},
    limits={"lists": 8, "folio_data": 64, "scan": 65536},
    kfuncs={"evict_folios": (SCAN,)},
)
ABLE = replace(
    KERNEL,
    events=KERNEL.events | {"admit": "admit_folio", "tick": "tick"},
    limits=KERNEL.limits | {"lists_total": 1000, "list_array": 1000, "tick_ms": 3_600_000},
    kfuncs={"any": (SCAN, TICK)},
)

ADDED = "on added(f) { place f at tail of q }"
EVICT = "on evict { scan q from head as f { evict f } }"


def refused(body: str, profile: Profile, capacity: int = 1000) -> list[str]:
    if "on added" not in body:
        body += f"\n{ADDED}"
    if "on evict" not in body:
        body += f"\n{EVICT}"
    compiled = run(f"policy p {{\n{body}\n}}", "p.cpol")
    found = refusals(compiled.policy, profile, Setting.of(compiled.policy, capacity))
    return [render(refusal.diagnostic(compiled.source, profile)) for refusal in found]


@pytest.mark.parametrize(
    ("body", "where", "says"),
    [
        ("list q, gen[9]\non accessed(f) { move f to head of gen[f.index] }", "2:9", "`gen` is an array of lists"),
        ("list q\non admit(f) { if f.index > 9 { refuse f } }", "3:1", "the policy handles `admit`"),
        ("list q\nstate x: u64 = 0\nevery 10 events { x = 1 }", "4:1", "has an `every … events`, but the kernel"),
        ("list q\nstate x: u64 = 0\nevery 10 ms { x = 1 }", "4:1", "has an `every … ms`"),
        (
            "list q, r\non accessed(f) {\n  scan q from head up to 1 as g { move g to tail of r }\n}",
            "4:3",
            "`on accessed` scans `q`",
        ),
        ("list q\non evict {\n  scan q from head up to 70000 as f { evict f } }", "4:3", "visits up to 70,000 folios"),
    ],
)
def test_missing_ability_is_reported_with_its_place(body: str, where: str, says: str) -> None:
    said = refused(body, KERNEL)
    assert len(said) == 1, said
    assert re.match(r"error\[E05\d\d\]: ", said[0]) and f"--> p.cpol:{where}\n" in said[0]
    assert says in said[0] and "the kernel test " in said[0]
    assert "= help: " in said[0], "no help"


def test_full_profile_refuses_nothing() -> None:
    body = """list q, gen[9]
    state x: u64 = 0
    on admit(f) { if f.index > 9 { refuse f } }
    on accessed(f) { scan q from head up to 1 as g { move g to tail of gen[1] } }
    every 10 events { x = 1 }
    every 10 ms { x = 2 }"""
    assert refused(body, ABLE) == []
    assert len(refused(body, KERNEL)) == 5


def test_limits_depend_on_params_and_capacity() -> None:
    assert "would have 1,500 lists, the policy 1,501" in refused("list q, gen[1500]\non init { }", ABLE)[0]
    many = replace(ABLE, limits=ABLE.limits | {"lists_total": 16_448})
    arrays = "param n: u32 = 16384 in 1..16384 lists\nlist q, gen[n], more[50]\non init { }"
    assert "`more` would have 50 lists, all arrays 16,434" in refused(arrays, many)[0]
    assert refused(arrays.replace("= 16384", "= 16334"), many) == []
    slow = replace(ABLE, limits=ABLE.limits | {"tick_ms": 1000})
    assert "period of an `every` is 2,000 ms" in refused("list q\nstate x: u64 = 0\nevery 2000 ms { x = 1 }", slow)[0]
    table = "list q\ntable t: u8[4, cache.capacity] = 0\non accessed(f) { t[0, f.index] += 1 }"
    assert refused(table, ABLE) == []
    assert "would have 40,000,000 elements" in refused(table, ABLE, 10_000_000)[0]


def test_too_large_record() -> None:
    small = replace(KERNEL, limits=KERNEL.limits | {"folio_data": 16})
    body = "list q\nfolio { a: u64 = 0\n b: u32 = 0\n c: u32 = 0 }\non first_accessed(f) { f.a = f.b + f.c }"
    said = refused(body, small)
    assert "--> p.cpol:5:" in said[0] and "with `c`, a folio's record takes more than 16 bytes (in all 24)" in said[0]
    assert refused(body, KERNEL) == []


def test_too_many_lists() -> None:
    few = replace(KERNEL, limits=KERNEL.limits | {"lists": 1})
    assert "the policy has 2 lists, but the kernel test has 1" in refused("list q, r\non init { }", few)[0]


@pytest.mark.parametrize("path", sorted(profiles.FOLDER.glob("*.toml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["fifo", "lru", "mru", "lfu", "s3fifo", "sieve"])
def test_every_profile_accepts_simple_policies(path: Path, name: str) -> None:
    assert name in stdlib_names()
    policy = run_file(ROOT / "stdlib" / f"{name}.cpol").policy
    assert refusals(policy, read_profile(path), Setting.of(policy, 1 << 20)) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name = 'x'\nlayer = 'windows'\n[events]\n[limits]\n[kfuncs]\n",
        "name = 3",
        "name = 'x'\n[events]\n[limits]\nlists = 'many'\n[kfuncs]\n",
        "\x00",
        "[[",
    ],
)
def test_invalid_profiles(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(ProfileError, match=r"x\.toml"):
        read_profile(path)
    with pytest.raises(ProfileError, match="cannot read"):
        read_profile(tmp_path / "missing.toml")


PREFETCHES = "on fault(p) { }\non prefetch(p) { default }\non readahead(r) { default }"


def test_prefetching_is_refused_where_the_kernel_does_not_ask() -> None:
    compiled = run(f"policy p {{\n{PREFETCHES}\n}}", "p.cpol")
    setting = Setting.of(compiled.policy, 1000)
    assert [refusal.code for refusal in refusals(compiled.policy, KERNEL, setting)] == ["E0504"] * 3
    able = replace(KERNEL, prefetch={"swap_fault": "a", "swap_prefetch": "b"})
    (refusal,) = refusals(compiled.policy, able, setting)
    assert (refusal.pos.line, refusal.what) == (4, "the policy handles `readahead`")
    assert refusals(compiled.policy, replace(able, prefetch=able.prefetch | {"file_readahead": "c"}), setting) == []


def test_the_patched_kernel_asks_what_to_prefetch() -> None:
    policy = run(f"policy p {{\n{PREFETCHES}\n}}", "p.cpol").policy
    assert refusals(policy, read_profile(profiles.FOLDER / "patched-6.12.toml"), Setting.of(policy, 1000)) == []


def test_a_profile_says_what_differs_from_its_base(tmp_path: Path) -> None:
    base = (profiles.FOLDER / "patched-6.12.toml").read_text(encoding="utf-8")
    (tmp_path / "base.toml").write_text(base, encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text('name = "own"\nbase = "base"\nfolio = ["dirty"]\n[events]\nadmit = ""\n[limits]\nscan = 8\n')
    known, found = read_profile(tmp_path / "base.toml"), read_profile(own)
    assert found == replace(
        known,
        name="own",
        folio=("dirty",),
        events={event: member for event, member in known.events.items() if event != "admit"},
        limits=known.limits | {"scan": 8},
    )
    body = "list q\non admit(f) { if f.index > 9 { refuse f } }"
    assert not refused(body, known) and "the policy handles `admit`" in "".join(refused(body, found))


def test_the_module_differs_from_the_patched_kernel_as_told() -> None:
    module, patched = (read_profile(profiles.FOLDER / f"{name}-6.12.toml") for name in ("module", "patched"))
    assert patched.events.keys() - module.events.keys() == {"admit"}
    assert (module.kfuncs, module.limits, module.helpers) == (patched.kfuncs, patched.limits, patched.helpers)


@pytest.mark.parametrize(
    ("base", "says"),
    [
        ('"own"', "names a profile beside it, which has none itself, not 'own'"),
        ('"../base"', "names a profile beside it, which has none itself, not '../base'"),
        ("7", "names a profile beside it, which has none itself, not 7"),
        ('"gone"', "cannot read the profile"),
    ],
)
def test_a_base_is_a_profile_beside_it(base: str, says: str, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(f'name = "own"\nbase = {base}\n')
    with pytest.raises(ProfileError, match=re.escape(says)):
        read_profile(own)
