"""The built-in functions: `min(a, b)`, `log2(x)`.

A new function of numbers needs a record here, its value in `arithmetic.py`, and its C in
`runtime/machine/include/cpol/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cpol.compiler import arithmetic
from cpol.compiler.types import FIX, U64, Type


class Function(NamedTuple):
    """A built-in function."""

    call: str
    """How it is called, in docs."""
    takes: str
    gives: str
    """What it takes and gives, for docs/language.md. Those that follow one another and say the same share a row."""
    needs: str = "one number"
    """What it takes, in messages."""
    least: int = 1
    most: int = 1
    """How many arguments it takes."""
    math: bool = True
    """Whether its value depends on its arguments alone, all of which are numbers, so that it may be a constant."""
    operands: tuple[Type, ...] = ()
    """The types that it computes with. Empty: the checker finds them from the arguments, and lowering another node."""
    type: Type = U64
    """The type of its value, if it has `operands`."""
    compute: Callable[..., int] | None = None
    """Its raw value, of raw operands."""
    c: str = ""
    """The primitive that computes it in C."""

    @property
    def name(self) -> str:
        return self.call.partition("(")[0]


_PAIR = ("two or more numbers", "the least, the greatest", "two or more numbers", 2, 1 << 16)
_ROUND = ("a `fix`", "`u64`, rounded down, up")
_POWER = (
    "a number",
    "`fix`: the logarithm to base 2 (-16 for 0 and below), 2 to the power of `x`",
)

FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (
        Function("min(a, b, …)", *_PAIR),
        Function("max(a, b, …)", *_PAIR),
        Function("floor(x)", *_ROUND),
        Function("ceil(x)", *_ROUND),
        Function("signed(x)", "a number", "`s64`"),
        Function("unsigned(x)", "a number", "`u64`"),
        Function("log2(x)", *_POWER, operands=(FIX,), type=FIX, compute=arithmetic.log2, c="cpol_log2_fix"),
        Function("exp2(x)", *_POWER, operands=(FIX,), type=FIX, compute=arithmetic.exp2, c="cpol_exp2_fix"),
        Function(
            "random(n)",
            "a `u64`",
            "`u64`: below `n`, a new one each time; 0 if `n` is 0. The run sets the seed",
            math=False,
        ),
        Function(
            "hash(f, k)",
            "a folio or a request, a `u64`",
            "`u64`: spread evenly over its range, the same for the same file, index and `k`",
            needs="a folio and a number",
            least=2,
            most=2,
            math=False,
        ),
    )
}
"""In the order in which messages name them."""

MATH = tuple(name for name, function in FUNCTIONS.items() if function.math)

COMPUTED: Mapping[str, Callable[..., int]] = {
    name: function.compute for name, function in FUNCTIONS.items() if function.compute
}
"""How the value of those is computed that are one node of the IR."""
