"""docs/lint.md: what the command does, and its rules, from errors.toml."""

from __future__ import annotations

from textwrap import fill

from cpol.compiler.diagnostics.errors import Explanation, registry
from cpol.compiler.lint.run import CODES

WIDTH = 100

HEAD = """\
# Lint: what compiles, and is likely not meant so

`make generate` makes this page from `compiler/diagnostics/errors.toml` and `compiler/lint/page.py`.

`cpolc lint POLICY …` looks at policies that compile, for what their author seldom means. It shows
what it finds as errors are shown: the place, why, and what to write instead. The compiler's
warnings (W0401 and so on) are among the findings.

- POLICY is a name of the standard library, a path, or `-` for standard input. Files that a policy
  imports are read, and what is found in them is left out. A library by itself is refused: rules
  look at what a policy decides, and a library decides nothing.
- The exit code is 0 if nothing is found, 1 if something is or a policy has an error, and 2 if the
  command line is wrong.
- `cpolc explain CODE` explains a rule, as it does errors.

## Mend

`cpolc lint --fix` mends what it can without a change of decisions, and shows the rest. It makes
consts of params with one value and of states that nothing assigns to, and removes comments that
silence nothing. It replaces a file as `cpolc fmt` does: as a whole, with its permissions, and only
if the new text compiles. A file that is read-only stays as it is. With `-` it writes the new text
to standard output, and findings to standard error.

## Silence a rule, with a reason

A comment silences rules on the line that it ends, or on the next line that has more than comments:

```cpol
ghost recent { capacity: 2 * cache.capacity }  // lint: allow L0107 because the paper has two
on added(f) { if recent.take(f) { place f at head of queue } else { place f at tail of queue } }
// lint: allow L0109 because nobody deletes files of this database
on removed(f) { recent.add(f) }
```

What is found about the policy as a whole is on the line of its name. A comment above the doc
comment silences it, too. A comment that names no reason is a finding ([L0191](#l0191)), and so is
one whose rule finds nothing there ([L0190](#l0190)): when the policy is mended, the comment goes.
Errors and the compiler's warnings cannot be silenced.

## Which kernels

[L0115](#l0115) asks the profiles of the patched kernel and of the module. `--profile NAME` names
those that your policies should run on; it may be repeated.

## For programs

`--json` writes an object a line, with the keys that messages have ([checking](checking.md)) and
`fix`: the edits that mend it, each with `file`, `line`, `column`, `end_line`, `end_column` and the
`text` that goes there. Findings go to standard output, and errors to standard error.

`--sarif` writes one SARIF 2.1.0 log to standard output, with findings, errors, fixes, and what
comments silence as suppressed. Code review and editors read it. Paths are as they were given, so
run it in the root of the checkout.

## The rules
"""


def page() -> str:
    """The text of docs/lint.md."""
    rules = [registry()[code] for code in CODES]
    rows = [f"| [{rule.code}](#{rule.code.lower()}) | {rule.title} |" for rule in rules]
    table = "\n".join(["| code | finds |", "| --- | --- |", *rows])
    return "\n".join([HEAD, table, "", *map(_section, rules)])


def _section(rule: Explanation) -> str:
    parts = [f"### {rule.code}", f"**{rule.title[0].upper()}{rule.title[1:]}.** {rule.explanation}"]
    parts[1] = fill(parts[1], WIDTH, break_on_hyphens=False, break_long_words=False)
    for word, example in (("Found:", rule.wrong), ("Not found:", rule.right)):
        parts += (word, f"```cpol\n{example}\n```")
    return "\n\n".join(parts) + "\n"
