"""The TOML file of a sweep: each mistake has its file, line and column, and what to write."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpol.errors import UserError
from cpol.runtime.simulate.sweep.fetched import listed
from cpol.runtime.simulate.sweep.plan import traces_of
from cpol.runtime.simulate.sweep.spec import Named, read_spec
from cpol.runtime.simulate.sweep.unit import Reading
from cpol.tomlfile import read as tomlfile
from cpol.tomlfile.places import Places

WHOLE = """
# a night's work
policies = ["lru", 'mine.cpol']
traces = [
  "a/*.zst",  # local
  "s3://bucket/b.zst",
]
capacities = [0.01, 1000, "64M"]
batches = 32
seed = 7
warmup = 0.2
base = "lru"

[params]
lru = {}
[params."mine.cpol"]
share = [0.10, 0.2]
on = true

[reading]
format = "CSV"
columns = "object=0"
pages = false

[storage]
anon = true
client_kwargs = { endpoint_url = "http://localhost:9000" }
"""

MINIMAL = 'policies = ["lru"]\ntraces = ["a"]\ncapacities = [1]\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


def test_all_keys(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, WHOLE))
    assert [each.word for each in spec.policies] == ["lru", "mine.cpol"] and spec.policies[0].params == ()
    at = f"{tmp_path}/s.toml:"
    assert spec.policies[1].params == (
        (("share", f"{at}17:1: "), (("0.10", f"{at}17:10: "), ("0.2", f"{at}17:16: "))),
        (("on", f"{at}18:1: "), (("true", f"{at}18:6: "),)),
    )
    assert [name for name, _ in spec.traces] == ["a/*.zst", "s3://bucket/b.zst"]
    assert spec.traces[1][1] == f"{tmp_path}/s.toml:6:3: "
    assert spec.capacities == ("0.01", "1000", "64M") and spec.batches == (32,)
    assert (spec.seed, spec.warmup, spec.base, spec.folder) == (7, "0.2", ("lru", f"{at}12:8: "), tmp_path)
    assert spec.reading == Reading("csv", "object=0", False)
    assert spec.storage == {"anon": True, "client_kwargs": {"endpoint_url": "http://localhost:9000"}}


def test_numbers_with_exponents(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, MINIMAL.replace("[1]", "[1e6, 5e-2, 1.0]") + "warmup = 1e3\n"))
    assert spec.capacities == ("1000000", "0.05", "1.0") and spec.warmup == "1000"


def test_what_need_not_be_said(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, MINIMAL.replace("[1]", "1").replace('["a"]', '"a"')))
    assert (spec.batches, spec.seed, spec.warmup, spec.base) == ((None,), 1, "0", None)
    assert spec.policies == (Named("lru", (), f"{tmp_path}/s.toml:1:13: "),)


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "1:1", 'there is no key `policies`; add a line policies = ["lru"'),
        ('policies = ["lru"]\ntraces = ["a"]\n', "1:1", "there is no key `capacities`; add a line"),
        (MINIMAL + "polices = 1\n", "4:1", "there is no key `polices`; did you mean `policies`?"),
        (MINIMAL + "[readin]\n", "4:2", "there is no key `readin`; did you mean `reading`?"),
        (MINIMAL + "x = [\n", "5:1", "this is no TOML"),
        (MINIMAL + "seed =\n", "4:7", "this is no TOML: invalid value; write NAME = VALUE"),
        (MINIMAL.replace('["lru"]', '["lru", 3]'), "1:20", "3 is no text"),
        (MINIMAL.replace('["lru"]', '["lru", "lru"]'), "1:20", "lru stands twice in `policies`; leave out one"),
        (MINIMAL.replace('["lru"]', "[]"), "1:12", "`policies` is empty; give one or more"),
        (MINIMAL.replace('["a"]', '["a\\u0007"]'), "2:11", "is no text"),
        (MINIMAL.replace("[1]", "[1, 0]"), "3:18", "0 is less than one page; give pages (1000)"),
        (MINIMAL.replace("[1]", "[\n  1,\n  true]"), "5:3", "True is no capacity"),
        (MINIMAL.replace("[1]", "[1e999999999]"), "3:15", "1E+999999999"),
        (MINIMAL.replace("[1]", "[nan]"), "3:15", "'NaN' is no capacity"),
        (MINIMAL.replace("[1]", "[1.5]"), "3:15", "1.5 is no share"),
        (MINIMAL.replace("[1]", '["4K", 1]'), "3:21", "1 is the same capacity as 4K; leave out one of them"),
        (MINIMAL + "batches = [1, 33]\n", "4:15", "33 is no whole number from 1 to 32"),
        (MINIMAL + "batches = [1, 1]\n", "4:15", "1 stands twice in `batches`"),
        (MINIMAL + "seed = -1\n", "4:8", "-1 is no whole number from 0 to 2^64 - 1"),
        (MINIMAL + "warmup = 1.5\n", "4:10", "is no warm-up; give requests"),
        (MINIMAL + "base = 3\n", "4:8", "`base` is the policy that others are compared with"),
        (MINIMAL + "params = 3\n", "4:10", "`params` is a table; write [params] alone on a line"),
        (MINIMAL + "[params.fifo]\n", "4:9", "no policy here is called `fifo`; the policies are `lru`"),
        (MINIMAL + "[params]\nlru = 3\n", "5:7", "`params.lru` is a table"),
        (MINIMAL + "[params.lru]\nx = [1, {}]\n", "5:9", "{} is no value of a param"),
        (MINIMAL + "[params.lru]\nx = []\n", "5:5", "`x` is empty"),
        (MINIMAL + "[reading]\nformat = 'parquett'\n", "5:10", "did you mean parquet?"),
        (MINIMAL + "[reading]\ncolumns = 'a=b'\n", "5:11", "a"),
        (MINIMAL + "[reading]\npages = 1\n", "5:9", "`pages` is true or false"),
        (MINIMAL + "[storage]\nanon = true\nsecret = 'x'\n", "6:1", "`secret` holds credentials; take them out"),
        (MINIMAL + "[storage]\nendpoint_url = 'http://me:pw@host'\n", "5:1", "`endpoint_url` holds credentials"),
        (MINIMAL + "[storage]\nendpoint_url = 'http://host?sig=x'\n", "5:1", "`endpoint_url` holds credentials"),
        (MINIMAL + "[storage.client_kwargs]\naws_access_key_id = 'x'\n", "5:1", "AWS_ACCESS_KEY_ID"),
        (MINIMAL + "[storage]\nheaders = {Cookie = 'x'}\n", "5:12", "`Cookie` holds credentials"),
        (MINIMAL + "[storage]\nx = 2026-01-01\n", "5:5", "`x` is a text, a number"),
    ],
)
def test_mistakes(text: str, place: str, says: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_spec(path)
    assert str(caught.value).startswith(f"{path}:{place}: ") and says in str(caught.value)
    assert not any(secret in str(caught.value) for secret in ("me:pw", "sig=x", "'x'"))


def test_public_buckets(tmp_path: Path) -> None:
    """Google's takes a token that is none; Azure's, the name of an account. Neither gives access to anything."""
    public = {"token": "anon", "account_name": "someone", "max_connections": 8, "anon": True}
    written = "".join(f"{name} = {json.dumps(value)}\n" for name, value in public.items())
    assert read_spec(write(tmp_path, f"{MINIMAL}[storage]\n{written}")).storage == public
    with pytest.raises(UserError, match="5:1: `token` holds credentials"):
        read_spec(write(tmp_path, f"{MINIMAL}[storage]\ntoken = '/home/me/key.json'\n"))


@pytest.mark.parametrize("url", ["s3://me:pw@host/a", "https://h/a?X-Amz-Signature=pw"])
def test_credentials_in_a_url(url: str, tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path, MINIMAL.replace('"a"', f'"{url}"')))
    with pytest.raises(UserError, match=r"s\.toml:2:11: .*: credentials stand in the URL; take them out") as caught:
        traces_of(spec, listed)
    assert "pw" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"cannot read .*: Is a directory; name the TOML file of a sweep"):
        read_spec(tmp_path)
    path = tmp_path / "s.toml"
    path.write_bytes(b"seed = 1\nbase = '\xff'\n")
    with pytest.raises(UserError, match=r"s\.toml:2:9: the file is not UTF-8"):
        read_spec(path)
    path.write_text(f"x = {'[' * 5000}{']' * 5000}")
    with pytest.raises(UserError, match=r"s\.toml:1:1: the file is nested too deeply"):
        read_spec(path)
    for number in ("9" * 5000, f"1e{'9' * 30}"):
        path.write_text(f"seed = {number}")
        with pytest.raises(UserError, match=r"s\.toml:1:1: a number in the file has too many digits"):
            read_spec(path)
    monkeypatch.setattr(tomlfile, "MAX_FILE", 8)
    with pytest.raises(UserError, match=r"s\.toml:1:1: the file is larger than 0 MiB"):
        read_spec(path)


WORDS = st.text("ab-é\"\\'.# \n", min_size=1, max_size=4)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.integers() | st.booleans() | WORDS | st.decimals(-9, 9, places=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def toml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}'" if "'" not in value and "\n" not in value else quoted(value)
        case list():
            return f"[ # ]\n {', '.join(map(toml, value))} ]"
        case dict():
            return f"{{ {', '.join(f'{quoted(key)} = {toml(each)}' for key, each in value.items())} }}"
    return str(value)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield (*path, key), each
        yield from paths(each, (*path, key))


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from("abcdef"), VALUES, max_size=4))
def test_places_are_those_of_the_values(told: dict[str, Any]) -> None:
    text = "".join(f"\n {key} = {toml(value)} # = [\n" for key, value in told.items())
    assert tomllib.loads(text, parse_float=Decimal) == told
    places, lines = Places(text), text.split("\n")
    for path, value in paths(told):
        if any(isinstance(part, str) and part != path[0] and not part.isalnum() for part in path):
            continue  # the place of a name with escapes is that of what is around it
        line, column = places.value(path)
        rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
        assert rest.startswith(toml(value)), (path, text)


@pytest.mark.slow
def test_long_lists_are_read(tmp_path: Path) -> None:
    traces = ", ".join(f'"{number}"' for number in range(60_000))
    capacities = ", ".join(map(str, range(1, 20_000)))
    path = write(tmp_path, f'policies = "lru"\ntraces = [{traces}]\ncapacities = [\n{capacities}, 7]\n')
    with pytest.raises(UserError, match=r"s\.toml:4:128888: 7 is the same capacity as 7"):
        read_spec(path)  # where each look at a place read the text from its start, this took minutes
