// SPDX-License-Identifier: GPL-2.0
/* Reclaim of one of two nodes: what may a policy propose, however it chooses? */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

#define EACH	100	/* folios on each node */
#define SAMPLE	32	/* folios that a call of the policy looks at */
#define ROUNDS	90	/* requests; 64 that fail end a policy */

static int asked_nid;
static unsigned int nr_taken;
static struct folio *of_asked[EACH], *of_other[EACH];

/* What reclaim may not take has the lowest score, and would go first. */
static void added_with_score(struct folio *folio,
			     struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, 0);
	*(u32 *)bpf_cache_ext_folio_data(folio, sizeof(u32)) =
		folio_nid(folio) == asked_nid;
}

static void offer_sample(struct cache_ext_evict_ctx *ctx,
			 struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *folio;
	u8 *score;

	bpf_iter_cache_ext_scan_new(&it, memcg, 0, 0, SAMPLE);
	while ((folio = bpf_iter_cache_ext_scan_next(&it))) {
		score = bpf_cache_ext_folio_data(folio, sizeof(u32));
		bpf_cache_ext_offer(ctx, folio, score ? *(u32 *)score : 0);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_cache_ext_take_offers(ctx);
}

static void select_sample(struct cache_ext_evict_ctx *ctx,
			  struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_select(ctx, 0, 0, SAMPLE, sizeof(u32) << 16);
	bpf_cache_ext_take_offers(ctx);
}

static void select_all(struct cache_ext_evict_ctx *ctx,
		       struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_select(ctx, 0, 0, U64_MAX, sizeof(u32) << 16);
	bpf_cache_ext_take_offers(ctx);
}

static void watch(struct list_head *folios)
{
	struct folio *folio;

	list_for_each_entry(folio, folios, lru) {
		if (folio_nid(folio) != asked_nid)
			shim_die("a folio of another node is reclaimed");
		/* Who looks at a sample puts those that have lost at the end. */
		if (first->ops.evict_folios == evict_oldest &&
		    folio != of_asked[nr_taken])
			shim_die("not the oldest folio of the node is reclaimed");
		nr_taken++;
	}
}

static struct folio *folio_on(int nid, u32 pfn)
{
	pfn_to_page(pfn)->folio.nid = nid;
	return cached_folio(pfn, group);
}

/* They are in their order. */
static void others_have_kept_their_places(void)
{
	struct cache_ext_lists *ls = &group->cache_ext->lists;
	struct cache_ext_node *node;
	unsigned int n = 0;

	list_for_each_entry(node, &ls->list[0].nodes, link)
		if (n < EACH && cnode_folio(node) == of_other[n])
			n++;
	if (n != EACH)
		shim_die("folios of the other node have moved");
}

/* @mixed: folios of both nodes in turn; else all of the other one come first. */
static void reclaim_node(int nid, bool mixed,
			 void (*evict)(struct cache_ext_evict_ctx *ctx,
				       struct mem_cgroup *memcg))
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);
	unsigned int i, gap = mixed ? 2 : 1;

	asked_nid = nid;
	nr_taken = 0;
	s.nid = nid;
	s.lruvec = &group->lruvec[nid];
	memset(&first->ops, 0, sizeof(first->ops));
	first->ops.folio_added = added_with_score;
	first->ops.folio_data_size = sizeof(u32);
	first->ops.evict_folios = evict;
	attach(first, group);
	if (group->cache_ext->subtree)
		shim_die("there is a cgroup below");
	for (i = 0; i < EACH; i++) {
		of_other[i] = folio_on(!nid, 0x1000 + gap * i);
		if (mixed)
			of_asked[i] = folio_on(nid, 0x1001 + gap * i);
	}
	for (i = 0; i < EACH && !mixed; i++)
		of_asked[i] = folio_on(nid, 0x1000 + EACH + i);
	lru_add_drain_all();
	for (i = 0; i < ROUNDS; i++)
		if (cache_ext_shrink(&s) != 1)
			shim_die("reclaim of a node gets nothing, at request %u", i);
	if (nr_taken != ROUNDS || counted(CES_PROPOSED) != ROUNDS ||
	    counted(CES_EVICTED) != ROUNDS || counted(CES_STALLED))
		shim_die("a policy proposes what reclaim may not take");
	if (group->cache_ext->watchdog.offences || group->cache_ext->life.dead)
		shim_die("a policy is blamed for folios of another node");
	others_have_kept_their_places();
	for (i = 0; i < EACH; i++) {
		drop(of_other[i]);
		if (of_asked[i]->mapping)
			drop(of_asked[i]);
	}
	detach(first);
	shim_settle();
}

/*
 * Where no cgroup was below that of the policy, nobody looked at the nodes of what
 * bpf_cache_ext_select() found: folios of another one won, were refused, and that was
 * held against the policy until it was detached.
 */
void only_of_the_asked_node(void)
{
	static void (*const programs[])(struct cache_ext_evict_ctx *ctx,
					struct mem_cgroup *memcg) = {
		evict_oldest, offer_sample, select_all, select_sample,
	};
	unsigned int i;

	nr_online_nodes = 2;
	reclaim_watch = watch;
	for (i = 0; i < 4 * ARRAY_SIZE(programs); i++)
		reclaim_node(i & 1, i & 2, programs[i / 4]);
	reclaim_watch = NULL;
	nr_online_nodes = 1;
	for (i = 0; i < 2 * EACH; i++)
		pfn_to_page(0x1000 + i)->folio.nid = 0;
}
