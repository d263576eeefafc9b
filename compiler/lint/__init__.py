"""`cpolc lint`: what compiles without a warning, and is likely not meant so.

rules/      one rule a file; rules/__init__.py lists them
subject.py  what a rule is given: a policy with what was computed of it
finding.py  what a rule found, and edits of the text
allow.py    comments that silence a rule, with a reason
run.py      all rules on one text; mending it
page.py     docs/lint.md
sarif.py    findings as SARIF 2.1.0

errors.toml explains each code, as it does those of errors and warnings.
"""
