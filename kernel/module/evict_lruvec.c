// SPDX-License-Identifier: GPL-2.0
/* What reclaim asks a policy for, with either LRU: shrink.c, gen.c. */
#include <linux/mm_inline.h>
#include <linux/sched/mm.h>
#include <linux/swap.h>
#include "cache_ext.h"
#include "evict_lruvec.h"
#include "glue.h"
#include "scan_control.h"

/*
 * Pages of one reclaim on behalf of a cgroup. memory.reclaim, and a limit that
 * is lowered, ask for any number. They come again for the rest, and look for
 * signals in between.
 */
#define MAX_RECLAIM	(SWAP_CLUSTER_MAX << 5)

/* Asks the cgroup's policy for @want pages. Returns how many it freed. */
unsigned long cache_ext_evict_lruvec(struct lruvec *lruvec, struct scan_control *sc,
				     unsigned long want)
{
	struct cache_ext_shrink s = {
		.memcg = lruvec_memcg(lruvec),
		.lruvec = lruvec,
		.sc = sc,
		.target = sc->target_mem_cgroup,
		.low = sc->memcg_low_reclaim,
		.nid = lruvec_pgdat(lruvec)->node_id,
		.reclaim_idx = sc->reclaim_idx,
		/* kswapd's goes down for high watermarks, too. */
		.priority = current_is_kswapd() ? DEF_PRIORITY : sc->priority,
		.nr_to_reclaim = want,
	};

	return cache_ext_shrink(&s);
}

static bool is_global(struct scan_control *sc)
{
	return !sc->target_mem_cgroup ||
	       mem_cgroup_is_root(sc->target_mem_cgroup);
}

/* Is @lruvec's cgroup the one whose limit it is? Bounds what one reclaim takes. */
bool cache_ext_own_limit(struct lruvec *lruvec, struct scan_control *sc)
{
	if (is_global(sc))
		return false;
	sc->nr_to_reclaim = min(sc->nr_to_reclaim,
				sc->nr_reclaimed + MAX_RECLAIM);
	return lruvec_memcg(lruvec) == sc->target_mem_cgroup;
}

/* What the policy itself wants: see cache_ext_reclaim_own() of the patched kernel. */
unsigned long cache_ext_glue_reclaim_own(struct cache_ext_policy *p, int nid,
					 unsigned long nr)
{
	struct mem_cgroup *memcg = p->life.memcg;
	struct scan_control sc = {
		.nr_to_reclaim = nr,
		.target_mem_cgroup = memcg,
		.may_unmap = 1,
		.no_demotion = 1,
		.proactive = 1,
		.priority = DEF_PRIORITY,
		.reclaim_idx = MAX_NR_ZONES - 1,
		.gfp_mask = GFP_KERNEL,
	};
	struct cache_ext_shrink s = {
		.memcg = memcg,
		.lruvec = mem_cgroup_lruvec(memcg, NODE_DATA(nid)),
		.sc = &sc,
		.target = memcg,
		.own = p,
		.nid = nid,
		.reclaim_idx = sc.reclaim_idx,
		.priority = DEF_PRIORITY,
		.nr_to_reclaim = nr,
	};
	unsigned int flags = memalloc_noreclaim_save();
	unsigned long freed;

	/* hooks.c knows by this that a folio is evicted, and not deleted. */
	current->reclaim_state = &sc.reclaim_state;
	freed = cache_ext_shrink(&s);
	current->reclaim_state = NULL;
	memalloc_noreclaim_restore(flags);
	return freed;
}
