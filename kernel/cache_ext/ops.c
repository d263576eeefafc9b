// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy.
 *
 *   link created ---> reg():	 find the cgroup, init program, publish; a worker
 *				 adopts the folios that are there
 *   link updated ---> update(): the same; publish in place of the old policy, whose
 *				 folios the worker adopts in their order
 *   link gone	  ---> unreg():  retire, wait until no program runs any more
 *   cgroup gone  ---> offline:  retire; the link stays, inert
 *   watchdog, error in a program ---> exit.c: the same
 *
 * Retiring makes the policy invisible to new events. Teardown, in a worker
 * because cgroup removal must not wait for reclaim, then waits for whoever still
 * runs the policy's programs, and runs the exit program. Then it waits for reclaim
 * of what was proposed, and forgets the nodes, for which nobody else waits: BPF holds
 * a lock of all struct_ops links around reg(), update() and unreg(), so nothing in
 * them may take time that depends on how much is cached, or on a device or a server.
 * If a new policy comes meanwhile, it takes over what it meets (event.c).
 *
 * Folios never left the kernel's LRU, so there is nothing to give back, but to
 * the policy of an ancestor, which adopts them at the end.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"

/* Attach, detach, the list of policies; see cache_ext.h for the order. */
DEFINE_MUTEX(cache_ext_mutex);
/* Policies that have a link. Under cache_ext_mutex. */
LIST_HEAD(cache_ext_policies);
struct cache_ext_lives cache_ext_lives = {
	.lock = &cache_ext_mutex,
	.all = &cache_ext_policies,
};

/* Slow work of policies. A module that goes waits for it. */
struct workqueue_struct *cache_ext_wq;

int __init cache_ext_ops_init(void)
{
	cache_ext_wq = alloc_workqueue("cache_ext", WQ_UNBOUND, 0);
	return cache_ext_wq ? 0 : -ENOMEM;
}

/* Of a module that goes: no policy has a link, and the last ones go now. */
void cache_ext_ops_exit(void)
{
	destroy_workqueue(cache_ext_wq);
}

/* Caller: lists.lock. */
static void forget_node(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	cache_ext_list_disown(&p->lists, node);
	cache_ext_forget(node, cnode_set_state(node, NODE_DYING));
}

/* Folios come off the lists; no program and no reclaimer runs any more. */
static void forget_nodes(struct cache_ext_policy *p)
{
	struct cache_ext_lists *ls = &p->lists;
	unsigned int i, budget;
	unsigned long irq;
	bool more;

	cache_ext_batch_flush_all(ls);
	cache_ext_check(p, true);
	for (i = 0; i < ls->nr; i++) {
		struct list_head *nodes = &ls->list[i].nodes;

		do {
			budget = 256;
			spin_lock_irqsave(&ls->lock, irq);
			while (!list_empty(nodes) && budget--)
				forget_node(p, list_first_entry(nodes,
								struct cache_ext_node, link));
			more = !list_empty(nodes);
			spin_unlock_irqrestore(&ls->lock, irq);
			cond_resched();
		} while (more);
	}
	WARN_ON_ONCE(ls->owned);
}

void cache_ext_release(struct kref *kref)
{
	complete(&container_of(kref, struct cache_ext_policy, users)->unused);
}

void cache_ext_unheld(struct kref *kref)
{
	/* The policy that replaces it may wait, too. */
	complete_all(&container_of(kref, struct cache_ext_policy,
				   holders)->unheld);
}

/* Nothing names it any more. */
static void policy_free(struct kref *kref)
{
	struct cache_ext_policy *p = container_of(kref, struct cache_ext_policy,
						  refs);

	WRITE_ONCE(cache_ext_policy_ids[p->kind.policy], NULL);
	cache_ext_node_kind_exit(&p->kind);
	if (p->memcg)
		css_put(&p->memcg->css);
	cache_ext_batches_free(&p->lists);
	cache_ext_pins_free(&p->lists);
	free_percpu(p->stats);
	kvfree(p->lists.list);
	kvfree(p);
}

static void policy_put(struct cache_ext_policy *p)
{
	kref_put(&p->refs, policy_free);
}

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

static void hooks_off(struct cache_ext_policy *p, bool admits)
{
	if (!p->hooked)
		return;
	if (admits)
		cache_ext_glue_admit_disable();
	if (p->pin_pages)
		cache_ext_glue_pin_disable();
	cache_ext_glue_disable();
}

static void teardown(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  teardown);
	bool admits = p->ops->admit_folio;

	/* Events that saw the policy alive are over. */
	synchronize_rcu();
	/* So is whatever reclaim asks its programs. */
	cache_ext_put(p);
	wait_for_completion(&p->unused);
	cache_ext_tick_stop(p);
	cache_ext_exit_stop(p);
	if (p->published && p->ops->exit)
		p->ops->exit(p->memcg);
	/* p->ops may be gone from here on. */
	complete_all(&p->life.quiet);

	/* What was proposed may be being reclaimed: that takes as long as it takes. */
	cache_ext_let_go(p);
	wait_for_completion(&p->unheld);
	flush_work(&p->adopt);
	if (p->replaced)
		wait_for_completion(&p->inherited);
	cache_ext_admit_stop(p);
	forget_nodes(p);
	/* Nodes that somebody may still be looking at name the policy. */
	synchronize_rcu();
	hooks_off(p, admits);
	if (p->published && !p->replaced)
		cache_ext_hand_back(p);
	policy_put(p);
}

/* Caller: cache_ext_mutex; nothing sees @p any more, or init runs still. */
static bool mark_dead(struct cache_ext_policy *p)
{
	lockdep_assert_held(&cache_ext_mutex);
	if (p->dead)
		return false;
	WRITE_ONCE(p->dead, true);
	/* Else reg() does, when init is over: it replaces p->lists. */
	if (!p->initializing)
		queue_work(cache_ext_wq, &p->teardown);
	return true;
}

/* Caller: cache_ext_mutex. Returns whether this was the first time. */
static bool retire(struct cache_ext_policy *p)
{
	if (!p->dead && p->published)
		cache_ext_glue_publish(p->memcg, NULL);
	return mark_dead(p);
}

/* May sleep. Returns whether this was the first time. */
bool cache_ext_retire(struct cache_ext_policy *p)
{
	bool first;

	mutex_lock(&cache_ext_mutex);
	first = retire(p);
	mutex_unlock(&cache_ext_mutex);
	return first;
}

void __cache_ext_memcg_offline(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, life.all) {
		if (p->memcg != memcg || p->dead)
			continue;
		cache_ext_exit(p, CACHE_EXT_EXIT_CGROUP, 0,
			       "its cgroup was removed");
		retire(p);
	}
	mutex_unlock(&cache_ext_mutex);
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
		policy_put(old);
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
	cache_ext_admit_init(p);
	cache_ext_exit_init(p);
	kref_init(&p->users);
	kref_init(&p->refs);
	init_completion(&p->unused);
	kref_init(&p->holders);
	init_completion(&p->unheld);
	init_completion(&p->inherited);
	INIT_WORK(&p->teardown, teardown);
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
	policy_put(p);
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
		policy_put(p);
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
		policy_put(p);
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
		mark_dead(old);
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
