"""What the loader refuses on any machine, and its messages. Objects may be hostile."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from loader_types import Loader

from cpol.compiler import compile_file, compile_source
from cpol.compiler.backend import bpf
from cpol.compiler.toolchain.target import Target
from cpol.runtime.errors import ParamError
from cpol.runtime.settings.params import read_params

STDLIB = Path(__file__).resolve().parents[3] / "stdlib"
MakeObject = Callable[[bytes], Path]


def refusal(done: subprocess.CompletedProcess[str]) -> str:
    """Return the single message of a failed run."""
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("cpol-loader: error: ")
    return done.stderr.removeprefix("cpol-loader: error: ").rstrip("\n")


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
        ["attach", "--input"],
        ["set"],
        ["set", "x", "--replace"],
        ["set", "x", "a=1", "--json"],
        ["input"],
        ["input", "x", "name"],
        ["input", "x", "name", "eat"],
        ["input", "x", "name", "add"],
        ["input", "x", "name", "remove"],
        ["input", "x", "name", "clear", "1"],
        ["input", "x", "--id", "3"],
        ["detach", "--gone", "x"],
        ["stat", "--all", "x"],
        ["attach", "x", "y", *["--input=a=1"] * 300],
        ["attach", "x", "y", *["--set=a=1"] * 300],
    ],
)
def test_wrong_usage(loader: Loader, words: list[str]) -> None:
    done = loader(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: cpol-loader" in done.stderr


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
        (b"cpol 1 p\ninput a set cgroup bool 0\n", "the key of input a is unknown"),
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
        (b"cpol 1 p\nlists a,b[capacity],c\n", "does not end with a bracket"),
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


def test_paths_that_are_not_cgroups(loader: Loader, objects: Path, tmp_path: Path) -> None:
    fifo = objects / "fifo.bpf.o"
    (tmp_path / "file").touch()
    assert_matches("there is no cgroup .*/gone; make it with mkdir", refusal(loader("attach", fifo, tmp_path / "gone")))
    assert_matches("is not a cgroup, but a file; name a folder", refusal(loader("attach", fifo, tmp_path / "file")))
    assert_matches("is not a cgroup", refusal(loader("attach", fifo, tmp_path)))
    assert_matches("is not a cgroup", refusal(loader("attach", fifo, "/proc")))
    assert_matches("is not a cgroup", refusal(loader("detach", "/proc/self")))
    assert_matches("is not a cgroup", refusal(loader("stat", "/")))


def cgroup2_mount() -> str:
    """Return this machine's mount point of cgroup2."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, kind = line.partition(" - ")
        if kind.startswith("cgroup2 "):
            return fields.split()[4]
    raise AssertionError("this machine has no cgroup2 mounted; the loader cannot be tested on it")


def test_root_cgroup(loader: Loader, objects: Path) -> None:
    root = cgroup2_mount()
    if Path(root).stat().st_ino == 1:
        message = f"{root} is the root cgroup"
    else:  # a cgroup namespace: this root has a limit
        message = "no permission|has no cache_ext|no memory controller"
    assert_matches(message, refusal(loader("attach", objects / "fifo.bpf.o", root)))


@pytest.mark.parametrize(
    "prefix",
    [
        ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
        ("setpriv", "--bounding-set=-all", "--inh-caps=-all"),
    ],
    ids=["nobody", "no capabilities"],
)
def test_without_privileges(loader: Loader, prefix: tuple[str, ...]) -> None:
    assert_matches("no permission: this needs root", refusal(loader("list", prefix=prefix)))


def test_in_a_user_namespace(loader: Loader) -> None:
    assert_matches("no permission: this needs root", refusal(loader("list", prefix=("unshare", "-Ur"))))


def assert_matches(pattern: str, text: str) -> None:
    """Fail with both texts unless the pattern is found."""
    with pytest.raises(AssertionError, match=pattern):
        raise AssertionError(text)


def test_object_of_another_profile_is_refused(loader: Loader, with_manifest: MakeObject, tmp_path: Path) -> None:
    path = tmp_path / "fifo.bpf.o"
    bpf.compile_policy(compile_file(STDLIB / "fifo.cpol"), path, Target("upstream", "upstream-2026"))
    assert refusal(loader("attach", path, "/sys/fs/cgroup")) == (
        f"{path} was compiled for the kernel profile upstream-2026, which this loader does not support; "
        "compile fifo again without --profile upstream-2026"
    )
    long = with_manifest(b"cpol 1 x\nprofile " + b"p" * 65 + b"\n")
    assert_matches("manifest is malformed, line 2", refusal(loader("attach", long, "/sys/fs/cgroup")))
