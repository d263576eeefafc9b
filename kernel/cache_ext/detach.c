// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a policy: ../policy_ext/life.c tells when it comes.
 *
 * Retiring (there) makes the policy invisible to new events. Teardown is in workers, because
 * cgroup removal must not wait for reclaim. Its three parts are queued one by the other:
 *
 *   teardown	events that saw the policy are over
 *   quieten	nobody runs its programs any more; the exit program
 *   finish	reclaim of what was proposed is over, and so is adoption; forgets the nodes
 *
 * A user of the policy may stay for any time, for instance where its cgroup's
 * cpu.max stops it. So no worker waits for users: the last one to leave queues the
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
 * A node that is owned, on no list, and in no request. The list_head that it links
 * to may be freed, so it is not unlinked.
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
	/* Another policy will get its number: no node may have it then. */
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

void cache_ext_teardown(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  life.teardown);

	/* Events that saw the policy alive are over. */
	synchronize_rcu();
	/* When reclaim no longer runs its programs: quieten(). */
	cache_ext_put(p);
}

/* Its exit program, if it has one. */
void cache_ext_run_exit(struct policy_ext_life *l)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l);

	if (!p->ops->exit)
		return;
	rcu_read_lock();
	hint_begin(&p->self);
	p->ops->exit(l->memcg);
	hint_end();
	rcu_read_unlock();
}

static void quieten(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  quieten);

	p->admits = p->ops->admit_folio;
	cache_ext_tick_stop(p);
	cache_ext_wanted_stop(p);
	policy_ext_quiet(&p->life);
	if (p->heir)
		queue_work(policy_ext_long_wq, &p->heir->adopt);
	/* Proposed folios may be under reclaim, which takes any time. */
	cache_ext_let_go(p);
}

static void finish(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  finish);

	cache_ext_refused_stop(p);
	forget_nodes(p);
	if (p->life.published)
		atomic_dec(&cache_ext_leaving);
	/* Nodes that somebody may still be looking at name the policy, and are charged by it. */
	synchronize_rcu();
	rcu_barrier();
	hooks_off(p);
	if (p->life.published && !p->heir)
		cache_ext_hand_back(p);
	policy_ext_put(&p->life);
}

/* Caller: cache_ext_mutex. */
void cache_ext_hide(struct policy_ext_life *l)
{
	cache_ext_leaves();
	cache_ext_glue_publish(l->memcg, NULL);
}

/* The watchdog or a program has ended it. */
void cache_ext_notify_exit(struct policy_ext_life *l)
{
	/* Detach waits for this: it must not wait for reclaim. */
	char *path = kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);

	if (path && cgroup_path(l->memcg->css.cgroup, path, PATH_MAX) < 0)
		strscpy(path, "?", PATH_MAX);
	if (l->exit.kind == POLICY_EXT_EXIT_WATCHDOG)
		pr_warn_ratelimited("cache_ext: policy %s of cgroup %llu (%s) is detached after %u offences: %s, but the kernel could evict pages from its lists; the kernel's own reclaim takes over\n",
			l->name, l->cgroup_id, path ?: "?", CACHE_EXT_OFFENCES,
			l->exit.message);
	else
		pr_warn_ratelimited("cache_ext: policy %s of cgroup %llu (%s) is detached: its program reports error %d: %s; the kernel's own reclaim takes over\n",
			l->name, l->cgroup_id, path ?: "?", l->exit.code,
			l->exit.message);
	kfree(path);
}

void cache_ext_detach_init(struct cache_ext_policy *p)
{
	INIT_WORK(&p->quieten, quieten);
	INIT_WORK(&p->finish, finish);
}
