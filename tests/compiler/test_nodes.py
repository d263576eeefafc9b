"""Dataclasses whose methods are made when they are needed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from cpol.compiler import nodes


def fresh() -> Any:
    """A class of which no method was made."""

    @nodes.dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2

        @property
        def sum(self) -> int:
            return self.x + self.y

    return Point


def filled(made: Any, **values: int) -> Any:
    """An object as pickle makes it: without a constructor."""
    point = object.__new__(made)
    point.__dict__.update(values)
    return point


USES: dict[str, Callable[[Any], object]] = {
    "construct": lambda point: point(1) == point(x=1, y=2),
    "compare": lambda point: filled(point, x=1, y=2) == filled(point, x=1, y=2) != filled(point, x=1, y=3),
    "hash": lambda point: hash(filled(point, x=1, y=2)) == hash((1, 2)),
    "represent": lambda point: repr(filled(point, x=1, y=2)).endswith("Point(x=1, y=2)"),
    "replace": lambda point: dataclasses.replace(filled(point, x=1, y=2), y=5).sum == 6,
    "fields": lambda point: [field.name for field in dataclasses.fields(point)] == ["x", "y"],
    "is one": dataclasses.is_dataclass,
    "copy": lambda point: copy.copy(filled(point, x=1, y=2)) == filled(point, x=1, y=2),
}


@pytest.mark.parametrize("use", USES)
def test_a_class_is_made_at_its_first_use(use: str) -> None:
    point = fresh()
    assert not nodes.is_made(point)
    assert USES[use](point)
    assert nodes.is_made(point)


def test_a_pattern_finds_the_fields() -> None:
    point = fresh()
    match filled(point, x=1, y=2):
        case point(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("no match")


def test_no_object_changes() -> None:
    point = fresh()
    first = filled(point, x=1, y=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del first.x
    with pytest.raises(TypeError):
        point()


def test_classes_of_the_same_fields_differ() -> None:
    assert fresh()(1) != fresh()(1)


def test_the_ir_comes_back_from_pickle() -> None:
    from cpol.compiler import ir

    state = ir.State("n", ir.U64)
    assert pickle.loads(pickle.dumps(state)) == state
