// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that make any call which the verifier and kfunc_filter() let through,
 * with any arguments: the context of each member decides which those are.
 */
#include "programs.h"

static s32 any_list(struct policy *policy)
{
	return pick(32) ? (s32)pick(policy->lists) : (s32)pick(40) - 8;
}

/* Noise in the record, or part of it. */
static void scribble(struct policy *policy, struct folio *folio)
{
	u32 size = pick(policy->ops.folio_data_size + 1), i;
	bool foreign = is_foreign(policy, folio);
	u8 *data = bpf_cache_ext_folio_data(folio, size);

	CALLED();
	stays_out(foreign, !data);
	for (i = 0; data && i < size; i++)
		__atomic_store_n(&data[i], pick(256), __ATOMIC_RELAXED);
}

/* What all programs but that of admission may do, and those that may sleep. */
static void pin_call(struct policy *policy, struct folio *folio)
{
	bool foreign = is_foreign(policy, folio);
	s32 ret = 0;

	CALLED();
	switch (pick(5)) {
	case 4:
		stays_out(foreign, !bpf_cache_ext_folio_executable(folio));
		return;
	case 0 ... 1:
		ret = bpf_cache_ext_pin(folio);
		break;
	case 2:
		ret = bpf_cache_ext_unpin(folio);
		break;
	case 3:
		ret = bpf_cache_ext_folio_pinned(folio);
		break;
	}
	stays_out(foreign, ret == -ENOENT);
	shim_gap(false);
}

/* The folio at an end, as handlers of events may see it. */
static void peek(struct policy *policy, struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *folio;

	bpf_iter_cache_ext_scan_new(&it, memcg, any_list(policy), pick(2),
				    pick(8) ? 1 : pick(4));
	CALLED();
	while ((folio = bpf_iter_cache_ext_scan_next(&it))) {
		shim_gap(false);
		program_move(policy, folio, any_list(policy), pick(2));
		if (!pick(4))
			pin_call(policy, folio);
	}
	bpf_iter_cache_ext_scan_destroy(&it);
}

/* A folio that a program holds may be freed; its frame may be any other's by now. */
static struct folio *by_now(struct folio *folio)
{
	return pick(32) ? folio : shim_frame(pick(shim_nr_frames()));
}

/* What any program may do. */
static void any_call(struct policy *policy, struct folio *folio,
		     struct mem_cgroup *memcg)
{
	bool foreign;

	folio = by_now(folio);
	CALLED();
	switch (pick(16)) {
	case 0 ... 5:
		program_move(policy, folio, any_list(policy), pick(2));
		break;
	case 6:
		if (!pick(8))
			program_del(policy, folio);
		break;
	case 7 ... 9:
		scribble(policy, folio);
		break;
	case 10:
		foreign = is_foreign(policy, folio);
		stays_out(foreign, bpf_cache_ext_folio_list(folio) == -ENOENT);
		break;
	case 11:
		bpf_cache_ext_list_size(memcg, any_list(policy));
		break;
	case 12:
		bpf_cache_ext_size(memcg);
		break;
	case 13:
		bpf_cache_ext_capacity(memcg);
		break;
	case 14:
		bpf_cache_ext_tick(memcg);
		break;
	case 15:
		if (shim_chance(world.hostile))
			bpf_cache_ext_error(memcg, pick(256), "chaos \"\\\n");
		break;
	}
	shim_gap(false);
}

void chaos_event(struct policy *policy, struct folio *folio,
		 struct mem_cgroup *memcg, bool may_peek)
{
	unsigned int n = pick(4);

	while (n--) {
		any_call(policy, folio, memcg);
		if (may_peek && !pick(4))
			peek(policy, memcg);
		if (may_peek && !pick(3))
			pin_call(policy, folio);
	}
}

/* Of a folio that the iterator has shown, maybe some time ago. */
static void evict_call(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		       struct folio *folio, struct mem_cgroup *memcg)
{
	bool foreign;

	folio = by_now(folio);
	CALLED();
	if (!pick(16))
		pin_call(policy, folio);
	switch (pick(8)) {
	case 0 ... 2:
		foreign = is_foreign(policy, folio);
		/* -EBUSY: its own node of the folio that was there before. */
		stays_out(foreign, bpf_cache_ext_evict(ctx, folio) < 0);
		break;
	case 3 ... 4:
		bpf_cache_ext_offer(ctx, folio, pick(8) ? pick(16) : ~0ULL);
		break;
	case 5:
		any_call(policy, folio, memcg);
		break;
	case 6:
		if (!pick(16))
			bpf_cache_ext_take_offers(ctx);
		break;
	case 7:
		if (!pick(16))
			bpf_cache_ext_select(ctx, any_list(policy), pick(3),
					     pick(80),
					     pick(72) | pick(9) << 16);
		break;
	}
	shim_gap(false);
}

static void scan(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		 struct mem_cgroup *memcg, unsigned int depth);

static void visit(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		  struct mem_cgroup *memcg, struct folio *folio,
		  struct folio **old, unsigned int depth)
{
	evict_call(policy, ctx, folio, memcg);
	if (*old && !pick(4))
		evict_call(policy, ctx, *old, memcg);
	if (!pick(8))
		*old = folio;
	if (depth < 3 && !pick(32))
		scan(policy, ctx, memcg, depth + 1);
}

static void scan_list(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		      struct mem_cgroup *memcg, unsigned int depth)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio, *old = NULL;

	bpf_iter_cache_ext_list_new(&it, memcg, any_list(policy));
	CALLED();
	while ((folio = bpf_iter_cache_ext_list_next(&it))) {
		visit(policy, ctx, memcg, folio, &old, depth);
		if (!pick(32))
			break;
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

static void scan(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		 struct mem_cgroup *memcg, unsigned int depth)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *folio, *old = NULL;

	if (pick(2)) {
		scan_list(policy, ctx, memcg, depth);
		return;
	}
	bpf_iter_cache_ext_scan_new(&it, memcg, any_list(policy),
				    pick(16) ? pick(2) : pick(8),
				    pick(2) ? pick(100) : ~0ULL);
	CALLED();
	while ((folio = bpf_iter_cache_ext_scan_next(&it))) {
		visit(policy, ctx, memcg, folio, &old, depth);
		if (!pick(32))
			break;
	}
	bpf_iter_cache_ext_scan_destroy(&it);
}

void chaos_added(struct policy *policy, struct folio *folio,
		 struct mem_cgroup *memcg)
{
	if (!pick(8))
		chaos_event(policy, folio, memcg, true);
	if (!pick(10))
		return;
	program_add(policy, folio, any_list(policy), pick(2));
	chaos_event(policy, folio, memcg, true);
}

void chaos_evict(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		 struct mem_cgroup *memcg)
{
	unsigned int n = pick(4);

	while (n--) {
		if (pick(4))
			scan(policy, ctx, memcg, 0);
		else
			bpf_cache_ext_select(ctx, any_list(policy), pick(2),
					     pick(200),
					     pick(16) * 4 | 4 << 16);
		shim_gap(false);
		if (pick(2))
			bpf_cache_ext_take_offers(ctx);
		CALLED();
	}
}
