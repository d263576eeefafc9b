// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy.
 *
 *   link created ---> reg():	find the cgroup, init program, publish, hooks on
 *   link gone	  ---> unreg(): retire, wait for teardown, free
 *   cgroup gone  ---> offline: retire; the link stays, inert
 *   offences	  ---> offence.c: the same
 *
 * Retiring makes the policy invisible to new events. Teardown, in a worker
 * because cgroup removal must not wait for reclaim, then waits for whoever
 * still uses it, and only then forgets nodes and runs the exit program.
 * Folios never left the kernel's LRU, so there is nothing to give back, but to
 * the policy of an ancestor, which adopts them then.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"

/* Attach, detach, the list of policies; see cache_ext.h for the order. */
DEFINE_MUTEX(cache_ext_mutex);
/* All policies that are attached or being torn down. Under cache_ext_mutex. */
LIST_HEAD(cache_ext_policies);

/* Folios come off the lists; no program and no reclaimer runs any more. */
static void forget_nodes(struct cache_ext_policy *p)
{
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int i, budget;
	bool more;

	for (i = 0; i < p->nr_lists; i++) {
		struct cache_ext_list *list = &p->lists[i];

		do {
			budget = 256;
			spin_lock_irqsave(&p->lock, irq);
			/* Their blocks go all together, in policy_free(). */
			while (list->head && budget--) {
				node = node_at(list->head);
				cache_ext_list_unlink(p, node);
				WRITE_ONCE(p->owned,
					   p->owned - node_pages(node));
				node->state = NODE_DYING;
				cache_ext_node_erase(node);
			}
			more = list->head;
			spin_unlock_irqrestore(&p->lock, irq);
			cond_resched();
		} while (more);
	}
}

void cache_ext_release(struct kref *kref)
{
	complete(&container_of(kref, struct cache_ext_policy, users)->unused);
}

static int hooks_on(struct cache_ext_policy *p)
{
	int err = cache_ext_glue_enable();

	if (!err && p->ops->admit_folio)
		cache_ext_glue_admit_enable();
	return err;
}

static void hooks_off(struct cache_ext_policy *p)
{
	if (p->ops->admit_folio)
		cache_ext_glue_admit_disable();
	cache_ext_glue_disable();
}

static void teardown(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  teardown);

	/* Events that saw the policy alive are over. */
	synchronize_rcu();
	/* So is reclaim that asks it: no node is in a request any more. */
	cache_ext_put(p);
	wait_for_completion(&p->unused);
	cache_ext_tick_stop(p);
	cache_ext_admit_stop(p);
	forget_nodes(p);
	/* Nodes that somebody may still be looking at name the policy. */
	synchronize_rcu();
	if (p->published)
		hooks_off(p);
	if (p->published && p->ops->exit)
		p->ops->exit(p->memcg);
	if (p->published)
		cache_ext_hand_back(p);
}

/* Caller: cache_ext_mutex. Returns whether this was the first time. */
static bool retire(struct cache_ext_policy *p)
{
	lockdep_assert_held(&cache_ext_mutex);
	if (p->dead)
		return false;
	WRITE_ONCE(p->dead, true);
	if (p->published)
		cache_ext_glue_publish(p->memcg, NULL);
	queue_work(system_unbound_wq, &p->teardown);
	return true;
}

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
	list_for_each_entry(p, &cache_ext_policies, all) {
		if (p->memcg == memcg)
			retire(p);
	}
	mutex_unlock(&cache_ext_mutex);
}

static void policy_free(struct cache_ext_policy *p)
{
	if (p->memcg)
		css_put(&p->memcg->css);
	cache_ext_arena_free(p);
	cache_ext_table_put();
	free_percpu(p->stats);
	kvfree(p->lists);
	kvfree(p);
}

static struct cache_ext_policy *policy_alloc(struct cache_ext_ops *ops)
{
	struct cache_ext_policy *p;

	p = kvzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return NULL;
	p->stats = alloc_percpu(struct cache_ext_stats);
	if (!p->stats || cache_ext_table_get()) {
		free_percpu(p->stats);
		kvfree(p);
		return NULL;
	}
	p->ops = ops;
	p->cgroup_id = ops->cgroup_id;
	p->data_size = ops->folio_data_size;
	cache_ext_arena_init(&p->arena, p->data_size,
			     ops->flags & CACHE_EXT_DATA_ALIGN4 ? 4 : 8);
	for (int i = 0; i < CACHE_EXT_MEMBERS; i++)
		p->progs[i] = cache_ext_glue_prog(ops, i);
	strscpy(p->name, ops->name[0] ? ops->name : "-", sizeof(p->name));
	spin_lock_init(&p->lock);
	mutex_init(&p->evict_mutex);
	cache_ext_tick_init(p);
	cache_ext_admit_init(p);
	cache_ext_offence_init(p);
	kref_init(&p->users);
	init_completion(&p->unused);
	INIT_WORK(&p->teardown, teardown);
	return p;
}

/* Ends @p, attached or not, and frees it. */
static void policy_end(struct cache_ext_policy *p)
{
	mutex_lock(&cache_ext_mutex);
	retire(p);
	mutex_unlock(&cache_ext_mutex);
	flush_work(&p->teardown);
	cache_ext_offence_stop(p);
	mutex_lock(&cache_ext_mutex);
	list_del(&p->all);
	mutex_unlock(&cache_ext_mutex);
	policy_free(p);
}

/* The cgroup's memcg with a reference, or an error; never the root's. */
static struct mem_cgroup *memcg_of(u64 cgroup_id)
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

/* A link to the ops @kdata is made. 0, or an error; then all is as before. */
int cache_ext_reg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_ops *ops = kdata;
	struct cache_ext_policy *p, *other;
	unsigned long pages, owned;
	int err, hooked;

	if (!link)
		return -EOPNOTSUPP;
	p = policy_alloc(ops);
	if (!p)
		return -ENOMEM;
	p->memcg = memcg_of(ops->cgroup_id);
	if (IS_ERR(p->memcg)) {
		err = PTR_ERR(p->memcg);
		p->memcg = NULL;
		policy_free(p);
		return err;
	}

	/* From here on the cgroup is taken, and its going is noticed. */
	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(other, &cache_ext_policies, all) {
		if (other->memcg == p->memcg) {
			mutex_unlock(&cache_ext_mutex);
			policy_free(p);
			return -EBUSY;
		}
	}
	p->initializing = current;
	list_add_tail(&p->all, &cache_ext_policies);
	mutex_unlock(&cache_ext_mutex);

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
		p->published = true;
		cache_ext_glue_publish(p->memcg, p);
		css_put(&p->memcg->css);
	}
	mutex_unlock(&cache_ext_mutex);
	if (err) {
		if (!hooked)
			hooks_off(p);
		policy_end(p);
		return err < 0 ? err : -EINVAL;
	}

	/* New folios come by themselves from now on; these are the old ones. */
	cache_ext_adopt_all(p);
	pages = cache_ext_glue_file_pages(p->memcg);
	owned = READ_ONCE(p->owned);
	p->untracked = pages > owned ? pages - owned : 0;
	/* If it is retired, then before: or teardown stops the ticks. */
	mutex_lock(&cache_ext_mutex);
	cache_ext_tick_start(p);
	mutex_unlock(&cache_ext_mutex);
	return 0;
}

/* It is gone. */
void cache_ext_unreg(void *kdata, struct bpf_link *link)
{
	struct cache_ext_policy *p;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, all) {
		if (p->ops == kdata) {
			mutex_unlock(&cache_ext_mutex);
			policy_end(p);
			return;
		}
	}
	mutex_unlock(&cache_ext_mutex);
	WARN_ON_ONCE(1);
}
