"""What the loader refuses on any machine, and its messages. Objects may be hostile."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from loader_types import Loader, MakeObject, assert_matches, refusal

from cpol.compiler import compile_file
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain.target import Target

STDLIB = Path(__file__).resolve().parents[4] / "stdlib"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["attach"],
        ["attach", "x"],
        ["attach", "x", "y", "z"],
        ["fly"],
        ["list", "x"],
        ["list", "--id", "3"],
        ["detach"],
        ["detach", "x", "--id", "3"],
        ["stat", "--id", "0"],
        ["stat", "--id", "-1"],
        ["attach", "x", "y", "--json"],
        ["detach", "x", "--set", "a=b"],
        ["--nonsense"],
        ["attach", "--set"],
        ["attach", "x", "y", "--tag", ""],
        ["attach", "x", "y", "--tag", 'a"b'],
        ["attach", "x", "y", "--tag", "t" * 128],
        ["detach", "x", "--dry-run"],
        ["attach", "--input"],
        ["set"],
        ["set", "x", "--replace"],
        ["set", "x", "a=1", "--json"],
        ["identify"],
        ["identify", "x", "--json"],
        ["input"],
        ["input", "x", "name"],
        ["input", "x", "name", "eat"],
        ["input", "x", "name", "add"],
        ["input", "x", "name", "remove"],
        ["input", "x", "name", "clear", "1"],
        ["input", "x", "name", "load"],
        ["input", "x", "name", "load", "1", "2"],
        ["input", "x", "name", "load", "1", "--format", "csv"],
        ["input", "x", "name", "add", "1", "--format", "text"],
        ["input", "x", "--id", "3"],
        ["detach", "--gone", "x"],
        ["stat", "--all", "x"],
        ["govern", "x", "y", "z"],
        ["govern", "x", "y", "z", "p", "--cpu", "0"],
        ["govern", "x", "y", "z", "p", "--cpu", "101"],
        ["govern", "x", "y", "z", "p", "--margin", "0"],
        ["govern", "x", "y", "z", "p", "--json"],
        ["record", "x", "y", "--cpu", "5"],
        ["record"],
        ["record", "x"],
        ["record", "x", "y", "z"],
        ["record", "x", "y", "--seconds", "0"],
        ["record", "x", "y", "--seconds", "1000000001"],
        ["record", "x", "y", "--json"],
        ["attach", "x", "y", "--seconds", "1"],
        ["list", "--no-comm"],
        ["attach", "x", "y", *["--input=a=1"] * 300],
        ["attach", "x", "y", *["--set=a=1"] * 300],
    ],
)
def test_wrong_usage(loader: Loader, words: list[str]) -> None:
    done = loader(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: cpol-loader" in done.stderr


def test_what_has_no_identity_is_told_in_its_place(loader: Loader, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(__file__)
    done = loader("identify", "--", tmp_path / "gone", tmp_path, link, "/dev/null")
    assert (done.returncode, done.stdout) == (0, "-\n" * 4)
    for said in ("gone: No such file", "is not a regular file", "a symbolic link, which is not followed"):
        assert said in done.stderr, done.stderr


def test_help(loader: Loader) -> None:
    done = loader("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: cpol-loader attach")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot read .*: No such file or directory"),
        (b"", "not a BPF object"),
        (b"\x7fELF", "not a BPF object"),
        (b"policy lfu { list queue }", "not a BPF object"),
        (b"\x7fELF" + bytes(1000), "not a BPF object"),
    ],
)
def test_no_object(loader: Loader, tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "no.bpf.o"
    if content is not None:
        path.write_bytes(content)
    assert_matches(message, refusal(loader("attach", path, "/")))


def test_special_files(loader: Loader, tmp_path: Path) -> None:
    assert_matches("Is a directory", refusal(loader("attach", tmp_path, "/")))
    assert_matches("larger than 16 MiB", refusal(loader("attach", "/dev/zero", "/")))
    assert_matches("not a BPF object", refusal(loader("attach", "/dev/null", "/")))


def test_host_object_is_refused(loader: Loader, sanitized: Path) -> None:
    assert_matches("not a BPF object", refusal(loader("attach", sanitized, "/")))


def test_truncated_objects_are_refused(loader: Loader, objects: Path, tmp_path: Path) -> None:
    whole = (objects / "fifo.bpf.o").read_bytes()
    path = tmp_path / "cut.bpf.o"
    for length in sorted({*range(0, 64, 16), 63, 64, 65, *range(100, len(whole), len(whole) // 16), len(whole) - 1}):
        path.write_bytes(whole[:length])
        assert_matches("not a BPF object|truncated or malformed", refusal(loader("attach", path, "/nowhere")))


@pytest.mark.slow
def test_damaged_objects_do_not_crash_the_loader(loader: Loader, objects: Path, tmp_path: Path) -> None:
    whole = (objects / "s3fifo.bpf.o").read_bytes()
    source = random.Random(19)
    path = tmp_path / "damaged.bpf.o"
    for _ in range(60):
        damaged = bytearray(whole)
        header = source.random() < 0.5
        for _ in range(source.randrange(1, 8)):
            place = source.randrange(64) if header else source.randrange(len(damaged))
            damaged[place] = source.choice([0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)])
        path.write_bytes(damaged)
        refusal(loader("attach", path, "/nowhere"))


@pytest.mark.long
@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (b"", "it is empty"),
        (b"\n", "line 1: its words are not separated"),
        (b"\0\0", "not plain text"),
        (b"cpol 1 p", "it does not end with a newline"),
        (b"cpol 2 p\n", "manifest version 2, this loader knows 1"),
        (b"cpol 1\n", "does not begin with"),
        (b"cpol 1 p p\n", "does not begin with"),
        (b"cpol 1 ../p\n", "does not begin with"),
        (b"cpol 1 " + b"p" * 65 + b"\n", "does not begin with"),
        (b"cpol 1 p\ncpol 1 p\n", "line 2: unknown kind of line"),
        (b"cpol 1 p\nlists  a\n", "line 2: its words are not separated"),
        (b"cpol 1 p\nlists a \n", "line 2: its words are not separated"),
        (b"cpol 1 p\nlists a\tb\n", "not plain text"),
        (b"cpol 1 p\nlists a\x1b[2J\n", "not plain text"),
        (b"cpol 1 p\nlists a,,b\n", "no list, or more than 8"),
        (b"cpol 1 p\nlists a,b,c,d,e,f,g,h,i\n", "no list, or more than 8"),
        (b"cpol 1 p\nlists a,1\n", "not an identifier"),
        (b"cpol 1 p\nlists a,\n", "no list, or more than 8"),
        (b"cpol 1 p\nlists a[int:2],b\n", "a list behind an array of lists"),
        (b"cpol 1 p\nlists a[int:2]b\n", "does not end with a bracket"),
        (b"cpol 1 p\nlists a[int:2\n", "does not end with a bracket"),
        (b"cpol 1 p\nlists a[int:1],b[int:1],c[int:1],d[int:1],e[int:1]\n", "or more than 4 arrays"),
        (b"cpol 1 p\nlists a\nlists b\n", "one line names all lists"),
        (b"cpol 1 p\nmeta 65\n", "after `meta` comes a number from 0 to 64"),
        (b"cpol 1 p\nmeta -1\n", "after `meta` comes a number from 0 to 64"),
        (b"cpol 1 p\nparam a u8 1 0 255 0\n", "a param has 7 items"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 1\n", "a param has 7 items, and perhaps `ms`, and perhaps `live`"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 live live\n", "a param has 7 items, and perhaps `ms`, and perhaps `live`"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 live ms\n", "a param has 7 items"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 ms ms\n", "a param has 7 items"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 live live live\n", "its words are not separated"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 live\nlists q\n", "param a is live, but the params are not in .data"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1 live\nparams rodata\nlists q\n", "param a is live, but the params"),
        (b"cpol 1 p\nparams bss\n", "after `params` comes rodata or data"),
        (b"cpol 1 p\nparams\n", "after `params` comes rodata or data"),
        (b"cpol 1 p\ninput a set thread bool\n", "an input has 5 items"),
        (b"cpol 1 p\ninput a set thread bool 0 0\n", "an input has 5 items"),
        (b"cpol 1 p\ninput ../a set thread bool 0\n", "not an identifier"),
        (b"cpol 1 p\ninput a bag thread bool 0\n", "input a is neither a set nor a map"),
        (b"cpol 1 p\ninput a set inode bool 0\n", "the key of input a is unknown"),
        (b"cpol 1 p\ninput a map file u65 0\n", "the type of input a is unknown"),
        (b"cpol 1 p\ninput a set file u8 0\n", "the value of a set is bool"),
        (b"cpol 1 p\ninput a map file u8 256\n", "its default is not a value of its type"),
        (b"cpol 1 p\ninput a map file enum:x:y 2\n", "its default is not a value of its type"),
        (b"cpol 1 p\ninput a map file u8 -1\n", "its default is not a value of its type"),
        (b"cpol 1 p\ninput a set page bool 0\ninput a set page bool 0\n", "input a appears twice"),
        (b"cpol 1 p\n" + b"".join(b"input a%d set page bool 0\n" % i for i in range(20)), "more than 16 inputs"),
        (b"cpol 1 p\nparam 1 u8 1 0 255 0 1\n", "not an identifier"),
        (b"cpol 1 p\nparam a u0 0 0 0 0 1\n", "type of param a is unknown"),
        (b"cpol 1 p\nparam a u65 0 0 0 0 1\n", "type of param a is unknown"),
        (b"cpol 1 p\nparam a x8 0 0 0 0 1\n", "type of param a is unknown"),
        (b"cpol 1 p\nparam a enum: 0 0 0 0 1\n", "type of param a is unknown"),
        (b"cpol 1 p\nparam a enum:x:1 0 0 0 0 1\n", "type of param a is unknown"),
        (b"cpol 1 p\nparam a enum:x:y 0 0 2 0 1\n", "outside its type"),
        (b"cpol 1 p\nparam a u8 1 0 256 0 1\n", "outside its type"),
        (b"cpol 1 p\nparam a s8 1 -129 1 0 1\n", "outside its type"),
        (b"cpol 1 p\nparam a u8 1 2 3 0 1\n", "outside its range"),
        (b"cpol 1 p\nparam a u64 18446744073709551616 0 1 0 8\n", "not a 64-bit number"),
        (b"cpol 1 p\nparam a s64 -9223372036854775809 0 1 0 8\n", "not a 64-bit number"),
        (b"cpol 1 p\nparam a u64 1 0 0x10 0 8\n", "not a 64-bit number"),
        (b"cpol 1 p\nparam a u16 1 0 256 0 1\n", "too small for its type"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 3\n", "bad offset or size"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 0\n", "bad offset or size"),
        (b"cpol 1 p\nparam a u64 1 0 255 4 8\n", "bad offset or size"),
        (b"cpol 1 p\nparam a u8 1 0 255 4294967295 1\n", "bad offset or size"),
        (b"cpol 1 p\nparam a u8 1 0 255 4294967296 1\n", "bad offset or size"),
        (b"cpol 1 p\nparam a u8 1 0 255 0 1\nparam a u8 1 0 255 1 1\n", "param a appears twice"),
        (b"cpol 1 p\nparam a u16 1 0 255 0 2\nparam b u8 1 0 255 1 1\n", "params a and b overlap"),
        (b"cpol 1 p\n" + b"".join(b"param a%d u8 1 0 255 %d 1\n" % (i, i) for i in range(200)), "more than 128 params"),
        (b"cpol 1 p\nghost g\n", "a ghost has 2 items"),
        (b"cpol 1 p\nghost ../g capacity\n", "not an identifier"),
        (b"cpol 1 p\nghost g capacity\nghost g capacity\n", "ghost g appears twice"),
        (b"cpol 1 p\nghost g capacity,\n", "ghost g: it is empty"),
        (b"cpol 1 p\nghost g capacity,capacity\n", "not one value"),
        (b"cpol 1 p\nghost g add\n", "lacks an operand"),
        (b"cpol 1 p\ntable t u8 0\n", "a table has a name, a type, an initial value, and one or two sizes"),
        (b"cpol 1 p\ntable t u8 0 int:1 int:2 int:3\n", "a table has a name, a type, an initial value, and one or"),
        (b"cpol 1 p\ntable a-b u8 0 int:1\n", "a table's name is not an identifier"),
        (b"cpol 1 p\ntable t u65 0 int:1\n", "the type of table t is unknown"),
        (b"cpol 1 p\ntable t s8 128 int:1\n", "table t: its initial value is not of its type"),
        (b"cpol 1 p\ntable t u8 0 int:1\ntable t u8 0 int:1\n", "table t appears twice"),
        (b"cpol 1 p\ntable t u8 0 add\n", "table t: an operation lacks an operand"),
        (b"cpol 1 p\n" + b"".join(b"table t%d u8 0 int:1\n" % i for i in range(60)), "more than 56 tables"),
        (b"cpol 1 p\nstate s u8 0\n", "a state has 4 items"),
        (b"cpol 1 p\nstate 1 u8 0 1\n", "a state's name is not an identifier"),
        (b"cpol 1 p\nstate s enum 0 1\n", "the type of state s is unknown"),
        (b"cpol 1 p\nstate s u9 0 1\n", "state s: bad offset or size"),
        (b"cpol 1 p\nstate s u8 4294967295 1\n", "state s: bad offset or size"),
        (b"cpol 1 p\nstate s u8 0 1\nstate s u8 1 1\n", "state s appears twice"),
        (b"cpol 1 p\nstates rodata 0\n", "after `states` come data or bss, and an offset"),
        (b"cpol 1 p\nstates bss -1\n", "after `states` come data or bss, and an offset"),
        (b"cpol 1 p\nlists a,b[int:3\n", "does not end with a bracket"),
        (b"cpol 1 p\nlists a,b[]\n", "array b: it is empty"),
        (b"cpol 1 p\nlists a,b[capacity],c\n", "a list behind an array of lists"),
        (b"cpol 1 p\ntick int:1\ntick int:1\n", "one line gives the milliseconds"),
        (b"cpol 1 p\nghost g capacity,add\n", "lacks an operand"),
        (b"cpol 1 p\nghost g floor\n", "lacks an operand"),
        (b"cpol 1 p\nghost g capacity,pow\n", "unknown operation"),
        (b"cpol 1 p\nghost g param:a\n", "other than a numeric param"),
        (b"cpol 1 p\nparam a bool 1 0 1 0 1\nghost g param:a\n", "other than a numeric param"),
        (b"cpol 1 p\nghost g int:\n", "bad number"),
        (b"cpol 1 p\nghost g fix:18446744073709551615\n", "bad number"),
        (b"cpol 1 p\nghost g " + b",".join([b"capacity"] * 200) + b"\n", "more than 128 items"),
        (b"cpol 1 p\n" + b"".join(b"ghost g%d capacity\n" % i for i in range(20)), "more than 16 ghosts"),
    ],
)
def test_hostile_manifest(loader: Loader, with_manifest: MakeObject, manifest: bytes, message: str) -> None:
    assert_matches(message, refusal(loader("attach", with_manifest(manifest), "/nowhere")))


@pytest.mark.slow
def test_random_manifests_do_not_crash_the_loader(loader: Loader, with_manifest: MakeObject) -> None:
    words = [
        b"cpol",
        b"1",
        b"p",
        b"param",
        b"ghost",
        b"lists",
        b"meta",
        b"u8",
        b"fix",
        b"enum:a:b",
        b"0",
        b"-1",
        b"255",
        b"\n",
    ]
    words += [
        b" ",
        b",",
        b"capacity",
        b"param:a",
        b"int:5",
        b"mul",
        b"floor",
        b"a",
        b"18446744073709551615",
        b":",
        b"\0",
    ]
    source = random.Random(7)
    for _ in range(30):
        text = b"cpol 1 p\n" + b"".join(source.choice(words) + source.choice([b" ", b" ", b""]) for _ in range(60))
        loader("attach", with_manifest(text), "/nowhere")


def test_object_of_another_profile_is_refused(loader: Loader, with_manifest: MakeObject, tmp_path: Path) -> None:
    path = tmp_path / "fifo.bpf.o"
    bpf.compile_policy(compile_file(STDLIB / "fifo.cpol"), path, Target("upstream", "upstream-2026"))
    assert refusal(loader("attach", path, "/sys/fs/cgroup")) == (
        f"{path} was compiled for the kernel profile upstream-2026, which this loader does not support; "
        "compile fifo again without --profile upstream-2026"
    )
    long = with_manifest(b"cpol 1 x\nprofile " + b"p" * 65 + b"\n")
    assert_matches("manifest is malformed, line 2", refusal(loader("attach", long, "/sys/fs/cgroup")))
