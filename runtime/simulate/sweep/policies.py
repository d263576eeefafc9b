"""Policies that travel as texts. Each machine compiles one once, and each process loads it once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from threading import Lock

from cpol.compiler.compiled import Compiled, compiled_once, texts_of
from cpol.compiler.policies import STDLIB
from cpol.runtime.simulate.runs.candidates import BELADY
from cpol.runtime.simulate.sweep.unit import Source

OPTIMUM = Source(BELADY, "", "", (), (), "")
"""Belady's optimum, which needs no policy."""

KEPT = 256
"""Compiled policies that a process keeps: more than most sweeps have."""


def source_of(made: Compiled, params: Mapping[str, str]) -> Source:
    """A policy, to travel. This process and this machine need not compile it again."""
    texts = texts_of(made.source)
    own = tuple(sorted((path, text) for path, text in texts.items() if Path(path).parent != STDLIB / "lib"))
    policy = made.policy
    whole = hashlib.sha256(made.source.text.encode())
    for path, text in sorted(texts.items()):
        whole.update(f"\0{Path(path).name}\0{text}".encode())
    settings = tuple(sorted(params.items()))
    source = Source(policy.name, policy.path, made.source.text, own, settings, whole.hexdigest())
    compiled_once(source.text, source.path, dict(own), made)
    return source


def compiled_of(source: Source) -> Compiled:
    """The policy, compiled for this machine.

    Raises:
        CompileError: it has errors.
        ToolError: the cache cannot be used.
    """
    with _LOCK:
        return _compiled(source.text, source.path, source.libraries)


_LOCK = Lock()


@lru_cache(KEPT)
def _compiled(text: str, path: str, libraries: tuple[tuple[str, str], ...]) -> Compiled:
    return compiled_once(text, path, dict(libraries))
