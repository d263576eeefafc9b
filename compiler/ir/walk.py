"""Traversal of the IR: operands, nested statements, effects and record accesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cpol.compiler import ir
from cpol.compiler.vocabulary.folio import READ_OF_FOLIOS

_OF_TWO_CASES = ("add", "sub", "mul", "min", "max")
"""Operations of which bpf_arith.h hides the result."""


def parts(expr: ir.Expr) -> tuple[ir.Expr, ...]:
    """The operands of `expr`, in evaluation order."""
    match expr:
        case ir.Arith() | ir.Bits() | ir.Compare() | ir.Logic():
            return (expr.left, expr.right)
        case ir.Not() | ir.Convert():
            return (expr.operand,)
        case ir.Math():
            return expr.operands
        case ir.Select():
            return (expr.cond, expr.then, expr.orelse)
        case ir.TableGet():
            return expr.indices
        case ir.InputHas() | ir.InputGet():
            return () if expr.key is None else (expr.key,)
        case ir.ArrayGet():
            return (expr.index,)
        case ir.Field() | ir.CachedField():
            return () if expr.index is None else (expr.index,)
        case ir.ListSize(list) | ir.ListIs(list) | ir.ContainsAll(ir.ListRef() as list):
            return index(list)
        case ir.FnCall():
            return tuple(arg for arg in expr.args if not isinstance(arg, ir.FolioArg))
        case ir.Random():
            return (expr.bound,)
        case ir.Hash():
            return (expr.salt,)
        case (
            ir.Const() | ir.Param() | ir.State() | ir.Local() | ir.FolioAttr() | ir.CacheAttr()
            | ir.TaskAttr() | ir.EvictWanted() | ir.EveryPeriods() | ir.GhostTake() | ir.GhostHas() | ir.GhostSize()
            | ir.GhostFull() | ir.GhostOldest()
            | ir.GhostField() | ir.RecordField() | ir.TableSize() | ir.ArraySize() | ir.ContainsAll()
            | ir.FaultAttr() | ir.RequestAttr() | ir.AllPinned() | ir.PrefetchedIs()
            | ir.Defaulted() | ir.RangeDid() | ir.AheadIs()
        ):  # fmt: skip
            return ()


def index(list: ir.ListRef) -> tuple[ir.Expr, ...]:
    """The index of the list as a tuple, empty if it has none."""
    return () if list.index is None else (list.index,)


def walk(expr: ir.Expr) -> list[ir.Expr]:
    """`expr` and all expressions in it."""
    return [expr, *(inner for part in parts(expr) for inner in walk(part))]


def is_chosen(expr: ir.Expr) -> bool:
    """Whether `expr` is an `if` that chooses a number."""
    return isinstance(expr, ir.Select) and isinstance(expr.type, ir.IntType | ir.FixType)


def hides(policy: ir.Policy) -> bool:
    """Whether generated C must keep the verifier from knowing a number.

    Of a `var`, of what is_chosen(), of the operations of two cases, or of a bool or an enum that is an argument.
    """
    if any(isinstance(statement, ir.Var) for body in bodies(policy) for statement in statements(body)):
        return True
    for expr in all_expressions(policy):
        if is_chosen(expr) or (isinstance(expr, ir.Arith) and expr.op in _OF_TWO_CASES):
            return True
        if isinstance(expr, ir.FnCall) and any(isinstance(arg.type, ir.BoolType | ir.EnumType) for arg in parts(expr)):
            return True
    return False


def decided_by_params(policy: ir.Policy) -> bool:
    """Whether a condition depends on nothing but params that stay as they are once the policy is attached."""
    live = {param.name for param in policy.params if param.live}
    done = [statement for body in bodies(policy) for statement in statements(body)]
    conditions = [statement.cond for statement in done if isinstance(statement, ir.If)]
    conditions += [inner.cond for inner in all_expressions(policy) if isinstance(inner, ir.Select)]
    parts_of = [part for cond in conditions for part in walk(cond) if isinstance(part.type, ir.BoolType)]
    return any(
        {type(leaf) for leaf in walk(part) if not parts(leaf)} <= {ir.Const, ir.Param}
        and any(isinstance(leaf, ir.Param) and leaf.name not in live for leaf in walk(part))
        for part in parts_of
    )


def effects(expr: ir.Expr) -> set[str]:
    """The state that evaluating `expr` changes: "ghost", "random" or both."""
    found = set()
    for inner in walk(expr):
        if isinstance(inner, ir.GhostTake):
            found.add("ghost")
        elif isinstance(inner, ir.Random):
            found.add("random")
    return found


def touches(expr: ir.Expr) -> set[str]:
    """The state that `expr` changes, and the changeable state that it reads."""
    asking = ir.GhostHas | ir.GhostField | ir.GhostSize | ir.GhostFull | ir.GhostOldest
    asks = any(isinstance(inner, asking) for inner in walk(expr))
    return effects(expr) | ({"ghost"} if asks else set())


def order_matters(exprs: Sequence[ir.Expr]) -> bool:
    """Whether the result depends on the evaluation order, which C does not define for operands."""
    return any(effects(a) & touches(b) for i, a in enumerate(exprs) for j, b in enumerate(exprs) if i != j)


def expressions(statement: ir.Stmt) -> list[ir.Expr]:
    """The expressions that `statement` itself evaluates, in order, without nested statements."""
    match statement:
        case ir.Let() | ir.Var() | ir.SetVar() | ir.SetState() | ir.SetRecord():
            return [statement.value]
        case ir.SetField():
            return [*(() if statement.index is None else (statement.index,)), statement.value]
        case ir.SetTable():
            return [*statement.indices, statement.value]
        case ir.If():
            return [statement.cond]
        case ir.For():
            return [statement.low, statement.high]
        case ir.GhostAdd():
            return list(statement.values)
        case ir.Place() | ir.Move():
            return [*index(statement.list)]
        case ir.Scan() | ir.EvictByScore():
            return [*index(statement.list), *(() if statement.bound is None else (statement.bound,))]
        case ir.Prefetch():
            return [statement.target, statement.count, statement.stride]
        case ir.Ahead() | ir.WantEviction():
            return [statement.pages]
        case (
            ir.Leave() | ir.Refuse() | ir.GhostDrop() | ir.GhostForget() | ir.Evict() | ir.Stop()
            | ir.Pin() | ir.Unpin() | ir.Default() | ir.Drop() | ir.Flush() | ir.LeaveFile() | ir.Hold()
        ):  # fmt: skip
            return []


def children(statement: ir.Stmt) -> tuple[ir.Stmt, ...]:
    """The statements directly inside `statement`."""
    match statement:
        case ir.If():
            return statement.then + statement.orelse
        case ir.Scan() | ir.For():
            return statement.body
        case _:
            return ()


def statements(body: Iterable[ir.Stmt]) -> Iterator[ir.Stmt]:
    """All statements of a body, including nested ones."""
    for statement in body:
        yield statement
        yield from statements(children(statement))


def bodies(policy: ir.Policy) -> list[tuple[ir.Stmt, ...]]:
    """The bodies of all handlers and `every` blocks."""
    return [*(handler.body for handler in policy.handlers.values()), *(every.body for every in policy.everies)]


def places(policy: ir.Policy) -> Iterator[ir.Pos]:
    """The place of every statement, score and fn."""
    yield from (statement.pos for body in bodies(policy) for statement in statements(body))
    yield from (score.pos for score in policy.scores)
    yield from (fn.pos for fn in policy.fns)


def all_expressions(policy: ir.Policy) -> Iterator[ir.Expr]:
    """Every expression in handlers, `every` blocks, scores and fns, with its parts."""
    roots = [e for body in bodies(policy) for statement in statements(body) for e in expressions(statement)]
    roots += [score.body for score in policy.scores] + [root for fn in policy.fns for root in fn_roots(fn)]
    for root in roots:
        yield from walk(root)


def fn_roots(fn: ir.FnDecl) -> tuple[ir.Expr, ...]:
    """The expressions that a call of `fn` computes, in order."""
    return (*(let.value for let in fn.lets), fn.body)


def arrays_read(policy: ir.Policy, body: Iterable[ir.Stmt]) -> list[str]:
    """The arrays of user space whose entries `body` reads, also in scores and fns, in order of declaration."""
    scores = {score.name: score.body for score in policy.scores}
    fns = {fn.name: fn for fn in policy.fns}
    found, seen = set[str](), set[str]()
    roots = [root for statement in statements(body) for root in expressions(statement)]
    roots += [scores[each.score] for each in statements(body) if isinstance(each, ir.EvictByScore)]
    while roots:
        for inner in walk(roots.pop()):
            if isinstance(inner, ir.ArrayGet):
                found.add(inner.input)
            elif isinstance(inner, ir.FnCall) and inner.fn not in seen:
                seen.add(inner.fn)
                roots += fn_roots(fns[inner.fn])
    return [given.name for given in policy.arrays if given.name in found]


def oldest_read(policy: ir.Policy) -> list[str]:
    """The ghosts of whose oldest entries a field is read, in order of declaration."""
    found = {inner.ghost for inner in all_expressions(policy) if isinstance(inner, ir.GhostOldest)}
    return [ghost.name for ghost in policy.ghosts if ghost.name in found]


def uses_clock(policy: ir.Policy) -> bool:
    """Whether the policy reads the clock or has a period in events."""
    return _reads_cache(policy, "clock") or any(every.unit == "events" for every in policy.everies)


def moves(policy: ir.Policy, every: ir.Every) -> bool:
    """Whether a period may change while the policy is attached: with the capacity, or with a live param."""
    live = {param.name for param in policy.params if param.live}
    return any(
        (isinstance(part, ir.Param) and part.name in live) or isinstance(part, ir.CacheAttr)
        for part in walk(every.period)
    )


def uses_time(policy: ir.Policy) -> bool:
    """Whether the policy reads the time or has a period in milliseconds."""
    return reads_time(policy) or any(every.unit == "ms" for every in policy.everies)


def reads_time(policy: ir.Policy) -> bool:
    """Whether the policy reads `cache.time`."""
    return _reads_cache(policy, "time")


def _reads_cache(policy: ir.Policy, attr: str) -> bool:
    return any(isinstance(e, ir.CacheAttr) and e.attr == attr for e in all_expressions(policy))


def reads_unread(policy: ir.Policy) -> bool:
    """Whether the policy asks if a folio was accessed since it came."""
    return any(isinstance(e, ir.FolioAttr) and e.attr == "unread" for e in all_expressions(policy))


def record_args(policy: ir.Policy) -> Mapping[str, frozenset[int]]:
    """For each `fn`, the indices of the folio arguments whose record it or its callees read."""
    result: dict[str, frozenset[int]] = {}
    for fn in policy.fns:
        read = {folio for root in fn_roots(fn) for part in walk(root) for folio in folios_read(part, result)}
        result[fn.name] = frozenset(at for at, (name, type_) in enumerate(fn.params) if type_ is None and name in read)
    return result


def folios_read(expr: ir.Expr, fns: Mapping[str, frozenset[int]]) -> list[str]:
    """The folios whose records `expr` reads itself, without its operands."""
    match expr:
        case ir.Field(folio):
            return [folio]
        case ir.FolioAttr(folio, attr):
            return [folio] if "{record}" in READ_OF_FOLIOS[attr].c else []
        case ir.FnCall(fn, args):
            reads = fns.get(fn, frozenset())
            return [arg.folio for at, arg in enumerate(args) if isinstance(arg, ir.FolioArg) and at in reads]
        case _:
            return []


def reads_record(expr: ir.Expr, folio: str, fns: Mapping[str, frozenset[int]]) -> bool:
    return any(folio in folios_read(inner, fns) for inner in walk(expr))


def uses_record(statement: ir.Stmt, folio: str, fns: Mapping[str, frozenset[int]]) -> bool:
    """Whether `statement` reads or writes a field of `folio`."""
    if isinstance(statement, ir.SetField) and statement.folio == folio:
        return True
    if any(reads_record(root, folio, fns) for root in expressions(statement)):
        return True
    if isinstance(statement, ir.Scan) and statement.folio == folio:
        return False  # the scan's own folio hides the outer one
    return any(uses_record(child, folio, fns) for child in children(statement))


def reads_local(statement: ir.Stmt, name: str) -> bool:
    """Whether `statement` reads the local `name`."""
    read = (inner for root in expressions(statement) for inner in walk(root))
    return any(isinstance(inner, ir.Local) and inner.name == name for inner in read) or any(
        reads_local(child, name) for child in children(statement)
    )
