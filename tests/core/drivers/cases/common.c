// SPDX-License-Identifier: GPL-2.0
/* What cases share: a cgroup, two policies, folios that come and go. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "../../../../kernel/cache_ext/hint.h"
#include "cases.h"

struct mem_cgroup *group;
struct policy *const first = &world.policies[0];
struct policy *const second = &world.policies[1];

unsigned int calm = -1;
void (*meanwhile)(void);

unsigned int shim_pick(unsigned int n)
{
	if (!calm || (meanwhile && n == 256))
		return 0;
	calm--;
	return n - 1;
}

static void other_cpu(void)
{
	void (*what)(void) = meanwhile;

	/* One at a time. */
	meanwhile = NULL;
	if (what)
		what();
}

void in_gap(void (*what)(void))
{
	meanwhile = what;
	shim_other_cpu = other_cpu;
	shim_calm = !!what;
}

static void added(struct folio *folio, struct mem_cgroup *memcg __maybe_unused)
{
	bpf_cache_ext_list_add_tail(folio, 0);
}

static void evict(struct cache_ext_evict_ctx *ctx __maybe_unused,
		  struct mem_cgroup *memcg __maybe_unused)
{
}

void attach(struct policy *policy, struct mem_cgroup *memcg)
{
	policy->ops.nr_lists = policy->ops.nr_lists ?: 1;
	policy->ops.folio_added = policy->ops.folio_added ?: added;
	policy->ops.evict_folios = policy->ops.evict_folios ?: evict;
	policy->ops.cgroup_id = memcg->cgroup.id;
	if (register_policy(policy))
		shim_die("the policy is not attached");
}

int register_policy(struct policy *policy)
{
	int err;

	current->no_reclaim = true;
	err = cache_ext_reg(&policy->ops, &policy->link);
	current->no_reclaim = false;
	return err;
}

struct cache_ext_shrink reclaim_of(struct mem_cgroup *memcg,
				   struct mem_cgroup *target, unsigned long nr)
{
	return (struct cache_ext_shrink) {
		.memcg = memcg, .target = target, .lruvec = &memcg->lruvec[0],
		.reclaim_idx = MAX_NR_ZONES - 1, .priority = DEF_PRIORITY,
		.nr_to_reclaim = nr,
	};
}

void begin_program(void)
{
	rcu_read_lock();
	hint_begin(&group->cache_ext->self);
}

void end_program(void)
{
	hint_end();
	rcu_read_unlock();
}

void detach(struct policy *policy)
{
	cache_ext_unreg(&policy->ops, &policy->link);
}

void go(struct mem_cgroup *memcg)
{
	memcg->css.online = false;
	shim_memcg_offline(memcg);
}

struct folio *added_folio(u32 pfn, struct mem_cgroup *memcg, bool by_read)
{
	struct folio *folio = shim_folio_alloc_at(pfn);

	folio_trylock(folio);
	shim_charge(folio, memcg);
	page_insert(&world.files[0], folio, pfn % SHIM_FILE_PAGES);
	page_cached(folio, 1);
	cache_ext_folio_added(folio, GFP_KERNEL, by_read);
	shim_lru_add(folio);
	folio_unlock(folio);
	return folio;
}

struct folio *cached_folio(u32 pfn, struct mem_cgroup *memcg)
{
	return added_folio(pfn, memcg, true);
}

void take_out(struct folio *folio, enum cache_ext_reason why)
{
	lru_add_drain_all();
	cache_ext_folio_removed(folio, why);
	page_cached(folio, -1);
	page_delete(folio);
	atomic_set(&folio->_refcount, 0);
	shim_folio_free(folio);
}

void drop(struct folio *folio)
{
	take_out(folio, CACHE_EXT_DELETED);
}

unsigned int told;

void accessed(struct folio *folio __maybe_unused,
	      struct mem_cgroup *memcg __maybe_unused)
{
	told++;
}

u64 counted(enum cache_ext_stat_item item)
{
	u64 nr = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr += per_cpu_ptr(group->cache_ext->stats, cpu)->nr[item];
	return nr;
}

void dirty_folio(struct folio *folio)
{
	set_bit(PG_dirty, &folio->flags);
}

void clean_folio(struct folio *folio)
{
	clear_bit(PG_dirty, &folio->flags);
}

void evict_oldest(struct cache_ext_evict_ctx *ctx,
		  struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;

	bpf_iter_cache_ext_list_new(&it, memcg, 0);
	while (ctx->nr_evicted < ctx->request_nr_folios &&
	       (folio = bpf_iter_cache_ext_list_next(&it)))
		bpf_cache_ext_evict(ctx, folio);
	bpf_iter_cache_ext_list_destroy(&it);
}
