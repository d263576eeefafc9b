"""A policy, as Python sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from cpol.compiler.compiled import Compiled, compiled, compiled_text
from cpol.compiler.ir import Policy as Ir
from cpol.compiler.literals import plain_value
from cpol.compiler.policies import resolve
from cpol.errors import RequestError
from cpol.runtime.machine.errors import ParamError
from cpol.runtime.machine.settings.inputs import Setting
from cpol.runtime.machine.settings.params import read_params
from cpol.runtime.simulate.runs.candidates import Candidate
from cpol.runtime.simulate.runs.inputs import inputs_of

Value: TypeAlias = "int | float | bool | str"


class Policy:
    """A compiled policy, with the params and inputs of its runs. It never changes: `with_params` makes another one.

    Args:
        name: of the standard library, or the path of a `.cpol` file, as on the command line.

    Raises:
        UserError: there is no such policy.
        CompileError: it has errors; `diagnostics` has their places.

    >>> Policy("s3fifo").params["threshold"]
    2
    >>> Policy("s3fifo").with_params(threshold=1)
    Policy('s3fifo', threshold=1)
    """

    def __init__(self, name: str | Path) -> None:
        self._init(compiled(resolve(str(name))), str(name), {}, ())

    def _init(self, made: Compiled, word: str, params: Mapping[str, str], inputs: Iterable[str]) -> None:
        self.compiled, self.word = made, word
        self._set, self._told = dict(params), tuple(inputs)
        self.inputs: list[Setting] = inputs_of(self._told, [made.policy])[0]
        """What the inputs hold. Files are read once."""

    @classmethod
    def _of(cls, made: Compiled, word: str, params: Mapping[str, str], inputs: Iterable[str]) -> Policy:
        policy = cls.__new__(cls)
        policy._init(made, word, params, inputs)
        return policy

    @classmethod
    def from_file(cls, path: str | Path) -> Policy:
        """Compile a file. Raises as the class does."""
        return cls._of(compiled(Path(path)), str(path), {}, ())

    @classmethod
    def from_source(cls, text: str, path: str | Path = "policy.cpol") -> Policy:
        """Compile a text. `path` names it in messages, and imports are found from there.

        >>> text = "policy mine { list all  on added(f) { place f at tail of all } "
        >>> text += "on evict { scan all from head as f { evict f } } }"
        >>> Policy.from_source(text).name
        'mine'
        """
        if not isinstance(text, str):
            raise RequestError(f"a policy's text is a str, not {type(text).__name__}; from_file reads a file")
        return cls._of(compiled_text(text, str(path)), str(path), {}, ())

    @property
    def ir(self) -> Ir:
        return self.compiled.policy

    @property
    def name(self) -> str:
        return self.ir.name

    @property
    def doc(self) -> str:
        """The doc comment."""
        return self.ir.doc

    @property
    def warnings(self) -> list[str]:
        return [each.message for each in self.compiled.warnings]

    @property
    def params(self) -> dict[str, Any]:
        """The value of each param."""
        values = read_params(self.ir, self._set)
        return {each.name: plain_value(values[each.name], each.type) for each in self.ir.params}

    def with_params(self, **values: Value) -> Policy:
        """The policy with other values of these params.

        Raises:
            RequestError: it has no such param, or the value is out of range.
        """
        texts = {**self._set, **{name: _text(value) for name, value in values.items()}}
        known = [each.name for each in self.ir.params]
        for name in values:
            if name not in known:
                raise RequestError(f"{self.name} has no param {name!r}; it has {', '.join(known) or 'none'}")
        try:
            read_params(self.ir, texts)
        except ParamError as error:
            raise RequestError(f"{self.name}: {error}") from None
        return self._of(self.compiled, self.word, texts, self._told)

    def with_input(self, name: str, values: str) -> Policy:
        """The policy with an input filled, as `--input NAME=VALUES` does.

        Raises:
            RequestError: it has no such input, or it cannot hold this.
        """
        return self._of(self.compiled, self.word, self._set, (*self._told, f"{name}={values}"))

    @property
    def label(self) -> str:
        """The name, the params that were set, and the inputs that were filled."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self._set.items()), *self._told])

    def candidate(self) -> Candidate:
        """What the runtime compares (cpol.runtime.simulate.runs)."""
        said = [text.partition("=") for text in self._told]
        texts = {own.name: [value for name, _, value in said if name == own.name] for own in self.ir.inputs}
        return Candidate(self.word, self.compiled, {**self._set}, self.inputs, self.label, texts)

    def __repr__(self) -> str:
        return f"Policy({', '.join([repr(self.word), *(f'{name}={value}' for name, value in self._set.items())])})"


def policy_of(given: Policy | str | Path) -> Policy:
    """Raises RequestError: it is neither a policy nor the name or path of one."""
    if not isinstance(given, Policy | str | Path):
        raise RequestError(f"{given!r} is no policy; give a cpol.Policy, or its name or path")
    return given if isinstance(given, Policy) else Policy(given)


def policies_of(given: Policy | str | Path | Sequence[Policy | str | Path]) -> list[Policy]:
    """One policy or several. Raises RequestError: there is none."""
    every = [given] if isinstance(given, Policy | str | Path) else [*given]
    if not every:
        raise RequestError("there is no policy; name one or several")
    return [policy_of(each) for each in every]


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
