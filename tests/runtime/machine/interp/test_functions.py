"""Random numbers, hashes, log2 and exp2 match the reference, and approximate the mathematical functions."""

from __future__ import annotations

import json
from math import log2 as true_log2

import function_reference
import pytest

from cpol.compiler import arithmetic
from cpol.compiler.arithmetic import ONE
from cpol.runtime.machine.interp import functions

VECTORS = json.loads(function_reference.VECTORS.read_text(encoding="utf-8"))


def test_vectors_match_the_reference():
    assert function_reference.VECTORS.read_text(encoding="utf-8") == function_reference.text()


@pytest.mark.parametrize(
    ("name", "function"), [("mix64", functions.mix64), ("log2", arithmetic.log2), ("exp2", arithmetic.exp2)]
)
def test_functions_of_one_number(name, function):
    assert [[x, function(x)] for x, _ in VECTORS[name]] == VECTORS[name]


def test_mixer_is_splitmix64():
    """Compare with the output of the authors' program for seed 1234567."""
    state, drawn = 1234567, []
    for _ in range(5):
        state = (state + functions.STEP) % 2**64
        drawn.append(functions.mix64(state))
    assert drawn == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


def test_random():
    for vector in VECTORS["random"]:
        state, drawn = vector["seed"], []
        for bound in vector["bounds"]:
            state, number = functions.random(state, bound)
            drawn.append(number)
        assert drawn == vector["drawn"]
        below = [bound for bound in vector["bounds"] if bound]
        assert all(number < bound for number, bound in zip(drawn[1:], below, strict=True))
        assert drawn[0] == 0


def test_hash():
    for vector in VECTORS["hash"]:
        assert functions.hash_name(vector["file"], vector["index"], vector["salt"]) == vector["hash"]


def test_log2_error_is_small():
    for raw in [*range(1, 2000), *(3**k for k in range(40)), 2**63 - 1]:
        assert abs(arithmetic.log2(raw) / ONE - true_log2(raw / ONE)) < 2 / ONE


def test_exp2_error_is_small():
    for raw in range(-4 * ONE, 30 * ONE, 997):
        truth = 2 ** (raw / ONE)
        assert abs(arithmetic.exp2(raw) / ONE - truth) < 1 / ONE + truth * 2**-26


def test_whole_powers_are_exact():
    assert [arithmetic.log2(arithmetic.exp2(n * ONE)) for n in range(-16, 47)] == [n * ONE for n in range(-16, 47)]
