"""The drivers see faults: each of these changes to a core ends a run, of random events or of a case."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from core_build import build
from core_mutants import CaseMutant, check_case, mutated

pytestmark = pytest.mark.long

EVENTS = 2_000_000

MUTANTS = {
    "cursor-on-a-node-that-goes": ("list.c", "	step_over(list, node);\n	list_del_init(", "	list_del_init("),
    "split-not-counted": ("list.c", "	own(ls, pages);\n	cnode_set_order", "	cnode_set_order"),
    "freed-in-a-batch": ("event.c", "if (likely(!(was & NODE_BATCHES_MASK)))", "if (true)"),
    "never-freed-in-a-batch": ("batch.c", "			cache_ext_node_free_rcu(node);\n", "			;\n"),
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
        "		cache_ext_list_unpin(&p->lists, node);\n		forget(node, cnode_set_state(",
        "		forget(node, cnode_set_state(",
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

# These need another CPU at one moment, or a machine of one kind: a case has both. It is said to fail, with these words.
CASE_MUTANTS: dict[str, CaseMutant] = {
    "code-keeps-a-reference": (
        "asked-for-code",
        "a reference is left",
        "executable.c",
        (("	folio_put(folio);\n", ""),),
    ),
    "code-of-all-mappings": (
        "asked-for-code",
        "all mappings of a file are looked at",
        "executable.c",
        (("looks++ < SHORT_WALK && ", ""),),
    ),
    "code-with-interrupts-off": (
        "asked-for-code",
        "with interrupts off",
        "executable.c",
        (("	if (irqs_disabled())\n		return false;\n", ""),),
    ),
    "code-of-what-goes": (
        "asked-for-code",
        "what is removed is code",
        "executable.c",
        (("node && cnode_state(node) != NODE_DYING", "node"),),
    ),
    "wishes-add-up": (
        "wanted-by-the-policy",
        "pages are left",
        "wanted.c",
        ((" : since) + pages", " : (unsigned long)was) + pages"),),
    ),
    "wanted-for-ever": (
        "wants-all-there-is",
        "is wanted for ever",
        "wanted.c",
        (("		if (!freed && atomic", "		if (0 && atomic"),),
    ),
    "vain-wishes-do-not-wait": (
        "wants-and-gives-nothing",
        "does not make the next one late",
        "wanted.c",
        (("	if (!freed)\n		rest = ", "	if (0)\n		rest = "),),
    ),
    "dear-wishes-do-not-rest": (
        "wants-dearly",
        "followed by another one at once",
        "wanted.c",
        (("	WRITE_ONCE(p->wanted_not_before, jiffies + rest);\n", ""),),
    ),
    "asked-anew-during-a-dear-run": (
        "wanted-anew-in-a-dear-run",
        "followed by another one at once",
        "wanted.c",
        (("	if (test_and_set_bit(0, &p->wanted_queued))\n		return;\n", ""),),
    ),
    "what-others-bring-is-lost": (
        "wanted-anew-in-a-dear-run",
        "where others came",
        "wanted.c",
        ((" : since) + pages", " : 0) + pages"),),
    ),
    "wanted-of-now": (
        "wanted-from-a-size-of-before",
        "are no more than it may have",
        "wanted.c",
        ((" : since) + pages", " : gone) + pages"),),
    ),
    "wanted-of-the-future": (
        "wanted-from-a-size-of-before",
        "the time of a number moves it",
        "wanted.c",
        (("(long)(gone - since) < 0 ? gone : since", "(long)(gone - since) < 0 ? since : since"),),
    ),
    "wanted-though-it-went": (
        "wanted-less-after-reclaim",
        "pages are left",
        "list.c",
        (("	WRITE_ONCE(ls->gone, ls->gone + ", "	WRITE_ONCE(ls->gone, ls->gone + 0 * "),),
    ),
    "shifts-by-what-user-space-says": (
        "no-such-member",
        "shift exponent",
        "kfuncs.c",
        (("member < CACHE_EXT_MEMBERS &&\n	       cache_ext_kfunc_members", "cache_ext_kfunc_members"),),
    ),
    "moves-while-noted": (
        "orders-of-moves",
        "no sequence of the moves",
        "kfuncs_list.c",
        (("		if (!cnode_begin_move(node))\n			return -EAGAIN;\n", "		cnode_begin_move(node);\n"),),
    ),
    "keeps-its-first-place": (
        "orders-of-moves",
        "no sequence of the moves",
        "batch.c",
        (
            (
                "		moves[batch->nr - 1] = move;\n		return &moves[batch->nr - 1];",
                "		return &moves[i];",
            ),
            ("		memmove(&moves[i], &moves[i + 1],\n			(batch->nr - 1 - i) * sizeof(move));\n", ""),
        ),
    ),
    "one-note-for-all": (
        "orders-of-moves",
        "no sequence of the moves",
        "batch.c",
        (
            (
                "(word & NODE_BATCHES_MASK) == NODE_BATCHES_MASK)",
                "word & NODE_BATCHES_MASK)",
            ),
            (
                "		move = add_move(ls, batch, node);\n",
                "		move = add_move(ls, batch, node);\n	batched = cnode_word(node) & NODE_BATCHES_MASK;\n",
            ),
        ),
    ),
    "another-list-by-then": (
        "orders-of-moves",
        "no sequence of the moves",
        "batch.c",
        (("		move->stale = cnode_list(node) != list;\n", "		move->stale = false;\n"),),
    ),
    "noted-while-moved": (
        "moved-while-used",
        "WARN_ON(ret == -EAGAIN)",
        "batch.c",
        (("	if (READ_ONCE(ls->movers) || !mark(node)) {", "	if (!mark(node)) {"),),
    ),
    "tries-again": (
        "moved-while-used",
        "does not end",
        "kfuncs_list.c",
        (
            ("	if (ret == -EAGAIN) {", "	while (ret == -EAGAIN) {"),
            ("		WRITE_ONCE(ls->movers, ls->movers + 1);\n", ""),
            ("		WRITE_ONCE(ls->movers, ls->movers - 1);\n", ""),
        ),
    ),
    "left-under-its-old-name": (
        "looked-up-while-migrated",
        "heap-use-after-free",
        "index.c",
        (("	cache_ext_node_erase(node);\n	if (folio_key(folio)", "	if (folio_key(folio)"),),
    ),
    "names-no-folio-any-more": (
        "migrates-while-proposed",
        "page frame 0xffffffff does not exist",
        "change.c",
        (
            (
                "	if (WARN_ON_ONCE(!err &&",
                "	if (err)\n		node->pfn = CACHE_EXT_MAX_PFN;\n	if (WARN_ON_ONCE(!err &&",
            ),
        ),
    ),
    "migrates-without-memory": (
        "looked-up-while-migrated",
        "a node is listed that is not found",
        "change.c",
        (
            (
                "	err = cache_ext_node_rename(node, new);\n",
                "	err = 0;\n	cache_ext_node_rename(node, new);\n",
            ),
        ),
    ),
    "dying-is-renamed": (
        "looked-up-while-migrated",
        "WARN_ON(rhashtable_remove_fast(",
        "change.c",
        (("	if (state == NODE_DYING || state == NODE_NEW) {", "	if (state == NODE_NEW) {"),),
    ),
    "looks-up-what-others-read": (
        "read-by-others",
        "without a policy is looked up",
        "refused.c",
        ((" && cache_ext_policy_of(memcg) && is_refused", " && is_refused"),),
    ),
    "goes-on-without-a-link": (
        "link-goes-during-init",
        "a policy governs without a link",
        "../policy_ext/life.c",
        (("		retire_unlinked(l->old);\n", "		;\n"),),
    ),
    "looks-up-what-others-reclaim": (
        "kept-of-others",
        "is looked up",
        "pin.c",
        (("	if (memcg && cache_ext_policy_of(memcg))\n		node", "	(void)memcg;\n	node"),),
    ),
    "erased-after-its-programs": (
        "removed-while-noted",
        "a node is freed while its folio leads to it",
        "event.c",
        (
            ("hint, and then it is released. */\n	cache_ext_node_erase(node);\n", "hint. */\n"),
            ("reason, own);\n	release(node, was);", "reason, own);\n	forget(node, was);"),
        ),
    ),
    "uncharged-before-it-goes": (
        "charged-until-freed",
        "nodes that wait for RCU are not charged",
        "index.c",
        (
            (
                "	call_rcu(&node->rcu, free_rcu);",
                "	obj_cgroup_uncharge(cache_ext_node_kinds[node->policy]->objcg,\n"
                "			    cache_ext_node_kinds[node->policy]->charge);\n"
                "	call_rcu(&node->rcu, free_rcu);",
            ),
        ),
    ),
    "pinned-for-nobody": (
        "pinned-while-migrated",
        "a folio is pinned that is nobody's yet",
        "pin.c",
        (("		if (!memcg)\n", "		if (0)\n"),),
    ),
    "one-excuses-all": (
        "one-that-is-protected",
        "is not ended for it",
        "watchdog.c",
        (("pass->passed >= pass->looked)", "true)"),),
    ),
    "looks-up-what-goes-of-others": (
        "read-by-others",
        "without a policy is looked up",
        "event.c",
        (("	if (found)\n		removed(", "	(void)found;\n	removed("),),
    ),
    "passes-by-who-leaves": (
        "goes-from-who-leaves",
        "knows a folio that is gone",
        "event.c",
        (("	return atomic_read(&cache_ext_leaving);", "	return false;"),),
    ),
    "a-call-has-its-steps-anew": (
        "few-of-all-at-a-time",
        "steps in a pass that proposes",
        "evict.c",
        (("	pass->steps_left = r->steps_left;\n", ""),),
    ),
    "goes-on-with-few-steps": (
        "few-of-all-at-a-time",
        "however many steps it takes",
        "evict.c",
        (("	       pass.steps_left >= CACHE_EXT_MAX_SCAN &&", "	       pass.steps_left &&"),),
    ),
    "dawdling-is-no-offence": (
        "few-of-all-at-a-time",
        "is none, or two",
        "watchdog.c",
        (("	if (pass->spent ||\n	    pass->freed * 8", "	if (pass->freed * 8"),),
    ),
    "dawdling-wants-evidence": (
        "few-of-all-at-a-time",
        "is none, or two",
        "watchdog.c",
        (("	if (!pass->spent && atomic_long_read", "	if (atomic_long_read"),),
    ),
    "few-steps-for-a-page": (
        "twice-through-for-each-batch",
        "before all is delivered",
        "evict.c",
        (("pages * CACHE_EXT_PAGE_SCAN,", "pages * 64,"),),
    ),
    "nodes-of-the-reserve": (
        "split-part-disowned",
        "from the machine's reserves",
        "node.c",
        (("(gfp & ~__GFP_HIGH) | __GFP_NOMEMALLOC", "gfp | __GFP_NOMEMALLOC"),),
    ),
    "nodes-of-reclaim": (
        "short-of-memory",
        "from the machine's reserves",
        "node.c",
        (("(gfp & ~__GFP_HIGH) | __GFP_NOMEMALLOC", "gfp & ~__GFP_HIGH"),),
    ),
    "waits-for-a-limit-above": (
        "limit-of-the-parent",
        "who reclaims for another cgroup waits",
        "evict.c",
        (("	    mem_cgroup_is_descendant(s->target, p->life.memcg) &&\n", ""),),
    ),
    "asks-again-for-what-is-left": (
        "short-list-that-cannot-go",
        "pages go where 32 are wanted",
        "evict.c",
        (("pass->wanted - pass->freed + pass->unfit, proposed", "pass->wanted - pass->freed, proposed"),),
    ),
    "any-node-with-no-cgroup-below": (
        "only-of-the-asked-node",
        "reclaim of a node gets nothing",
        "evict.c",
        (("READ_ONCE(p->subtree) || nr_online_nodes > 1 ||", "READ_ONCE(p->subtree) ||"),),
    ),
    "any-node": (
        "only-of-the-asked-node",
        "reclaim of a node gets nothing",
        "evict.c",
        (("	if (folio_nid(folio) != r->ctx.nid ||\n	    folio_zonenum", "	if (folio_zonenum"),),
    ),
    "sample-of-other-nodes": (
        "only-of-the-asked-node",
        "reclaim of a node gets nothing",
        "select.c",
        (
            (
                "		chunk = min(left, SELECT_CHUNK);\n",
                "		chunk = min3(left, SELECT_CHUNK, limit);\n		limit -= chunk;\n",
            ),
        ),
    ),
    "pins-half-of-the-machine": (
        "pinned-without-limit",
        "folios of a cgroup without a limit are pinned",
        "../policy_ext/quota.c",
        (("	if (limit >= totalram_pages())\n		return 0;\n", ""),),
    ),
    "torn-down-during-init": (
        "removed-during-init",
        "WARN_ON(left < 0)",
        "../policy_ext/life.c",
        (("	if (!l->initializing)\n		queue_work", "	queue_work"),),
    ),
    "never-torn-down": (
        "removed-during-init",
        "a policy holds a cgroup that is gone",
        "../policy_ext/life.c",
        (
            (
                "	WRITE_ONCE(l->dead, true);\n	queue_work(policy_ext_long_wq, &l->teardown);",
                "	mark_dead(l);",
            ),
        ),
    ),
    "drains-each-time": (
        "drains-once-a-second",
        "all CPUs are drained",
        "../policy_ext/work.c",
        (("(long)(next_drain - jiffies)", "0"),),
    ),
    "kept-for-its-link": (
        "links-of-cgroups-that-are-gone",
        "a policy is kept whose cgroup is gone",
        "../policy_ext/life.c",
        (("	if (l->quiet && l->linked)\n		unlink(l);\n", ""),),
    ),
    "waits-for-reclaim": (
        "ends-while-reclaimed",
        "a worker waits for reclaim",
        "detach.c",
        (("	cache_ext_let_go(p);\n", "	cache_ext_let_go(p);\n	wait_for_completion(&p->unheld);\n"),),
    ),
    "adopts-at-once": (
        "ends-while-asked",
        "folios change hands while a program runs",
        "ops.c",
        (("	} else {\n		/* Else when", "	}\n	{\n		/* Else when"),),
    ),
    "charges-past-the-limit": (
        "attached-to-a-full-cgroup",
        "lists are made for which there is no room",
        "ops.c",
        (("				     bytes > CACHE_EXT_LEEWAY ||\n", ""),),
    ),
    "counts-for-nobody": (
        "attached-to-a-full-cgroup",
        "not all of a policy is charged",
        "ops.c",
        (("num_possible_cpus() *\n		     (sizeof", "0 *\n		     (sizeof"),),
    ),
    "reclaims-at-attach": (
        "attached-to-a-full-cgroup",
        "reclaim under BPF's lock",
        "ops.c",
        (("	p = kvzalloc(sizeof(*p), POLICY_EXT_GFP_REG);\n", "	p = kvzalloc(sizeof(*p), GFP_KERNEL);\n"),),
    ),
    "adopts-in-the-order-of-the-lru": (
        "replaced-in-order",
        "not the old policy's order",
        "ops.c",
        (("	if (old)\n		cache_ext_inherit(p, old);\n", ""),),
    ),
    "inherits-from-the-tail": (
        "replaced-in-order",
        "not the old policy's order",
        "tree.c",
        (
            (
                "	node = cache_ext_list_end(&ls->list[nr], false);",
                "	node = cache_ext_list_end(&ls->list[nr], true);",
            ),
        ),
    ),
}


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    build("random", "cases")


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_found(name: str, tmp_path: Path) -> None:
    file, old, new = MUTANTS[name]
    program = mutated(tmp_path, "cache_ext", "mutant", file, (old, new))
    done = subprocess.run([program, "1", str(EVENTS)], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, done.stdout


@pytest.mark.parametrize("name", CASE_MUTANTS)
def test_case_finds_mutant(name: str, tmp_path: Path) -> None:
    check_case(tmp_path, "cache_ext", "mutant-case", CASE_MUTANTS[name])
