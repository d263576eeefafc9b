"""The drivers see faults: each of these changes to the core ends a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from core_build import ROOT, build

CORE = ROOT / "kernel" / "cache_ext"
EVENTS = 2_000_000

MUTANTS = {
    "cursor-on-a-node-that-goes": ("list.c", "	step_over(list, node);\n	list_del_init(", "	list_del_init("),
    "split-not-counted": ("list.c", "	own(ls, pages);\n	cnode_set_order", "	cnode_set_order"),
    "freed-in-a-batch": ("event.c", "if (likely(!(was & NODE_BATCHED)))", "if (true)"),
    "never-freed-in-a-batch": ("batch.c", "		cache_ext_node_free_rcu(ls->kind, node);\n", ""),
    "left-in-the-index": ("event.c", "{\n	cache_ext_node_erase(node);\n", "{\n"),
    "lost-in-reclaim": ("evict.c", "	restore_rest(p, &nodes);\n", ""),
    "candidates-in-hand": (
        "candidates.c",
        "		lose(r, r->candidates[i].node);\n	r->nr_candidates = 0;",
        "		;",
    ),
    "part-not-found": ("change.c", "	if (!cache_ext_claim(", "	if (0 && !cache_ext_claim("),
    "rcu-too-short": (
        "tree.c",
        "	rcu_read_lock();\n	known = is_known(folio);\n	rcu_read_unlock();",
        "	known = is_known(folio);",
    ),
    "pin-outlives-its-folio": (
        "event.c",
        "		cache_ext_list_unpin(&p->lists, node);\n		was = cnode_set_state(",
        "		was = cnode_set_state(",
    ),
    "pin-holds-its-cgroup": ("pin_count.c", "		css_put(&memcg->css);\n", "		(void)memcg;\n"),
    "part-pinned-for-nobody": ("pin_count.c", "	count(ls, slot, cnode_pages(part));\n", "	(void)slot;\n"),
    "interrupts-on": (
        "isolate.c",
        "	spin_lock_irqsave(&p->lists.lock, irq);",
        "	irq = 0;\n	spin_lock(&p->lists.lock);",
    ),
    "sleeps-under-rcu": (
        "evict.c",
        "		rcu_read_unlock();\n		if (r->nr_proposals || ",
        "		cond_resched();\n		rcu_read_unlock();\n		if (r->nr_proposals || ",
    ),
}


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    build("random")


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_found(name: str, tmp_path: Path) -> None:
    file, old, new = MUTANTS[name]
    text = (CORE / file).read_text()
    assert text.count(old) >= 1, f"{file} has no such text any more"
    mutant = tmp_path / "mutant"
    mutant.with_suffix(".c").write_text(text.replace(old, new))
    build("mutant", f"MUTANT={mutant}", f"REPLACES={Path(file).stem}")
    done = subprocess.run([mutant, "1", str(EVENTS)], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, done.stdout
