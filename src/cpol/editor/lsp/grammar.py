"""What may stand at a place, by the grammar: the parser's own automaton runs over the words in front of it.

It follows all paths at once, so it also knows which rules a word would belong to: the name behind `move` is a folio,
the one behind `of` a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from antlr4.atn.ATNState import ATNState, RuleStopState
from antlr4.atn.Transition import RuleTransition

from cpol.grammar.generated.CpolParser import CpolParser

MOST_PATHS = 20_000
"""Steps of the automaton for one word. No text of a policy comes near."""

RULES: tuple[str, ...] = tuple(CpolParser.ruleNames)


@dataclass(frozen=True, eq=False)
class Frame:
    """A rule that began, and where it goes on afterwards."""

    rule: str
    follow: ATNState
    below: Frame | None


@dataclass(frozen=True)
class Next:
    """What may come next: the type of a token, the rules around it from the inside out, and where the rule stands."""

    type: int
    rules: tuple[str, ...]
    state: int
    around: tuple[int, ...]
    """Where each of the rules goes on afterwards, from the inside out."""


def after(types: Iterable[int]) -> tuple[set[Next], int]:
    """What may follow the tokens of these types, which begin a file.

    Returns:
        What may, and how many tokens the grammar takes: if not all, nothing may.
    """
    automaton = _Automaton()
    paths = automaton.start()
    for number, type in enumerate(types):
        paths = automaton.take(paths, type)
        if not paths:
            return set(), number
    return automaton.expected(paths), -1


_Path = tuple[ATNState, Frame | None]


class _Automaton:
    """The paths through the grammar. A frame is made once for all paths that share it."""

    def __init__(self) -> None:
        self.atn = CpolParser.atn
        self.frames: dict[tuple[int, int, int], Frame] = {}

    def start(self) -> list[_Path]:
        return [(self.atn.ruleToStartState[0], None)]

    def take(self, paths: list[_Path], type: int) -> list[_Path]:
        """The paths behind a token of this type."""
        out: dict[tuple[int, int], _Path] = {}
        for state, frame in self._reached(paths):
            for labels, target in _moves(state):
                if type in labels:
                    out[target.stateNumber, id(frame)] = target, frame
        return list(out.values())

    def expected(self, paths: list[_Path]) -> set[Next]:
        found = set()
        for state, frame in self._reached(paths):
            for labels, _ in _moves(state):
                rules, around = [], []
                at = frame
                while at is not None:
                    rules.append(at.rule)
                    around.append(at.follow.stateNumber)
                    at = at.below
                found |= {Next(type, tuple(rules), state.stateNumber, tuple(around)) for type in labels}
        return found

    def _reached(self, paths: list[_Path]) -> list[_Path]:
        """All places that these paths lead to without a token."""
        seen = {(state.stateNumber, id(frame)) for state, frame in paths}
        waiting, out = list(paths), []
        while waiting and len(seen) < MOST_PATHS:
            state, frame = waiting.pop()
            out.append((state, frame))
            for nearby in self._near(state, frame):
                key = nearby[0].stateNumber, id(nearby[1])
                if key not in seen:
                    seen.add(key)
                    waiting.append(nearby)
        return out

    def _near(self, state: ATNState, frame: Frame | None) -> list[_Path]:
        if isinstance(state, RuleStopState):
            return [] if frame is None else [(frame.follow, frame.below)]
        out: list[_Path] = []
        for transition in state.transitions:
            if isinstance(transition, RuleTransition):
                key = transition.ruleIndex, transition.followState.stateNumber, id(frame)
                if key not in self.frames:
                    self.frames[key] = Frame(RULES[transition.ruleIndex], transition.followState, frame)
                out.append((transition.target, self.frames[key]))
            elif transition.isEpsilon:
                out.append((transition.target, frame))
        return out


@cache
def _moves(state: ATNState) -> tuple[tuple[frozenset[int], ATNState], ...]:
    """Where a state goes on with which tokens."""
    return tuple(
        (frozenset(_labels(transition)), transition.target)
        for transition in state.transitions
        if not transition.isEpsilon
    )


def _labels(transition: Any) -> Iterable[int]:
    if transition.label is None:  # any token
        return range(1, CpolParser.UNKNOWN + 1)
    found = {type for interval in transition.label.intervals for type in interval}
    if type(transition).__name__ == "NotSetTransition":
        return [each for each in range(1, CpolParser.UNKNOWN + 1) if each not in found]
    return found
