// SPDX-License-Identifier: GPL-2.0
/*
 * The turns of a policy's life, of which ../policy_ext/life.c tells: making it takes its
 * counters, hooks are on before its init program runs, and publishing it has a worker adopt
 * the folios that are there; those of the policy that it replaces in their order.
 *
 * detach.c has what hooks and reclaim still have to do for one that is retired.
 */
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"
#include "hint.h"

static int hook(struct policy_ext_life *l)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l);
	int err = cache_ext_glue_enable();

	if (err)
		return err;
	if (p->pin_pages)
		err = cache_ext_glue_pin_enable();
	if (err) {
		cache_ext_glue_disable();
		return err;
	}
	if (p->ops->admit_folio)
		cache_ext_glue_admit_enable();
	p->hooked = true;
	return 0;
}

static void adopt(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  adopt);
	struct cache_ext_policy *old = p->forebear;
	unsigned long pages, owned;

	WRITE_ONCE(p->refaults, cache_ext_refaults(p->life.memcg));
	if (old)
		cache_ext_inherit(p, old);
	/* New folios make events; this adopts those that are cached already. */
	cache_ext_adopt_all(p);
	if (old) {
		kref_put(&old->rest, cache_ext_rested);
		policy_ext_put(&old->life);
	}
	pages = cache_ext_glue_file_pages(p->life.memcg);
	owned = READ_ONCE(p->lists.owned);
	WRITE_ONCE(p->untracked, pages > owned ? pages - owned : 0);
	WRITE_ONCE(p->adopting, false);
	kref_put(&p->rest, cache_ext_rested);
}

/* A name for nodes, which are found by it as long as @p lives. */
static int take_id(struct cache_ext_policy *p)
{
	unsigned int i;

	for (i = 1; i < CACHE_EXT_MAX_POLICIES; i++) {
		if (!cmpxchg(&cache_ext_policy_ids[i], NULL, p)) {
			p->kind.policy = i;
			WRITE_ONCE(cache_ext_node_kinds[i], &p->kind);
			p->self.policy = i;
			p->self.pfn = CACHE_EXT_MAX_PFN;
			return 0;
		}
	}
	return -ENOSPC;
}

/* Programs and settings of @ops. */
static int take_ops(struct cache_ext_policy *p, struct cache_ext_ops *ops)
{
	unsigned int i;
	int err;

	err = policy_ext_life_hold(&p->life, ops, ops->name);
	if (err)
		return err;
	p->ops = ops;
	p->pin_pages = ops->pin_pages;
	cache_ext_node_kind_init(&p->kind, ops->folio_data_size,
				 ops->flags & CACHE_EXT_DATA_ALIGN4 ? 4 : 8);
	for (i = 0; i < CACHE_EXT_MEMBERS; i++)
		p->progs[i] = cache_ext_glue_prog(ops, i);
	return 0;
}

/* What it has for each CPU. 0 or -ENOMEM. */
static int counters(struct cache_ext_policy *p)
{
	unsigned int tries = 0;

	do {
		if (!p->stats)
			p->stats = alloc_percpu_gfp(struct cache_ext_stats,
						    POLICY_EXT_GFP_REG);
		if (p->stats &&
		    !cache_ext_batches_init(&p->lists, POLICY_EXT_GFP_REG))
			return 0;
	} while (policy_ext_life_again(&tries));
	return -ENOMEM;
}

/*
 * Its lists, and the charge for all of it, which often needs reclaim: most cgroups are
 * full. So the worker that runs init does this first. Without init there is none: then a
 * few lists are charged past the limit, until the next charge, and more need that there is
 * room. 0 or -ENOMEM.
 */
static int rooms(struct cache_ext_policy *p, const struct cache_ext_ops *ops,
		 gfp_t gfp)
{
	size_t own = sizeof(*p) + num_possible_cpus() *
		     (sizeof(*p->stats) + sizeof(*p->lists.batches));
	size_t bytes = (size_t)ops->nr_lists * sizeof(*p->lists.list);
	int err;

	if (ops->pin_pages)
		bytes += CACHE_EXT_PIN_SLOTS * sizeof(*p->lists.pin_slots);
	err = policy_ext_life_charge(&p->life, own + bytes,
				     bytes > CACHE_EXT_LEEWAY ||
				     gfpflags_allow_blocking(gfp) ?
				     gfp : gfp | __GFP_HIGH);
	if (!err && ops->pin_pages)
		err = cache_ext_pins_init(&p->lists, gfp);
	return err ?: cache_ext_lists_init(&p->lists, ops->nr_lists, gfp);
}

/* Its cgroup and number. The caller forgets @p if it fails. */
static int policy_fill(struct cache_ext_policy *p, struct cache_ext_ops *ops)
{
	int err = policy_ext_life_join(&p->life, ops->cgroup_id);

	if (err)
		return err;
	cache_ext_node_kind_charge(&p->kind, p->life.memcg);
	err = counters(p);
	if (!err && !ops->init)
		err = rooms(p, ops, POLICY_EXT_GFP_REG);
	if (!err)
		err = take_id(p);
	/* Last: it holds @ops, for teardown to let go of them. */
	return err ?: take_ops(p, ops);
}

static struct policy_ext_life *make(void *kdata)
{
	struct cache_ext_ops *ops = kdata;
	struct cache_ext_policy *p;
	int err;

	if (PHYS_PFN(__pa(high_memory - 1)) >= CACHE_EXT_MAX_PFN)
		return ERR_PTR(-EFBIG);
	p = kvzalloc(sizeof(*p), POLICY_EXT_GFP_REG);
	if (!p)
		return ERR_PTR(-ENOMEM);
	policy_ext_life_init(&p->life, &cache_ext_type, cache_ext_teardown,
			     ops->init);
	spin_lock_init(&p->lists.lock);
	mutex_init(&p->evict_mutex);
	spin_lock_init(&p->watchdog.lock);
	cache_ext_tick_init(p);
	cache_ext_wanted_init(p);
	cache_ext_refused_init(p);
	kref_init(&p->users);
	kref_init(&p->holders);
	init_completion(&p->unheld);
	kref_init(&p->rest);
	cache_ext_detach_init(p);
	INIT_WORK(&p->adopt, adopt);
	err = policy_fill(p, ops);
	if (err) {
		policy_ext_put(&p->life);
		return ERR_PTR(err);
	}
	return &p->life;
}

/* Its lists, and then the program. */
static int init(struct policy_ext_life *l)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l);
	int err = rooms(p, p->ops, POLICY_EXT_GFP_WORKER);

	if (err)
		return err;
	rcu_read_lock();
	hint_begin(&p->self);
	err = p->ops->init(l->memcg);
	hint_end();
	rcu_read_unlock();
	return err;
}

/* Hooks and reclaim see it from here on. Of one that had ended nothing is left to adopt. */
static void publish(struct policy_ext_life *l, struct policy_ext_life *before)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l), *old;

	WRITE_ONCE(p->adopting, true);
	if (before)
		cache_ext_leaves();
	cache_ext_glue_publish(l->memcg, p);
	kref_get(&p->rest);
	if (before) {
		old = cache_ext_policy_of_life(before);
		policy_ext_get(before);
		p->forebear = old;
		old->heir = p;
		kref_get(&old->rest);
	} else {
		/* Else when no program of the old one runs any more. */
		queue_work(policy_ext_long_wq, &p->adopt);
	}
	cache_ext_tick_start(p);
}

struct policy_ext_type cache_ext_type = {
	.lock = &cache_ext_mutex,
	.all = &cache_ext_policies,
	.make = make,
	.hook = hook,
	.init = init,
	.publish = publish,
	.hide = cache_ext_hide,
	.notify_exit = cache_ext_notify_exit,
	.exit = cache_ext_run_exit,
	.free = cache_ext_free,
};

int cache_ext_reg(void *kdata, struct bpf_link *link)
{
	return policy_ext_reg(&cache_ext_type, kdata, link);
}

int cache_ext_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	return policy_ext_update(&cache_ext_type, kdata, old_kdata);
}

void cache_ext_unreg(void *kdata, struct bpf_link *link)
{
	policy_ext_unreg(&cache_ext_type, kdata);
}

void __cache_ext_memcg_offline(struct mem_cgroup *memcg)
{
	policy_ext_offline(&cache_ext_type, memcg);
}
