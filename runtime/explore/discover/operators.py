"""Mutations: each takes a text with a random source, and gives changes of it.

What they make may not compile: the checker is the judge of that. None means that the text has no place for one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from cpol.grammar.generated.CpolParser import CpolParser as P
from cpol.runtime.explore.discover.genome import Change
from cpol.runtime.explore.discover.invent import ENDS, Inventor
from cpol.runtime.explore.discover.tree import BOOL, Place, Tree

Changes = Sequence[Change] | None
Operator = Callable[[Tree, random.Random], Changes]

ORDERS = ("<", "<=", ">", ">=", "==", "!=")


def number(tree: Tree, source: random.Random) -> Changes:
    """Another value of a number."""
    found = [node for node in tree.nodes(P.PrimaryContext) if node.INT() or node.FIXED()]
    if not found:
        return None
    node = source.choice(found)
    text = node.getText().replace("_", "")
    if node.FIXED():
        return [tree.replace(node, f"{float(text) * source.choice((0.5, 0.8, 0.9, 1.1, 1.25, 2.0)):.6f}")]
    value = int(text, 0) if text.isdigit() or text.startswith("0x") else 1
    other = source.choice((value + 1, max(0, value - 1), value * 2, value // 2, 0, 1, round(value * 1.25)))
    return [tree.replace(node, str(other))] if other != value else None


def param(tree: Tree, source: random.Random) -> Changes:
    """A number becomes a param, which is tuned without a compilation."""
    found = [node for node in tree.nodes(P.PrimaryContext) if node.INT() and node.getText().isdigit()]
    found = [node for node in found if not 100 <= int(node.getText()) <= 100]
    if not found:
        return None
    node = source.choice(found)
    value, name = int(node.getText()), tree.fresh("limit")
    low = 0 if value < 2 else 1
    declared = f"param {name}: u32 = {value} in {low}..{max(8, value * 8)}"
    return [tree.replace(node, name), tree.declare(declared)]


def compare(tree: Tree, source: random.Random) -> Changes:
    """Another comparison."""
    found = [node for node in tree.nodes(P.CompareOpContext) if node.getText() in ORDERS]
    if not found:
        return None
    node = source.choice(found)
    same = ("==", "!=") if node.getText() in ("==", "!=") else ORDERS[:4]
    return [tree.replace(node, source.choice([each for each in same if each != node.getText()]))]


def end(tree: Tree, source: random.Random) -> Changes:
    """The other end of a list."""
    found = tree.nodes(P.EndContext)
    if not found:
        return None
    node = source.choice(found)
    return [tree.replace(node, ENDS[node.getText() == "head"])]


def which_list(tree: Tree, source: random.Random) -> Changes:
    """Another list, where one is named."""
    found = [node for node in tree.nodes(P.ListRefContext, P.PathContext) if _list(tree, node)]
    if not found or len(tree.lists) < 2:
        return None
    node = source.choice(found)
    old, dot, rest = node.getText().partition(".")
    other = source.choice([name for name in tree.lists if name != old])
    return [tree.replace(node, f"{other}{dot}{rest}")]


def _list(tree: Tree, node: Any) -> bool:
    return node.getText().partition(".")[0] in tree.lists


def operand(tree: Tree, source: random.Random) -> Changes:
    """Another field, state, param or size instead of one of the same type."""
    pools = [
        [*tree.numbers(of_folio=False), *tree.params, *(f"{each}.size" for each in (*tree.lists, *tree.ghosts))],
        tree.flags(of_folio=False),
    ]
    found: list[tuple[Any, str]] = []
    for node in tree.nodes(P.PathContext):
        text = node.getText()
        folio, dot, field = text.partition(".")
        if dot and field in tree.fields:
            same = [name for name, type in tree.fields.items() if (type == BOOL) == (tree.fields[field] == BOOL)]
            found += [(node, f"{folio}.{name}") for name in same if name != field]
        for pool in pools:
            found += [(node, name) for name in pool if text in pool and name != text]
    if not found:
        return None
    node, new = source.choice(found)
    return [tree.replace(node, new)]


def drop(tree: Tree, source: random.Random) -> Changes:
    """A statement, an arm or an `else` goes."""
    found = [*(place.node for place in (*tree.statements, *tree.arms)), *tree.nodes(P.ElsePartContext)]
    return [tree.replace(source.choice(found), "")] if found else None


def unwrap(tree: Tree, source: random.Random) -> Changes:
    """What stands under a condition happens always."""
    found = tree.nodes(P.IfStmtContext)
    if not found:
        return None
    node = source.choice(found)
    blocks = [node.block(), *(part.block() for part in node.elsePart())]
    block = source.choice(blocks)
    return [tree.replace(node, tree.text[block.start.stop + 1 : block.stop.start])]


def copy(tree: Tree, source: random.Random) -> Changes:
    """A statement stands in another block, too."""
    if not tree.statements or not tree.blocks:
        return None
    place, to = source.choice(tree.statements), source.choice(tree.blocks)
    at = tree.at_end if source.random() < 0.5 else _at_start
    return [at(to.node, _renamed(tree, place, to, source))]


def _renamed(tree: Tree, place: Place, to: Place, source: random.Random) -> str:
    """A statement's text with the folio that has a name at its new place."""
    text = tree.source(place.node)
    if not place.folios or not to.folios:
        return text
    old, new = place.folios[-1], source.choice(to.folios)
    if old == new:
        return text
    start, found = place.node.start.start, text
    for token in reversed(tree.tokens):
        if start <= token.start < start + len(text) and token.text == old:
            found = found[: token.start - start] + new + found[token.stop + 1 - start :]
    return found


def swap(tree: Tree, source: random.Random) -> Changes:
    """A statement or an arm comes before the one above it."""
    pairs = []
    for place in (*tree.statements, *tree.arms):
        siblings = [each for each in place.node.parentCtx.getChildren() if isinstance(each, type(place.node))]
        at = siblings.index(place.node)
        if at:
            pairs.append((siblings[at - 1], place.node))
    if not pairs:
        return None
    first, second = source.choice(pairs)
    return [tree.replace(first, tree.source(second)), tree.replace(second, tree.source(first))]


def guard(tree: Tree, source: random.Random) -> Changes:
    """A statement happens under a condition only."""
    found = [
        each for each in tree.statements if not isinstance(each.node.getChild(0), P.PlaceStmtContext | P.LetStmtContext)
    ]
    if not found:
        return None
    place = source.choice(found)
    made = Inventor(tree, source).condition(place)
    return [tree.replace(place.node, f"if {made.text} {{ {tree.source(place.node)} }}"), *made.changes]


def narrow(tree: Tree, source: random.Random) -> Changes:
    """A condition also asks for another one, or is content with it."""
    ifs = [(each, each.node.getChild(0).expr()) for each in tree.statements if each.node.ifStmt()]
    arms = [(each, each.node.expr()) for each in tree.arms if each.node.expr()]
    if not ifs + arms:
        return None
    place, expr = source.choice(ifs + arms)
    made = Inventor(tree, source).condition(place)
    word = source.choice(("and", "or"))
    return [tree.replace(expr, f"({tree.source(expr)}) {word} ({made.text})"), *made.changes]


def insert(tree: Tree, source: random.Random) -> Changes:
    """A new statement, most often under a condition."""
    if not tree.blocks:
        return None
    place, inventor = source.choice(tree.blocks), Inventor(tree, source)
    made = inventor.statement(place)
    if not made.text:
        return None
    block = place.node
    at = tree.at_end if source.random() < 0.5 else _at_start
    if source.random() < 0.3:
        return [at(block, made.text)]
    when = inventor.condition(place)
    return [at(block, f"if {when.text} {{ {made.text} }}"), *when.changes]


def _at_start(block: Any, new: str) -> Change:
    return Change(block.start.stop + 1, block.start.stop + 1, new)


def arm(tree: Tree, source: random.Random) -> Changes:
    """A scan spares some folios."""
    scans = [each for each in tree.statements if each.node.scanStmt()]
    if not scans or not tree.lists:
        return None
    scan = source.choice(scans)
    node, inventor = scan.node.scanStmt(), Inventor(tree, source)
    folio = node.name().getText()
    inside = Place(node, scan.event, (*scan.folios, folio), (*scan.scanned, node.listRef().getText()))
    when = inventor.condition(inside)
    step = inventor.statement(inside).text if source.random() < 0.6 else ""
    step = "" if step == "stop" else step
    items = node.scanItem()
    new = f"when {when.text} {{ {step} {inventor.move(folio)} }}"
    if items and items[0].statement():  # statements become what happens otherwise
        body = tree.text[items[0].start.start : items[-1].stop.stop + 1]
        start, stop = items[0].start.start, items[-1].stop.stop + 1
        return [Change(start, stop, f"{new} otherwise {{ {body} }}"), *when.changes]
    return [tree.before(items[0], new), *when.changes] if items else None


def bound(tree: Tree, source: random.Random) -> Changes:
    """A scan visits at most so many folios, or as many as it can."""
    found = tree.nodes(P.ScanStmtContext)
    if not found:
        return None
    node = source.choice(found)
    if node.bound():
        return [tree.replace(node.bound(), "")]
    other = Inventor(tree, source).limit(1, 64)
    return [Change(node.end().stop.stop + 1, node.end().stop.stop + 1, f"up to {other.text}"), *other.changes]


def arithmetic(tree: Tree, source: random.Random) -> Changes:
    """Percent of an amount, or the larger or smaller of two."""
    found = [node for node in tree.nodes(P.BitsContext) if isinstance(node.parentCtx, P.ComparisonContext)]
    found = [node for node in found if len(node.parentCtx.bits()) > 1]
    if not found:
        return None
    node, inventor = source.choice(found), Inventor(tree, source)
    if source.random() < 0.5:
        share = inventor.limit(1, 400, "percent")
        return [tree.replace(node, f"({tree.source(node)}) * {share.text} / 100"), *share.changes]
    other = inventor.percent() if source.random() < 0.5 else inventor.limit(0, 16)
    return [tree.replace(node, f"{source.choice(('min', 'max'))}({tree.source(node)}, {other.text})"), *other.changes]


def every_use(tree: Tree, name: str) -> list[Any]:
    """The nodes that read a param."""
    return [node for node in tree.nodes(P.PathContext) if node.getText() == name]


def climb(tree: Tree, source: random.Random) -> Changes:
    """A param becomes a state that goes up on one occasion, and down on another."""
    wide = [name for name, node in tree.params.items() if node.typeName().getText()[0] == "u" and len(node.expr()) == 3]
    wide = [name for name in wide if every_use(tree, name)]
    places = [each for each in tree.blocks if each.event in ("missed", "added", "accessed", "removed")]
    if not wide or not places:
        return None
    name, inventor = source.choice(wide), Inventor(tree, source)
    low, high = (tree.source(each) for each in tree.params[name].expr()[1:])
    state = inventor.name(f"{name}_now")
    step = inventor.limit(1, 16, "step")
    changes = [tree.replace(node, state) for node in every_use(tree, name)]
    changes += [tree.declare(f"state {state}: u64 = {tree.source(tree.params[name].expr(0))}"), *step.changes]
    for new in (f"min({state} + {step.text}, {high})", f"max({state} - {step.text}, {low})"):
        place = source.choice(places)
        when = inventor.condition(place)
        changes += [_at_start(place.node, f"if {when.text} {{ {state} = {new} }}"), *when.changes]
    return changes


def counter(tree: Tree, source: random.Random) -> Changes:
    """A field that counts reads, or tells when the last one was, and a condition on it."""
    places = [each for each in (*tree.statements, *tree.arms) if each.folios and each.event != "missed"]
    places = [each for each in places if each.node.getChildCount() and not _declares(each.node)]
    if not places:
        return None
    inventor = Inventor(tree, source)
    place = source.choice(places)
    folio = source.choice(place.folios)
    if source.random() < 0.5:
        field, most = inventor.name("reads"), source.choice((3, 15, 255))
        kept = tree.add_field(f"{field}: u{most.bit_length()} = 0")
        other = inventor.limit(1, min(most, 6))
        steps = [tree.in_handler("accessed", f"{{f}}.{field} += 1")]
        when = f"{folio}.{field} {source.choice(('<', '>='))} {other.text}"
    else:
        field = inventor.name("seen")
        kept = tree.add_field(f"{field}: u64 = 0")
        other = inventor.percent(200)
        steps = [tree.in_handler(event, f"{{f}}.{field} = cache.clock") for event in ("added", "accessed")]
        when = f"cache.clock - {folio}.{field} {source.choice(('<', '>='))} {other.text}"
    changes = [each for each in steps if each]
    if isinstance(place.node, P.ScanItemContext):
        if not place.node.expr():
            return None
        expr = place.node.expr()
        use = tree.replace(expr, f"({tree.source(expr)}) {source.choice(('and', 'or'))} {when}")
    else:
        use = tree.replace(place.node, f"if {when} {{ {tree.source(place.node)} }}")
    return [kept, use, *other.changes, *changes]


def _declares(node: Any) -> bool:
    return isinstance(node.getChild(0), P.PlaceStmtContext | P.LetStmtContext | P.VarStmtContext)


def ghost(tree: Tree, source: random.Random) -> Changes:
    """A ghost that remembers what left; what comes back early goes elsewhere, or begins with a count."""
    places = [each for each in tree.statements if each.node.placeStmt() and each.folios]
    if not places or not tree.lists:
        return None
    inventor, place = Inventor(tree, source), source.choice(places)
    name, folio = inventor.name("memory"), place.folios[0]
    size = inventor.limit(10, 400, "memory_percent")
    changes = [tree.declare(f"ghost {name} {{ capacity: {size.text} * cache.capacity / 100 }}"), *size.changes]
    handler = tree.handlers.get("removed")
    if handler and handler.handlerParams() and len(handler.handlerParams().name()) > 1:
        gone, why = (each.getText() for each in handler.handlerParams().name()[:2])
        which = f" and {gone}.list == {source.choice(tree.lists)}" if source.random() < 0.5 else ""
        changes.append(tree.at_end(handler.block(), f"if {why} == evicted{which} {{ {name}.add({gone}) }}"))
    elif handler is None:
        added = tree.in_handler("removed", f"if why == evicted {{ {name}.add({{f}}) }}")
        changes += [added] if added else []
    else:
        return None
    old = tree.source(place.node)
    counts = [each for each in tree.numbers(of_folio=True) if tree.fields[each] not in ("u32", "u64")]
    if counts and source.random() < 0.5:
        first = inventor.limit(1, 3, "start")
        changes += [
            tree.before(place.node, f"if {name}.take({folio}) {{ {folio}.{source.choice(counts)} = {first.text} }}")
        ]
        return [*changes, *first.changes]
    other = f"place {folio} at {source.choice(ENDS)} of {source.choice(tree.lists)}"
    return [*changes, tree.replace(place.node, f"if {name}.take({folio}) {{ {other} }} else {{ {old} }}")]


def new_list(tree: Tree, source: random.Random) -> Changes:
    """A list more, to which folios come under a condition, and which evictions look at."""
    movers = [each for each in tree.statements if each.node.placeStmt() or each.node.moveStmt()]
    movers = [each for each in movers if each.folios]
    evict = tree.handlers.get("evict")
    if not movers or evict is None:
        return None
    inventor, place = Inventor(tree, source), source.choice(movers)
    name = inventor.name("aside")
    old, when = tree.source(place.node), inventor.condition(place)
    verb = "place" if place.node.placeStmt() else "move"
    word = "at" if verb == "place" else "to"
    folio = (place.node.placeStmt() or place.node.moveStmt()).name().getText()
    new = f"{verb} {folio} {word} tail of {name}"
    change = tree.replace(place.node, f"if {when.text} {{ {new} }} else {{ {old} }}")
    share = inventor.percent()
    scan = f"scan {name} from head as f {{ evict f }}"
    first = f"if {name}.size > {share.text} {{ {scan} }}"
    block = evict.block()
    return [
        tree.declare(f"list {name}"), change, *when.changes, *share.changes,
        _at_start(block, first), tree.at_end(block, scan),
    ]  # fmt: skip


OPERATORS: dict[Operator, int] = {
    number: 2,
    param: 2,
    compare: 2,
    end: 2,
    which_list: 3,
    operand: 3,
    drop: 4,
    unwrap: 1,
    copy: 3,
    swap: 2,
    guard: 3,
    narrow: 3,
    insert: 5,
    arm: 3,
    bound: 1,
    arithmetic: 2,
    climb: 2,
    counter: 3,
    ghost: 2,
    new_list: 2,
}
"""How often each is drawn."""


def mutate(tree: Tree, source: random.Random) -> tuple[str, Sequence[Change]] | None:
    """The name of an operator, and its changes; None: the text has no place for the one that was drawn."""
    operator = source.choices([*OPERATORS], [*OPERATORS.values()])[0]
    changes = operator(tree, source)
    return (operator.__name__.replace("_", " "), changes) if changes else None
