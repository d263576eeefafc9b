"""docs/semantics.md: events, sizes, requests, fallback, refusals."""

from __future__ import annotations

import pytest
from build_ir import (
    HEAD,
    POS,
    TAIL,
    WANTED,
    arith,
    attr,
    compare,
    evict,
    field,
    machine,
    move,
    number,
    order,
    place,
    policy,
    propose,
    scan,
    set_state,
    since,
    state,
    var,
    when,
)

from cpol.compiler import ir
from cpol.runtime.machine.interp import DELETED, EVICTED, EventError, Machine, PolicyError

SIZE = ir.CacheAttr("size")


def take(ghost: str = "ghost") -> ir.GhostTake:
    return ir.GhostTake(ghost, "f")


def remember(ghost: str = "ghost") -> ir.GhostAdd:
    return ir.GhostAdd(ghost, "f", POS)


class TestLifeOfAFolio:
    def test_events_of_a_miss(self):
        m = Machine(policy(), capacity=1)
        assert m.request(0, 1) is False
        assert m.request(0, 2) is False
        assert since(m, 0) == [
            ("missed", 1, 0, 0),
            ("added", 1, 1, 0),
            ("place", 1, 1, 1),
            ("first_accessed", 1, 0, 0),
            ("missed", 2, 0, 0),
            ("evict", 0, 1, 0),
            ("propose", 1, 0, 0),
            ("removed", 1, EVICTED, 0),
            ("added", 2, 1, 0),
            ("place", 2, 1, 1),
            ("first_accessed", 2, 0, 0),
        ]
        assert [row.op for row in m.decisions] == [16, 18, 16]

    def test_hit_runs_accessed(self):
        m = Machine(policy(), capacity=1)
        m.request(0, 1)
        start = len(m.records)
        assert m.request(0, 1) is True
        assert since(m, start) == [("accessed", 1, 0, 0)]
        assert (m.hits, m.misses) == (1, 1)

    def test_first_read_after_readahead_runs_first_accessed(self):
        m = Machine(policy(), capacity=2)
        m.added(0, 1)
        start = len(m.records)
        assert m.request(0, 1) is False, "nobody had read it"
        assert since(m, start) == [("first_accessed", 1, 0, 0)]

    def test_same_index_in_two_files_is_two_folios(self):
        m = Machine(policy(), capacity=2)
        assert [m.request(1, 5), m.request(2, 5), m.request(1, 5)] == [False, False, True]

    @pytest.mark.parametrize(
        ("event", "message"),
        [
            (lambda m: m.added(0, 0), "added: folio (0, 0) is in the cache already"),
            (lambda m: m.missed(0, 0), "missed: folio (0, 0) is in the cache already"),
            (lambda m: m.accessed(0, 9), "accessed: folio (0, 9) is not in the cache"),
            (lambda m: m.first_accessed(0, 0), "first_accessed: folio (0, 0) has been accessed before"),
            (lambda m: (m.added(0, 1), m.accessed(0, 1)), "first_accessed is missing"),
            (lambda m: m.removed(0, 9, EVICTED), "removed: folio (0, 9) is not in the cache"),
            (lambda m: m.refused(0, 0), "refused: folio (0, 0) is not proposed"),
            (lambda m: (m.evict(1), m.fallback(0, 0)), "fallback: folio (0, 0) is proposed"),
            (lambda m: m.evict(33), "evict: wanted is 1 to 32 pages, not 33"),
            (lambda m: m.evict(0), "evict: wanted is 1 to 32 pages, not 0"),
            (lambda m: m.added(0, 1, 0), "added: a folio has at least 1 page, not 0"),
            (lambda m: m.removed(0, 0, 2), "removed: 2 is neither evicted (0) nor deleted (1)"),
        ],
    )
    def test_impossible_events_are_refused(self, event, message):
        with pytest.raises(EventError) as error:
            event(machine(policy(), count=1))
        assert message in str(error.value)

    def test_init_runs_first(self):
        m = Machine(policy(init=[set_state("x", number(3))], states=[var("x")]), capacity=1)
        assert m.state == {"x": 3}

    def test_fields_are_initialised_before_added(self):
        body = [set_state("seen", field("mark")), place()]
        m = machine(policy(added=body, states=[var("seen")], fields=[var("mark", ir.IntType(False, 4), 5)]), count=1)
        assert m.state["seen"] == 5

    def test_added_must_place_exactly_once(self):
        with pytest.raises(PolicyError, match="did not place"):
            machine(policy(added=[when(number(0, ir.BOOL), [place()])]), count=1)
        with pytest.raises(PolicyError, match="placed or left before"):
            machine(policy(added=[place(), place()]), count=1)


class TestSizes:
    def test_added_folio_counts_only_after_place(self):
        body = [
            set_state("list", ir.FolioAttr("f", "list", ir.U64)),
            set_state("before", arith("add", SIZE, ir.ListSize(ir.ListRef("queue")))),
            place(),
            set_state("after", arith("add", SIZE, ir.ListSize(ir.ListRef("queue")))),
        ]
        m = machine(policy(added=body, states=[var("list", init=9), var("before"), var("after")]), count=1)
        assert m.state == {"list": 0, "before": 0, "after": 2}

    def test_removed_folio_left_its_list_but_knows_it(self):
        body = [
            set_state("list", ir.FolioAttr("f", "list", ir.U64)),
            set_state("size", SIZE),
            set_state("on", ir.ListSize(ir.ListRef("b"))),
        ]
        m = machine(
            policy(lists=["a", "b"], added=[place("b")], removed=body, states=[var("list"), var("size"), var("on")])
        )
        m.added(0, 0)
        m.added(0, 1)
        m.removed(0, 1, DELETED)
        assert m.state == {"list": 2, "size": 1, "on": 1}

    def test_proposed_folio_counts_in_cache_size_only(self):
        body = [scan([propose(), set_state("size", SIZE), set_state("on", ir.ListSize(ir.ListRef("queue")))])]
        m = machine(policy(evict=body, states=[var("size"), var("on")]), count=3)
        assert evict(m, 2) == [0, 1]
        assert m.state == {"size": 3, "on": 2}  # after the first proposal; the second one ended the handler
        assert m.size == 1

    def test_sizes_and_wanted_count_pages(self):
        m = Machine(policy(), capacity=100)
        for index, pages in enumerate([1, 4, 2, 1]):
            m.added(0, index, pages)
        assert (m.size, m.list_size("queue")) == (8, 8)
        assert evict(m, 4) == [0, 1]
        assert m.size == 3


class TestRequest:
    def test_handler_ends_when_wanted_is_reached(self):
        body = [scan([propose()]), set_state("x", number(1))]
        m = machine(policy(evict=body, states=[var("x")]), count=3)
        assert evict(m, 2) == [0, 1]
        assert m.state["x"] == 0
        assert evict(m, 2) == [2]
        assert m.state["x"] == 1

    def test_wanted_stays_constant(self):
        body = [scan([propose(), set_state("x", WANTED)])]
        m = machine(policy(evict=body, states=[var("x")]), count=3)
        evict(m, 3)
        assert m.state["x"] == 3

    def test_request_frees_a_batch(self):
        m = Machine(policy(), capacity=40, batch=32)
        for index in range(41):
            m.request(0, index)
        assert order(m) == list(range(32, 41))

    def test_batch_is_at_most_the_cache_size(self):
        m = Machine(policy(), capacity=3, batch=32)
        for index in range(4):
            m.request(0, index)
        assert order(m) == [3]
        assert ("evict", 0, 3, 0) in since(m, 0)

    def test_proposed_folio_cannot_be_proposed_or_moved(self):
        body = [scan([propose(), propose(), move(end=HEAD)])]
        m = machine(policy(evict=body), count=3)
        start = len(m.records)
        assert evict(m, 2) == [0, 1]
        assert order(m) == [2]
        assert [row[0] for row in since(m, start)] == ["evict", "propose", "propose", "removed", "removed"]

    def test_handler_repeats_until_it_proposes(self):
        count_up = set_state("calls", arith("add", state("calls"), number(1)))
        late = when(compare("eq", state("calls"), number(ir.EVICT_ROUNDS)), [scan([propose()], bound=number(1))])
        m = machine(policy(evict=[count_up, late], states=[var("calls")]), count=5)
        assert evict(m, 3) == [0]  # fewer than wanted, but not zero: the request ends
        assert m.state["calls"] == ir.EVICT_ROUNDS

    def test_request_without_proposals_ends_after_evict_rounds(self):
        count_up = set_state("calls", arith("add", state("calls"), number(1)))
        m = machine(policy(evict=[count_up], states=[var("calls")]), count=5)
        assert m.evict(3) == []
        assert m.state["calls"] == ir.EVICT_ROUNDS == 8


class TestFallback:
    def test_fallback_takes_from_the_heads_in_list_order(self):
        added = [when(compare("lt", attr("index"), number(2)), [place("b")], [place("c")])]
        made = policy(lists=["a", "b", "c"], added=added, evict=[set_state("x", number(1))], states=[var("x")])
        m = machine(made, count=5)
        start = len(m.records)
        assert m.make_room(3) == 3
        assert since(m, start) == [
            ("evict", 0, 3, 0),
            ("fallback", 0, 0, 0),
            ("fallback", 1, 0, 0),
            ("fallback", 2, 0, 0),
        ]
        assert m.fallbacks == 3
        assert order(m, "c") == [3, 4]

    def test_fallback_removes_with_reason_evicted(self):
        removed = [set_state("why", ir.Local("why", ir.REASON))]
        m = machine(policy(evict=[], removed=removed, states=[var("why", init=7)]), count=1)
        m.make_room(1)
        assert m.state["why"] == EVICTED

    def test_no_fallback_after_one_proposal(self):
        m = machine(policy(evict=[scan([propose()], bound=number(1))]), count=5)
        assert m.make_room(3) == 0
        assert order(m) == [1, 2, 3, 4]


class TestRefusal:
    @pytest.mark.parametrize(("end", "first", "left"), [(HEAD, 0, [1, 2, 0]), (TAIL, 2, [2, 0, 1])])
    def test_refused_folio_moves_to_the_far_end(self, end, first, left):
        m = machine(policy(evict=[scan([propose(far=end.far)], end=end)]), count=3)
        assert [folio.index for folio in m.evict(1)] == [first]
        start = len(m.records)
        m.refused(0, first)
        assert order(m) == left
        assert since(m, start) == [("refused", first, 0, 0), ("move", first, 1, int(end is HEAD))]
        assert m.refusals == 1

    def test_refusal_runs_no_handler_and_keeps_the_record(self):
        m = machine(policy(removed=[set_state("x", number(1))], states=[var("x")], fields=[var("mark")]), count=2)
        m.cache[0, 0].fields["mark"] = 5
        m.evict(1)
        m.refused(0, 0)
        assert m.state["x"] == 0
        assert m.cache[0, 0].fields["mark"] == 5

    def test_refused_folio_returns_to_its_list(self):
        m = machine(policy(lists=["a", "b"], added=[place("b")], evict=[scan([propose()], of="b")]), count=2)
        m.evict(2)
        m.refused(0, 0)
        m.removed(0, 1, EVICTED)
        assert (order(m, "a"), order(m, "b")) == ([], [0])

    def test_folio_refused_after_evict_lowest_moves_to_the_far_end(self):
        lowest = ir.EvictByScore("score", number(9), HEAD, ir.ListRef("queue"), POS)
        m = machine(policy(evict=[lowest], scores={"score": attr("index")}), count=3)
        m.evict(1)
        m.refused(0, 0)
        assert order(m) == [1, 2, 0]

    def test_proposed_folio_can_be_deleted(self):
        m = machine(policy(), count=2)
        m.evict(1)
        m.removed(0, 0, DELETED)
        assert (m.proposed, order(m)) == ([], [1])

    def test_proposed_folio_can_be_accessed_but_not_moved(self):
        m = machine(policy(accessed=[set_state("x", number(1)), move(end=HEAD)], states=[var("x")]), count=2)
        m.evict(1)
        m.accessed(0, 0)
        assert m.state["x"] == 1
        assert order(m) == [1]
