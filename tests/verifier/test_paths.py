"""Variables that were set early and are read late: the verifier must not follow each of their values.

And an index that a question chooses: clang knows a bound of the answer that the verifier does not.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import um
import um_objects

from cpol.compiler import compile_source
from cpol.compiler.backend import bpf

pytestmark = [pytest.mark.vm, pytest.mark.long]

COUNT = 10
"""Of variables: two values of each make 1,024 paths."""
MOST = 20_000
"""Instructions; with values known, over 1,000,000."""


def each(text: str, count: int = COUNT) -> str:
    return "".join(text.format(n=n, m=n + 2, other=(n + 1) % count) + "\n" for n in range(count))


SHAPES = {
    "flags in ifs": each("var b{n}: bool = false")
    + each("if f.index % {m} == 1 {{ b{n} = true  s += 1 }}")
    + each("if b{n} {{ s += {m} }}"),
    "moods in ifs": each("var e{n}: mood = cold")
    + each("if f.index % {m} == 1 {{ e{n} = hot }} else if f.n > {m} {{ e{n} = warm }}")
    + each("match e{n} {{ cold {{ s += 1 }} warm {{ t += {m} }} hot {{ s = s ^ {m} }} }}"),
    "questions": each("let b{n} = f.index % {m} == 0 or s > {n}")
    + each("if b{n} {{ s += {m} }} else {{ s = s ^ {m} }}")
    + each("if b{n} and not b{other} {{ t += {m} }}"),
    "numbers": each("var v{n}: u8 = 0")
    + each("if f.index % {m} == 1 {{ v{n} = {m} }}")
    + each("if v{n} > 1 {{ s += {m} }}") * 2,
    "states": each("if f.index % {m} == 1 {{ on{n} = true }} else if f.n == {m} {{ on{n} = false }}")
    + each("if on{n} {{ s += {m} }}") * 2,
    "arguments": each("var b{n}: bool = false")
    + each("if f.index % {m} == 1 {{ b{n} = not b{n} }}")
    + each("s += both(b{n}, b{other})"),
    "a loop": each("var b{n}: bool = false")
    + f"for i in 0..7 {{ {each('if f.index % {m} == i {{ b{n} = not b{n} }}')} }}"
    + each("if b{n} {{ s += {m} }}"),
}
"""Of a handler of `accessed`."""
SCANS = {
    "toggled": each("var b{n}: bool = false", 6)
    + f"scan queue from head as f {{ {each('if f.index % {m} == 0 {{ b{n} = not b{n} }}', 6)}"
    + f" when {' and '.join(f'b{n}' for n in range(6))} {{ stop }} otherwise {{ evict f }} }}",
    "votes": "scan queue from head as f { let v = f.n\n"
    + "let sum = "
    + " + ".join(f"(if f.index % {n + 2} == 1 then {n} else 0)" for n in range(1, COUNT))
    + "\nwhen sum > v { evict f } otherwise { keep } }",
    "answers": "scan queue from head as f { when "
    + " > s and ".join("polled(" + ", ".join(f"f.index % {n + m} == 1" for n in range(2, 8)) + ")" for m in range(4))
    + " > s { evict f } otherwise { keep } }",
    "differences": "scan queue from head as f { let sum = "
    + " + ".join(f"(max(f.index, s + {n}) - min(f.n, t + {n}))" for n in range(COUNT))
    + "\nwhen sum > 5 { evict f } otherwise { keep } }",
    "what is left": "evict lowest left of up to 64 from head of queue",
    "collected, then used": each("var b{n}: bool = false", 5)
    + "var best: u64 = 0  var second: u64 = 0  var seen: u8 = 0\n"
    + "scan queue from head up to 64 as f {"
    + "if f.n > best { second = best  best = f.n  b0 = true } else if f.n > second { second = f.n }  seen += 1\n"
    + "if f.dirty { b1 = true }  if f.writeback { b2 = true }\n"
    + "if f.pages > 4 { b3 = true }  if f.n == 7 { b4 = true }\n"
    + "when seen > 32 and b0 { stop } when b1 and not b2 and f.n == 0 and not b4 { evict f } }\n"
    + "scan queue from head as g { when g.n == best and b0 { keep } when g.n < second or b3 { evict g }"
    + " otherwise { evict g } }",
}
"""Of a handler of `evict`."""

CHOSEN = """policy shape {
  list queue
  folio { many: u64[4] = 0 }
  ghost gone { capacity: 16 }
  table row: u64[4] = 0
  state s: u64 = 0
  on added(f) { place f at tail of queue }
  on accessed(f) {
    s += if gone.take(f) then f.many[1] else f.many[0]
    s += if gone.has(f) then f.many[3] else f.many[2]
    s += if f.dirty then row[1] else row[0]
    if f.dirty { f.many[1] = s } else { f.many[0] = s }
    if f.dirty { row[1] = s } else { row[0] = s }
  }
  on removed(f) { gone.add(f) }
  on evict { scan queue from head as f { evict f } }
}"""
"""Indices that a question chooses. Clang took the answer itself for the index, and the verifier knew no bound of it."""


def policy(name: str, accessed: str, evict: str) -> str:
    return f"""policy {name} {{
      enum mood {{ cold, warm, hot }}
      list queue
      folio {{ n: u8 = 0 }}
      state s: u64 = 0  state t: u64 = 0
      {each("state on{n}: bool = false")}
      fn polled(a: bool, b: bool, c: bool, d: bool, e: bool, g: bool): u64 =
        {" + ".join(f"(if {name} then {n} else 0)" for n, name in enumerate("abcdeg", 1))}
      score left(f) = {" + ".join(f"(f.index - s - {n}) + (t - f.pages)" for n in range(COUNT))}
      fn both(a: bool, b: bool): u64 = (if a then 1 else 0) + (if b then 2 else 0) + (if a == b then 4 else 0)
      on added(f) {{ place f at tail of queue }}
      on accessed(f) {{ {accessed} }}
      on evict {{ {evict}  scan queue from head as last {{ evict last }} }}
    }}"""


def test_the_verifier_follows_few_paths(tmp_path: Path) -> None:
    texts = {what: policy("shape", body, "") for what, body in SHAPES.items()}
    texts |= {what: policy("shape", "f.n += 1", body) for what, body in SCANS.items()}
    built = [tmp_path / f"{number}.bpf.o" for number in range(len(texts))]
    for text, path in zip(texts.values(), built, strict=True):
        bpf.compile_policy(compile_source(text, "shape.cpol"), path)
    verdicts = dict(zip(texts, um_objects.verify(um.kernel(), built), strict=True))
    print({what: verdict.instructions for what, verdict in verdicts.items()})
    wrong = {
        what: one.refusal or one.instructions
        for what, one in verdicts.items()
        if one.refusal or one.instructions > MOST
    }
    assert not wrong


def test_an_index_that_a_question_chooses_is_bounded(tmp_path: Path) -> None:
    built = tmp_path / "chosen.bpf.o"
    bpf.compile_policy(compile_source(CHOSEN, "chosen.cpol"), built)
    (verdict,) = um_objects.verify(um.kernel(), [built])
    assert not verdict.refusal
