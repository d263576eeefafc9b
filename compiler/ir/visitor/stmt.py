"""One abstract method for each statement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from cpol.compiler import ir

T = TypeVar("T")


class StmtVisitor(ABC, Generic[T]):
    """Maps each statement to a T."""

    def visit(self, node: ir.Stmt) -> T:
        """Dispatch to the method for `node`."""
        match node:
            case ir.Let():
                return self.visit_let(node)
            case ir.Var():
                return self.visit_var(node)
            case ir.SetVar():
                return self.visit_set_var(node)
            case ir.SetState():
                return self.visit_set_state(node)
            case ir.SetField():
                return self.visit_set_field(node)
            case ir.SetRecord():
                return self.visit_set_record(node)
            case ir.SetTable():
                return self.visit_set_table(node)
            case ir.If():
                return self.visit_if(node)
            case ir.For():
                return self.visit_for(node)
            case ir.Place():
                return self.visit_place(node)
            case ir.Leave():
                return self.visit_leave(node)
            case ir.Refuse():
                return self.visit_refuse(node)
            case ir.Move():
                return self.visit_move(node)
            case ir.GhostAdd():
                return self.visit_ghost_add(node)
            case ir.GhostDrop():
                return self.visit_ghost_drop(node)
            case ir.GhostForget():
                return self.visit_ghost_forget(node)
            case ir.Scan():
                return self.visit_scan(node)
            case ir.Evict():
                return self.visit_evict(node)
            case ir.EvictByScore():
                return self.visit_evict_by_score(node)
            case ir.Stop():
                return self.visit_stop(node)
            case ir.Pin():
                return self.visit_pin(node)
            case ir.Unpin():
                return self.visit_unpin(node)
            case ir.WantEviction():
                return self.visit_want_eviction(node)
            case ir.Prefetch():
                return self.visit_prefetch(node)
            case ir.Default():
                return self.visit_default(node)
            case ir.Hold():
                return self.visit_hold(node)
            case ir.Drop():
                return self.visit_drop(node)
            case ir.Flush():
                return self.visit_flush(node)
            case ir.LeaveFile():
                return self.visit_leave_file(node)
            case ir.Ahead():
                return self.visit_ahead(node)

    @abstractmethod
    def visit_let(self, node: ir.Let) -> T: ...

    @abstractmethod
    def visit_var(self, node: ir.Var) -> T: ...

    @abstractmethod
    def visit_set_var(self, node: ir.SetVar) -> T: ...

    @abstractmethod
    def visit_set_state(self, node: ir.SetState) -> T: ...

    @abstractmethod
    def visit_set_field(self, node: ir.SetField) -> T: ...

    @abstractmethod
    def visit_set_record(self, node: ir.SetRecord) -> T: ...

    @abstractmethod
    def visit_set_table(self, node: ir.SetTable) -> T: ...

    @abstractmethod
    def visit_if(self, node: ir.If) -> T: ...

    @abstractmethod
    def visit_for(self, node: ir.For) -> T: ...

    @abstractmethod
    def visit_place(self, node: ir.Place) -> T: ...

    @abstractmethod
    def visit_leave(self, node: ir.Leave) -> T: ...

    @abstractmethod
    def visit_refuse(self, node: ir.Refuse) -> T: ...

    @abstractmethod
    def visit_move(self, node: ir.Move) -> T: ...

    @abstractmethod
    def visit_ghost_add(self, node: ir.GhostAdd) -> T: ...

    @abstractmethod
    def visit_ghost_drop(self, node: ir.GhostDrop) -> T: ...

    @abstractmethod
    def visit_ghost_forget(self, node: ir.GhostForget) -> T: ...

    @abstractmethod
    def visit_scan(self, node: ir.Scan) -> T: ...

    @abstractmethod
    def visit_evict(self, node: ir.Evict) -> T: ...

    @abstractmethod
    def visit_evict_by_score(self, node: ir.EvictByScore) -> T: ...

    @abstractmethod
    def visit_stop(self, node: ir.Stop) -> T: ...

    @abstractmethod
    def visit_pin(self, node: ir.Pin) -> T: ...

    @abstractmethod
    def visit_unpin(self, node: ir.Unpin) -> T: ...

    @abstractmethod
    def visit_want_eviction(self, node: ir.WantEviction) -> T: ...

    @abstractmethod
    def visit_prefetch(self, node: ir.Prefetch) -> T: ...

    @abstractmethod
    def visit_default(self, node: ir.Default) -> T: ...

    @abstractmethod
    def visit_hold(self, node: ir.Hold) -> T: ...

    @abstractmethod
    def visit_drop(self, node: ir.Drop) -> T: ...

    @abstractmethod
    def visit_flush(self, node: ir.Flush) -> T: ...

    @abstractmethod
    def visit_leave_file(self, node: ir.LeaveFile) -> T: ...

    @abstractmethod
    def visit_ahead(self, node: ir.Ahead) -> T: ...
