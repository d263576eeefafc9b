"""The drivers see faults: each of these changes to a core ends a run, of random events or of a case."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from core_build import ROOT, build

pytestmark = pytest.mark.slow

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
CASE_MUTANTS: dict[str, tuple[str, str, str, tuple[tuple[str, str], ...]]] = {
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
                "		move = note(ls, batch, node);\n",
                "		move = note(ls, batch, node);\n	batched = cnode_word(node) & NODE_BATCHES_MASK;\n",
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
        (("	      cache_ext_policy_of((struct mem_cgroup *)memcg) &&\n", ""),),
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

# The same of prefetching.
PREFETCH_MUTANTS: dict[str, tuple[str, str, str, tuple[tuple[str, str], ...]]] = {
    "tells-each-time": ("told-once", "ran, again", "swap.c", ((" && !(vmf->flags & FAULT_FLAG_TRIED);", ";"),)),
    "tells-where-it-asks": (
        "timed-in-part",
        'strcmp(ran, "n")',
        "swap.c",
        (("(flags || !is_asked(data_race(si->flags)))", "true"),),
    ),
    "tells-nobody-of-what-is-not-asked": (
        "told-at-once",
        'strcmp(ran, "f")',
        "swap.c",
        (
            ("!times && is_asked(data_race(si->flags)))", "!times)"),
            ("(flags || !is_asked(data_race(si->flags)))", "flags"),
        ),
    ),
    "asks-while-swapped-off": (
        "told-while-swapped-off",
        "!swap_fault(7, 0)",
        "swap.c",
        (("	if (!(device_flags & SWP_WRITEOK))\n		return false;\n", ""),),
    ),
    "times-by-turns": (
        "timed-in-part",
        "reads[task] >",
        "swap.c",
        (("this_cpu_read(drawn) * 1664525 + 1013904223;", "this_cpu_read(drawn) + (1U << 29);"),),
    ),
    "times-for-who-governs": (
        "replaced-between-hooks",
        "timed(policy) == 8",
        "swap.c",
        (("prefetch_ext_policy_of_id(id_of(cookie));", "prefetch_ext_of_current();"),),
    ),
    "times-for-who-is-gone": (
        "ended-between-hooks",
        "",
        "swap.c",
        (("	if (p)\n		this_cpu_add(p->stats->latency", "	this_cpu_add(p->stats->latency"),),
    ),
    "looks-up-folios-of-others": (
        "marks-that-others-touch",
        "!touched_by(&elsewhere)",
        "mark.c",
        (
            (
                "for (p = prefetch_ext_policy_of(memcg); p && !found;",
                "for (p = prefetch_ext_of_current(); p && !found;",
            ),
        ),
    ),
    "asks-the-nearest-only": (
        "marks-of-a-policy-above",
        "prefetch_ext_use(&below, &one, 0",
        "mark.c",
        (("return prefetch_ext_policy_of(parent_mem_cgroup(p->life.memcg));", "return p ? NULL : NULL;"),),
    ),
    "has-as-many-marks-as-it-likes": (
        "marks-beyond-the-share",
        "policy->marks.nr == most",
        "mark.c",
        (("		take_oldest(p);\n", ""),),
    ),
    "takes-the-newest": (
        "marks-beyond-the-share",
        "judged - 2",
        "mark.c",
        (("list_add_tail(&m->link, &marks->list);", "list_add_tail(&m->link, marks->list.next);"),),
    ),
    "counts-what-somebody-took-before": (
        "marks-taken-meanwhile",
        "",
        "mark.c",
        (
            (
                "	if (rhashtable_remove_fast(&marks->table, &m->node, params))\n		return false;\n",
                "	rhashtable_remove_fast(&marks->table, &m->node, params);\n",
            ),
        ),
    ),
    "drops-what-another-has-read": (
        "dropped-of-own",
        "(i >= 100)",
        "range_drop.c",
        (("	    !prefetch_ext_governs_folio(p, folio))", "	    0)"),),
    ),
    "writer-drains-all": (
        "drained-by-workers",
        "!READ_ONCE(drains)",
        "range_act.c",
        (("		lru_add_drain();\n		schedule", "		lru_add_drain_all();\n		schedule"),),
    ),
    "workers-drain-at-each-try": (
        "drained-by-workers",
        "READ_ONCE(drains) >= 1",
        "range_late.c",
        (("in_use && now - due >= 0 &&", "in_use && now - due >= -(long)DRAIN_DELAY &&"),),
    ),
    "drops-what-is-half-read": (
        "part-reads-each-page-once",
        "file->disk_reads == PAGES",
        "range.c",
        (("(stops && r.last-- == r.first)", "0"),),
    ),
    "keeps-the-end-of-the-file": (
        "part-reads-each-page-once",
        "told == PAGES",
        "range.c",
        (("		pos + count < i_size_read(file_inode(file));", "		true;"),),
    ),
    "keeps-what-is-half-read": (
        "part-reads-elsewhere",
        "told == i - 1",
        "range_part.c",
        (("elsewhere = !inside && e->task == current;", "elsewhere = false;"),),
    ),
    "another-thread-ends-it": (
        "part-reads-of-threads",
        "disk_reads == 40",
        "range_part.c",
        (("elsewhere = !inside && e->task == current;", "elsewhere = !inside;"),),
    ),
    "remembers-a-file-that-is-gone": (
        "part-reads-elsewhere",
        "told == 30",
        "range.c",
        (("	prefetch_ext_part_ends(file, &none);\n", "	(void)none;\n"),),
    ),
    "drops-what-is-half-written": (
        "part-written-stays",
        "== part",
        "range_act.c",
        (("	if (r->part && less.last-- == r->first)\n		return;\n", ""),),
    ),
    "drops-it-later": (
        "part-written-later",
        "!file->disk_reads",
        "range_late.c",
        (("			to->part = r->part;", "			to->part = false;"),),
    ),
    "flushes-no-half-page": (
        "part-written-stays",
        "flushed_to",
        "range_act.c",
        (("<< PAGE_SHIFT) + PAGE_SIZE - 1;", "<< PAGE_SHIFT) + (r->part ? 0 : PAGE_SIZE) - 1;"),),
    ),
    "keeps-it-when-closed": (
        "part-reads-elsewhere",
        "told == 29",
        "range.c",
        (("		tell_of_part(file, &left, false);\n", "		(void)left;\n"),),
    ),
    "climbs-through-others": (
        "found-beside-many",
        "visited() <=",
        "../module/prefetch_find.c",
        (("DEFINE_HASHTABLE(policies, CACHE_EXT_TABLE_BITS);", "DEFINE_HASHTABLE(policies, 6);"),),
    ),
    "counts-under-the-mutex": (
        "statistics-of-all",
        "statistics are written under the mutex",
        "../policy_ext/stat.c",
        (
            (
                "	for (i = 0; i < nr; i++) {\n		show_head",
                "	mutex_lock(type->lock);\n	for (i = 0; i < nr; i++) {\n		show_head",
            ),
            ("	kvfree(lines);\n", "	mutex_unlock(type->lock);\n	kvfree(lines);\n"),
        ),
    ),
    "looks-when-it-writes": (
        "statistics-of-one-instant",
        'lines_of("state=attached") == 2',
        "../policy_ext/stat.c",
        (
            ("line->life->name, line->state);", 'line->life->name, line->life->dead ? "detached" : "attached");'),
            ("	if (line->exited)\n", "	if (line->state)\n"),
        ),
    ),
    "shifts-by-what-user-space-says": (
        "no-such-member",
        "shift exponent",
        "kfuncs.c",
        (("member < PREFETCH_EXT_MEMBERS &&\n	       prefetch_ext_kfunc_members", "prefetch_ext_kfunc_members"),),
    ),
    "tells-of-one-that-has-ended": (
        "statistics-of-an-init",
        '!lines_of("until_then")',
        "../policy_ext/stat.c",
        (("l->old && !l->old->dead", "l->old"),),
    ),
    "answers-for-ever": (
        "answer-until-a-change",
        "prefetched()",
        "../module/changes.c",
        (("cache_ext_changes[type] + 1);\n	/* Pairs", "cache_ext_changes[type] - 1);\n	/* Pairs"),),
    ),
    "answers-during-a-change": (
        "answer-during-a-change",
        "asked == ",
        "../module/whose.c",
        (("	if (change & 1)\n", "	if (0)\n"),),
    ),
    "one-answer-for-two-who-ask": (
        "answers-of-task-and-folio",
        "folios == ",
        "../module/whose.c",
        (("answers[whose]);\n	answer->change", "answers[cache_ext_whose_type(whose)]);\n	answer->change"),),
    ),
    "redirects-itself": (
        "redirected-once",
        "== -1",
        "../module/redirect.c",
        (("|| cache_ext_calls(parent_ip)", ""),),
    ),
    "redirects-all": (
        "redirected-for-whom",
        "== -1",
        "../module/redirect.c",
        (("!governs(fregs, to->whom) || ", ""),),
    ),
    "asks-who-runs": (
        "redirected-for-whom",
        "&lost, NULL) == -1",
        "../module/redirect.c",
        (("	if (!task)\n		return NULL;\n", "	if (!task)\n		task = current;\n"),),
    ),
    "goes-while-hooked": (
        "hooks-that-stay",
        "entered == before + 1",
        "../module/trace.c",
        (("	if (unregister_ftrace_function(ops))\n", "	if (!unregister_ftrace_function(ops) && 0)\n"),),
    ),
    "above-takes-it-all": (
        "dropped-of-nearer",
        "(i >= 100)",
        "find.c",
        (("&&\n	       (!nearest || mem_cgroup_is_descendant(p->life.memcg, nearest->life.memcg));", ";"),),
    ),
    "above-marks-it-all": (
        "marks-of-nearer",
        "PES_ABSENT) == 3",
        "find.c",
        (("&&\n	       (!nearest || mem_cgroup_is_descendant(p->life.memcg, nearest->life.memcg));", ";"),),
    ),
    "above-reads-all-slots": (
        "slots-of-others",
        "PES_FOREIGN) == 4",
        "find.c",
        (("&&\n	       (!nearest || mem_cgroup_is_descendant(p->life.memcg, nearest->life.memcg));", ";"),),
    ),
    "governs-nothing-once-replaced": (
        "dropped-of-nearer",
        "prefetch_ext_governs(newer, &group)",
        "find.c",
        (
            (
                "	return memcg && mem_cgroup_is_descendant(memcg, p->life.memcg) &&",
                "	return false && memcg && p->life.memcg &&",
            ),
        ),
    ),
    "follows-what-another-has-read": (
        "marks-of-own-folios",
        "PES_ABSENT) == 3",
        "file.c",
        (("	if (!prefetch_ext_governs_folio(p, folio)) {", "	if (0) {"),),
    ),
}


@pytest.fixture(scope="session", autouse=True)
def built() -> None:
    build("random", "cases", "prefetch")


def mutated(path: Path, file: str, *changes: tuple[str, str], core: str = "cache_ext") -> Path:
    """A file of a core with other lines, as PATH.c."""
    text = (ROOT / "kernel" / core / file).read_text()
    for old, new in changes:
        assert text.count(old) >= 1, f"{file} has no such text any more: {old}"
        text = text.replace(old, new)
    path.with_suffix(".c").write_text(text)
    return path


@pytest.mark.long
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_found(name: str, tmp_path: Path) -> None:
    file, old, new = MUTANTS[name]
    mutant = mutated(tmp_path / "mutant", file, (old, new))
    build("mutant", f"MUTANT={mutant}", f"REPLACES={Path(file).stem}")
    done = subprocess.run([mutant, "1", str(EVENTS)], capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, done.stdout


@pytest.mark.parametrize("name", CASE_MUTANTS)
def test_case_finds_mutant(name: str, tmp_path: Path) -> None:
    case, says, file, changes = CASE_MUTANTS[name]
    mutant = mutated(tmp_path / "mutant", file, *changes)
    build("mutant-case", f"MUTANT={mutant}", f"REPLACES={Path(file).stem}")
    done = subprocess.run([mutant, case], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and says in done.stderr, done.stderr


@pytest.mark.parametrize("name", PREFETCH_MUTANTS)
def test_case_finds_mutant_of_prefetching(name: str, tmp_path: Path) -> None:
    case, says, file, changes = PREFETCH_MUTANTS[name]
    mutant = mutated(tmp_path / "mutant", file, *changes, core="prefetch_ext")
    build("mutant-prefetch", f"MUTANT={mutant}", f"REPLACES={Path(file).stem}")
    done = subprocess.run([mutant, case], capture_output=True, text=True, timeout=60)
    assert done.returncode != 0 and says in done.stderr, done.stderr
