"""docs/language.md matches the compiler."""

from __future__ import annotations

import re

import pytest

from cpol.compiler.check.symbols import BUILT_IN
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.stages import run
from cpol.compiler.syntax.errors.place import LAST_WORD
from cpol.grammar.generated.CpolParser import CpolParser

from .corpus import LANGUAGE, reference
from .examples import wrap

TEXT = LANGUAGE.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```cpol\n(.*?)```", TEXT, re.DOTALL)


def test_list_of_codes_matches_the_registry() -> None:
    assert reference() == TEXT


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_compile(example: str) -> None:
    try:
        codes = {warning.code for warning in run(wrap(re.sub(r"^///.*\n(?=policy)", "", example)), "doc.cpol").warnings}
    except CompileError as error:
        pytest.fail(str(error))
    assert codes <= {"W0402"}


def test_list_of_keywords_matches_the_grammar() -> None:
    section = TEXT.partition("These words cannot be names:")[2].partition("In the grammar below")[0]
    words = [name.strip("'") for name in CpolParser.literalNames[CpolParser.POLICY : LAST_WORD + 1]]
    assert sorted(re.findall(r"`(\w+)`", section)) == sorted([*words, *BUILT_IN])


def test_links_of_the_reference_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (LANGUAGE.parent / target).is_file(), target
