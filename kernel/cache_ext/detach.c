// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a policy.
 *
 *   link gone, or updated		   ---> ops.c:	  retire, or mark dead
 *   cgroup gone			   ---> offline:  retire; the link stays, and nothing
 *						  of the policy
 *   watchdog, error in a program (life.c) ---> end(), a worker: the same
 *
 * Retiring makes the policy invisible to new events. Teardown is in workers, because
 * cgroup removal must not wait for reclaim. Its three parts are queued one by the other:
 *
 *   teardown	events that saw the policy are over
 *   quieten	nobody runs its programs any more; the exit program
 *   finish	reclaim of what was proposed is over, and so is adoption; forgets the nodes
 *
 * Whoever uses the policy may stay there for as long as he likes, for instance where his
 * cgroup's cpu.max stops him. So no worker waits for him: the last one to go queues the
 * next part. Nobody waits for teardown: BPF holds
 * a lock of all struct_ops links around reg(), update() and unreg(), so nothing in
 * them may take time that depends on a program, on how much is cached, or on a device
 * or a server. If a new policy comes meanwhile, it takes over what it meets (event.c).
 *
 * Folios never left the kernel's LRU, so there is nothing to give back, but to
 * the policy of an ancestor, which adopts them at the end.
 */
#include <linux/cgroup.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "glue.h"
#include "hint.h"

/* Caller: lists.lock. */
static void forget_node(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	cache_ext_list_disown(&p->lists, node);
	cache_ext_forget(node, cnode_set_state(node, NODE_DYING));
}

/*
 * A node that is owned, on no list, and in nobody's hand. Where it is linked may be
 * gone, so it is not unlinked.
 */
static void forget_lost(struct cache_ext_node *node, void *arg)
{
	struct cache_ext_policy *p = arg;
	unsigned long irq;

	spin_lock_irqsave(&p->lists.lock, irq);
	if (cache_ext_owns(p, node) && cnode_owned(node)) {
		INIT_LIST_HEAD(&node->link);
		forget_node(p, node);
	}
	spin_unlock_irqrestore(&p->lists.lock, irq);
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
	/* Its number will be another policy's: no node may have it then. */
	if (WARN_ON_ONCE(ls->owned))
		cache_ext_index_walk(forget_lost, p);
}

static void hooks_off(struct cache_ext_policy *p)
{
	if (!p->hooked)
		return;
	if (p->admits)
		cache_ext_glue_admit_disable();
	if (p->pin_pages)
		cache_ext_glue_pin_disable();
	cache_ext_glue_disable();
}

static void teardown(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  teardown);

	/* Events that saw the policy alive are over. */
	synchronize_rcu();
	/* When whatever reclaim asks its programs is: quieten(). */
	cache_ext_put(p);
}

static void quieten(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  quieten);

	p->admits = p->ops->admit_folio;
	cache_ext_tick_stop(p);
	cancel_work_sync(&p->life.exit_work);
	if (p->published && p->ops->exit) {
		rcu_read_lock();
		hint_begin(&p->self);
		p->ops->exit(p->memcg);
		hint_end();
		rcu_read_unlock();
	}
	/* Of the list that it was on. */
	if (cache_ext_life_quiet(&cache_ext_lives, &p->life))
		cache_ext_policy_put(p);
	if (p->heir)
		queue_work(cache_ext_long_wq, &p->heir->adopt);
	/* What was proposed may be being reclaimed: that takes as long as it takes. */
	cache_ext_let_go(p);
}

static void finish(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  finish);

	cache_ext_refused_stop(p);
	forget_nodes(p);
	if (p->published)
		atomic_dec(&cache_ext_leaving);
	/* Nodes that somebody may still be looking at name the policy, and are charged by it. */
	synchronize_rcu();
	rcu_barrier();
	hooks_off(p);
	if (p->published && !p->heir)
		cache_ext_hand_back(p);
	cache_ext_policy_put(p);
}

/*
 * @p is dead from here on, and a worker tears it down. Returns whether this was the
 * first time. Caller: cache_ext_mutex; nothing sees @p any more, or init runs still.
 */
bool cache_ext_mark_dead(struct cache_ext_policy *p)
{
	lockdep_assert_held(&cache_ext_mutex);
	if (p->dead)
		return false;
	WRITE_ONCE(p->dead, true);
	/* Else who runs init does, when that is over. */
	if (!p->initializing)
		queue_work(cache_ext_long_wq, &p->teardown);
	return true;
}

/* Caller: cache_ext_mutex. Returns whether this was the first time. */
bool cache_ext_retire_locked(struct cache_ext_policy *p)
{
	if (!p->dead && p->published) {
		cache_ext_leaves();
		cache_ext_glue_publish(p->memcg, NULL);
	}
	return cache_ext_mark_dead(p);
}

/* May sleep. Returns whether this was the first time. */
bool cache_ext_retire(struct cache_ext_policy *p)
{
	bool first;

	mutex_lock(&cache_ext_mutex);
	first = cache_ext_retire_locked(p);
	mutex_unlock(&cache_ext_mutex);
	return first;
}

void __cache_ext_memcg_offline(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p, *next;

	mutex_lock(&cache_ext_mutex);
	list_for_each_entry_safe(p, next, &cache_ext_policies, life.all) {
		if (p->memcg != memcg)
			continue;
		cache_ext_exit(p, CACHE_EXT_EXIT_CGROUP, 0,
			       "its cgroup was removed");
		cache_ext_retire_locked(p);
		if (cache_ext_life_gone(&cache_ext_lives, &p->life))
			cache_ext_policy_put(p);
	}
	mutex_unlock(&cache_ext_mutex);
}

/* The watchdog or a program has ended it, where nobody could wait for the mutex. */
static void end(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  life.exit_work);
	/* Detach waits for this: it must not wait for reclaim. */
	char *path = kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);

	if (path && cgroup_path(p->memcg->css.cgroup, path, PATH_MAX) < 0)
		strscpy(path, "?", PATH_MAX);
	if (!cache_ext_retire(p))
		goto out;
	if (p->life.exit.kind == CACHE_EXT_EXIT_WATCHDOG)
		pr_warn_ratelimited("cache_ext: policy %s of cgroup %llu (%s) is detached after %u offences: %s, but the kernel could evict pages from its lists; the kernel's own reclaim takes over\n",
			p->life.name, p->life.cgroup_id, path ?: "?", CACHE_EXT_OFFENCES,
			p->life.exit.message);
	else
		pr_warn_ratelimited("cache_ext: policy %s of cgroup %llu (%s) is detached: its program reports error %d: %s; the kernel's own reclaim takes over\n",
			p->life.name, p->life.cgroup_id, path ?: "?", p->life.exit.code,
			p->life.exit.message);
out:
	kfree(path);
}

void cache_ext_detach_init(struct cache_ext_policy *p)
{
	INIT_WORK(&p->teardown, teardown);
	INIT_WORK(&p->quieten, quieten);
	INIT_WORK(&p->finish, finish);
	INIT_WORK(&p->life.exit_work, end);
}
