// SPDX-License-Identifier: GPL-2.0
/*
 * The policies that have a link, the lock of their list, references on a policy, and
 * which policy's program is calling.
 * How one comes is told in ops.c, how it goes in detach.c.
 */
#include <linux/slab.h>
#include "cache_ext.h"
#include "kfuncs.h"

/* Attach, detach, the list of policies; see cache_ext.h for the order. */
DEFINE_MUTEX(cache_ext_mutex);
/* Policies that have a link. Under cache_ext_mutex. */
LIST_HEAD(cache_ext_policies);

/*
 * Policies that no hook finds by a cgroup any more, and that may have nodes still: those
 * that were published, until finish().
 */
atomic_t cache_ext_leaving = ATOMIC_INIT(0);

/*
 * A policy is about to be hidden: a task that no longer finds it sees the count.
 * Caller: cache_ext_mutex.
 */
void cache_ext_leaves(void)
{
	lockdep_assert_held(&cache_ext_mutex);
	atomic_inc(&cache_ext_leaving);
	/* Pairs with is_to_be_found(). */
	smp_mb__after_atomic();
}

/* Teardown goes on: it holds no worker while it waits. */
void cache_ext_release(struct kref *kref)
{
	queue_work(policy_ext_long_wq,
		   &container_of(kref, struct cache_ext_policy, users)->quieten);
}

void cache_ext_rested(struct kref *kref)
{
	queue_work(policy_ext_long_wq,
		   &container_of(kref, struct cache_ext_policy, rest)->finish);
}

void cache_ext_unheld(struct kref *kref)
{
	struct cache_ext_policy *p = container_of(kref, struct cache_ext_policy,
						  holders);

	/* For the policy that replaces it. */
	complete_all(&p->unheld);
	kref_put(&p->rest, cache_ext_rested);
}

/* Nothing names it any more. */
void cache_ext_free(struct policy_ext_life *l)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l);

	WRITE_ONCE(cache_ext_policy_ids[p->kind.policy], NULL);
	cache_ext_node_kind_exit(&p->kind);
	cache_ext_batches_free(&p->lists);
	cache_ext_pins_free(&p->lists);
	free_percpu(p->stats);
	kvfree(p->lists.list);
	policy_ext_life_free(l);
	kvfree(p);
}

noinline struct cache_ext_node *cache_ext_own_other_node(struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find(folio);

	return node && cache_ext_is_caller(cnode_policy(node)) ? node : NULL;
}
