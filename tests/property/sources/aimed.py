"""Random policies aimed at what the verifier follows value by value: locals of few values, set early and read late.

A text depends on its seed and its number, and on nothing else. Each has 4 to 10 such locals in a handler, in shapes
that people write: flags that ifs set, a scan that collects for the next one, a choice of the best and the second,
a `let` for each question, a `match` with many arms. Some keep many values at a time, for the stack.
"""

from __future__ import annotations

import random
from collections.abc import Callable

MOODS = ("cold", "cool", "warm", "hot", "burning")
NUMBERS = ("u4", "u8", "u16", "u64", "s32")
Local = tuple[str, str]
"""A name and its type."""


class Aimed:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.names = 0

    def policy(self, name: str) -> str:
        """Return the text of a policy."""
        rng = self.rng
        arms = rng.choice((6, 20, 60, 100))
        handlers = [
            f"on added(f) {{ {self.handler(False) if rng.random() < 0.3 else ''} place f at tail of queue }}",
            f"on accessed(f) {{ {self.handler(rng.random() < 0.1)} }}",
            f"on removed(f) {{ {self.handler(False)} }}" if rng.random() < 0.3 else "",
            f"on evict {{ {self.evict()} }}",
        ]
        if rng.random() < 0.2:
            handlers.append(f"every 1000 events {{ {self.body([], '', 2)} }}")
        steps = " ".join(f"m{n} {{ f.step = m{(n + 1) % arms} }}" for n in range(arms))
        if rng.random() < 0.2:
            handlers[1] = f"on accessed(f) {{ match f.step {{ {steps} }} {self.handler(False)} }}"
        return (
            f"policy {name} {{\n  enum mood {{ {', '.join(MOODS)} }}\n"
            f"  enum step {{ {', '.join(f'm{n}' for n in range(arms))} }}\n"
            "  list queue  list other\n"
            "  folio { n: u8 = 0, d: u16 = 0, old: bool = false, mood: mood = cold, step: step = m0 }\n"
            "  state s: u64 = 0  state t: u64 = 3  state signs: s64 = 0  state on_fire: bool = false"
            "  state sky: mood = cold\n"
            "  param deep: u64 = 5 in 1..100\n"
            "  fn among(a: bool, b: bool, c: bool): u64 = "
            "(if a then 1 else 0) + (if b then 1 else 0) + (if c then 1 else 0)\n"
            "  fn gap(a: u64, b: u64): u64 = max(a, b) - min(a, b)\n"
            f"  score worth(f) = {rng.choice((self.votes([], 'f'), self.apart('f'), 'f.n'))}\n"
            "  fn weight(a: u8, b: bool): u64 = if b then a + 1 else if a > 1 then 1 else 0\n"
            "  fn worse(a: mood, b: mood): bool { let same = a == b  return same or (a == cold and b != hot) }\n  "
            + "\n  ".join(filter(None, handlers))
            + "\n}\n"
        )

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    # Handlers

    def handler(self, framed: bool) -> str:
        """Return the statements of a handler of a folio `f`."""
        return self.frame() if framed else self.body([], "f", self.rng.randint(4, 10))

    def body(self, known: list[Local], folio: str, number: int) -> str:
        """Declare locals, change them, and read them late."""
        known = list(known)
        text = [self.declare(known, folio) for _ in range(number)]
        if self.rng.random() < 0.2:
            i, inner = self.name(), self.changes(known, folio, 4)
            text.append(f"for {i} in 0..{self.rng.choice((3, 7))} {{ {inner} s += {i} }}")
        else:
            text.append(self.changes(known, folio, len(known)))
        text.append(self.reads(known, folio))
        return "\n".join(text)

    def declare(self, known: list[Local], folio: str) -> str:
        """Return a `var` of a constant, or a `let` of a question."""
        rng, name = self.rng, self.name()
        kind = rng.choice(("bool",) * 4 + ("mood",) * 2 + ("number",) * 4)
        if rng.random() < 0.4:
            value, type = {
                "bool": (self.truth(known, folio, 2), "bool"),
                "mood": (f"if {self.truth(known, folio, 1)} then {self.member()} else {self.member()}", "mood"),
                "number": (self.chosen(known, folio), "u64"),
            }[kind]
            known.append((f"={name}", type))
            return f"let {name} = {value}"
        type = rng.choice(NUMBERS) if kind == "number" else kind
        first = {"bool": rng.choice(("false", "true")), "mood": self.member()}.get(type, str(rng.randint(0, 3)))
        known.append((name, type))
        return f"var {name}: {type} = {first}"

    def chosen(self, known: list[Local], folio: str) -> str:
        """Return a number of few values."""
        rng = self.rng
        kind = rng.choice(("one", "chain", "chain", "sum", "min", "fn", "votes", "apart"))
        if kind == "votes":
            return self.votes(known, folio)
        if kind == "apart":
            return self.apart(folio)
        if kind == "chain":
            values = range(rng.randint(1, 4), 0, -1)
            return " ".join(f"if {self.truth(known, folio, 0)} then {n} else" for n in values) + " 0"
        first = f"if {self.truth(known, folio, 1)} then {rng.randint(1, 3)} else"
        if kind == "one":
            return f"{first} {self.value(folio)}"
        if kind == "sum":
            return f"({first} 0) + (if {self.truth(known, folio, 0)} then 1 else 0)"
        if kind == "min":
            return f"min({self.value(folio)}, {rng.randint(1, 4)})"
        return f"weight({first} 0, {self.of('bool', known, folio)})"

    def votes(self, known: list[Local], folio: str) -> str:
        """Return a sum of ifs: each is one of two numbers."""
        number = self.rng.randint(4, 10)
        return " + ".join(
            f"(if {self.truth(known, folio, 0)} then {self.rng.randint(1, 3)} else 0)" for _ in range(number)
        )

    def apart(self, folio: str) -> str:
        """Return a sum of differences, of each of which either side may be the greater one."""
        pairs = [(self.value(folio), self.value(folio)) for _ in range(self.rng.randint(2, 6))]
        shape = self.rng.choice(("(max({a}, {b}) - min({a}, {b}))", "({a} - {b})", "gap({a}, {b})"))
        return " + ".join(shape.format(a=a, b=b) for a, b in pairs)

    def changes(self, known: list[Local], folio: str, number: int) -> str:
        """Return statements that set variables, each under a condition of its own."""
        return "\n".join(self.change(known, folio, self.rng.choice((1, 1, 2))) for _ in range(number))

    def change(self, known: list[Local], folio: str, depth: int) -> str:
        rng = self.rng
        inner = self.change(known, folio, depth - 1) if depth > 1 else self.set(known, folio)
        kind = rng.choice(("if", "if", "if", "else", "match"))
        if kind == "match":
            of = self.of("mood", known, folio)
            arms = f"{rng.choice(MOODS[:2])} {{ {inner} }} hot {{ {self.set(known, folio)} }}"
            return f"match {of} {{ {arms} otherwise {{ s += 1 }} }}"
        text = f"if {self.truth(known, folio, 1)} {{ {inner} {'s += 1' if rng.random() < 0.3 else ''} }}"
        return (
            f"{text} else if {self.truth(known, folio, 0)} {{ {self.set(known, folio)} }}" if kind == "else" else text
        )

    def set(self, known: list[Local], folio: str) -> str:
        rng = self.rng
        targets = [(name, type) for name, type in known if not name.startswith("=")]
        targets += [("on_fire", "bool"), ("sky", "mood")]
        targets += [(f"{folio}.old", "bool"), (f"{folio}.mood", "mood")] if folio else []
        name, type = rng.choice(targets)
        if type == "bool":
            value = rng.choice(("true", "false", f"not {name}", self.truth(known, folio, 1)))
        elif type == "mood":
            value = rng.choice((self.member(), self.of("mood", known, folio)))
        elif type[0] == "s":
            return f"{name} {rng.choice(('+=', '-='))} {rng.randint(1, 3)}"
        else:
            return rng.choice((f"{name} += 1", f"{name} = {self.value(folio)}", f"{name} = {rng.randint(0, 9)}"))
        return f"{name} = {value}"

    def reads(self, known: list[Local], folio: str) -> str:
        """Return statements that read each local, some of them twice."""
        rng = self.rng
        text = []
        for name, type in known * rng.choice((1, 1, 2)):
            text.append(self.read(name.lstrip("="), type, known, folio))
        bools = [name.lstrip("=") for name, type in known if type == "bool"]
        if len(bools) > 2:
            a, b, c = rng.sample(bools, 3)
            text += [f"s += among({a}, {b}, not {c})", f"on_fire = {' and '.join(bools)}"]
        return "\n".join(text)

    def read(self, name: str, type: str, known: list[Local], folio: str) -> str:
        rng = self.rng
        more = rng.choice(("", "", f" else {{ s = s ^ {rng.randint(1, 9)} }}"))
        if type == "bool":
            other = self.of("bool", known, folio)
            truth = rng.choice((name, name, f"not {name}", f"{name} and {other}", f"{name} == {other}"))
        elif type == "mood":
            if rng.random() < 0.4:
                arms = f"{MOODS[0]} {{ s += 1 }} {MOODS[1]}, {MOODS[3]} {{ t += 2 }}"
                return f"match {name} {{ {arms} otherwise {{ s = s ^ 3 }} }}"
            truth = rng.choice((f"{name} == {self.member()}", f"worse({name}, {self.of('mood', known, folio)})"))
        else:
            truth = f"{name} {rng.choice(('==', '>', '<', '>=', '!='))} {rng.choice((1, 2, 5))}"
        return f"if {truth} {{ s += {rng.randint(2, 40)} }}{more}"

    def evict(self) -> str:
        """Return scans: one collects, the next one uses it."""
        rng, known = self.rng, list[Local]()
        declared = [self.declare(known, "") for _ in range(rng.randint(4, 10))]
        if rng.random() < 0.5:
            declared.append("var best: u64 = 0  var second: u64 = 0  var seen: u8 = 0")
            known += [("best", "u64"), ("second", "u64"), ("seen", "u8")]
        best = "best" in dict(known)
        bound = rng.choice(("", " up to 64", " up to deep"))
        choice = (
            "if f.n > best { second = best  best = f.n } else if f.n > second { second = f.n }  seen += 1"
            if best
            else ""
        )
        collect = f"{choice} {self.changes(known, 'f', len(known))} {self.arms(known, 'f')}"
        text = [*declared, f"scan queue from head{bound} as f {{ {collect} }}"]
        if rng.random() < 0.4:
            inner = list(known)
            lets = [self.declare(inner, "h") for _ in range(rng.randint(3, 6))]
            text.append(f"scan queue from head as h {{ {' '.join(lets)} {self.arms(inner, 'h')} }}")
        if rng.random() < 0.7:
            use = self.changes(known, "g", 2) if rng.random() < 0.4 else ""
            text.append(f"scan other from head as g {{ {use} {self.arms(known, 'g')} }}")
        if rng.random() < 0.3:
            text.append(self.reads(known, ""))
        if rng.random() < 0.3:
            text.append("evict lowest worth of up to 64 from head of queue")
        return "\n".join([*text, "scan queue from head as last { evict last }"])

    def arms(self, known: list[Local], folio: str) -> str:
        fates: list[Callable[[], str]] = [
            lambda: "stop", lambda: "keep", lambda: f"evict {folio}",
            lambda: f"{self.set(known, folio)} evict {folio}", lambda: f"move {folio} to tail of other",
        ]  # fmt: skip
        whens = [
            f"when {self.truth(known, folio, 2)} {{ {self.rng.choice(fates)()} }}"
            for _ in range(self.rng.randint(0, 3))
        ]
        return " ".join([*whens, f"otherwise {{ evict {folio} }}"])

    def frame(self) -> str:
        """Return what keeps many values at a time."""
        number = self.rng.randint(8, 22)
        values = [
            self.rng.choice(
                (f"hash(f, s + {n})", f"f.index * {n + 3} + t", f"s / {n + 2} + f.pages", f"(t ^ {n}) % 97")
            )
            for n in range(number)
        ]
        lets = "\n".join(f"let w{n} = {value}" for n, value in enumerate(values))
        total = " + ".join(f"w{n}" for n in range(number))
        mixed = " ^ ".join(f"w{n}" for n in range(number))
        middle = self.rng.choice(
            ("s += 1", "signs = signs * 3 / max(signs, 2)", "s = floor(log2(s) / max(exp2(log2(w0)), 0.5))")
        )
        return f"{lets}\n{middle}\nif s % 2 == 0 {{ t = {total} }} else {{ t = {mixed} }}"

    # Expressions

    def truth(self, known: list[Local], folio: str, depth: int) -> str:
        rng = self.rng
        if depth and rng.random() < 0.5:
            word = rng.choice(("and", "or"))
            return f"({self.truth(known, folio, depth - 1)} {word} {self.truth(known, folio, depth - 1)})"
        kind = rng.choice(("local", "number", "number", "counted", "folio", "mood"))
        if kind == "local":
            return self.of("bool", known, folio)
        counted = [name.lstrip("=") for name, of in known if of in NUMBERS and of[0] == "u"]
        if kind == "counted" and counted:
            more = rng.choice((f"{rng.randint(0, 3)}", f"{rng.choice(counted)} + {rng.choice(counted)}"))
            return f"{rng.choice(counted)} {rng.choice(('==', '>', '<'))} {more}"
        if kind == "mood":
            return f"{self.of('mood', known, folio)} {rng.choice(('==', '!='))} {self.member()}"
        if kind == "folio" and folio:
            return rng.choice(("{f}.dirty", "{f}.writeback", "{f}.old", "{f}.pages > 4", "{f}.n == 3")).format(f=folio)
        return f"{self.value(folio)} {rng.choice(('==', '>', '<'))} {rng.randint(1, 9)}"

    def of(self, type: str, known: list[Local], folio: str) -> str:
        """Return a name of a bool or a mood."""
        names = [name.lstrip("=") for name, of in known if of == type]
        names += {"bool": ["on_fire"], "mood": ["sky"]}[type]
        names += [f"{folio}.{ {'bool': 'old', 'mood': 'mood'}[type] }"] if folio else []
        return self.rng.choice(names)

    def value(self, folio: str) -> str:
        rng = self.rng
        of_folio = (
            (f"{folio}.index % {rng.randint(2, 9)}", f"{folio}.n", f"{folio}.d", f"{folio}.pages") if folio else ()
        )
        return rng.choice(("s % 7", "t", "queue.size", f"t / {rng.randint(2, 9)}", *of_folio))

    def member(self) -> str:
        return self.rng.choice(MOODS)


def aimed(number: int, seed: int) -> str:
    """Return policy `number` of a seed."""
    return Aimed(random.Random(f"aimed {seed} {number}")).policy(f"aimed{number}")
