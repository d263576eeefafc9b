"""The rules, by their codes. Each module is one; errors.toml explains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

from cpol.compiler.lint.finding import Finding
from cpol.compiler.lint.rules import (
    any_value,
    constant_condition,
    counter_at_its_end,
    far_above_its_peers,
    ghost_of_deleted,
    ghost_stays,
    ghost_too_large,
    loop_for_each_request,
    never_changes,
    no_doc,
    no_invariant,
    no_test,
    not_on_every_kernel,
    one_value,
    only_tests_read,
    same_either_way,
    sample_without_bound,
    scan_of_all,
)
from cpol.compiler.lint.subject import Subject

Rule: TypeAlias = Callable[[Subject], Iterator[Finding]]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "L0101": no_test.check,
        "L0102": no_invariant.check,
        "L0103": no_doc.check,
        "L0104": one_value.check,
        "L0105": never_changes.check,
        "L0106": only_tests_read.check,
        "L0107": ghost_too_large.check,
        "L0108": ghost_stays.check,
        "L0109": ghost_of_deleted.check,
        "L0110": counter_at_its_end.check,
        "L0111": sample_without_bound.check,
        "L0112": scan_of_all.check,
        "L0113": loop_for_each_request.check,
        "L0114": far_above_its_peers.check,
        "L0115": not_on_every_kernel.check,
        "L0116": constant_condition.check,
        "L0117": same_either_way.check,
        "L0118": any_value.check,
    }
)
