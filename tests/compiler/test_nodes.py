"""Dataclasses whose methods are made when they are needed."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
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


def used_together(use: Callable[[Any], object], point: Any, together: Barrier) -> object:
    together.wait()
    return use(point)


def test_threads_need_a_class_at_the_same_time() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(40):
                point, together = fresh(), Barrier(8)
                used = [pool.submit(used_together, use, point, together) for use in USES.values()]
                assert all(one.result(60) for one in used)
    finally:
        sys.setswitchinterval(before)


def test_a_default_takes_the_place_of_its_field() -> None:
    @nodes.dataclass(frozen=True)
    class Point:
        x: int = dataclasses.field(default=3)
        names: list[str] = dataclasses.field(default_factory=list)

    assert Point().names == [] and Point.x == 3 and "names" not in vars(Point)


def test_the_ir_comes_back_from_pickle() -> None:
    from cpol.compiler import ir

    state = ir.State("n", ir.U64)
    assert pickle.loads(pickle.dumps(state)) == state
