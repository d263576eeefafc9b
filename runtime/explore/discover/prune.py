"""Makes a policy short: what can go without any other miss goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import islice

from cpol.compiler.literals import plain_value
from cpol.grammar.generated.CpolParser import CpolParser as P
from cpol.runtime.explore.discover.evaluate import Candidate, Evaluator
from cpol.runtime.explore.discover.genome import Change, Genome, apply, declared
from cpol.runtime.explore.discover.operators import every_use
from cpol.runtime.explore.discover.tree import Tree, below
from cpol.runtime.simulate.runs.jobs import Task, completed

AT_ONCE = 4
"""Simpler texts that run beside one another; the first that misses no more is taken."""


def pruned(found: Candidate, evaluator: Evaluator, jobs: int, show: Callable[[str], None]) -> list[Candidate]:
    """The same policy without what makes no difference on the traces of the search: each one shorter than the last."""
    best, failed = found, set[str]()
    all_found = [found]

    def tell(_: str) -> None:
        show(f"makes it shorter: {best.lines} lines")

    while True:
        before, place = best, 0
        while part := [*islice(simpler(best.genome.text), place, place + AT_ONCE)]:
            tasks = [Task("", partial(_of_text, text, best, evaluator, failed)) for text in part]
            with closing(completed(tasks, jobs, tell)) as ended:
                results = dict(ended)
            shorter = next((number for number in range(len(part)) if results[number]), None)
            failed.update(text for number, text in enumerate(part) if not results[number])
            if shorter is None:
                place += len(part)
                continue
            best = results[shorter] or best
            all_found.append(best)
            place += shorter
        if best is before:
            return all_found


def _of_text(text: str, best: Candidate, evaluator: Evaluator, failed: set[str]) -> Candidate | None:
    """The candidate of a simpler text; None: it does not compile, or misses more in some case, or has failed before."""
    if text in failed:
        return None
    with evaluator.compiling:
        genome = best.genome._replace(text=text)
        made = evaluator.compile(genome)
    return evaluator.run(genome, made, best.misses) if made else None


def settled(found: Candidate, evaluator: Evaluator, known: frozenset[str]) -> Candidate:
    """The same with the values of its params as defaults; those that the search made become numbers.

    Args:
        known: names of params in the standard library.
    """
    values = dict(found.genome.params)
    words = {
        param.name: str(plain_value(values.get(param.name, param.default), param.type))
        for param in found.made.policy.params
    }
    text = declared(found.genome.text, {name: words[name] for name in words if name in values})
    best = found
    for name in [None, *(name for name in words if name not in known)]:
        tree = Tree(text)
        changes = [] if name is None else [tree.replace(node, words[name]) for node in every_use(tree, name)]
        if name is not None:
            changes += _ghost_uses(tree, name, words[name])
            changes += [tree.replace(tree.params[name], "")]
        with evaluator.compiling:
            genome = Genome(apply(text, changes), (), found.genome.origin, found.genome.steps)
            made = evaluator.compile(genome)
        new = evaluator.run(genome, made) if made else None
        if new and new.misses == found.misses:
            text, best = genome.text, new
    return best


def _ghost_uses(tree: Tree, name: str, word: str) -> list[Change]:
    """Uses in declarations: the capacity of a ghost, or a first value."""
    declared = P.GhostDeclContext | P.StateDeclContext | P.ListDeclContext
    nodes = (node for item in tree.items if isinstance(item, declared) for node in below(item))
    return [tree.replace(node, word) for node in nodes if isinstance(node, P.PathContext) and node.getText() == name]


def simpler(text: str) -> Iterator[str]:
    """Texts with one part less: large parts first."""
    tree = Tree(text)
    changes = [*_less(tree)]
    for change in sorted(changes, key=lambda each: (len(each.new) - (each.stop - each.start), each.start)):
        if change.stop - change.start > len(change.new):
            yield apply(text, [change])


def _less(tree: Tree) -> Iterator[Change]:
    for item in tree.policy.item():
        yield tree.replace(item, "")
    for kind in (P.FieldDeclContext, P.ListNameContext):
        for item in tree.items:
            for node in below(item):
                if isinstance(node, kind):
                    yield from _without(tree, node)
    for place in (*tree.statements, *tree.arms):
        yield tree.replace(place.node, "")
    for node in tree.nodes(P.ElsePartContext):
        yield tree.replace(node, "")
    for node in tree.nodes(P.IfStmtContext):
        for block in (node.block(), *(part.block() for part in node.elsePart())):
            yield tree.replace(node, tree.text[block.start.stop + 1 : block.stop.start])
    for node in tree.nodes(P.OrExprContext, P.AndExprContext):
        parts = [child for child in node.getChildren() if hasattr(child, "getChildren")]
        yield from (tree.replace(node, tree.source(part)) for part in parts if len(parts) > 1)
    for node in tree.nodes(P.NotExprContext):
        if node.NOT():
            yield tree.replace(node, tree.source(node.comparison()))
    yield from _shorter_values(tree)


def _without(tree: Tree, node: object) -> Iterator[Change]:
    """Without one of several that stand beside one another, with its comma."""
    change = tree.replace(node, "")
    rest = tree.text[change.stop :]
    comma = len(rest) - len(rest.lstrip()) + 1 if rest.lstrip().startswith(",") else 0
    before = tree.text[: change.start].rstrip()
    if not comma and before.endswith(","):
        yield Change(len(before) - 1, change.stop, "")
    else:
        yield Change(change.start, change.stop + comma, "")


def _shorter_values(tree: Tree) -> Iterator[Change]:
    """Parentheses, `min` and `max`, and choices that change nothing."""
    for node in tree.nodes(P.PrimaryContext):
        if node.expr():
            yield tree.replace(node, tree.source(node.expr()))
        elif node.path() and node.arguments() and node.path().getText() in ("min", "max"):
            for argument in node.arguments().argument():
                yield tree.replace(node, tree.source(argument))
    for node in tree.nodes(P.ExprContext):
        if node.IF():
            for part in node.expr()[1:]:
                yield tree.replace(node, tree.source(part))
