"""One abstract method for each expression."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from cpol.compiler import ir

T = TypeVar("T")


class ExprVisitor(ABC, Generic[T]):
    """Maps each expression to a T."""

    def visit(self, node: ir.Expr) -> T:
        """Dispatch to the method for `node`."""
        match node:
            case ir.Const():
                return self.visit_const(node)
            case ir.Param():
                return self.visit_param(node)
            case ir.State():
                return self.visit_state(node)
            case ir.Local():
                return self.visit_local(node)
            case ir.Field():
                return self.visit_field(node)
            case ir.FolioAttr():
                return self.visit_folio_attr(node)
            case ir.ListSize():
                return self.visit_list_size(node)
            case ir.CacheAttr():
                return self.visit_cache_attr(node)
            case ir.TaskAttr():
                return self.visit_task_attr(node)
            case ir.EvictWanted():
                return self.visit_evict_wanted(node)
            case ir.EveryPeriods():
                return self.visit_every_periods(node)
            case ir.Arith():
                return self.visit_arith(node)
            case ir.Bits():
                return self.visit_bits(node)
            case ir.Compare():
                return self.visit_compare(node)
            case ir.Logic():
                return self.visit_logic(node)
            case ir.Not():
                return self.visit_not(node)
            case ir.Convert():
                return self.visit_convert(node)
            case ir.GhostTake():
                return self.visit_ghost_take(node)
            case ir.GhostHas():
                return self.visit_ghost_has(node)
            case ir.GhostSize():
                return self.visit_ghost_size(node)
            case ir.GhostFull():
                return self.visit_ghost_full(node)
            case ir.GhostOldest():
                return self.visit_ghost_oldest(node)
            case ir.GhostField():
                return self.visit_ghost_field(node)
            case ir.RecordField():
                return self.visit_record_field(node)
            case ir.TableGet():
                return self.visit_table_get(node)
            case ir.TableSize():
                return self.visit_table_size(node)
            case ir.InputHas():
                return self.visit_input_has(node)
            case ir.InputGet():
                return self.visit_input_get(node)
            case ir.ArrayGet():
                return self.visit_array_get(node)
            case ir.ArraySize():
                return self.visit_array_size(node)
            case ir.Select():
                return self.visit_select(node)
            case ir.FnCall():
                return self.visit_fn_call(node)
            case ir.Random():
                return self.visit_random(node)
            case ir.Hash():
                return self.visit_hash(node)
            case ir.Math():
                return self.visit_math(node)
            case ir.ContainsAll():
                return self.visit_contains_all(node)
            case ir.ListIs():
                return self.visit_list_is(node)
            case ir.CachedField():
                return self.visit_cached_field(node)
            case ir.AllPinned():
                return self.visit_all_pinned(node)
            case ir.FaultAttr():
                return self.visit_fault_attr(node)
            case ir.RequestAttr():
                return self.visit_request_attr(node)
            case ir.PrefetchedIs():
                return self.visit_prefetched_is(node)
            case ir.Defaulted():
                return self.visit_defaulted(node)
            case ir.RangeDid():
                return self.visit_range_did(node)
            case ir.AheadIs():
                return self.visit_ahead_is(node)

    @abstractmethod
    def visit_const(self, node: ir.Const) -> T: ...

    @abstractmethod
    def visit_param(self, node: ir.Param) -> T: ...

    @abstractmethod
    def visit_state(self, node: ir.State) -> T: ...

    @abstractmethod
    def visit_local(self, node: ir.Local) -> T: ...

    @abstractmethod
    def visit_field(self, node: ir.Field) -> T: ...

    @abstractmethod
    def visit_folio_attr(self, node: ir.FolioAttr) -> T: ...

    @abstractmethod
    def visit_list_size(self, node: ir.ListSize) -> T: ...

    @abstractmethod
    def visit_cache_attr(self, node: ir.CacheAttr) -> T: ...

    @abstractmethod
    def visit_task_attr(self, node: ir.TaskAttr) -> T: ...

    @abstractmethod
    def visit_evict_wanted(self, node: ir.EvictWanted) -> T: ...

    @abstractmethod
    def visit_every_periods(self, node: ir.EveryPeriods) -> T: ...

    @abstractmethod
    def visit_arith(self, node: ir.Arith) -> T: ...

    @abstractmethod
    def visit_bits(self, node: ir.Bits) -> T: ...

    @abstractmethod
    def visit_compare(self, node: ir.Compare) -> T: ...

    @abstractmethod
    def visit_logic(self, node: ir.Logic) -> T: ...

    @abstractmethod
    def visit_not(self, node: ir.Not) -> T: ...

    @abstractmethod
    def visit_convert(self, node: ir.Convert) -> T: ...

    @abstractmethod
    def visit_ghost_take(self, node: ir.GhostTake) -> T: ...

    @abstractmethod
    def visit_ghost_has(self, node: ir.GhostHas) -> T: ...

    @abstractmethod
    def visit_ghost_size(self, node: ir.GhostSize) -> T: ...

    @abstractmethod
    def visit_ghost_full(self, node: ir.GhostFull) -> T: ...
    @abstractmethod
    def visit_ghost_oldest(self, node: ir.GhostOldest) -> T: ...
    @abstractmethod
    def visit_ghost_field(self, node: ir.GhostField) -> T: ...

    @abstractmethod
    def visit_record_field(self, node: ir.RecordField) -> T: ...

    @abstractmethod
    def visit_table_get(self, node: ir.TableGet) -> T: ...

    @abstractmethod
    def visit_table_size(self, node: ir.TableSize) -> T: ...

    @abstractmethod
    def visit_input_has(self, node: ir.InputHas) -> T: ...

    @abstractmethod
    def visit_input_get(self, node: ir.InputGet) -> T: ...

    @abstractmethod
    def visit_array_get(self, node: ir.ArrayGet) -> T: ...

    @abstractmethod
    def visit_array_size(self, node: ir.ArraySize) -> T: ...

    @abstractmethod
    def visit_select(self, node: ir.Select) -> T: ...

    @abstractmethod
    def visit_fn_call(self, node: ir.FnCall) -> T: ...

    @abstractmethod
    def visit_random(self, node: ir.Random) -> T: ...

    @abstractmethod
    def visit_hash(self, node: ir.Hash) -> T: ...

    @abstractmethod
    def visit_math(self, node: ir.Math) -> T: ...

    @abstractmethod
    def visit_contains_all(self, node: ir.ContainsAll) -> T: ...

    @abstractmethod
    def visit_list_is(self, node: ir.ListIs) -> T: ...

    @abstractmethod
    def visit_cached_field(self, node: ir.CachedField) -> T: ...

    @abstractmethod
    def visit_all_pinned(self, node: ir.AllPinned) -> T: ...

    @abstractmethod
    def visit_fault_attr(self, node: ir.FaultAttr) -> T: ...

    @abstractmethod
    def visit_request_attr(self, node: ir.RequestAttr) -> T: ...

    @abstractmethod
    def visit_prefetched_is(self, node: ir.PrefetchedIs) -> T: ...

    @abstractmethod
    def visit_defaulted(self, node: ir.Defaulted) -> T: ...

    @abstractmethod
    def visit_range_did(self, node: ir.RangeDid) -> T: ...

    @abstractmethod
    def visit_ahead_is(self, node: ir.AheadIs) -> T: ...
