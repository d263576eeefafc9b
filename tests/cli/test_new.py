"""`cpolc new`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cpol.cli.main import cli
from cpol.cli.new import TEMPLATE
from cpol.compiler import compile_file
from cpol.compiler.format.text import format_text
from cpol.compiler.policies import stdlib_names
from cpol.compiler.stages import run


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def cpolc(*words: str) -> Result:
    return CliRunner().invoke(cli, ["new", *words])


def test_first_policy_has_no_warnings_and_is_formatted(tmp_path: Path) -> None:
    done = cpolc("mine")
    assert (done.exit_code, done.stdout) == (0, "") and "cpolc check ./mine.cpol" in done.stderr
    text = (tmp_path / "mine.cpol").read_text()
    assert text == TEMPLATE.read_text().replace("policy first", "policy mine")
    compiled = run(text, "mine.cpol")
    assert compiled.policy.name == "mine" and not compiled.warnings
    assert format_text(text, "mine.cpol") == text


def test_command_to_paste_quotes_a_name_with_blanks(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    assert cpolc("mine", "-o", "a folder/mine.cpol").stderr.endswith("cpolc check 'a folder/mine.cpol'\n")


@pytest.mark.long
@pytest.mark.parametrize("like", stdlib_names())
def test_copy_behaves_as_the_original(like: str, tmp_path: Path) -> None:
    assert cpolc("mine", "--like", like, "-o", "other.cpol").exit_code == 0
    text = (tmp_path / "other.cpol").read_text()
    assert "policy mine {" in text
    assert f"/// After cpol's {like}: " in text and "/// Source: " not in text, "a copy has no `Source:`"
    assert max(map(len, text.splitlines())) <= 130
    assert compile_file(tmp_path / "other.cpol").name == "mine"


def test_new_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.cpol").write_text("precious")
    (tmp_path / "link.cpol").symlink_to("nowhere.cpol")
    for words in (["mine"], ["mine", "--like", "lru"], ["mine", "-o", "mine.cpol"], ["mine", "-o", "link.cpol"]):
        done = cpolc(*words)
        assert done.exit_code == 1 and "is there already, and is left as it is" in done.stderr
    assert (tmp_path / "mine.cpol").read_text() == "precious" and not (tmp_path / "nowhere.cpol").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["my policy"], "`my_policy` would do"),
        (["../x"], "`x` would do"),
        (["9"], "start with no digit"),
        (["list"], "a policy cannot be called `list`"),
        (["x" * 65], "a name has at most 64 characters"),
        (["lru"], "`cpolc new my_lru --like lru`"),
        (["mine", "--like", "s3fif"], "did you mean `s3fifo`?"),
        (["mine", "--like", "./s3fifo.cpol"], "--like takes the name of a stdlib policy"),
        (["mine", "-o", "no/such/folder.cpol"], "cannot write no/such/folder.cpol: No such file"),
    ],
)
def test_invalid_names_and_options_of_new(words: list[str], said: str, tmp_path: Path) -> None:
    done = cpolc(*words)
    assert done.exit_code == 1 and said in done.stderr and len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_to_standard_output(tmp_path: Path) -> None:
    assert cpolc("mine", "-o", "-").stdout.startswith("/// ") and not list(tmp_path.iterdir())
