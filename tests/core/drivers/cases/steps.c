// SPDX-License-Identifier: GPL-2.0
/* How many folios a policy's programs look at while somebody reclaims. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

#define MANY	CACHE_EXT_MAX_SCAN
#define FEW	8	/* as many as a pass that does not fail */

static struct folio *folios[MANY];
static unsigned long steps, most_steps;

/* The last folios that a program saw. */
static struct folio *last[FEW];

/* Goes through list 0, at most so often. */
static void look_through(struct mem_cgroup *memcg, unsigned int times)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	while (times--) {
		bpf_iter_cache_ext_list_new(&it, memcg, 0);
		while ((folio = bpf_iter_cache_ext_list_next(&it)))
			last[steps++ % FEW] = folio;
		bpf_iter_cache_ext_list_destroy(&it);
	}
}

/* Files have few pages here, so several folios have the same place: now these have it. */
static void place(struct folio *folio)
{
	page_insert(&world.files[0], folio, folio->index);
}

static void place_proposed(void)
{
	struct cache_ext_request *r = &group->cache_ext->request;
	unsigned int i;

	for (i = 0; i < r->nr_proposals; i++)
		place(cnode_folio(r->proposals[i].node));
}

/* Looks at as many as it may, and proposes few. */
static void few_of_all(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	unsigned int i;

	look_through(memcg, 8);
	for (i = 0; i < FEW; i++)
		bpf_cache_ext_evict(ctx, last[i]);
	place_proposed();
}

/* Looks twice at all for each batch: no policy of stdlib looks at more. */
static void thoroughly(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	look_through(memcg, 1);
	bpf_cache_ext_select(ctx, 0, 0, U64_MAX, sizeof(u32) << 16);
	steps += MANY;
	bpf_cache_ext_take_offers(ctx);
	place_proposed();
}

/* The pages that a pass frees, in at most as many steps as it may take. */
static unsigned long pass(unsigned long wanted)
{
	struct cache_ext_shrink s = reclaim_of(group, NULL, wanted);
	u64 proposed = counted(CES_PROPOSED);
	unsigned long freed;

	steps = 0;
	freed = cache_ext_shrink(&s);
	proposed = counted(CES_PROPOSED) - proposed;
	if (steps > CACHE_EXT_CALL_SCAN + CACHE_EXT_PAGE_SCAN * proposed)
		shim_die("%lu steps in a pass that proposes %llu pages", steps,
			 (unsigned long long)proposed);
	most_steps = max(most_steps, steps);
	return freed;
}

static void fill(void)
{
	unsigned int i;

	first->ops.folio_data_size = sizeof(u32);
	attach(first, group);
	shim_settle();
	for (i = 0; i < MANY; i++)
		folios[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();
}

static void empty(void)
{
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		if (!folios[i]->mapping)
			continue;
		place(folios[i]);
		drop(folios[i]);
	}
	detach(first);
	shim_settle();
}

/*
 * Each call of a program had its steps anew, and each request its calls: who proposed few
 * pages a request looked at 262,144 folios for them, and delivered.
 */
void few_of_all_at_a_time(void)
{
	unsigned int passes = 0;

	first->ops.evict_folios = few_of_all;
	fill();
	while (!cache_ext_watchdog_reason(group->cache_ext)) {
		if (++passes > CACHE_EXT_OFFENCES)
			shim_die("who looks at all folios for few pages is not blamed");
		if (pass(64) >= 64)
			shim_die("a pass goes on however many steps it takes");
		if (counted(CES_OFFENCES) != passes || counted(CES_STALLED) != passes)
			shim_die("a pass that took too many steps is none, or two");
	}
	if (strcmp(cache_ext_watchdog_reason(group->cache_ext), "dawdles"))
		shim_die("it is ended for something else");
	empty();
}

/* The bound is none for who looks through long lists for each batch. */
void twice_through_for_each_batch(void)
{
	unsigned int wanted;

	first->ops.evict_folios = thoroughly;
	fill();
	for (wanted = 1; wanted <= 10 * CACHE_EXT_BATCH; wanted = wanted * 2 + 3)
		if (pass(wanted) != wanted)
			shim_die("a pass ends before all is delivered");
	if (most_steps < 5 * MANY)
		shim_die("the policy looked at few folios");
	if (counted(CES_OFFENCES) || counted(CES_STALLED) || counted(CES_OVERRUNS))
		shim_die("a policy is blamed for looking through its list");
	empty();
}

static struct mem_cgroup *protected;

static void apart(struct folio *folio, struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, folio_memcg(folio) == protected);
}

/* The protected one first, then all others; nothing is proposed. */
static void looks(struct cache_ext_evict_ctx *ctx __maybe_unused, struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_scan it;
	int list;

	for (list = 1; list >= 0; list--) {
		bpf_iter_cache_ext_scan_new(&it, memcg, list, 0, ~0ULL);
		while (bpf_iter_cache_ext_scan_next(&it))
			;
		bpf_iter_cache_ext_scan_destroy(&it);
	}
}

/* One folio that reclaim could not take excused a policy from the watchdog for ever. */
void one_that_is_protected(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 32);
	unsigned int i, k, old = 0;
	struct cache_ext_policy *p;

	protected = shim_memcg_create(group, 3);
	protected->low = 0;
	protected->min = 100;
	first->ops.nr_lists = 2;
	first->ops.folio_added = apart;
	first->ops.evict_folios = looks;
	attach(first, group);
	shim_settle();
	p = group->cache_ext;
	cached_folio(0x10fa, protected);
	for (k = 0; k < 200; k++)
		cached_folio(0x1000 + k, group);
	lru_add_drain_all();
	for (i = 0; i < 200 && !cache_ext_watchdog_reason(p); i++) {
		cache_ext_shrink(&s);
		/* The kernel's own scan takes what the policy keeps back, and more comes. */
		for (k = 0; k < 32; k++, old++) {
			take_out((struct folio *)pfn_to_page(0x1000 + old % 200), CACHE_EXT_EVICTED);
			cached_folio(0x1000 + old % 200, group);
		}
		lru_add_drain_all();
	}
	if (!cache_ext_watchdog_reason(p) || strcmp(cache_ext_watchdog_reason(p), "rotates"))
		shim_die("a policy that proposes nothing is not ended for it");
	for (k = 0; k < 200; k++)
		drop((struct folio *)pfn_to_page(0x1000 + k));
	drop((struct folio *)pfn_to_page(0x10fa));
	detach(first);
	shim_settle();
	go(protected);
}
