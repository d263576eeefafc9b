// SPDX-License-Identifier: GPL-2.0
/*
 * Pins: folios that a policy wants kept.
 *
 * A pin is a bit of the node, and a sum in the policy's lists. It holds no
 * reference on the folio: truncation, invalidation, migration and compaction go on.
 * Its effects:
 *
 *   - the policy's own request cannot take the folio (candidates.c);
 *   - the kernel's own scan asks here, and passes it by (__cache_ext_keeps()).
 *
 * How much may be pinned is the lower one of the policy's quota and of the
 * administrator's share of the cgroup's limit; of each cgroup below, the same share of
 * its own limit (pin_count.c). While more is pinned than that, since a limit was
 * lowered, no pin counts: of the policy, or of that cgroup. Without any limit on the way
 * up nothing is pinned.
 *
 * No pin may starve reclaim. Near OOM none counts. And a reclaim in trouble, whose
 * priority has gone down, adds up the pinned pages that it has passed by; pages of the
 * policy that go, and were not pinned, are taken off that sum. When it comes to as
 * many pages as are pinned, each has been passed by without there being others, and
 * no pin counts until there are. So a cgroup with nothing but pinned folios left
 * costs one look at each of them, and not one for each reclaim.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/swap.h>
#include "cache_ext.h"
#include "glue.h"
#include "kfuncs.h"

/* Priorities below this are of a reclaim in trouble, as in mm/vmscan.c. */
#define CALM_PRIORITY	(DEF_PRIORITY - 2)

/* Pages that the policy may pin now. */
unsigned long cache_ext_pin_limit(struct cache_ext_policy *p)
{
	return min_t(u64, p->pin_pages, policy_ext_share(p->life.memcg));
}

/* 0; -EDQUOT, -EBUSY: a request has it; -ENOENT: not owned. */
static int pin(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq, pages, limit = cache_ext_pin_limit(p);
	unsigned int percent = policy_ext_percent();
	struct cache_ext_lists *ls = &p->lists;
	struct mem_cgroup *memcg;
	int ret = 0;

	spin_lock_irqsave(&ls->lock, irq);
	pages = cnode_pages(node);
	switch (cnode_state(node)) {
	case NODE_NEW:
	case NODE_LISTED:
		if (cnode_pinned(node))
			break;
		/* While it migrates the new folio is not charged yet: whose share is it? */
		memcg = folio_memcg(cnode_folio(node));
		if (!memcg)
			ret = -EBUSY;
		else if (ls->pinned + pages > limit ||
			 !cache_ext_pins_fit(ls, memcg, p->life.memcg, pages, percent))
			ret = -EDQUOT;
		else
			cache_ext_pins_add(ls, node, memcg, p->life.memcg);
		break;
	case NODE_CANDIDATE:
	case NODE_PROPOSED:
		ret = -EBUSY;
		break;
	default:
		ret = -ENOENT;
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	if (ret == -EDQUOT)
		ces_add(p, CES_PIN_REFUSED, pages);
	return ret;
}

static int unpin(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq;

	spin_lock_irqsave(&p->lists.lock, irq);
	cache_ext_list_unpin(&p->lists, node);
	spin_unlock_irqrestore(&p->lists.lock, irq);
	return 0;
}

/* Has a reclaim in trouble passed by all that is pinned? If not, @pages more. */
static bool starves(struct cache_ext_policy *p, unsigned long pages)
{
	if (atomic_long_read(&p->pin_passed) >
	    (long)READ_ONCE(p->lists.pinned) + CACHE_EXT_BATCH)
		return true;
	atomic_long_add(pages, &p->pin_passed);
	return false;
}

static bool counts(struct cache_ext_policy *p, struct cache_ext_node *node,
		   int priority)
{
	/*
	 * kswapd's priority falls for high watermarks, and begins low with MGLRU,
	 * whatever this cgroup has. If memory is really short, there is direct
	 * reclaim, too.
	 */
	if (current_is_kswapd())
		priority = DEF_PRIORITY;
	return !READ_ONCE(p->life.dead) && priority > CACHE_EXT_LAST_PRIORITY &&
	       READ_ONCE(p->lists.pinned) <= cache_ext_pin_limit(p) &&
	       cache_ext_pins_hold(&p->lists, node,
				   policy_ext_percent()) &&
	       (priority >= CALM_PRIORITY || !starves(p, cnode_pages(node)));
}

/*
 * The kernel's own scan of the LRU is about to take the folio, which is locked:
 * does a pin keep it? @priority: of that reclaim, as in struct cache_ext_shrink.
 */
bool __cache_ext_keeps(struct folio *folio, int priority)
{
	struct cache_ext_node *node = NULL;
	struct cache_ext_policy *p;
	struct mem_cgroup *memcg;
	bool ret = false;

	rcu_read_lock();
	memcg = folio_memcg(folio);
	/* All reclaim takes this path: cgroups without a policy look nothing up. */
	if (memcg && cache_ext_policy_of(memcg))
		node = cache_ext_node_find(folio);
	if (node && cnode_pinned(node)) {
		p = cnode_policy(node);
		ret = counts(p, node, priority);
		if (ret)
			ces_add(p, CES_PIN_KEPT, cnode_pages(node));
	}
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_pin - keep a folio
 * @folio: any folio
 *
 * Reclaim passes it by: what the policy proposes, and the kernel's own scan, until
 * it is unpinned or gone; not near OOM, and not if nothing else is left. A folio
 * that folio_added was called for may be pinned before it is adopted.
 *
 * Context: from folio_added, folio_accessed, folio_evicted, folio_removed,
 * evict_folios and tick.
 * Return: 0, also if it is pinned already; -EDQUOT: beyond the policy's quota or the
 * administrator's share; -EBUSY: a request has it; -ENOENT: not owned.
 */
__bpf_kfunc s32 bpf_cache_ext_pin(struct folio *folio)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_live_node(folio);
	if (node)
		ret = pin(cnode_policy(node), node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_unpin - end a pin
 * @folio: any folio
 *
 * Context: as bpf_cache_ext_pin().
 * Return: 0, also if it is not pinned; -ENOENT: not owned.
 */
__bpf_kfunc s32 bpf_cache_ext_unpin(struct folio *folio)
{
	struct cache_ext_node *node;
	int ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_live_node(folio);
	if (node)
		ret = unpin(cnode_policy(node), node);
	rcu_read_unlock();
	return ret;
}

/**
 * bpf_cache_ext_folio_pinned - is a folio pinned?
 * @folio: any folio
 *
 * Context: as bpf_cache_ext_pin().
 * Return: 1 or 0; -ENOENT: not owned.
 */
__bpf_kfunc s32 bpf_cache_ext_folio_pinned(struct folio *folio)
{
	struct cache_ext_node *node;
	s32 ret = -ENOENT;

	rcu_read_lock();
	node = cache_ext_own_node(folio);
	if (node)
		ret = cnode_pinned(node);
	rcu_read_unlock();
	return ret;
}

__bpf_kfunc_end_defs();
