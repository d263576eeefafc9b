"""Short sequences of calls that are meant to hurt, with random arguments: each returns statements for one handler.

What generate.py makes at random would seldom offer a folio, propose it, and then take the offers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .tree import Call, Each, If, Keep, Leave, Record, Stmt, Write
from .values import Scope, Values

ENOUGH: Final = If("c->nr_evicted >= c->request_nr_folios", (Leave("break"),))


def trips(steps: str) -> int:
    """How often the body of a scan with this limit runs."""
    return int(steps) if steps.isdecimal() and int(steps) < 1000 else 1000


def scan(values: Values, scope: Scope, body: Callable[[str], tuple[Stmt, ...]], steps: str | None = None) -> Each:
    """A scan, with a body for its folio. Those of one handler mostly go through the same list."""
    folio = values.name("f")
    where = values.home if values.chance(0.7) and values.home not in scope.lists else values.other_list(scope)
    args = (where, values.end(), steps or values.steps(scope))
    return Each("cache_ext_scan", folio, args, "loop", body(folio))


def evict(folio: str) -> Call:
    return Call("bpf_cache_ext_evict", ("c", folio))


def offer(values: Values, scope: Scope, folio: str) -> Call:
    return Call("bpf_cache_ext_offer", ("c", folio, values.score(scope.deeper(folios=(*scope.folios, folio)))))


TAKE: Final = Call("bpf_cache_ext_take_offers", ("c",))


def move(values: Values, scope: Scope, folio: str) -> Call:
    return Call("bpf_cache_ext_list_move", (folio, values.list(scope), values.tail(scope)))


def delete(folio: str) -> Call:
    return Call("bpf_cache_ext_list_del", (folio,))


def propose_first(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """What a decent policy does."""
    return (scan(values, scope, lambda f: (evict(f), ENOUGH)),)


def offer_and_take(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    return (scan(values, scope, lambda f: (offer(values, scope, f),)), TAKE)


def offers_without_seats(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """32 folios are proposed while others are offered: there is no room for them when they are taken."""
    return (
        scan(values, scope, lambda f: (offer(values, scope, f),), "32"),
        scan(values, scope, lambda f: (evict(f),), values.rng.choice(("16", "31", "32", "64"))),
        *(TAKE for _ in range(values.rng.randint(1, 2))),
    )


def offer_again(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Offers after the offers were taken, left untaken now and then."""
    first = scan(values, scope, lambda f: (offer(values, scope, f),))
    return (
        first,
        TAKE,
        scan(values, scope, lambda f: (offer(values, scope, f),)),
        *((TAKE,) if values.chance(0.6) else ()),
    )


def both_at_once(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Offers what is proposed, proposes what is offered."""

    def body(folio: str) -> tuple[Stmt, ...]:
        calls: list[Stmt] = [evict(folio), offer(values, scope, folio), evict(folio), offer(values, scope, folio)]
        start = values.rng.randrange(3)
        return tuple(calls[start : start + values.rng.randint(2, 3)])

    return (scan(values, scope, body), *((TAKE,) if values.chance(0.7) else ()))


def touch_what_is_taken(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Moves or drops what is proposed or offered."""

    def body(folio: str) -> tuple[Stmt, ...]:
        taken = evict(folio) if values.chance(0.5) else offer(values, scope, folio)
        touched = delete(folio) if values.chance(0.5) else move(values, scope, folio)
        return (taken, touched) if values.chance(0.7) else (touched, taken)

    return (scan(values, scope, body), *((TAKE,) if values.chance(0.5) else ()))


def select_and(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Selections, with offers, proposals or an iterator around them."""
    args = ("c", values.home, values.end(), values.steps(scope), values.field())
    select = Call("bpf_cache_ext_select", args)
    more: tuple[Stmt, ...] = (scan(values, scope, lambda f: (offer(values, scope, f),)),)
    match values.rng.randrange(6):
        case 0:
            parts: tuple[Stmt, ...] = (select, TAKE)
        case 1:
            parts = (select, *more, TAKE)
        case 2:
            parts = (*more, select, TAKE)
        case 3:
            parts = (select, scan(values, scope, lambda f: (evict(f),)), TAKE)
        case 4:
            parts = (scan(values, scope, lambda f: (select, evict(f))), TAKE)
        case _:
            parts = (select,)
    return parts


def rotate(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Moves all that it passes; what is moved ahead of the iterator comes again."""
    return (scan(values, scope, lambda f: (move(values, scope, f), *((evict(f),) if values.chance(0.5) else ()))),)


def nested(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Two iterators, of which the inner one moves what the outer one stands before."""

    def inner(folio: str) -> tuple[Stmt, ...]:
        inside = scope.deeper(folios=(folio,), lists=(values.home,), times=64)

        def body(other: str) -> tuple[Stmt, ...]:
            match values.rng.randrange(4):
                case 0:
                    return (move(values, inside, other), evict(folio))
                case 1:
                    return (delete(other), offer(values, inside, folio))
                case 2:
                    return (evict(other), ENOUGH)
            return (delete(folio), offer(values, inside, other))

        return (scan(values, inside, body, values.rng.choice(("2", "8", "33"))), move(values, scope, folio))

    return (scan(values, scope, inner, values.rng.choice(("4", "16", "64"))), *((TAKE,) if values.chance(0.5) else ()))


def deeply(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Three to eight iterators in each other, each on a list of its own if there are as many."""
    depth = values.rng.randint(3, 8)
    start = values.rng.randrange(max(1, values.settings.lists))
    body: tuple[Stmt, ...] = ()
    for level in range(depth):
        folio = values.name("f")
        inside = scope.deeper(folios=(folio,))
        use = values.rng.choice(
            (evict(folio), offer(values, inside, folio), move(values, inside, folio), delete(folio))
        )
        where = str((start + level) % max(1, values.settings.lists))
        args = (where, values.end(), values.rng.choice(("2", "3", "8") if depth < 5 else ("1", "2", "3")))
        body = (Each("cache_ext_scan", folio, args, "loop", (*body, use)),)
    return (*body, *((TAKE,) if values.chance(0.5) else ()))


def outlives(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Uses a folio after its iterator is gone."""
    use = values.rng.choice((evict("kept"), offer(values, scope, "kept"), delete("kept"), move(values, scope, "kept")))
    return (
        scan(values, scope, lambda f: (Keep(f), values.rng.choice((evict(f), delete(f), move(values, scope, f)))), "8"),
        If("kept", (use,)),
    )


def record_of_none(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    """Writes to a record whose folio has just left."""
    size = values.settings.data_size
    if not size:
        return delete_all(values, scope)

    def body(folio: str) -> tuple[Stmt, ...]:
        record = values.name("r")
        go = delete(folio) if values.chance(0.6) else evict(folio)
        return (Record(folio, size, record, (go, Write(record, values.rng.randrange(size), 1, "0xff"))),)

    return (scan(values, scope, body),)


def delete_all(values: Values, scope: Scope) -> tuple[Stmt, ...]:
    return (scan(values, scope, lambda f: (delete(f),)),)


EVICTING: Final[tuple[tuple[Callable[[Values, Scope], tuple[Stmt, ...]], float], ...]] = (
    (propose_first, 3),
    (offer_and_take, 2),
    (offers_without_seats, 1),
    (offer_again, 1),
    (both_at_once, 1),
    (touch_what_is_taken, 1.5),
    (select_and, 2),
    (rotate, 1.5),
    (nested, 1.5),
    (deeply, 1),
    (outlives, 1),
    (record_of_none, 1),
    (delete_all, 0.4),
)
"""With how often each is chosen."""
