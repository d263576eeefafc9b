// SPDX-License-Identifier: GPL-2.0
/*
 * Cgroups below others.
 *
 *	a	policy P	governs a, a/b, a/b/c ...
 *	+- b			... and not a/d, if Q is attached there:
 *	|  +- c
 *	+- d	policy Q	adopts d's folios from P, gives them back to P
 *
 * The glue knows which policy governs a cgroup. This file moves cached folios from
 * one policy to another: when a policy comes, when one replaces another, and when one
 * goes and an ancestor's policy governs its cgroup from then on. The policy that loses
 * a folio sees it removed (CACHE_EXT_DELETED), the other sees it added.
 *
 * Locks: the folio's, around all of it, as for a folio that comes.
 */
#include <linux/pagemap.h>
#include "cache_ext.h"
#include "glue.h"

/* For reclaim of what a replaced policy had proposed. */
#define RECLAIM_PATIENCE	HZ

/*
 * Does the folio belong to the policy that has it? Else that policy loses it: it is no
 * longer the nearest one, or has ended. Caller: rcu_read_lock().
 */
static bool is_known(struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find(folio);
	struct cache_ext_policy *p;

	if (!node)
		return false;
	p = cache_ext_policy_of_folio(folio);
	if (!p || cache_ext_owns(p, node))
		return true;
	cache_ext_disown(node, folio);
	return false;
}

/*
 * A folio that was there before the policy: as if it were added now, and used
 * since if the kernel has seen it used. One that is locked at the moment is left
 * to the kernel. Only the lock keeps it from being removed at the same time.
 */
static void adopt(struct folio *folio)
{
	bool locked = folio_trylock(folio), known;

	rcu_read_lock();
	known = is_known(folio);
	rcu_read_unlock();
	if (!locked)
		return;
	if (!known)
		cache_ext_adopt(folio, folio_test_referenced(folio) ||
				folio_test_active(folio) ||
				folio_test_workingset(folio));
	folio_unlock(folio);
}

/* @p has just been published. Process context, no lock held. */
void cache_ext_adopt_all(struct cache_ext_policy *p)
{
	policy_ext_drain();
	cache_ext_glue_walk(p->life.memcg, adopt);
}

/*
 * The first folio of a list. What is on a list is in the page cache, and leaves the
 * list before that, so a reference that is had under the lock keeps this very folio.
 */
static struct folio *first_folio(struct cache_ext_lists *ls, unsigned int nr,
				 bool *referenced)
{
	struct folio *folio = NULL;
	struct cache_ext_node *node;
	unsigned long irq;

	spin_lock_irqsave(&ls->lock, irq);
	node = cache_ext_list_end(&ls->list[nr], false);
	if (node) {
		folio = cnode_folio(node);
		*referenced = folio_try_get(folio);
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	return folio;
}

/* It goes to the kernel if it cannot be adopted now. */
static void inherit(struct cache_ext_policy *old, struct folio *folio,
		    bool referenced)
{
	struct cache_ext_node *node;

	if (referenced)
		adopt(folio);
	rcu_read_lock();
	node = cache_ext_node_find(folio);
	if (node && cache_ext_owns(old, node))
		cache_ext_disown(node, folio);
	rcu_read_unlock();
	if (referenced)
		folio_put(folio);
}

/*
 * @p replaces @old, which runs no program any more: its folios are adopted list by
 * list, each from head to tail. Process context, no lock held.
 */
void cache_ext_inherit(struct cache_ext_policy *p,
		       struct cache_ext_policy *old)
{
	struct folio *folio;
	bool referenced;
	unsigned int i;

	/*
	 * Folios that are not back on their list by then go to the kernel, if
	 * they stay cached.
	 */
	wait_for_completion_timeout(&old->unheld, RECLAIM_PATIENCE);
	cache_ext_batch_flush_all(&old->lists);
	for (i = 0; i < old->lists.nr; i++) {
		while ((folio = first_folio(&old->lists, i, &referenced))) {
			inherit(old, folio, referenced);
			cond_resched();
		}
	}
}

/* @p is gone and has forgotten its nodes; its cgroup reference is there still. */
void cache_ext_hand_back(struct cache_ext_policy *p)
{
	bool heir;

	rcu_read_lock();
	heir = cache_ext_policy_of(p->life.memcg);
	rcu_read_unlock();
	if (!heir)
		return;
	policy_ext_drain();
	cache_ext_glue_walk(p->life.memcg, adopt);
}
