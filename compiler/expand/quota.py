"""Gives a policy a quota of cached pages that its text does not have."""

from __future__ import annotations

from cpol.compiler.diagnostics import Report
from cpol.compiler.diagnostics.source import Source
from cpol.compiler.expand.copy import declared
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.policy import build
from cpol.compiler.syntax.parse import deep_stack, parse
from cpol.compiler.syntax.read import check_text
from cpol.compiler.vocabulary.quota import MAX_PAGES, PARAM
from cpol.errors import UserError


def with_quota(text: str, path: str, pages: int) -> str:
    """The text of a policy that caches at most so many pages, by a live param. Its lines keep their numbers.

    Raises:
        CompileError: the text has wrong syntax.
        UserError: it has a quota of its own, it evicts nothing, it has the param's name, or it is a library.
    """
    report = Report(Source(path, text))
    with deep_stack():
        check_text(report)
        policy = build(*parse(report), report)
        report.check()
    if not isinstance(policy, ast.Policy):
        raise UserError(f"{path} is a library, not a policy")
    name = policy.name.text
    handlers = [item for item in policy.items if isinstance(item, ast.Handler)]
    if not any(event.text == "evict" for handler in handlers for event in handler.events):
        raise UserError(f"{name} evicts nothing, so it cannot keep to a quota: name a policy with `on evict`")
    if any(name.text == PARAM for item in policy.items for name in declared(item)):
        raise UserError(f"{name} declares `{PARAM}`, which is the name of the quota: give it another name")
    if any(isinstance(item, ast.CacheDecl) for item in policy.items):
        raise UserError(f"{name} has a quota of its own: attach it with --set for its params")
    end = policy.span.end - 1
    assert text[end] == "}"
    added = f" param {PARAM}: u64 = {pages} in 1..{MAX_PAGES} pages live cache up to {PARAM} pages "
    return text[:end] + added + text[end:]
