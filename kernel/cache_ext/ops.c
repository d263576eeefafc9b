// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy.
 *
 *   link created ---> reg():	 hooks on; a worker makes its lists, runs the init
 *				 program, publishes, and adopts the folios that are
 *				 there
 *   link updated ---> update(): the same; the worker publishes in place of the old
 *				 policy, whose folios it adopts in their order
 *   link gone	  ---> unreg():  retire
 *
 * None of the three waits for a program, or reclaims: BPF holds a lock of all struct_ops
 * links. A policy without init is published at once. If init fails the policy ends, and the one
 * that it was to replace goes on.
 *
 * detach.c has what retiring is, and the ends that are not the link's.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"
#include "hint.h"

static int hooks_on(struct cache_ext_policy *p)
{
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
	struct cache_ext_policy *old = p->old;
	unsigned long pages, owned;

	WRITE_ONCE(p->refaults, cache_ext_refaults(p->memcg));
	if (old)
		cache_ext_inherit(p, old);
	/* New folios come by themselves; these are the ones that are there. */
	cache_ext_adopt_all(p);
	if (old) {
		kref_put(&old->rest, cache_ext_rested);
		cache_ext_policy_put(old);
	}
	pages = cache_ext_glue_file_pages(p->memcg);
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

	err = cache_ext_life_init(&p->life, ops, ops->cgroup_id, ops->name);
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
						    CACHE_EXT_GFP_REG);
		if (p->stats &&
		    !cache_ext_batches_init(&p->lists, CACHE_EXT_GFP_REG))
			return 0;
	} while (cache_ext_life_again(&tries));
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
	err = cache_ext_life_charge(&p->life, own + bytes,
				    bytes > CACHE_EXT_LEEWAY ||
				    gfpflags_allow_blocking(gfp) ?
				    gfp : gfp | __GFP_HIGH);
	if (!err && ops->pin_pages)
		err = cache_ext_pins_init(&p->lists, gfp);
	return err ?: cache_ext_lists_init(&p->lists, ops->nr_lists, gfp);
}

/* Its cgroup and number. The caller puts @p if it fails. */
static int policy_fill(struct cache_ext_policy *p, struct cache_ext_ops *ops)
{
	struct mem_cgroup *memcg = cache_ext_memcg_of_id(ops->cgroup_id);
	int err;

	if (IS_ERR(memcg))
		return PTR_ERR(memcg);
	p->memcg = memcg;
	cache_ext_node_kind_charge(&p->kind, memcg);
	cache_ext_life_payer(&p->life, memcg);
	err = counters(p);
	if (!err && !ops->init)
		err = rooms(p, ops, CACHE_EXT_GFP_REG);
	if (!err)
		err = take_id(p);
	/* Last: it holds @ops, for teardown to let go of them. */
	return err ?: take_ops(p, ops);
}

static void begin(struct work_struct *work);

static struct cache_ext_policy *policy_alloc(struct cache_ext_ops *ops)
{
	struct cache_ext_policy *p;
	int err;

	p = kvzalloc(sizeof(*p), CACHE_EXT_GFP_REG);
	if (!p)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&p->lists.lock);
	mutex_init(&p->evict_mutex);
	spin_lock_init(&p->watchdog.lock);
	cache_ext_tick_init(p);
	cache_ext_refused_init(p);
	kref_init(&p->users);
	kref_init(&p->refs);
	kref_init(&p->holders);
	init_completion(&p->unheld);
	kref_init(&p->rest);
	cache_ext_detach_init(p);
	INIT_WORK(&p->begin, begin);
	INIT_WORK(&p->adopt, adopt);
	p->initializing = true;
	err = policy_fill(p, ops);
	if (err) {
		cache_ext_policy_put(p);
		return ERR_PTR(err);
	}
	return p;
}

/* Its link is gone, or is another policy's. Caller: cache_ext_mutex. */
static void unlink(struct cache_ext_policy *p)
{
	/* teardown() has one reference, this is the other. */
	if (cache_ext_life_unlink(&cache_ext_lives, &p->life))
		cache_ext_policy_put(p);
}

/* The cgroup's memcg with a reference, or an error; never the root's. */
struct mem_cgroup *cache_ext_memcg_of_id(u64 cgroup_id)
{
	struct mem_cgroup *memcg = ERR_PTR(-EINVAL);
	struct cgroup_subsys_state *css;
	struct cgroup *cgrp;

	cgrp = cgroup_get_from_id(cgroup_id);
	if (IS_ERR(cgrp))
		return ERR_PTR(-EINVAL);
	/* Of this very cgroup: an effective css may be an ancestor's. */
	rcu_read_lock();
	css = rcu_dereference(cgrp->subsys[memory_cgrp_id]);
	if (css && css->parent && css_tryget_online(css))
		memcg = mem_cgroup_from_css(css);
	rcu_read_unlock();
	cgroup_put(cgrp);
	return memcg;
}

/* A policy for @ops, on the list: its cgroup is taken. Or an error. */
static struct cache_ext_policy *policy_enter(struct cache_ext_ops *ops,
					     struct cache_ext_policy *old)
{
	struct cache_ext_policy *p = policy_alloc(ops);
	int err;

	if (IS_ERR(p))
		return p;
	mutex_lock(&cache_ext_mutex);
	err = cache_ext_life_check(&cache_ext_lives, p->life.cgroup_id,
				   old ? &old->life : NULL);
	/* One change after the other. */
	if (!err && old && old->initializing)
		err = -EBUSY;
	if (!err)
		list_add_tail(&p->life.all, &cache_ext_policies);
	mutex_unlock(&cache_ext_mutex);
	if (err) {
		bpf_struct_ops_put(ops);
		cache_ext_policy_put(p);
		return ERR_PTR(err);
	}
	/* One for teardown(), one for the list. */
	kref_get(&p->refs);
	return p;
}

/*
 * Hooks and reclaim see @p from here on, in place of the one that it replaces, if that
 * has not ended by itself. Caller: cache_ext_mutex.
 */
static void publish(struct cache_ext_policy *p)
{
	struct cache_ext_policy *old = p->old;

	WRITE_ONCE(p->published, true);
	WRITE_ONCE(p->adopting, true);
	if (old && !old->dead)
		cache_ext_leaves();
	cache_ext_glue_publish(p->memcg, p);
	if (old) {
		cache_ext_exit(old, CACHE_EXT_EXIT_REPLACED, 0, p->life.name);
		/* Of one that had ended nothing is left to adopt. */
		if (old->dead) {
			p->old = NULL;
		} else {
			old->heir = p;
			kref_get(&old->rest);
		}
		cache_ext_mark_dead(old);
		unlink(old);
		if (!p->old)
			cache_ext_policy_put(old);
	}
	kref_get(&p->rest);
	/* Else when no program of the old one runs any more. */
	if (!p->old)
		queue_work(cache_ext_long_wq, &p->adopt);
	cache_ext_tick_start(p);
}

/* @p never runs. Caller: cache_ext_mutex. */
static void fail(struct cache_ext_policy *p, int err)
{
	cache_ext_exit(p, CACHE_EXT_EXIT_INIT, err, "init failed");
	p->initializing = false;
	WRITE_ONCE(p->dead, true);
	queue_work(cache_ext_long_wq, &p->teardown);
}

/*
 * Its init has failed. The policy that it was to replace goes on, with the link that @p had,
 * unless the link is gone meanwhile. Caller: cache_ext_mutex.
 */
static void give_up(struct cache_ext_policy *p, int err)
{
	struct cache_ext_policy *old = p->old;

	fail(p, err);
	if (old) {
		if (p->life.linked && !old->dead) {
			cache_ext_life_return_link(&old->life, &p->life);
			unlink(p);
		} else {
			cache_ext_exit(old, CACHE_EXT_EXIT_UNREG, 0,
				       "its link is gone");
			cache_ext_retire_locked(old);
			unlink(old);
		}
		p->old = NULL;
		cache_ext_policy_put(old);
	}
}

/*
 * Its cgroup is not going away: if it goes later, we are on the list by then. Caller:
 * cache_ext_mutex.
 */
static int come_online(struct cache_ext_policy *p)
{
	if (p->dead)
		return -EINVAL;
	if (!css_tryget_online(&p->memcg->css)) {
		p->life.gone = true;
		return -EINVAL;
	}
	p->initializing = false;
	publish(p);
	css_put(&p->memcg->css);
	return 0;
}

static void begin(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  begin);
	int err;

	err = rooms(p, p->ops, CACHE_EXT_GFP_WORKER);
	if (!err) {
		rcu_read_lock();
		hint_begin(&p->self);
		err = p->ops->init(p->memcg);
		hint_end();
		rcu_read_unlock();
	}

	mutex_lock(&cache_ext_mutex);
	if (!err)
		err = come_online(p);
	if (err)
		give_up(p, err < 0 ? err : -EINVAL);
	mutex_unlock(&cache_ext_mutex);
}

static int start(struct cache_ext_ops *ops, struct cache_ext_policy *old)
{
	struct cache_ext_policy *p;
	int err;

	if (PHYS_PFN(__pa(high_memory - 1)) >= CACHE_EXT_MAX_PFN)
		return -EFBIG;
	p = policy_enter(ops, old);
	if (IS_ERR(p))
		return PTR_ERR(p);
	err = hooks_on(p);

	mutex_lock(&cache_ext_mutex);
	/* It may have lost its link, and ended. */
	if (!err && old && old->life.linked) {
		kref_get(&old->refs);
		p->old = old;
	}
	if (!err && !ops->init)
		err = come_online(p);
	if (err) {
		if (p->old)
			cache_ext_policy_put(p->old);
		p->old = NULL;
		fail(p, err);
		unlink(p);
	} else if (ops->init) {
		if (p->old)
			cache_ext_life_lend_link(&p->old->life);
		queue_work(cache_ext_long_wq, &p->begin);
	}
	mutex_unlock(&cache_ext_mutex);
	return err;
}

/* A link to the ops @kdata is made. 0, or an error; then all is as before. */
int cache_ext_reg(void *kdata, struct bpf_link *link)
{
	return link ? start(kdata, NULL) : -EOPNOTSUPP;
}

/* With a reference. NULL: its cgroup is gone. */
static struct cache_ext_policy *policy_of_ops(void *kdata)
{
	struct cache_ext_policy *p = NULL;
	struct cache_ext_life *l;

	mutex_lock(&cache_ext_mutex);
	l = cache_ext_life_of(&cache_ext_lives, kdata);
	if (l) {
		p = container_of(l, struct cache_ext_policy, life);
		kref_get(&p->refs);
	}
	mutex_unlock(&cache_ext_mutex);
	return p;
}

/*
 * The link gets the ops @kdata instead of @old_kdata. There is a policy all the
 * while. 0, or an error; then all is as before. -EBUSY: the old one's init has not
 * run yet. BPF updates a link under a lock of its own, but not when the last reference
 * to it goes: cache_ext_mutex serialises these three.
 */
int cache_ext_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	struct cache_ext_policy *old = policy_of_ops(old_kdata);
	int err = 0;

	if (!old)
		return -EINVAL;
	/* It went on when another's init had failed: now BPF knows, too. */
	if (old->life.held == kdata && old->life.ops != kdata) {
		mutex_lock(&cache_ext_mutex);
		old->life.ops = kdata;
		mutex_unlock(&cache_ext_mutex);
	} else {
		err = start(kdata, old);
	}
	cache_ext_policy_put(old);
	return err;
}

/* It is gone. */
void cache_ext_unreg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_policy *p = policy_of_ops(kdata);

	if (!p)
		return;
	mutex_lock(&cache_ext_mutex);
	cache_ext_exit(p, CACHE_EXT_EXIT_UNREG, 0, "its link is gone");
	cache_ext_retire_locked(p);
	/* Its init has still to end. Who goes on till then has no link either. */
	if (p->initializing && p->old) {
		cache_ext_exit(p->old, CACHE_EXT_EXIT_UNREG, 0,
			       "its link is gone");
		cache_ext_retire_locked(p->old);
	}
	/* Unless the cgroup went meanwhile. */
	if (p->life.linked)
		unlink(p);
	mutex_unlock(&cache_ext_mutex);
	cache_ext_policy_put(p);
}
