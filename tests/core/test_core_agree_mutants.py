"""What test_core_agree.py compares shows faults: each of these changes makes a difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from core_agree import AGREE, POLICIES, build_policies, difference, events_of
from core_build import ROOT, build
from core_scenarios import lengthen

from cpol.runtime.explore.check.scenario import Scenario

pytestmark = pytest.mark.long

CORE = ROOT / "kernel" / "cache_ext"
SCENARIOS = 8

# Which policy shows it; the file of the core; what is changed there.
OF_THE_CORE = {
    "moved-to-the-other-end": (
        "lru",
        "kfuncs_list.c",
        "cache_ext_batch_move(ls, node, list, tail)",
        "cache_ext_batch_move(ls, node, list, !tail)",
    ),
    "moved-twice-in-a-batch": ("lru", "batch.c", "		move = moves[i];\n", "		return &moves[i];\n"),
    "batches-not-flushed": ("lru", "evict.c", "	cache_ext_batch_flush_all(&p->lists);", ""),
    "refused-before-moves": (
        "lirs",
        "evict.c",
        "		cache_ext_batch_flush_own(&p->lists);",
        "",
    ),
    "refused-to-the-near-end": (
        "fifo",
        "list.c",
        "		cnode_clear(node, NODE_FAR_TAIL);\n	else\n",
        "		;\n	if (0)\n",
    ),
    "iterator-from-the-other-end": (
        "sieve",
        "list.c",
        "					     cache_ext_list_end(list, from_tail);",
        "					     cache_ext_list_end(list, !from_tail);",
    ),
    "equal-scores": ("lfu", "candidates.c", "c[i - 1].score > score", "c[i - 1].score >= score"),
    "losers-stay": ("lfu", "select.c", "		cache_ext_list_defer_passed(list, before);", "		;"),
    "another-reason": (
        "twoq",
        "event.c",
        "folio_removed(folio, p->life.memcg, reason)",
        "folio_removed(folio, p->life.memcg, 0)",
    ),
    "refused": ("admit", "admit.c", "	return ret;", "	return !ret;"),
    "misses-are-hits": ("fifo", "event.c", "		ces_inc(p, CES_MISSES);", ""),
}

OF_POLICIES = {
    "placed-at-the-other-end": (
        "fifo",
        "cpol_place(c, my_f, LIST_my_queue, true",
        "cpol_place(c, my_f, LIST_my_queue, false",
    ),
    "another-ghost": ("arc", "cpol_ghost_add(c, my_b2, my_f)", "cpol_ghost_add(c, my_b1, my_f)"),
}


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    build_policies()


def differs(program: Path, name: str) -> bool:
    policy = next(policy for policy in POLICIES if policy.name == name)
    plain = Scenario(capacity=1, batch=1, params={}, actions=[])
    return any(
        difference(program, events_of(policy, lengthen(policy, plain, "mutants", number)))
        for number in range(SCENARIOS)
    )


def change(text: str, old: str, new: str, path: Path) -> Path:
    """Write the changed text. Returns the path of what will be built of it."""
    assert old in text, f"there is no {old!r} any more"
    path.with_suffix(".c").write_text(text.replace(old, new))
    return path


@pytest.mark.parametrize("name", OF_THE_CORE)
def test_core_mutant_differs(name: str, tmp_path: Path) -> None:
    policy, file, old, new = OF_THE_CORE[name]
    mutant = change((CORE / file).read_text(), old, new, tmp_path / "mutant")
    build("mutant-agree", f"MUTANT={mutant}", f"REPLACES={Path(file).stem}", f"POLICY={policy}")
    assert differs(mutant, policy)


@pytest.mark.parametrize("name", OF_POLICIES)
def test_policy_mutant_differs(name: str, tmp_path: Path) -> None:
    policy, old, new = OF_POLICIES[name]
    mutant = change((AGREE / f"{policy}.c").read_text(), old, new, tmp_path / "mutant")
    build("mutant-policy", f"MUTANT={mutant}")
    assert differs(mutant, policy)
