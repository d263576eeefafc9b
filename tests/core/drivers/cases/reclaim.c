// SPDX-License-Identifier: GPL-2.0
/* What reclaim asks a policy for: iterators, cgroups, blame. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

static unsigned int steps;

static void evict_nested(struct cache_ext_evict_ctx *ctx __maybe_unused,
			 struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it[3];
	unsigned int i;

	group->cache_ext->request.steps_left = 4;
	for (i = 0; i < 3; i++)
		bpf_iter_cache_ext_list_new(&it[i], memcg, i);
	for (i = 0; i < 3; i++)
		while (bpf_iter_cache_ext_list_next(&it[i]))
			steps++;
	for (i = 0; i < 3; i++)
		bpf_iter_cache_ext_list_destroy(&it[i]);
}

static void added_in_turn(struct folio *folio,
			  struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, folio_pfn(folio) % 3);
}

/* Iterators under way at the same time had as many steps each. */
void nested_iterators(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 32);
	struct folio *folio[9];
	unsigned int i;

	first->ops.nr_lists = 3;
	first->ops.folio_added = added_in_turn;
	first->ops.evict_folios = evict_nested;
	attach(first, group);
	for (i = 0; i < 9; i++)
		folio[i] = cached_folio(0x1000 + i, group);
	cache_ext_shrink(&s);
	if (!steps || steps % 4)
		shim_die("%u steps in calls of 4", steps);
	for (i = 0; i < 9; i++)
		drop(folio[i]);
	detach(first);
}

static unsigned int seen;

static void see(struct cache_ext_evict_ctx *ctx __maybe_unused,
		struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while (bpf_iter_cache_ext_list_next(&it))
		seen++;
	bpf_iter_cache_ext_list_destroy(&it);
}

/*
 * Reclaim that had come to one child could take the folio of another, for which
 * nobody had computed yet what memory.min protects.
 */
void protected_sibling(void)
{
	struct mem_cgroup *mid = shim_memcg_create(group, 3);
	struct mem_cgroup *low = shim_memcg_create(mid, 4);
	struct mem_cgroup *asked = shim_memcg_create(group, 5);
	struct cache_ext_shrink s = reclaim_of(asked, group, 1);
	struct folio *folio;

	first->ops.evict_folios = see;
	attach(first, group);
	folio = cached_folio(0x1000, low);
	mid->min = 16;
	low->min = 16;
	cache_ext_shrink(&s);
	if (seen)
		shim_die("a protected folio may be taken");
	mid->min = 0;
	cache_ext_shrink(&s);
	if (!seen)
		shim_die("a folio that is not protected may not be taken");
	drop(folio);
	detach(first);
	shim_settle();
	go(low);
	go(mid);
	go(asked);
}

static struct folio *first_seen;

static void see_first(struct cache_ext_evict_ctx *ctx __maybe_unused,
		      struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it))) {
		if (!first_seen)
			first_seen = folio;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

/*
 * Reclaim of one child passed by the folios of another, and stopped in the middle
 * of the list. Reclaim of the other child began there, not with its oldest folio.
 */
void resumes_for_another(void)
{
	static struct folio *folio[CACHE_EXT_PASSED + 100];
	struct mem_cgroup *empty = shim_memcg_create(group, 3);
	struct mem_cgroup *full = shim_memcg_create(group, 4);
	struct cache_ext_shrink s = reclaim_of(empty, empty, 1);
	unsigned int i;

	first->ops.evict_folios = see_first;
	attach(first, group);
	for (i = 0; i < ARRAY_SIZE(folio); i++)
		folio[i] = cached_folio(0x1000 + i, full);
	cache_ext_shrink(&s);
	s = reclaim_of(full, full, 1);
	cache_ext_shrink(&s);
	if (first_seen != folio[0])
		shim_die("reclaim of one cgroup resumes where another's stopped");
	/* Files have few pages here: several folios had the same place. */
	for (i = 0; i < ARRAY_SIZE(folio); i++) {
		page_insert(&world.files[0], folio[i], folio[i]->index);
		drop(folio[i]);
	}
	detach(first);
	shim_settle();
	go(empty);
	go(full);
}

/* Proposes only folios below a page frame. */
static void evict_low(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while ((folio = bpf_iter_cache_ext_list_next(&it)) &&
	       ctx->nr_evicted < ctx->request_nr_folios) {
		if (folio_pfn(folio) < 0x1000 + CACHE_EXT_BATCH)
			bpf_cache_ext_evict(ctx, folio);
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

/* Is a policy blamed that proposes nothing but these, while others could go? */
static bool blamed_for(void (*set)(struct folio *folio),
		       void (*unset)(struct folio *folio))
{
	static struct folio *folio[3 * CACHE_EXT_BATCH];
	struct cache_ext_shrink s = reclaim_of(group, group, CACHE_EXT_BATCH);
	unsigned int i;
	bool blamed;

	first->ops.evict_folios = evict_low;
	attach(first, group);
	for (i = 0; i < ARRAY_SIZE(folio); i++) {
		folio[i] = cached_folio(0x1000 + i, group);
		if (i < CACHE_EXT_BATCH)
			set(folio[i]);
	}
	lru_add_drain_all();
	cache_ext_shrink(&s);
	/* The kernel's own scan finds the others. */
	for (; i > CACHE_EXT_BATCH; i--)
		take_out(folio[i - 1], CACHE_EXT_EVICTED);
	cache_ext_shrink(&s);
	rcu_read_lock();
	blamed = READ_ONCE(cache_ext_policy_of(group)->watchdog.offences);
	rcu_read_unlock();
	for (i = 0; i < CACHE_EXT_BATCH; i++) {
		unset(folio[i]);
		drop(folio[i]);
	}
	detach(first);
	shim_settle();
	return blamed;
}

static void lock_folio(struct folio *folio)
{
	if (!folio_trylock(folio))
		shim_die("a folio is locked");
}

/*
 * On a slow disk most of what is old may still be being read. Who proposed it got
 * an offence, and 64 ended the policy.
 */
void blamed_for_io(void)
{
	if (blamed_for(lock_folio, folio_unlock))
		shim_die("a policy is blamed for folios in I/O");
	if (!blamed_for(dirty_folio, clean_folio))
		shim_die("a policy is not blamed for folios that cannot go");
}

/* Whose limit another reclaimer has hit, who comes while the program runs. */
static struct mem_cgroup *hit;

static void reclaim_too(void)
{
	struct cache_ext_shrink s = reclaim_of(group, hit, 1);

	cache_ext_shrink(&s);
}

static void see_slowly(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	in_gap(reclaim_too);
	see(ctx, memcg);
}

/* Does it wait? */
static bool waits_for(struct mem_cgroup *target)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);
	unsigned long before = shim_waited, contended = counted(CES_CONTENDED);

	hit = target;
	cache_ext_shrink(&s);
	/* In a gap nobody can wait. */
	if (counted(CES_CONTENDED) == contended)
		shim_die("nobody came while the program ran");
	return shim_waited != before;
}

/*
 * A cgroup without a policy hit the limit of the one above both: its task waited until
 * the policy's program was through, which throttling may stop.
 */
void limit_of_the_parent(void)
{
	struct mem_cgroup *below = shim_memcg_create(group, 3);
	struct folio *folio[8];
	unsigned int i;

	first->ops.evict_folios = see_slowly;
	attach(first, group);
	shim_settle();
	for (i = 0; i < ARRAY_SIZE(folio); i++)
		folio[i] = cached_folio(0x1000 + i, group);
	if (!waits_for(group) || !waits_for(below))
		shim_die("who reclaims for the policy's cgroup does not wait");
	if (waits_for(parent_mem_cgroup(group)) || waits_for(NULL))
		shim_die("who reclaims for another cgroup waits");
	for (i = 0; i < ARRAY_SIZE(folio); i++)
		drop(folio[i]);
	detach(first);
	shim_settle();
	go(below);
}

#define SHORT 20

static void added_by_frame(struct folio *folio,
			   struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, folio_pfn(folio) >= 0x1000 + SHORT);
}

static void evict_in_turn(struct cache_ext_evict_ctx *ctx,
			  struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;
	unsigned int list;

	for (list = 0; list < 2; list++) {
		bpf_iter_cache_ext_list_new(&it, memcg, list);
		while (ctx->nr_evicted < ctx->request_nr_folios &&
		       (folio = bpf_iter_cache_ext_list_next(&it)))
			bpf_cache_ext_evict(ctx, folio);
		bpf_iter_cache_ext_list_destroy(&it);
	}
}

/*
 * Of a short list all is being read, and the program proposes it before the rest. Each
 * request asked for what was still wanted, and got what could not go once more.
 */
void short_list_that_cannot_go(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 32);
	struct folio *folio[SHORT + 64];
	unsigned long freed;
	unsigned int i;

	first->ops.nr_lists = 2;
	first->ops.folio_added = added_by_frame;
	first->ops.evict_folios = evict_in_turn;
	attach(first, group);
	for (i = 0; i < SHORT + 64; i++)
		folio[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();
	for (i = 0; i < SHORT; i++)
		folio_trylock(folio[i]);
	freed = cache_ext_shrink(&s);
	if (freed < 32 || freed >= 64)
		shim_die("%lu pages go where 32 are wanted", freed);
	for (i = 0; i < SHORT + 64; i++) {
		if (i < SHORT)
			folio_unlock(folio[i]);
		if (folio[i]->mapping)
			drop(folio[i]);
	}
	detach(first);
	shim_settle();
}
