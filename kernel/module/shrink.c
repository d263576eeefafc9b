// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim asks the policy first. ftrace sends shrink_lruvec() (classic LRU) and
 * try_to_shrink_lruvec() (MGLRU) of a cgroup that has a policy here, with the
 * scan_control of whoever reclaims. The policy is asked for the file pages'
 * share; then the kernel's own function scans anonymous memory for its share, or
 * does the rest of the work if the policy did not deliver.
 *
 * The kernel's function counts what is to be scanned out of reach, so it is told
 * with its own words to leave file pages alone: "file is tiny" (classic), or
 * "only anonymous, as for a proactive reclaim" (MGLRU), at the priority at which
 * it scans about the share.
 *
 * Whoever is sent here is counted in by the ftrace handler, before he arrives,
 * and out at the end, so that the module is not unloaded under his feet.
 */
#include <linux/ftrace.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/mm_inline.h>
#include <linux/module.h>
#include <linux/wait_bit.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "scan_control.h"

#define MAX_SWAPPINESS_6_12 200

/* Tasks that were sent here and have not gone back. */
static atomic_t inside = ATOMIC_INIT(0);
/* The kernel's switch between classic LRU and MGLRU. */
static struct static_key *mglru;
/* shrink_lruvec(); ftrace's call is in its first bytes. */
static unsigned long classic_entry;

bool cache_ext_glue_mglru(void)
{
	return static_key_enabled(mglru);
}

/* Pages of a kind that reclaim may take, less what memory.low and .min keep. */
static unsigned long size_of(struct lruvec *lruvec, struct scan_control *sc,
			     bool file)
{
	struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	unsigned long min, low, keep, usage, size = 0;
	int gen, zone;

	for (zone = 0; zone <= sc->reclaim_idx; zone++) {
		enum lru_list lru = file ? LRU_INACTIVE_FILE :
					   LRU_INACTIVE_ANON;

		if (static_key_enabled(mglru)) {
			for (gen = 0; gen < MAX_NR_GENS; gen++)
				size += max(0L,
				    lruvec->lrugen.nr_pages[gen][file][zone]);
		} else {
			size += mem_cgroup_get_zone_lru_size(lruvec, lru, zone);
			size += mem_cgroup_get_zone_lru_size(lruvec,
						lru + LRU_ACTIVE, zone);
		}
	}
	mem_cgroup_protection(sc->target_mem_cgroup, memcg, &min, &low);
	keep = sc->memcg_low_reclaim ? min : max(min, low);
	usage = max(page_counter_read(&memcg->memory), keep);
	return size - mult_frac(size, keep, usage + 1);
}

/*
 * How file and anonymous pages share what is to be reclaimed: by size,
 * swappiness and what refaults of each have cost, as get_scan_count() of 6.12
 * weighs them. MGLRU: by size and swappiness.
 */
static void shares(struct lruvec *lruvec, struct scan_control *sc,
		   unsigned long *file, unsigned long *anon)
{
	unsigned long cost, weight_file, weight_anon;
	unsigned long swappiness = vm_swappiness;
	bool gen = static_key_enabled(mglru);

	if (sc->proactive && sc->proactive_swappiness)
		swappiness = *sc->proactive_swappiness;
	*file = size_of(lruvec, sc, true);
	*anon = size_of(lruvec, sc, false);
	if (!sc->may_swap ||
	    mem_cgroup_get_nr_swap_pages(lruvec_memcg(lruvec)) < MIN_LRU_BATCH ||
	    (!swappiness && (gen || sc->target_mem_cgroup))) {
		*anon = 0;
		return;
	}
	if (!gen) {
		if (!sc->priority && swappiness)
			return;
		if (sc->file_is_tiny) {
			*file = 0;
			return;
		}
		if (sc->cache_trim_mode) {
			*anon = 0;
			return;
		}
	}
	cost = gen ? 0 : sc->anon_cost + sc->file_cost;
	weight_anon = swappiness * (3 * cost + 1) /
		      (cost + (gen ? 0 : sc->anon_cost) + 1);
	weight_file = (MAX_SWAPPINESS_6_12 - swappiness) * (3 * cost + 1) /
		      (cost + (gen ? 0 : sc->file_cost) + 1);
	*anon = mult_frac(*anon, weight_anon, weight_anon + weight_file);
	*file = mult_frac(*file, weight_file, weight_anon + weight_file);
}

/* Is there anonymous memory in MGLRU's oldest generation, which goes first? */
static bool has_old_anon(struct lruvec *lruvec, struct scan_control *sc)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int zone, gen;

	gen = lru_gen_from_seq(READ_ONCE(lrugen->min_seq[LRU_GEN_ANON]));
	for (zone = 0; zone <= sc->reclaim_idx; zone++)
		if (READ_ONCE(lrugen->nr_pages[gen][LRU_GEN_ANON][zone]) > 0)
			return true;
	return false;
}

/* The kernel's own function, for about @pages of anonymous memory only. */
static void scan_anon(struct lruvec *lruvec, struct scan_control *sc,
		      unsigned long pages)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	static int only_anon = MAX_SWAPPINESS_6_12;
	unsigned long size = size_of(lruvec, sc, false);
	struct scan_control before = *sc;

	if (static_key_enabled(mglru)) {
		/* It counts both kinds when it works out what to scan. */
		size += size_of(lruvec, sc, true);
		sc->proactive = 1;
		sc->proactive_swappiness = &only_anon;
		if (lrugen->max_seq - lrugen->min_seq[LRU_GEN_ANON] + 1 <=
		    MIN_NR_GENS) {
			/* nothing old enough: it makes a generation only */
			sc->priority = DEF_PRIORITY - 1;
			try_to_shrink_lruvec(lruvec, sc);
		} else if (has_old_anon(lruvec, sc)) {
			/* where there is none it would turn to file pages */
			sc->priority = min(ilog2(max(size / pages, 1UL)),
					   DEF_PRIORITY);
			try_to_shrink_lruvec(lruvec, sc);
		}
	} else {
		sc->file_is_tiny = 1;
		sc->nr_to_reclaim = pages;
		/* At 0 it would scan file pages all the same. */
		sc->priority = clamp(ilog2(max(size / pages, 1UL)), 1,
				     DEF_PRIORITY);
		shrink_lruvec(lruvec, sc);
	}
	sc->file_is_tiny = before.file_is_tiny;
	sc->nr_to_reclaim = before.nr_to_reclaim;
	sc->proactive = before.proactive;
	sc->proactive_swappiness = before.proactive_swappiness;
	sc->priority = before.priority;
}

/*
 * The policy, then anonymous memory's share. Returns true if that was all; else
 * *@got are the pages that the policy freed, and the kernel has to go on.
 */
static bool shrink(struct lruvec *lruvec, struct scan_control *sc,
		   unsigned long *got)
{
	struct mem_cgroup *target = sc->target_mem_cgroup;
	struct mem_cgroup *memcg = lruvec_memcg(lruvec);
	struct cache_ext_shrink s = {
		.memcg = memcg,
		.lruvec = lruvec,
		.sc = sc,
		.target = target,
		.low = sc->memcg_low_reclaim,
		.nid = lruvec_pgdat(lruvec)->node_id,
		.reclaim_idx = sc->reclaim_idx,
		.priority = sc->priority,
	};
	unsigned long file, anon, fair, want;

	*got = 0;
	shares(lruvec, sc, &file, &anon);
	if (!file)
		return false;

	want = max(mult_frac(sc->nr_to_reclaim, file, file + anon), 1UL);
	/* Of others' reclaim, a cgroup bears what its size asks for. */
	fair = file >> max(sc->priority - 1, 0);
	if (!target || mem_cgroup_is_root(target))
		want = min(want, max(fair, 1UL));
	else if (memcg != target)
		want = min(want, max(fair, SWAP_CLUSTER_MAX));

	s.nr_to_reclaim = want;
	*got = cache_ext_shrink(&s);
	sc->nr_reclaimed += *got;
	if (*got < want)
		return false;
	anon = mult_frac(want, anon, file);
	if (anon)
		scan_anon(lruvec, sc, anon);
	return true;
}

static void leave(void)
{
	if (atomic_dec_and_test(&inside))
		wake_up_var(&inside);
}

static noinline void shrink_classic(struct lruvec *lruvec,
				    struct scan_control *sc)
{
	unsigned long got, wanted = sc->nr_to_reclaim;

	if (!shrink(lruvec, sc, &got)) {
		sc->nr_to_reclaim = wanted > got ? wanted - got : 1;
		shrink_lruvec(lruvec, sc);
		sc->nr_to_reclaim = wanted;
	}
	leave();
}

static noinline bool shrink_gen(struct lruvec *lruvec, struct scan_control *sc)
{
	unsigned long got;
	bool rotate = false;

	if (!shrink(lruvec, sc, &got))
		rotate = try_to_shrink_lruvec(lruvec, sc);
	leave();
	return rotate;
}

/*
 * Entry of the kernel's functions. When we call them ourselves, they go on. With
 * MGLRU the first comes to the second, which is the one to ask.
 */
static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct lruvec *lruvec = (void *)ftrace_regs_get_argument(fregs, 0);
	bool classic = ip - classic_entry < 16;

	if (within_module(parent_ip, THIS_MODULE))
		return;
	if (classic && static_key_enabled(mglru))
		return;
	if (!cache_ext_governs(lruvec_memcg(lruvec)))
		return;
	atomic_inc(&inside);
	ftrace_regs_set_instruction_pointer(fregs, classic ?
					    (unsigned long)shrink_classic :
					    (unsigned long)shrink_gen);
}

static struct ftrace_ops shrink_ops = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_RECURSION |
		 FTRACE_OPS_FL_PERMANENT,
};

int __init cache_ext_shrink_init(void)
{
	unsigned long ips[2];
	int err;

	mglru = (void *)cache_ext_symbol("lru_gen_caps");
	ips[0] = cache_ext_symbol("shrink_lruvec");
	ips[1] = cache_ext_symbol("try_to_shrink_lruvec");
	if (!mglru || !ips[0] || !ips[1])
		return -ENOENT;
	classic_entry = ips[0];
	err = ftrace_set_filter_ips(&shrink_ops, ips, 2, 0, 0);
	if (err)
		pr_err("cache_ext: cannot trace reclaim: error %d\n", err);
	return err;
}

int cache_ext_shrink_on(void)
{
	int err = register_ftrace_function(&shrink_ops);

	if (err == -EBUSY)
		pr_err("cache_ext: cannot hook shrink_lruvec: a live patch redirects it, or kernel.ftrace_enabled is 0\n");
	return err;
}

void cache_ext_shrink_off(void)
{
	unregister_ftrace_function(&shrink_ops);
}

void cache_ext_shrink_exit(void)
{
	wait_var_event(&inside, !atomic_read(&inside));
}
