"""Puts the body of an action in place of each call.

A copy has names and places of its own: parameters that are folios or lists become the caller's, and
locals whose name the handler has already get another. So the checks meet plain statements, and a
place in a copy still leads to the text of the body and to the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cpol.compiler.diagnostics import Label, Report
from cpol.compiler.diagnostics.source import Span
from cpol.compiler.expand.copy import Copy, declared, fresh, locals_of, mentioned
from cpol.compiler.syntax import ast
from cpol.compiler.syntax.build.stmt import MAX_NESTING, arm_depth

MAX_DEPTH = 8
"""Limit for calls of actions in actions."""

MAX_PARTS = 20_000
"""Limit for the words and signs of all copies together, roughly: for nodes of the AST."""


def expand(policy: ast.Policy, report: Report) -> ast.Policy:
    """`policy` with what each `do` does. A `do` that is wrong stays without; check/ says why."""
    if not any(isinstance(item, ast.ActionDecl) for item in policy.items):
        return policy
    actions = _Actions(policy, report)
    items = tuple(actions.item(item) for item in policy.items)
    return ast.Policy(policy.name, policy.doc, items, policy.span)


class _Actions:
    """The actions of a policy, and how much was copied so far."""

    def __init__(self, policy: ast.Policy, report: Report) -> None:
        self.report = report
        self.actions: dict[str, ast.ActionDecl] = {}
        self.names: set[str] = set()
        for item in policy.items:
            self.names.update(name.text for name in declared(item))
            if isinstance(item, ast.ActionDecl):
                self.actions.setdefault(item.name.text, item)
        self.order = {name: number for number, name in enumerate(self.actions)}
        self.parts = 0
        self.full = False

    def item(self, item: ast.Item) -> ast.Item:
        if not isinstance(item, ast.Handler | ast.Every):
            return item
        used = {name.text for name in locals_of(item.block.body)}
        if isinstance(item, ast.Handler):
            used.update(name.text for name in item.params)
        made = _Calls(self, used, {}, 0, (), {}).node(item)
        _check_nesting(made.block.body, self.report)
        return made

    def take(self, parts: int, call: Span) -> bool:
        """Count `parts` that were copied for `call`. Returns whether the limit allows them."""
        self.parts += parts
        if self.parts > MAX_PARTS and not self.full:
            self.full = True
            self.report.error(
                "E0007",
                call,
                f"the bodies of all actions that are called come to more than {MAX_PARTS} words and signs",
                why="each call has a copy of the body",
                help="call fewer actions in actions, or compute in a fn",
            )
        return not self.full


class _Calls(Copy):
    """Copies statements of a handler or of an action, and what their calls do.

    `used` are the locals of the handler so far. `around` are the actions around, the outermost first. `chosen` maps
    parameters that stand for a list of an array to that array. In the copy, a local of their name is the index.
    """

    def __init__(
        self,
        actions: _Actions,
        used: set[str],
        names: dict[str, str],
        shift: int,
        around: tuple[str, ...],
        chosen: Mapping[str, ast.Name],
    ) -> None:
        super().__init__(names, shift)
        self.actions = actions
        self.used = used
        self.around = around
        self.chosen = chosen

    def make(self, node: Any) -> Any:
        if isinstance(node, ast.ListRef | ast.Element) and node.name.text in self.chosen and node.index:
            self._indexed_twice(node)
        if isinstance(node, ast.ListRef) and node.name.text in self.chosen:
            array, index = self._element(node.name)
            return ast.ListRef(array, index, self.node(node.span))
        if isinstance(node, ast.Element) and node.name.text in self.chosen:  # after the error
            array, index = self._element(node.name)
            return ast.Element(array, (index,), self._words(node.members), self.node(node.span))
        if isinstance(node, ast.Path) and node.parts[0].text in self.chosen:
            array, index = self._element(node.parts[0])
            return ast.Element(array, (index,), self._words(node.parts[1:]), self.node(node.span))
        made = super().make(node)
        return ast.Do(made.call, self._body(made), made.span) if isinstance(made, ast.Do) else made

    def _element(self, param: ast.Name) -> tuple[ast.Name, ast.Path]:
        """The array, and the index of its list, that `param` stands for."""
        name, span = self.node(param), self.node(param.span)
        return ast.Name(self.chosen[param.text].text, span), ast.Path((name,), span)

    def _indexed_twice(self, node: ast.ListRef | ast.Element) -> None:
        self.actions.report.error(
            "E0216",
            self.node(node.span),
            f"`{node.name.text}` is one list here, not an array",
            label="it takes no index",
            help=f"pass `{self.chosen[node.name.text].text}`, without an index",
        )

    def _body(self, do: ast.Do) -> tuple[ast.Stmt, ...] | None:
        """What `do` does; None after an error."""
        action = self.actions.actions.get(do.call.callee.text)
        if action is None or len(action.params) != len(do.call.args) or not self._allowed(do, action):
            return None
        report = self.actions.report
        names: dict[str, str] = {}
        chosen: dict[str, ast.Name] = {}
        for param, arg in zip(action.params, do.call.args, strict=True):
            if param.type is None and isinstance(arg, ast.Element):
                if not param.list or len(arg.index) != 1 or arg.members:
                    return None
                chosen[param.name.text] = arg.name
            elif param.type is None:
                if not isinstance(arg, ast.Path) or len(arg.parts) > 1:
                    return None
                names[param.name.text] = arg.text
        if not self._closed(action):
            return None
        self._rename(action, names)
        shift = report.source.copy(action.span, do.span)
        copy = _Calls(self.actions, self.used, names, shift, (*self.around, action.name.text), chosen)
        binds: list[ast.Stmt] = []
        for param, arg in zip(action.params, do.call.args, strict=True):
            if param.type is not None:
                binds.append(ast.Bind(copy.node(param.name), copy.node(param.type), arg, arg.span))
            elif isinstance(arg, ast.Element):
                binds.append(ast.BindIndex(copy.node(param.name), arg.index[0], arg.span))
        body = copy.node(action.block.body)
        return (*binds, *body) if self.actions.take(copy.count, do.span) else None

    def _allowed(self, do: ast.Do, action: ast.ActionDecl) -> bool:
        """Whether `action` can be called here. It reports an error if not."""
        name, report, order = action.name.text, self.actions.report, self.actions.order
        if self.actions.full:
            return False
        if self.around and order[name] >= order[self.around[-1]]:
            report.error(
                "E0108",
                do.call.callee.span,
                f"`{name}` is called before its declaration",
                why="no action can call itself, so every call ends",
                help="an action calls only actions above it: move the declaration up",
            )
            return False
        if len(self.around) == MAX_DEPTH:
            report.error(
                "E0007",
                do.span,
                f"actions call each other more than {MAX_DEPTH} deep",
                help="write the body of one of them in place of its call",
            )
            return False
        return True

    def _closed(self, action: ast.ActionDecl) -> bool:
        """Whether the body of `action` names no local of its callers. It reports an error if not."""
        own = {name.text for name in (*locals_of(action.block.body), *(param.name for param in action.params))}
        fine = True
        for name in mentioned(action.block.body):
            if name.text in self.used and name.text not in own and name.text not in self.actions.names:
                fine = False
                self.actions.report.error(
                    "E0101",
                    name.span,
                    f"nothing in `{action.name.text}` is called `{name.text}`",
                    why="an action sees its parameters and what the policy declares, and no local name of its callers",
                    help=f"make it a parameter: `action {action.name.text}(…, {name.text}: …)`",
                    others=(Label(action.name.span, "in this action"),),
                )
        return fine

    def _rename(self, action: ast.ActionDecl, names: dict[str, str]) -> None:
        """Add to `names` the names of the copy's locals, none of which the handler has already."""
        values = (param.name for param in action.params if param.name.text not in names)
        own = list(dict.fromkeys(name.text for name in (*values, *locals_of(action.block.body))))
        taken = self.actions.names | {name.text for name in mentioned(action.block.body)} | set(own)
        for name in own:
            names[name] = fresh(name, self.used | taken) if name in self.used else name
            self.used.add(names[name])


def _check_nesting(body: tuple[ast.Stmt, ...], report: Report) -> None:
    """Check that the statements of a handler nest no deeper with its actions than without them."""
    call = _too_deep(body, MAX_NESTING - 1, None)
    if call is not None:
        report.error(
            "E0007",
            call,
            f"with what this does, statements are nested more than {MAX_NESTING} deep",
            why="each further `else if` and `when` counts as one level",
            help="write it with fewer levels: join conditions by `and`, or use a `fn`",
        )


def _too_deep(body: tuple[ast.Stmt, ...], left: int, call: Span | None) -> Span | None:
    """The call whose body makes `body` nest deeper than `left` levels more, or None."""
    if left < 0:
        return call
    for stmt in body:
        if isinstance(stmt, ast.Do):
            parts = [(stmt.body or (), 0)]
        elif isinstance(stmt, ast.If):
            branches = [branch.block.body for branch in stmt.branches]
            branches.append(stmt.orelse.body if stmt.orelse is not None else ())
            of_match = isinstance(stmt, ast.Match)
            parts = [
                (part, arm_depth(number, len(branches)) if of_match else number)
                for number, part in enumerate(branches, 1)
            ]
        elif isinstance(stmt, ast.Scan):
            arms = [arm.block.body for arm in stmt.arms]
            arms.append(stmt.otherwise.body if stmt.otherwise is not None else ())
            parts = [(stmt.body, 1), *((part, level) for level, part in enumerate(arms, 2))]
        elif isinstance(stmt, ast.For | ast.While):
            parts = [(stmt.block.body, 1)]
        else:
            continue
        inner = call or (stmt.span if isinstance(stmt, ast.Do) else None)
        for part, level in parts:
            found = _too_deep(part, left - level, inner)
            if found is not None:
                return found
    return None
