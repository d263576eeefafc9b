"""docs/semantics.md, sentence by sentence: events, sizes, requests, fallback, refusals."""

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
from cpol.runtime.interp import DELETED, EVICTED, EventError, Machine, PolicyError

SIZE = ir.CacheAttr("size")


def take(ghost: str = "ghost") -> ir.GhostTake:
    return ir.GhostTake(ghost, "f")


def remember(ghost: str = "ghost") -> ir.GhostAdd:
    return ir.GhostAdd(ghost, "f", POS)


class TestLifeOfAFolio:
    def test_a_miss_is_missed_then_room_then_added_then_first_accessed(self):
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

    def test_a_hit_is_accessed(self):
        m = Machine(policy(), capacity=1)
        m.request(0, 1)
        start = len(m.records)
        assert m.request(0, 1) is True
        assert since(m, start) == [("accessed", 1, 0, 0)]
        assert (m.hits, m.misses) == (1, 1)

    def test_the_first_read_of_what_readahead_brought_is_a_hit_and_first_accessed(self):
        m = Machine(policy(), capacity=2)
        m.added(0, 1)
        start = len(m.records)
        assert m.request(0, 1) is True
        assert since(m, start) == [("first_accessed", 1, 0, 0)]

    def test_the_same_index_of_two_files_is_two_folios(self):
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
    def test_events_that_cannot_happen_are_refused(self, event, message):
        with pytest.raises(EventError) as error:
            event(machine(policy(), count=1))
        assert message in str(error.value)

    def test_init_runs_first(self):
        m = Machine(policy(init=[set_state("x", number(3))], states=[var("x")]), capacity=1)
        assert m.state == {"x": 3}

    def test_fields_have_their_initial_values_before_added_runs(self):
        body = [set_state("seen", field("mark")), place()]
        m = machine(policy(added=body, states=[var("seen")], fields=[var("mark", ir.IntType(False, 4), 5)]), count=1)
        assert m.state["seen"] == 5

    def test_added_must_place_and_only_once(self):
        with pytest.raises(PolicyError, match="did not place"):
            machine(policy(added=[when(number(0, ir.BOOL), [place()])]), count=1)
        with pytest.raises(PolicyError, match="placed or left before"):
            machine(policy(added=[place(), place()]), count=1)


class TestSizes:
    def test_in_added_the_folio_is_on_no_list_and_counts_nowhere_until_it_is_placed(self):
        body = [
            set_state("list", ir.FolioAttr("f", "list", ir.U64)),
            set_state("before", arith("add", SIZE, ir.ListSize(ir.ListRef("queue")))),
            place(),
            set_state("after", arith("add", SIZE, ir.ListSize(ir.ListRef("queue")))),
        ]
        m = machine(policy(added=body, states=[var("list", init=9), var("before"), var("after")]), count=1)
        assert m.state == {"list": 0, "before": 0, "after": 2}

    def test_in_removed_it_has_left_its_list_but_knows_it(self):
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

    def test_what_is_proposed_counts_in_the_cache_but_on_no_list(self):
        body = [scan([propose(), set_state("size", SIZE), set_state("on", ir.ListSize(ir.ListRef("queue")))])]
        m = machine(policy(evict=body, states=[var("size"), var("on")]), count=3)
        assert evict(m, 2) == [0, 1]
        assert m.state == {"size": 3, "on": 2}  # after the first proposal; the second one ended the handler
        assert m.size == 1

    def test_pages_count_in_sizes_and_in_what_is_wanted(self):
        m = Machine(policy(), capacity=100)
        for index, pages in enumerate([1, 4, 2, 1]):
            m.added(0, index, pages)
        assert (m.size, m.list_size("queue")) == (8, 8)
        assert evict(m, 4) == [0, 1]
        assert m.size == 3


class TestRequest:
    def test_the_handler_ends_at_once_when_it_has_what_was_wanted(self):
        body = [scan([propose()]), set_state("x", number(1))]
        m = machine(policy(evict=body, states=[var("x")]), count=3)
        assert evict(m, 2) == [0, 1]
        assert m.state["x"] == 0
        assert evict(m, 2) == [2]
        assert m.state["x"] == 1

    def test_wanted_does_not_count_down(self):
        body = [scan([propose(), set_state("x", WANTED)])]
        m = machine(policy(evict=body, states=[var("x")]), count=3)
        evict(m, 3)
        assert m.state["x"] == 3

    def test_a_batch_frees_as_many_at_once(self):
        m = Machine(policy(), capacity=40, batch=32)
        for index in range(41):
            m.request(0, index)
        assert order(m) == list(range(32, 41))

    def test_a_batch_is_no_larger_than_the_cache(self):
        m = Machine(policy(), capacity=3, batch=32)
        for index in range(4):
            m.request(0, index)
        assert order(m) == [3]
        assert ("evict", 0, 3, 0) in since(m, 0)

    def test_a_proposed_folio_can_neither_be_proposed_nor_moved(self):
        body = [scan([propose(), propose(), move(end=HEAD)])]
        m = machine(policy(evict=body), count=3)
        start = len(m.records)
        assert evict(m, 2) == [0, 1]
        assert order(m) == [2]
        assert [row[0] for row in since(m, start)] == ["evict", "propose", "propose", "removed", "removed"]

    def test_the_handler_is_called_again_until_a_call_proposes_something(self):
        count_up = set_state("calls", arith("add", state("calls"), number(1)))
        late = when(compare("eq", state("calls"), number(ir.EVICT_ROUNDS)), [scan([propose()], bound=number(1))])
        m = machine(policy(evict=[count_up, late], states=[var("calls")]), count=5)
        assert evict(m, 3) == [0]  # fewer than wanted, but something: the request is over
        assert m.state["calls"] == ir.EVICT_ROUNDS

    def test_a_request_that_proposes_nothing_gives_up_after_evict_rounds(self):
        count_up = set_state("calls", arith("add", state("calls"), number(1)))
        m = machine(policy(evict=[count_up], states=[var("calls")]), count=5)
        assert m.evict(3) == []
        assert m.state["calls"] == ir.EVICT_ROUNDS == 8


class TestFallback:
    def test_it_takes_from_the_head_of_the_first_list_that_has_any_then_of_the_next(self):
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

    def test_what_it_takes_is_removed_as_evicted(self):
        removed = [set_state("why", ir.Local("why", ir.REASON))]
        m = machine(policy(evict=[], removed=removed, states=[var("why", init=7)]), count=1)
        m.make_room(1)
        assert m.state["why"] == EVICTED

    def test_one_proposal_keeps_it_away(self):
        m = machine(policy(evict=[scan([propose()], bound=number(1))]), count=5)
        assert m.make_room(3) == 0
        assert order(m) == [1, 2, 3, 4]


class TestRefusal:
    @pytest.mark.parametrize(("end", "first", "left"), [(HEAD, 0, [1, 2, 0]), (TAIL, 2, [2, 0, 1])])
    def test_a_refused_folio_goes_to_the_far_end_of_the_scan(self, end, first, left):
        m = machine(policy(evict=[scan([propose(far=end.far)], end=end)]), count=3)
        assert [folio.index for folio in m.evict(1)] == [first]
        start = len(m.records)
        m.refused(0, first)
        assert order(m) == left
        assert since(m, start) == [("refused", first, 0, 0), ("move", first, 1, int(end is HEAD))]
        assert m.refusals == 1

    def test_no_handler_is_told_and_its_record_stays(self):
        m = machine(policy(removed=[set_state("x", number(1))], states=[var("x")], fields=[var("mark")]), count=2)
        m.cache[0, 0].fields["mark"] = 5
        m.evict(1)
        m.refused(0, 0)
        assert m.state["x"] == 0
        assert m.cache[0, 0].fields["mark"] == 5

    def test_it_goes_back_to_the_list_it_was_proposed_from(self):
        m = machine(policy(lists=["a", "b"], added=[place("b")], evict=[scan([propose()], of="b")]), count=2)
        m.evict(2)
        m.refused(0, 0)
        m.removed(0, 1, EVICTED)
        assert (order(m, "a"), order(m, "b")) == ([], [0])

    def test_a_folio_that_evict_lowest_proposed_goes_to_the_far_end_too(self):
        lowest = ir.EvictLowest("score", number(9), HEAD, ir.ListRef("queue"), POS)
        m = machine(policy(evict=[lowest], scores={"score": attr("index")}), count=3)
        m.evict(1)
        m.refused(0, 0)
        assert order(m) == [1, 2, 0]

    def test_a_proposed_folio_can_be_deleted(self):
        m = machine(policy(), count=2)
        m.evict(1)
        m.removed(0, 0, DELETED)
        assert (m.proposed, order(m)) == ([], [1])

    def test_a_proposed_folio_can_be_accessed_but_not_moved(self):
        m = machine(policy(accessed=[set_state("x", number(1)), move(end=HEAD)], states=[var("x")]), count=2)
        m.evict(1)
        m.accessed(0, 0)
        assert m.state["x"] == 1
        assert order(m) == [1]
