// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of policies: of each member one for each policy, since a program is
 * told a cgroup, and a cgroup may have two policies for a moment.
 */
#include "programs.h"

#define CANDIDATES 64

/* Whether the policy has it, after a call in whose gaps others may have changed that. */
static void look_again(struct policy *policy, struct folio *folio)
{
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(folio);
	policy->has[frame_of(folio)] =
		node && cnode_owned(node) &&
		policy_of_ops(cnode_policy(node)->ops) == policy;
	rcu_read_unlock();
}

s32 program_add(struct policy *policy, struct folio *folio, s32 list, bool tail)
{
	s32 ret;

	CALLED();
	if (policy->has)
		policy->has[frame_of(folio)] = 1;
	ret = tail ? bpf_cache_ext_list_add_tail(folio, list) :
		     bpf_cache_ext_list_add(folio, list);
	if (ret && policy->has)
		look_again(policy, folio);
	return ret;
}

bool is_foreign(struct policy *policy, struct folio *folio)
{
	struct cache_ext_node *node;
	bool ret;

	if (!world.shadow)
		return false;
	rcu_read_lock();
	node = cache_ext_node_find(folio);
	ret = node && policy_of_ops(cnode_policy(node)->ops) != policy;
	rcu_read_unlock();
	return ret;
}

void stays_out(bool foreign, bool refused)
{
	if (!foreign)
		return;
	COUNT(foreign);
	if (!refused)
		shim_die("a program of one policy acts on a folio of another");
}

void program_move(struct policy *policy, struct folio *folio, s32 list,
		  bool tail)
{
	bool foreign = is_foreign(policy, folio);

	CALLED();
	stays_out(foreign, bpf_cache_ext_list_move(folio, list, tail) == -ENOENT);
}

void program_del(struct policy *policy, struct folio *folio)
{
	bool foreign = is_foreign(policy, folio);
	struct cache_ext_node *node;
	s32 ret;

	CALLED();
	rcu_read_lock();
	node = cache_ext_node_find(folio);
	ret = bpf_cache_ext_list_del(folio);
	stays_out(foreign, ret == -ENOENT);
	if (!ret && policy->has) {
		if (cache_ext_node_find(folio) == node)
			shim_die("list_del leaves the node");
		look_again(policy, folio);
	}
	rcu_read_unlock();
}

static s32 run_init(struct policy *policy, struct mem_cgroup *memcg)
{
	COUNT(programs);
	shim_gap(false);
	bpf_cache_ext_capacity(memcg);
	if (bpf_cache_ext_size(memcg))
		shim_die("a policy has folios before it begins");
	if (shim_chance(30))
		return -EINVAL;
	policy->running = true;
	return 0;
}

static void run_exit(struct policy *policy, struct mem_cgroup *memcg)
{
	COUNT(programs);
	if (policy->ops.init && !policy->running)
		shim_die("exit without init, or twice");
	shim_gap(false);
	bpf_cache_ext_size(memcg);
	policy->running = false;
}

static void run_added(struct policy *policy, struct folio *folio,
		      struct mem_cgroup *memcg)
{
	COUNT(programs);
	WRITE_ONCE(policy->told, true);
	if (!pick(64))
		bpf_cache_ext_reclaim(memcg, pick(8) ? pick(16) : ~0ULL,
				      pick(4) ? bpf_cache_ext_gone(memcg) : pick(2) * ~0ULL);
	if (policy->style == STYLE_CHAOS)
		chaos_added(policy, folio, memcg);
	else
		program_add(policy, folio, 0, true);
}

static u32 *counter_of(struct folio *folio)
{
	return (u32 *)bpf_cache_ext_folio_data(folio, 4);
}

static void run_accessed(struct policy *policy, struct folio *folio,
			 struct mem_cgroup *memcg)
{
	u32 *counter;

	COUNT(programs);
	/* Nothing else has happened since the core looked. */
	if (world.shadow && !bpf_cache_ext_folio_data(folio, 0))
		shim_die("folio_accessed for a folio that it does not own");
	switch (policy->style) {
	case STYLE_CHAOS:
		chaos_event(policy, folio, memcg, true);
		break;
	case STYLE_LRU:
		program_move(policy, folio, 0, true);
		break;
	case STYLE_MRU:
		program_move(policy, folio, 0, false);
		break;
	case STYLE_LFU:
		counter = counter_of(folio);
		if (counter)
			__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
		break;
	default:
		break;
	}
}

static void run_evicted(struct policy *policy, struct folio *folio,
			struct mem_cgroup *memcg)
{
	COUNT(programs);
	if (policy->style == STYLE_CHAOS)
		chaos_event(policy, folio, memcg, true);
}

/* It has its record and its list until this is over. */
static void run_removed(struct policy *policy, struct folio *folio,
			struct mem_cgroup *memcg, u32 reason)
{
	u8 *has = policy->has ? &policy->has[frame_of(folio)] : NULL;

	COUNT(programs);
	if (reason > CACHE_EXT_DELETED)
		shim_die("folio_removed for an unknown reason");
	if (!bpf_cache_ext_folio_data(folio, 0) ||
	    bpf_cache_ext_folio_list(folio) < 0)
		shim_die("a folio that is removed has no record or list");
	if (has && !*has && !world.moving)
		shim_die("folio_removed twice, or without folio_added");
	if (has)
		*has = 0;
	if (policy->style == STYLE_CHAOS)
		chaos_event(policy, folio, memcg, true);
}

static bool enough(const struct cache_ext_evict_ctx *ctx)
{
	return ctx->nr_evicted >= ctx->request_nr_folios;
}

static void evict_in_order(struct cache_ext_evict_ctx *ctx,
			   struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while (!enough(ctx) && (folio = bpf_iter_cache_ext_list_next(&it))) {
		bpf_cache_ext_evict(ctx, folio);
		CALLED();
	}
	bpf_iter_cache_ext_list_destroy(&it);
}

static void evict_offered(struct cache_ext_evict_ctx *ctx,
			  struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_scan it;
	struct folio *folio;

	bpf_iter_cache_ext_scan_new(&it, memcg, 0, pick(2), CANDIDATES);
	while ((folio = bpf_iter_cache_ext_scan_next(&it))) {
		bpf_cache_ext_offer(ctx, folio, pick(1000));
		CALLED();
	}
	bpf_iter_cache_ext_scan_destroy(&it);
	bpf_cache_ext_take_offers(ctx);
}

static void run_evict(struct policy *policy, struct cache_ext_evict_ctx *ctx,
		      struct mem_cgroup *memcg)
{
	COUNT(programs);
	switch (policy->style) {
	case STYLE_CHAOS:
		chaos_evict(policy, ctx, memcg);
		break;
	case STYLE_LFU:
		bpf_cache_ext_select(ctx, 0, pick(2), CANDIDATES, 4 << 16);
		bpf_cache_ext_take_offers(ctx);
		break;
	case STYLE_OFFER:
		evict_offered(ctx, memcg);
		break;
	case STYLE_STARVE:
		break;
	default:
		evict_in_order(ctx, memcg);
	}
}

static void run_tick(struct policy *policy, struct mem_cgroup *memcg)
{
	COUNT(programs);
	if (policy->style == STYLE_CHAOS && pick(2))
		bpf_cache_ext_tick(memcg);
	if (!pick(4))
		bpf_cache_ext_reclaim(memcg, pick(64), bpf_cache_ext_gone(memcg) - pick(8));
}

static bool run_admit(struct policy *policy, struct folio *folio,
		      struct mem_cgroup *memcg)
{
	const struct inode *inode = folio->mapping->host;

	COUNT(programs);
	if (!S_ISREG(inode->i_mode) || hlist_empty(&inode->i_dentry))
		shim_die("a folio that nobody can open may be refused");
	if (policy->style == STYLE_CHAOS)
		chaos_event(policy, folio, memcg, false);
	return pick(8);
}

/* The same for a policy whose programs are called without a trampoline. */
static unsigned int direct_added(const void *ctx, const struct bpf_insn *insn)
{
	const u64 *args = ctx;

	run_added((struct policy *)insn->closure, (void *)(uintptr_t)args[0],
		  (void *)(uintptr_t)args[1]);
	return 0;
}

static unsigned int direct_accessed(const void *ctx,
				    const struct bpf_insn *insn)
{
	const u64 *args = ctx;

	run_accessed((struct policy *)insn->closure, (void *)(uintptr_t)args[0],
		     (void *)(uintptr_t)args[1]);
	return 0;
}

#define FOR_EACH_POLICY(X)                                                     \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#define PROGRAMS(n)                                                            \
	static s32 init##n(struct mem_cgroup *m)                               \
	{                                                                      \
		return run_init(&world.policies[n], m);                        \
	}                                                                      \
	static void exit##n(struct mem_cgroup *m)                              \
	{                                                                      \
		run_exit(&world.policies[n], m);                               \
	}                                                                      \
	static void added##n(struct folio *f, struct mem_cgroup *m)            \
	{                                                                      \
		run_added(&world.policies[n], f, m);                           \
	}                                                                      \
	static void accessed##n(struct folio *f, struct mem_cgroup *m)         \
	{                                                                      \
		run_accessed(&world.policies[n], f, m);                        \
	}                                                                      \
	static void evicted##n(struct folio *f, struct mem_cgroup *m)          \
	{                                                                      \
		run_evicted(&world.policies[n], f, m);                         \
	}                                                                      \
	static void removed##n(struct folio *f, struct mem_cgroup *m, u32 r)   \
	{                                                                      \
		run_removed(&world.policies[n], f, m, r);                      \
	}                                                                      \
	static void evict##n(struct cache_ext_evict_ctx *c,                    \
			     struct mem_cgroup *m)                             \
	{                                                                      \
		run_evict(&world.policies[n], c, m);                           \
	}                                                                      \
	static void tick##n(struct mem_cgroup *m)                              \
	{                                                                      \
		run_tick(&world.policies[n], m);                               \
	}                                                                      \
	static bool admit##n(struct folio *f, struct mem_cgroup *m)            \
	{                                                                      \
		return run_admit(&world.policies[n], f, m);                    \
	}
FOR_EACH_POLICY(PROGRAMS)

#define OPS(n)                                                                 \
	[n] = { .init = init##n, .exit = exit##n, .folio_added = added##n,     \
		.folio_accessed = accessed##n, .folio_evicted = evicted##n,    \
		.folio_removed = removed##n, .evict_folios = evict##n,         \
		.tick = tick##n, .admit_folio = admit##n },
static const struct cache_ext_ops ops[POLICIES] = { FOR_EACH_POLICY(OPS) };

/* All of them; settings stay as they are. */
void programs_init(struct policy *policy, unsigned int number)
{
	struct cache_ext_ops *to = &policy->ops;
	const struct cache_ext_ops *from = &ops[number];
	struct bpf_prog *progs = policy->progs;

	to->init = from->init;
	to->exit = from->exit;
	to->folio_added = from->folio_added;
	to->folio_accessed = from->folio_accessed;
	to->folio_evicted = from->folio_evicted;
	to->folio_removed = from->folio_removed;
	to->evict_folios = from->evict_folios;
	to->tick = from->tick;
	to->admit_folio = from->admit_folio;
	progs[CACHE_EXT_ADDED].bpf_func = direct_added;
	progs[CACHE_EXT_ADDED].insnsi[0].closure = policy;
	progs[CACHE_EXT_ACCESSED].bpf_func = direct_accessed;
	progs[CACHE_EXT_ACCESSED].insnsi[0].closure = policy;
}
