// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy.
 *
 *   link created ---> reg():	 find the cgroup, init program, publish; a worker
 *				 adopts the folios that are there
 *   link updated ---> update(): the same; publish in place of the old policy, whose
 *				 folios the worker adopts in their order
 *   link gone	  ---> unreg():  retire, wait until no program runs any more
 *
 * detach.c has what retiring is, and the ends that are not the link's.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"

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

	if (old)
		cache_ext_inherit(p, old);
	/* New folios come by themselves; these are the ones that are there. */
	cache_ext_adopt_all(p);
	if (old) {
		complete_all(&old->inherited);
		cache_ext_policy_put(old);
	}
	pages = cache_ext_glue_file_pages(p->memcg);
	owned = READ_ONCE(p->lists.owned);
	WRITE_ONCE(p->untracked, pages > owned ? pages - owned : 0);
	WRITE_ONCE(p->adopting, false);
}

/* A name for nodes, which are found by it as long as @p lives. */
static int take_id(struct cache_ext_policy *p)
{
	unsigned int i;

	for (i = 0; i < CACHE_EXT_MAX_POLICIES; i++) {
		if (!cmpxchg(&cache_ext_policy_ids[i], NULL, p)) {
			p->kind.policy = i;
			return 0;
		}
	}
	return -ENOSPC;
}

/* Programs and settings of @ops. */
static void take_ops(struct cache_ext_policy *p, struct cache_ext_ops *ops)
{
	unsigned int i;

	p->ops = ops;
	cache_ext_life_init(&p->life, ops, ops->cgroup_id, ops->name);
	p->pin_pages = ops->pin_pages;
	cache_ext_node_kind_init(&p->kind, ops->folio_data_size,
				 ops->flags & CACHE_EXT_DATA_ALIGN4 ? 4 : 8);
	for (i = 0; i < CACHE_EXT_MEMBERS; i++)
		p->progs[i] = cache_ext_glue_prog(ops, i);
}

static struct cache_ext_policy *policy_alloc(struct cache_ext_ops *ops)
{
	struct cache_ext_policy *p;
	int err = 0;

	p = kvzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&p->lists.lock);
	p->lists.kind = &p->kind;
	p->stats = alloc_percpu(struct cache_ext_stats);
	if (ops->pin_pages)
		err = cache_ext_pins_init(&p->lists);
	if (!err && (!p->stats || cache_ext_batches_init(&p->lists)))
		err = -ENOMEM;
	if (!err)
		err = take_id(p);
	if (err) {
		cache_ext_pins_free(&p->lists);
		cache_ext_batches_free(&p->lists);
		free_percpu(p->stats);
		kvfree(p);
		return ERR_PTR(err);
	}
	take_ops(p, ops);
	mutex_init(&p->evict_mutex);
	spin_lock_init(&p->watchdog.lock);
	cache_ext_tick_init(p);
	cache_ext_refused_init(p);
	kref_init(&p->users);
	kref_init(&p->refs);
	init_completion(&p->unused);
	kref_init(&p->holders);
	init_completion(&p->unheld);
	init_completion(&p->inherited);
	cache_ext_detach_init(p);
	INIT_WORK(&p->adopt, adopt);
	return p;
}

/*
 * Ends @p, attached or not. When this returns no program of it runs any more; its
 * nodes and itself go later. No lock held.
 */
static void policy_end(struct cache_ext_policy *p)
{
	cache_ext_life_end(&cache_ext_lives, &p->life);
	/* teardown() has one reference, this is the other. */
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
	struct mem_cgroup *memcg;
	int err;

	if (IS_ERR(p))
		return p;
	memcg = cache_ext_memcg_of_id(ops->cgroup_id);
	if (IS_ERR(memcg)) {
		cache_ext_policy_put(p);
		return ERR_CAST(memcg);
	}
	p->memcg = memcg;
	cache_ext_node_kind_charge(&p->kind, memcg);

	mutex_lock(&cache_ext_mutex);
	err = cache_ext_life_check(&cache_ext_lives, p->life.cgroup_id,
				   old ? &old->life : NULL);
	if (!err) {
		p->initializing = current;
		list_add_tail(&p->life.all, &cache_ext_policies);
	}
	mutex_unlock(&cache_ext_mutex);
	if (err) {
		cache_ext_policy_put(p);
		return ERR_PTR(err);
	}
	/* One for teardown(), one for the list. */
	kref_get(&p->refs);
	return p;
}

/*
 * Hooks and reclaim see @p from here on, in place of @old, if that has not ended by
 * itself. Caller: cache_ext_mutex.
 */
static void publish(struct cache_ext_policy *p, struct cache_ext_policy *old)
{
	p->published = true;
	p->adopting = true;
	p->life.heir = old;
	cache_ext_glue_publish(p->memcg, p);
	if (old && !old->dead) {
		cache_ext_exit(old, CACHE_EXT_EXIT_REPLACED, 0, p->life.name);
		old->replaced = true;
		kref_get(&old->refs);
		p->old = old;
		cache_ext_mark_dead(old);
	}
	queue_work(cache_ext_wq, &p->adopt);
	cache_ext_tick_start(p);
}

static int start(struct cache_ext_ops *ops, struct cache_ext_policy *old)
{
	struct cache_ext_policy *p;
	int err, hooked;

	if (PHYS_PFN(__pa(high_memory - 1)) >= CACHE_EXT_MAX_PFN)
		return -EFBIG;
	p = policy_enter(ops, old);
	if (IS_ERR(p))
		return PTR_ERR(p);
	p->refaults = cache_ext_refaults(p->memcg);
	err = ops->init(p->memcg);
	hooked = hooks_on(p);

	mutex_lock(&cache_ext_mutex);
	p->initializing = NULL;
	/* Not going away: if it does later, we are on the list by then. */
	if (!err)
		err = hooked;
	if (!err && (p->dead || !css_tryget_online(&p->memcg->css)))
		err = -EINVAL;
	if (!err) {
		publish(p, old);
		css_put(&p->memcg->css);
	} else {
		err = err < 0 ? err : -EINVAL;
		cache_ext_exit(p, CACHE_EXT_EXIT_INIT, err, "init failed");
		p->dead = true;
		queue_work(cache_ext_wq, &p->teardown);
	}
	mutex_unlock(&cache_ext_mutex);
	if (err)
		policy_end(p);
	return err;
}

/* A link to the ops @kdata is made. 0, or an error; then all is as before. */
int cache_ext_reg(void *kdata, struct bpf_link *link)
{
	return link ? start(kdata, NULL) : -EOPNOTSUPP;
}

static struct cache_ext_policy *policy_of_ops(void *kdata)
{
	struct cache_ext_life *l = cache_ext_life_of(&cache_ext_lives, kdata);

	return l ? container_of(l, struct cache_ext_policy, life) : NULL;
}

/*
 * The link gets the ops @kdata instead of @old_kdata. There is a policy all the
 * while. 0, or an error; then all is as before. BPF updates a link under a lock of its
 * own, but not when the last reference to it goes: cache_ext_mutex serialises these three.
 */
int cache_ext_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	struct cache_ext_policy *old = policy_of_ops(old_kdata);
	int err;

	if (WARN_ON_ONCE(!old))
		return -ENOENT;
	err = start(kdata, old);
	if (!err) {
		policy_end(old);
		cache_ext_life_settle(&cache_ext_lives, kdata);
	}
	return err;
}

/* It is gone. */
void cache_ext_unreg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_policy *p = policy_of_ops(kdata);

	if (WARN_ON_ONCE(!p))
		return;
	cache_ext_exit(p, CACHE_EXT_EXIT_UNREG, 0, "its link is gone");
	cache_ext_retire(p);
	policy_end(p);
}
