"""Objects that are well-formed and no policy: the loader names the map that is wrong and loads nothing."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from loader_types import Build

from cpol.compiler.toolchain.clang import clang

HEAD = """
#define SEC(name) __attribute__((section(name), used))
const char manifest[] SEC(".cpol") = "cpol 1 p\\nlists q\\nmeta 0\\n";
char _license[] SEC("license") = "GPL";
struct cache_ext_ops { void *programs[9]; int procs_fd; char name[16]; };
struct prefetch_ext_ops { void *programs[5]; int procs_fd; char name[16]; };
#define ARRAY(...) \\
    struct { int (*type)[2]; int (*max_entries)[1]; unsigned *key; unsigned *value; __VA_ARGS__ }
"""
POLICY = 'struct cache_ext_ops policy_p SEC(".struct_ops.link") = { .name = "p" };\n'
FOREIGN = 'struct %s { void *programs[9]; int procs_fd; char name[16]; } evil SEC(".struct_ops.link") = {};\n'
PREFETCH = 'struct prefetch_ext_ops prefetch_p SEC(".struct_ops.link") = { .name = "p" };\n'
UNUSED = "struct cache_ext_ops of_the_right_size;\n"


@pytest.fixture(scope="module")
def open_object(build: Build) -> Path:
    """The program that opens and loads an object."""
    return build("open_object")


def message(open_object: Path, tmp_path: Path, text: str) -> str:
    """Compile an object and return what the loader says of it; its first line names the object."""
    path = tmp_path / "p.bpf.o"
    command = [clang(), "-target", "bpf", "-g", "-O2", "-c", "-x", "c", "-", "-o", str(path)]
    subprocess.run(command, input=(HEAD + text).encode(), check=True)
    done = subprocess.run([open_object, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "Sanitizer" not in done.stderr, done.stderr
    return done.stderr


OTHER_TYPE = (
    "its struct_ops map evil is of the type {}, but a policy is of the type cache_ext_ops or prefetch_ext_ops, "
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            FOREIGN % "tcp_congestion_ops" + UNUSED,
            OTHER_TYPE.format("tcp_congestion_ops"),
            id="another type of the size",
        ),
        pytest.param(FOREIGN % "tcp_congestion_ops", OTHER_TYPE.format("tcp_congestion_ops"), id="another type"),
        pytest.param(FOREIGN % "cache_ext_ops___v2", OTHER_TYPE.format("cache_ext_ops___v2"), id="a flavour"),
        pytest.param(UNUSED, "it holds no struct_ops map, so there is no policy to attach", id="no map"),
        pytest.param(
            POLICY + POLICY.replace("policy_p", "policy_q"),
            "it holds two struct_ops maps of the type cache_ext_ops, policy_p and policy_q, but a policy is one",
            id="two maps",
        ),
        pytest.param(
            POLICY + PREFETCH + PREFETCH.replace("prefetch_p", "prefetch_q"),
            "it holds two struct_ops maps of the type prefetch_ext_ops, prefetch_p and prefetch_q",
            id="two maps that prefetch",
        ),
        pytest.param(
            POLICY + PREFETCH,
            "this kernel has no cache_ext|this kernel has no BTF",
            id="one map of each kind is allowed",
        ),
        pytest.param(PREFETCH, "this kernel has no cache_ext|this kernel has no BTF", id="only prefetching is allowed"),
        pytest.param(
            POLICY.replace(".link", ""),
            "its struct_ops map policy_p is not in the section .struct_ops.link, so it cannot be attached by a link",
            id="no link",
        ),
        pytest.param(
            POLICY + 'ARRAY(int (*pinning)[1];) shared SEC(".maps");\n',
            "its map shared asks to be pinned as /sys/fs/bpf/shared, so the policy would share the map",
            id="pinned by name",
        ),
        pytest.param(
            POLICY + 'ARRAY() link SEC(".maps");\n', "it has a map link, but the loader pins something else", id="link"
        ),
        pytest.param(
            POLICY + 'ARRAY() manifest_ SEC(".maps");\n',
            "this kernel has no cache_ext|this kernel has no BTF",
            id="a map of its own is allowed",
        ),
    ],
)
def test_object_is_refused(open_object: Path, tmp_path: Path, text: str, said: str) -> None:
    """Each of these passed the checks before, except those without one map of the type's size."""
    told = message(open_object, tmp_path, text)
    assert re.search(said, told.splitlines()[0]), told
