"""The pages of the site, before mkdocs reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pygments import token
from pygments.lexers import get_lexer_by_name
from webpages import benchmarks, codes, colours, drawings, grammar, language, order, policies, staged
from webpages.grammar import Choice, GrammarError, Name, Not, Repeated, Sequence, Text

from cpol.compiler.diagnostics.errors import registry
from cpol.grammar.generated.CpolLexer import CpolLexer
from cpol.grammar.generated.CpolParser import CpolParser

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = (ROOT / "grammar" / "Cpol.g4").read_text()
MADE = {"grammar/README.md", "benchmarks/README.md"}


def svg_of(text: str) -> ElementTree.Element:
    found = re.search(r"<svg.*?</svg>", text, re.DOTALL)
    assert found is not None
    return ElementTree.fromstring(found[0])


def test_every_page_of_docs_has_a_place_in_the_order(tmp_path: Path) -> None:
    pages = {*staged.checkout(ROOT, tmp_path).pages, *MADE, *(page for page, _ in codes.pages())}
    entries = order.ordered(pages)
    more = next((inner for name, inner in entries if name == "More"), [])
    assert not [page for _, page in more if isinstance(page, str) and page.startswith("docs/")]
    assert [name for name, _ in entries[1:5]] == ["Tutorials", "How-to", "Reference", "Explanation"]


def test_the_order_names_only_pages_that_are_there() -> None:
    with pytest.raises(ValueError, match=r"names pages that are not there: .*docs/tutorial.md"):
        order.ordered({"README.md"})


def test_policies_have_colours() -> None:
    text = "Write:\n\n    /// doc\n    policy p {\n\n      list l\n    }\n\nand run\n\n    cpolc check p.cpol\n"
    fenced = "Write:\n\n```cpol\n/// doc\npolicy p {\n\n  list l\n}\n```\n\nand run\n\n    cpolc check p.cpol\n"
    assert staged.coloured(text) == fenced
    assert staged.coloured("```cpol p.cpol\npolicy p {}\n```\n") == "```cpol\npolicy p {}\n```\n"
    source = (ROOT / "stdlib" / "lecar.cpol").read_text()
    colours.know(language.words())
    found = list(get_lexer_by_name("cpol").get_tokens(source))
    assert "".join(text for _, text in found) == source
    assert not [text for kind, text in found if kind in token.Error]
    kinds = {text: kind for kind, text in found}
    assert (
        kinds["list"] in token.Keyword and kinds["lecar"] in token.Name.Class and kinds["added"] in token.Name.Function
    )


def test_links_lead_to_what_the_site_has(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    for name, text in {
        "docs/a.md": "[b](../b.md#x) [c](../c.py) [folder](../d/) [gone](e.md) [web](https://x.example)\n"
        "`[no](../c2.py)`\n\n    [code](../c3.py)\n",
        "b.md": "[a](docs/a.md)",
        "c.py": "",
        "c2.py": "",
        "c3.py": "",
        "d/one.cpol": "",
        "d/two/README.md": "",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    site = staged.Staged(root, tmp_path / "pages")
    site.add("docs/a.md")
    site.listings()
    site.write()
    written = {str(path.relative_to(site.folder)) for path in site.folder.rglob("*") if path.is_file()}
    assert written == {"docs/a.md", "b.md", "c.py", "d/README.md", "d/one.cpol", "d/two/README.md"}
    assert "[folder](../d/README.md)" in site.pages["docs/a.md"] and "[gone](e.md)" in site.pages["docs/a.md"]


def test_the_reader_knows_every_rule_of_the_grammar() -> None:
    rules = grammar.read(GRAMMAR)
    assert set(CpolParser.ruleNames) == {name for name in rules if not name.isupper()}
    marked = {"UNIT", "HOW", "OF_SWAP"}
    assert set(CpolLexer.ruleNames) == {name for name in rules if name.isupper()}

    def names(node: grammar.Node) -> set[str]:
        match node:
            case Name(name):
                return {name}
            case Text():
                return set()
            case Not(inner) | Repeated(inner, _):
                return names(inner)
            case Sequence(parts) | Choice(parts):
                return set().union(*map(names, parts))

    assert set().union(*map(names, rules.values())) <= rules.keys() | marked | {"EOF"}


def test_the_reader_makes_trees() -> None:
    rules = grammar.read(
        "grammar G; tokens { A } // c\nr : 'x' (s | ~( '{' | T ))* s? -> channel(HIDDEN) ; fragment T : [0-9']+ . ;"
    )
    inner = Choice((Name("s"), Not(Choice((Text("{"), Name("T"))))))
    assert rules["r"] == Sequence((Text("x"), Repeated(inner, "*"), Repeated(Name("s"), "?")))
    assert rules["T"] == Sequence((Repeated(Text("[0-9']"), "+"), Text("any character")))
    for wrong in ("r : 'x'", "r : )( ;", "r 'x' ;", "r : @ ;"):
        with pytest.raises(GrammarError):
            grammar.read(wrong)


def test_every_code_has_a_page() -> None:
    pages = dict(codes.pages())
    assert pages.keys() == {"codes/README.md", *(f"codes/{code}.md" for code in registry())}
    assert all(f"]({code}.md)" in pages["codes/README.md"] for code in registry())
    assert registry()["E0209"].wrong in pages["codes/E0209.md"]


def test_curves_are_drawn_to_scale() -> None:
    drawn = svg_of(drawings.curves({"a<b": [(10, 1.0), (20, 0.0)], "other": [(20, 0.5)]}, "what & why"))
    first, second = (line.attrib["points"] for line in drawn.iter("polyline"))
    middle = drawings.LEFT + (drawings.WIDTH - drawings.LEFT - drawings.RIGHT) / 2
    bottom = drawings.HEIGHT - drawings.BOTTOM
    assert first == f"{middle},12.0 {drawings.WIDTH - drawings.RIGHT}.0,{bottom}.0"
    assert second.endswith(f",{(bottom + drawings.TOP) / 2}")
    assert drawn.attrib["aria-label"] == "what & why" and any(text.text == "a<b" for text in drawn.iter("text"))


def test_bars_are_drawn_to_scale() -> None:
    drawn = svg_of(drawings.bars([("all", 1234.0), ("half", 617.0), ("less", -3.0)], "s", "what"))
    widths = [float(bar.attrib["width"]) for bar in drawn.iter("rect")]
    assert widths[0] == 2 * widths[1] > 0 == widths[2]
    assert [text.text for text in drawn.iter("text")][1::2] == ["1,234 s", "617 s", "-3.0 s"]
    svg_of(drawings.bars([("nothing", 0.0)], "", "what"))
    assert [drawings.shown(value) for value in (12345.6, 99.94, 0.144, -0.001)] == ["12,346", "99.9", "0.14", "0.00"]


def test_benchmarks_are_those_of_the_files() -> None:
    page = benchmarks.page(ROOT / "docs" / "measured")
    figures = json.loads((ROOT / "docs" / "measured" / "kernel-cost.json").read_text())["figures"]
    assert set(figures["hit"]) <= set(benchmarks.COLUMNS)
    assert all(f">{value:,.0f} <" in page for value in figures["hit"].values())


def test_growth_is_the_median_of_the_policies() -> None:
    arms = {
        name: {"attached": {"read": 100}, "beside": {"read": value}}
        for name, value in {"a": 90, "b": 101, "c": 300}.items()
    }
    assert benchmarks.growth({**arms, "stopped": {"attached": {"read": 1}}}) == [("read", pytest.approx(1.0))]


@pytest.mark.slow
def test_a_page_of_a_policy_draws_what_the_simulator_says() -> None:
    page = policies.widened("docs/stdlib/mru.md", "# mru\n\nSummary.\n\n## Tests\n\nSome.\n")
    head, _, rest = page.partition("## Tests")
    assert "playground/index.html#policy=mru" in head and "## Source" in rest
    assert page.count("<svg") == len(policies.TRACES)
    assert "<svg" not in policies.widened("docs/stdlib/leap.md", "# leap\n\nSummary.\n\n## Tests\n\nSome.\n")
