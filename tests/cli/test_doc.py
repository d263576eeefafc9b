"""`cpolc doc` and docs/stdlib."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from cpol.cli.main import cli
from cpol.compiler.policies import STDLIB, stdlib_names

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = r"""
/// .so /etc/passwd <script>alert("x")</script> a | b `code`
policy p {
  param a: u8 = 1 in 1..2  /// <b>&amp; | \fB "quoted"
  list q  // .de <i>
  folio { n: u8 = 0 }
  on added(f) { place f at tail of q }
  on accessed(f) { f.n = a }
  on evict { scan q from head as f { when f.n == a { stop } otherwise { evict f } } }
}
"""


def doc(*words: str) -> str:
    done = CliRunner().invoke(cli, ["doc", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


class Balanced(HTMLParser):
    """A parser that checks that every element is closed, and collects elements."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.words: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag != "meta":
            self.open.append(tag)
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        assert "src" not in found and found.get("href", "#").startswith("#"), "the page must not load other files"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def parsed(text: str) -> Balanced:
    page = Balanced()
    page.feed(text)
    assert not page.open
    return page


@pytest.mark.long
@pytest.mark.parametrize("name", stdlib_names())
def test_every_policy_in_every_format(name: str) -> None:
    source = (STDLIB / f"{name}.cpol").read_text()
    text = doc(name)
    assert text.startswith(f"# {name}\n\n") and source in text
    assert source in "".join(parsed(doc(name, "--format", "html")).words)
    assert doc(name, "--format", "man").startswith(f'.TH "CPOL\\-{name.upper()}" 7')


def test_page_has_contents_and_anchors() -> None:
    page = parsed(doc("s3fifo", "--format", "html"))
    titles = [line.removeprefix("## ") for line in doc("s3fifo").splitlines() if line.startswith("## ")]
    sections = [
        "description",
        "parameters",
        "what-it-keeps",
        "when-it-acts",
        "what-always-holds",
        "tests",
        "cost",
        "source",
    ]
    assert [title.lower().replace(" ", "-") for title in titles] == sections
    assert page.links[: len(sections)] == [f"#{section}" for section in sections], "the contents must come first"
    assert len(page.ids) == len(set(page.ids)) and {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert {"parameters-small_percent", "tests-one_hit_wonders_leave_through_small"} <= set(page.ids)


POLICY = """policy p {
  list q
  on added(f) { place f at tail of q }
  on evict { scan q from head as f { evict f } }
}
"""


@pytest.mark.parametrize(
    ("comment", "summary", "description"),
    [
        (["One sentence."], "One sentence.", None),
        (["A sentence that", "goes on. And another."], "A sentence that goes on.", "And another."),
        (["First. Second.", "Third."], "First.", "Second. Third."),
        (["No full stop", "", "More."], "No full stop", "More."),
        (["LRU, e.g. of files. Then."], "LRU, e.g. of files.", "Then."),
        (["After Yang et al. Better 1.5 times! So."], "After Yang et al. Better 1.5 times!", "So."),
        (["What for", "Source: here."], "What for", "Source: here."),
        ([], "The policy p.", None),
    ],
)
def test_summary_is_the_first_sentence(
    comment: list[str], summary: str, description: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "p.cpol"
    path.write_text("".join(f"/// {line}\n" for line in comment) + POLICY)
    parts = doc(str(path)).split("\n\n")
    assert parts[:2] == ["# p", summary]
    assert (parts[2] == "## Description") is (description is not None)
    assert description is None or parts[3] == description


def test_params_are_shown_as_written() -> None:
    row = "| `small_percent` | `u8` | 10 | 1 to 50 | at attach | percent of the capacity: size of `small` |"
    assert row in doc("s3fifo")
    assert "| `state filling: bool = true` | nothing has been evicted yet |" in doc("s3fifo")


def test_hostile_text_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "p.cpol"
    path.write_text(HOSTILE)
    page = parsed(doc(str(path), "--format", "html"))
    assert not page.seen & {"script", "b", "i"} and '<script>alert("x")</script>' in "".join(page.words)
    lines = doc(str(path), "--format", "man").splitlines()
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".PP", ".TP", ".nf", ".fi"}
    rows = [line for line in doc(str(path)).splitlines() if line.startswith("| `a`")]
    assert rows == ['| `a` | `u8` | 1 | 1 to 2 | at attach | <b>&amp; \\| \\fB "quoted" |']


def test_cost_has_formulas() -> None:
    text = doc("lfu").partition("## Cost")[2]
    assert "The policy keeps 4 bytes beside each folio." in text
    bound = "min(sample * evict.wanted, capacity, 65,536)"
    assert f"A call of `evict` visits at most 512 folios, that is `{bound}`." in text
    assert "The ghost `recent` has room for `(ghost_percent * capacity) / 100` entries." in doc("s3fifo")
    assert "at most 131,072 folios, each scan at most `min(capacity, 65,536)`." in doc("s3fifo")
    bound = "min(min(((64 * 4) / sample), 256), 65,536)"
    assert f"125 times; its loops have the bounds `{bound}` and `4`." in doc("wtinylfu")


def test_doc_to_a_file(tmp_path: Path) -> None:
    assert doc("lru", "-o", str(tmp_path / "lru.md")) == ""
    assert (tmp_path / "lru.md").read_text() == doc("lru")


@pytest.mark.slow
def test_docs_stdlib_is_current() -> None:
    command = [sys.executable, "-W", "error", str(ROOT / "scripts" / "stdlib_docs.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT / "src")})
    assert done.returncode == 0, done.stderr


def test_doc_comments_above_declarations_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "d.cpol"
    path.write_text(
        """/// FIFO.
policy d {
  list queue          /// the oldest at the head
  /// how many came,
  /// since attach
  state came: u64 = 0
  // not for readers
  state gone: u64 = 0
  on added(f) { came += 1  place f at tail of queue }
  on evict { scan queue from head as f { when came == gone { stop } otherwise { evict f } } }
  on removed(f) { gone += 1 }
}
"""
    )
    page = doc(str(path), "--format", "md")
    assert "| `list queue` | the oldest at the head |" in page
    assert "| `state came: u64 = 0` | how many came, since attach |" in page
    assert "| `state gone: u64 = 0` |  |" in page
