"""The cases of prefetching see faults: each of these changes to its core fails one."""

from __future__ import annotations

from pathlib import Path

import pytest
from core_build import build
from core_mutants import CaseMutant, check_case

pytestmark = pytest.mark.long

# A case is said to fail, with these words.
MUTANTS: dict[str, CaseMutant] = {
    "tells-each-time": ("told-once", "ran, again", "swap.c", ((" && !(vmf->flags & FAULT_FLAG_TRIED);", ";"),)),
    "tells-where-it-asks": (
        "timed-in-part",
        'strcmp(ran, "n")',
        "swap.c",
        (("(flags || !comes_to_swapin(data_race(si->flags)))", "true"),),
    ),
    "tells-nobody-of-what-is-not-asked": (
        "told-at-once",
        'strcmp(ran, "f")',
        "swap.c",
        (
            ("!times && comes_to_swapin(data_race(si->flags)))", "!times)"),
            ("(flags || !comes_to_swapin(data_race(si->flags)))", "flags"),
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
        (("		handle_part(file, &left, false);\n", "		(void)left;\n"),),
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
        "../module/governed.c",
        (("	if (change & 1)\n", "	if (0)\n"),),
    ),
    "one-answer-for-two-who-ask": (
        "answers-of-task-and-folio",
        "folios == ",
        "../module/governed.c",
        (("answers[lookup]);\n	answer->change", "answers[cache_ext_lookup_type(lookup)]);\n	answer->change"),),
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
        (("!governs(fregs, to->subject) || ", ""),),
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
    build("prefetch")


@pytest.mark.parametrize("name", MUTANTS)
def test_case_finds_mutant(name: str, tmp_path: Path) -> None:
    check_case(tmp_path, "prefetch_ext", "mutant-prefetch", MUTANTS[name])
