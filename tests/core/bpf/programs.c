// SPDX-License-Identifier: GPL-2.0
/*
 * The generated programs as members of cache_ext_ops: struct_ops' trampolines pass
 * an array of arguments.
 */
#include "../../../kernel/cache_ext/hint.h"
#include "../world/kfuncs.h"
#include "../world/world.h"
#include "agree.h"

typedef void (*program)(const u64 *args);
typedef s32 (*function)(const u64 *args);

/* A parameter of the core: pin.c. */
extern unsigned int *const shim_param_max_pin_percent;

static const struct cache_ext_ops *generated;
static u64 capacity;
bool agree_by_time;

/* Caller: a program, or nobody. What the policy does not own does not count. */
void agree_limit(struct mem_cgroup *memcg)
{
	u64 owned = memcg->cache_ext ? READ_ONCE(memcg->cache_ext->lists.owned) : 0;
	u64 used = page_counter_read(&memcg->memory);

	WRITE_ONCE(memcg->memory.max, capacity + used - owned);
}

/* The programs, as struct_ops' trampolines call them. */
static s32 run_init(struct mem_cgroup *memcg)
{
	u64 args[] = { (unsigned long)memcg };

	return ((function)(void *)generated->init)(args);
}

static unsigned int run_added(const void *args,
			      const struct bpf_insn *insn __maybe_unused)
{
	((program)(void *)generated->folio_added)(args);
	return 0;
}

static unsigned int run_accessed(const void *args,
				 const struct bpf_insn *insn __maybe_unused)
{
	((program)(void *)generated->folio_accessed)(args);
	return 0;
}

static void run_removed(struct folio *folio, struct mem_cgroup *memcg,
			u32 reason)
{
	u64 args[] = { (unsigned long)folio, (unsigned long)memcg, reason };

	((program)(void *)generated->folio_removed)(args);
}

static void run_evict(struct cache_ext_evict_ctx *ctx, struct mem_cgroup *memcg)
{
	u64 args[] = { (unsigned long)ctx, (unsigned long)memcg };

	((program)(void *)generated->evict_folios)(args);
	if (memcg->cache_ext->request.nr_proposals)
		agree_proposed(&memcg->cache_ext->request);
}

static void run_tick(struct mem_cgroup *memcg)
{
	u64 args[] = { (unsigned long)memcg };

	((program)(void *)generated->tick)(args);
}

static bool run_admit(struct folio *folio, struct mem_cgroup *memcg)
{
	u64 args[] = { (unsigned long)folio, (unsigned long)memcg };

	return ((function)(void *)generated->admit_folio)(args);
}

/* Programs that are called without a trampoline: only these two. */
static void never(struct folio *folio __maybe_unused,
		  struct mem_cgroup *memcg __maybe_unused)
{
	shim_die("a program is not called directly");
}

/* As the loader does it, before there is a policy: what is sized asks for the capacity. */
static void size_policy(struct mem_cgroup *memcg, struct cache_ext_ops *ops)
{
	static struct cache_ext_policy before;
	struct cache_ext_policy **id = &cache_ext_policy_ids[CACHE_EXT_MAX_POLICIES - 1];

	before.life.memcg = memcg;
	before.self.pfn = CACHE_EXT_MAX_PFN;
	before.self.policy = CACHE_EXT_MAX_POLICIES - 1;
	*id = &before;
	hint_begin(&before.self);
	agree_sizes(memcg);
	ops->nr_lists = agree_nr_lists();
	ops->tick_ms = min_t(u64, agree_tick_ms(memcg), CACHE_EXT_MAX_TICK_MS);
	ops->pin_pages = agree_pin_pages(memcg);
	hint_end();
	*id = NULL;
}

void agree_attach(struct mem_cgroup *memcg, u64 pages)
{
	struct policy *policy = &world.policies[0];
	struct cache_ext_ops *ops = &policy->ops;

	if (agree_ops_size != sizeof(*ops))
		shim_die("cache_ext_abi.h does not have the core's cache_ext_ops");
	capacity = pages;
	/* The machine has no share but the quota, and takes what it wants to. */
	*shim_param_max_pin_percent = 100;
	reclaim_priority = 0;
	generated = agree_ops;
	*ops = *generated;
	if (ops->init)
		ops->init = run_init;
	ops->folio_added = never;
	policy->progs[CACHE_EXT_ADDED].bpf_func = run_added;
	if (ops->folio_accessed) {
		ops->folio_accessed = never;
		policy->progs[CACHE_EXT_ACCESSED].bpf_func = run_accessed;
	}
	if (ops->folio_removed)
		ops->folio_removed = run_removed;
	ops->evict_folios = run_evict;
	if (ops->tick)
		ops->tick = run_tick;
	if (ops->admit_folio)
		ops->admit_folio = run_admit;
	size_policy(memcg, ops);
	ops->cgroup_id = memcg->cgroup.id;
	agree_by_time = ops->tick_ms;
	policy->used = true;
	policy->linked = true;
	policy->refs = 1;
	policy->direct = true;
	if (cache_ext_reg(ops, &policy->link))
		shim_die("the policy is not attached");
	shim_settle();
}
