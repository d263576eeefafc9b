"""BPF objects of policies that prefetch: which programs, maps and kfuncs they have."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from cpol.compiler import compile_source
from cpol.compiler.backend import bpf

ONLY = """policy ahead {
  param depth: u64 = 4 in 1..64
  area up to 64 { hits: u32 = 4 }
  file up to 64 { reads: u32 = 0 }
  task up to 64 { faults: u64 = 0 }
  input hot: set of page
  table delta: s64[32] = 0
  state newest: u64 = 0
  state seen: u64 = 0
  on init { newest = 1 }
  on fault(p) {
    delta[newest] = signed(p.slot) - signed(seen)
    seen = p.slot
    newest = (newest + 1) % 32
    task.faults += 1
    if p.prefetched or p.cached { p.area.hits += 1 }
  }
  on prefetch(p) {
    if task.faults > 100 and cache.time > 5 s {
      for k in 1..depth { prefetch slot signed(p.slot) + signed(k) * delta[newest] }
    } else if p.area.hits > 3 {
      for k in 1..p.window { prefetch page p.page + k }
      p.area.hits = p.first + p.last + p.device + p.slots
    } else { default }
  }
  on readahead(r) {
    r.file.reads += 1
    if r.sequential or r.mapped { prefetch r.start up to r.window }
    else if r.marker and hot.has(r) { prefetch signed(r.index) - 8 up to 4 by -2 }
    else if hash(r, 7) % 2 == r.device + r.file { prefetch r.index + r.wanted up to r.size }
    else { default }
  }
}
"""
BOTH = """policy both {
  list queue
  state asked: u64 = 0
  on added(f) { if asked > 3 { place f at tail of queue } else { place f at head of queue } }
  on evict { scan queue from head as f { evict f } }
  on readahead(r) { asked += 1  prefetch r.index up to 16 }
}
"""
PROGRAMS = re.compile(r"^\s+\[\s*\d+\] (struct_ops\S*/\w+)", re.MULTILINE)
MAPS = re.compile(r"OBJECT\s+GLOBAL\s+DEFAULT\s+\d+ (policy_\w+|prefetch_\w+)$", re.MULTILINE)


def told(text: str, folder: Path) -> tuple[list[str], list[str], set[str]]:
    """Programs, struct_ops maps and kfuncs of the object of a policy."""
    compiled = compile_source(text, "p.cpol")
    out = folder / "p.bpf.o"
    bpf.compile_policy(compiled, out)
    words = ["llvm-readelf-19", "-S", "--symbols", "--wide", str(out)]
    listing = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    kfuncs = {*re.findall(r"UND (bpf_(?:cache|prefetch)_ext_\w+)$", listing, re.MULTILINE)}
    return PROGRAMS.findall(listing), MAPS.findall(listing), kfuncs


@pytest.mark.slow
def test_policy_that_only_prefetches(tmp_path: Path) -> None:
    programs, maps, kfuncs = told(ONLY, tmp_path)
    names = ["swap_fault", "swap_prefetch", "file_readahead"]
    assert programs == ["struct_ops/init", *(f"struct_ops/{name}" for name in names)]
    assert maps == ["policy_ahead"]
    assert kfuncs == {f"bpf_prefetch_ext_{name}" for name in ("slot", "page", "file", "default", "default_file")}


def test_policy_that_evicts_and_prefetches(tmp_path: Path) -> None:
    programs, maps, kfuncs = told(BOTH, tmp_path)
    names = ["folio_added", "evict_folios", "file_readahead"]
    assert programs == ["struct_ops/init", *(f"struct_ops/{name}" for name in names)]
    assert sorted(maps) == ["policy_both", "prefetch_both"]
    assert "bpf_prefetch_ext_default_file" in kfuncs, "until init has run, the kernel's own readahead stands in"


RANGES = """policy ranges {
  list queue
  file up to 64 { next: u64 = 0 }
  input devices: set of device
  input few: set of page
  on added(f) { place f at tail of queue }
  on evict { scan queue from head as f { evict f } }
  on readahead(r) { if devices.has(r.device) { prefetch r.index up to 8 } else { default } }
  on opened(r) { if devices.has(r.device) { readahead r.size / 2 } }
  on read(r) { for k in 0..r.pages { if few.has(r) or r.index + k == r.file.next { drop r } } r.file.next = r.index }
  on written(r) { if hash(r, 1) % 2 == 0 { flush r } else { flush r and wait } }
}
"""


def test_policy_that_is_told_of_ranges(tmp_path: Path) -> None:
    programs, maps, kfuncs = told(RANGES, tmp_path)
    members = ["file_readahead", "file_opened", "file_read", "file_written"]
    assert programs[-4:] == [f"struct_ops/{member}" for member in members]
    assert sorted(maps) == ["policy_ranges", "prefetch_ranges"]
    assert {f"bpf_prefetch_ext_{name}" for name in ("window", "drop", "flush", "file")} <= kfuncs


@pytest.mark.parametrize("handler", ["fault", "prefetch", "readahead", "opened", "read", "written"])
def test_only_the_programs_of_the_handlers(handler: str, tmp_path: Path) -> None:
    programs, _, kfuncs = told(f"policy one {{ state n: u64 = 0 on {handler}(x) {{ n = n + 1 }} }}", tmp_path)
    member = {"fault": "swap_fault", "prefetch": "swap_prefetch"}.get(handler, f"file_{handler}")
    assert programs == [f"struct_ops/{member}"]
    assert not kfuncs
