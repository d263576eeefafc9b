"""Mutants: policies with a few tokens changed. The compiler must refuse each, or generate C that clang accepts.

A test runs `COUNT` mutants. $CPOL_SEED (default 0) selects them; $CPOL_THOROUGH (default 1) multiplies their number:

    CPOL_SEED=7 CPOL_THOROUGH=20 .venv/bin/pytest -n 2 tests/compiler/test_mutants.py

A mutant that fails is saved in build/mutants. This command tests it again:

    PYTHONPATH=src .venv/bin/python -m tests.compiler.mutants build/mutants/FILE
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path

from antlr4 import InputStream, Token

from cpol.compiler.backend import bpf, host
from cpol.compiler.backend.c import generate
from cpol.compiler.diagnostics import CompileError
from cpol.compiler.diagnostics.render import render
from cpol.compiler.stages import dump_ast, dump_ir, run
from cpol.grammar.generated.CpolLexer import CpolLexer

from .corpus import ROOT, STDLIB, WHOLE

SEED = int(os.environ.get("CPOL_SEED", "0"))
THOROUGH = int(os.environ.get("CPOL_THOROUGH", "1"))
COUNT = 800 * THOROUGH
KEPT = ROOT / "build" / "mutants"
BATCH = 24
"""Number of texts in one run of clang."""

EXAMPLES = [*sorted((ROOT / "examples").rglob("*.cpol")), ROOT / "src" / "cpol" / "cli" / "new.cpol"]
BACKEND = sorted((ROOT / "tests" / "compiler" / "backend").glob("*.cpol"))
POLICIES = [path.read_text(encoding="utf-8") for path in (*STDLIB, *WHOLE, *EXAMPLES, *BACKEND)]

NUMBERS = ("0", "1", "2", "7", "8", "31", "64", "255", "256", "65535", "65536", "65537", "1_000_000", "4294967295")
NUMBERS += ("9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "0.5", "0.0")
VALUES = ("-1", "(1 - 2)", "(8 / 4)", "min(1, 2)", "unsigned(-1)", "floor(log2(9))", "random(3)", "cache.capacity")
VALUES += ("(if true then 1 else 2)", "floor(1.5)", "queue.size", "(1 / 0)", "task.thread", "cache.clock", "true")
"""Replacements of a number."""

ALIKE = (
    ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"), ("==", "!=", "<", "<=", ">", ">="),
    ("=", "+=", "-=", "*="), ("head", "tail"),
    ("lowest", "highest"),
    ("and", "or"), ("true", "false"), ("move", "place"), ("keep", "stop"), ("if", "when"), (",", ""),
)  # fmt: skip
"""Groups of tokens that can often replace each other."""

COMPILERS = (
    ("clang-19", "-fsyntax-only", *host.COMMON, f"-I{host.INCLUDE}", f"-I{host.NATIVE}"),
    ("clang-19", "-fsyntax-only", *bpf.FLAGS, "-DCPOL_MAP_NAME=policy", f"-I{bpf.INCLUDE}"),
)
"""Clang's front end with the options of the simulator and of BPF."""


@dataclass(frozen=True)
class Failure:
    """A mutant that failed, and why."""

    text: str
    message: str

    def keep(self) -> str:
        """Save the text; return the message and the command that repeats it."""
        KEPT.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(suffix=".cpol", dir=KEPT)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(self.text)
        return f"{self.message}\nagain: PYTHONPATH=src .venv/bin/python -m tests.compiler.mutants {name}"


@cache
def tokens(text: str) -> tuple[tuple[str, str], ...]:
    """Return kind and text of each token; the text between two tokens is a kind of its own."""
    lexer = CpolLexer(InputStream(text))
    found: list[tuple[str, str]] = []
    end = 0
    for token in lexer.getAllTokens():
        if token.channel != Token.DEFAULT_CHANNEL:
            continue
        if token.start > end:
            found.append(("between", text[end : token.start]))
        kind = lexer.symbolicNames[token.type]
        found.append((kind if kind in ("IDENT", "INT", "FIXED") else "sign", token.text))
        end = token.stop + 1
    return (*found, ("between", text[end:]))


def mutant(number: int, seed: int = SEED) -> str:
    """Return mutant `number` of `seed`: a policy with one to three changes."""
    rng = random.Random(f"{seed} {number}")
    parts = list(tokens(rng.choice(POLICIES)))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        places = [i for i, (kind, _) in enumerate(parts) if kind != "between"]
        place = rng.choice(places)
        parts[place] = ("sign", _changed(rng, parts, place, places))
    return "".join(text for _, text in parts)


def _changed(rng: random.Random, parts: list[tuple[str, str]], place: int, places: list[int]) -> str:
    """Make one change, and return the new text at `place`; a swap also changes its partner."""
    kind, text = parts[place]
    how = rng.choice(("delete", "double", "swap", "any", "foreign", *["alike"] * 10))
    if how == "delete":
        return ""
    if how == "double":
        return f"{text} {text}"
    if how == "swap":
        other = rng.choice(places)
        mine, parts[other] = parts[other][1], parts[place]
        return mine
    if how == "any":
        return parts[rng.choice(places)][1]
    if how == "foreign":
        return rng.choice([text for kind, text in tokens(rng.choice(POLICIES)) if kind != "between"])
    if kind == "sign":
        return rng.choice(next((group for group in ALIKE if text in group), (text,)))
    if kind in ("INT", "FIXED") and rng.random() < 0.7:
        return rng.choice(NUMBERS if rng.random() < 0.6 else VALUES)
    return rng.choice(_alike(parts if rng.random() < 0.8 else list(tokens(rng.choice(POLICIES))), kind, parts, place))


def _alike(source: list[tuple[str, str]], kind: str, parts: list[tuple[str, str]], place: int) -> list[str]:
    """Return tokens of a kind from `source`, preferably after the same token as at `place`."""
    before = _before(parts, place)
    found = [i for i, (like, _) in enumerate(source) if like == kind]
    near = [i for i in found if _before(source, i) == before]
    return [source[i][1] for i in found + near * 8] or [parts[place][1]]


def _before(parts: list[tuple[str, str]], place: int) -> str:
    return next((text for kind, text in reversed(parts[:place]) if kind != "between"), "")


def judge(texts: Iterable[str], thorough: bool = False) -> Iterator[Failure]:
    """Yield the failures of `texts`.

    Batches go to the compilers in turn; if `thorough`, each batch goes to all.
    """
    accepted: list[tuple[str, str]] = []
    turns = cycle(COMPILERS)
    for text in texts:
        try:
            generated = compile_anything(text)
        except Exception:
            yield Failure(text, traceback.format_exc())
            continue
        if generated is not None:
            accepted.append((text, generated))
        if len(accepted) == BATCH:
            yield from _refused(accepted, COMPILERS if thorough else (next(turns),))
            accepted = []
    yield from _refused(accepted, COMPILERS)


def compile_anything(text: str) -> str | None:
    """Return the C of `text`, or None if the compiler refuses it with errors that can be rendered."""
    try:
        compiled = run(text, "any.cpol")
    except CompileError as error:
        assert error.diagnostics
        for diagnostic in error.diagnostics:
            assert render(diagnostic).startswith(f"error[{diagnostic.code}]: ")
            assert "\x1b" not in render(diagnostic)
            assert render(diagnostic, color=True)
        return None
    assert dump_ir(compiled.policy).startswith(f"policy {compiled.policy.name}\n")
    assert dump_ast(compiled)
    assert all(render(warning) for warning in compiled.warnings)
    return generate(compiled.policy)


def _refused(accepted: list[tuple[str, str]], compilers: tuple[tuple[str, ...], ...]) -> Iterator[Failure]:
    """Yield a failure for each text whose C a compiler refuses."""
    if not accepted:
        return
    with tempfile.TemporaryDirectory(prefix="cpol-mutants-") as folder:
        names = [f"{number}.c" for number in range(len(accepted))]
        for name, (_, generated) in zip(names, accepted, strict=True):
            (Path(folder) / name).write_text(generated, encoding="utf-8")
        for command in compilers:
            if not _said([*command, *names], folder):
                continue
            for name, (text, _) in zip(names, accepted, strict=True):
                said = _said([*command, name], folder)
                if said:
                    yield Failure(text, f"clang refuses the C of this policy: {' '.join(command)}\n{said}")


def _said(command: list[str], folder: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    return done.stderr if done.returncode else ""


def main() -> None:
    """Test the files that the command line names."""
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:]]
    failures = [failure.message for failure in judge(texts, thorough=True)]
    print("\n\n".join(failures) or "nothing is wrong")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
