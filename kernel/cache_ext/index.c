// SPDX-License-Identifier: GPL-2.0
/*
 * Writers of the index (index.h). Folios leave with interrupts off and the lock
 * of their mapping held, so the locks of the XArrays are irqsave; nothing is
 * taken inside them.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include "index.h"

struct xarray cache_ext_index[1 << INDEX_REGION_BITS];
DEFINE_PER_CPU(struct cache_ext_node *, cache_ext_hint);

void __init cache_ext_index_init(void)
{
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(cache_ext_index); i++)
		xa_init_flags(&cache_ext_index[i],
			      XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
	/* Not by an initialiser: 6.12 does not relocate those of modules. */
	for_each_possible_cpu(cpu)
		per_cpu(cache_ext_hint, cpu) = &cache_ext_no_node;
}

/*
 * Of a module that goes: no policy is left. An insertion that found no memory may
 * have left nodes of the tree without entries.
 */
void cache_ext_index_exit(void)
{
	unsigned long index;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cache_ext_index); i++) {
		index = 0;
		WARN_ON_ONCE(xa_find(&cache_ext_index[i], &index, ULONG_MAX,
				     XA_PRESENT));
		xa_destroy(&cache_ext_index[i]);
	}
}

/* @node under the name @pfn. -EEXIST, or -ENOMEM. Sleeps if @gfp says so. */
static int store(struct cache_ext_node *node, unsigned long pfn,
		 struct mem_cgroup *memcg, gfp_t gfp)
{
	XA_STATE(xas, index_region(pfn), index_in_region(pfn));
	struct mem_cgroup *old;
	unsigned long irq;
	bool taken;

	if (pfn >= CACHE_EXT_MAX_PFN)
		return -EFBIG;
	old = set_active_memcg(memcg);
	do {
		xas_lock_irqsave(&xas, irq);
		taken = xas_load(&xas);
		if (!taken)
			xas_store(&xas, node);
		xas_unlock_irqrestore(&xas, irq);
	} while (xas_nomem(&xas, gfp | __GFP_NOWARN));
	set_active_memcg(old);
	return taken ? -EEXIST : xas_error(&xas);
}

static void erase(struct cache_ext_node *node, u32 pfn)
{
	XA_STATE(xas, index_region(pfn), index_in_region(pfn));
	unsigned long irq;

	xas_lock_irqsave(&xas, irq);
	WARN_ON_ONCE(xas_load(&xas) != node);
	xas_store(&xas, NULL);
	xas_unlock_irqrestore(&xas, irq);
}

/**
 * cache_ext_node_insert - have a node found by its folio
 * @node: of NODE_NEW
 * @folio: its folio
 * @memcg: is charged for the index
 * @gfp: may it sleep?
 *
 * Returns 0; -EEXIST: the folio has a node; -ENOMEM; -EFBIG: a page frame that
 * nodes cannot name.
 */
int cache_ext_node_insert(struct cache_ext_node *node,
			  const struct folio *folio, struct mem_cgroup *memcg,
			  gfp_t gfp)
{
	return store(node, folio_key(folio), memcg, gfp);
}

/* It is not found any more. Any context. Once for each node that was inserted. */
void cache_ext_node_erase(struct cache_ext_node *node)
{
	erase(node, node->pfn);
}

/*
 * @node is @folio's from now on. A look-up of @folio may find it before it is
 * renamed. Returns 0, or an error: then it is as before. Caller: lists->lock; both
 * folios are locked.
 */
int cache_ext_node_rename(struct cache_ext_node *node, struct folio *folio,
			  struct mem_cgroup *memcg)
{
	unsigned long was = node->pfn, pfn = folio_key(folio);
	int err;

	err = store(node, pfn, memcg, GFP_ATOMIC);
	if (err)
		return err;
	WRITE_ONCE(node->pfn, pfn);
	erase(node, was);
	return 0;
}

/*
 * Shows @fn all nodes that are there all the while, each under rcu_read_lock(). May
 * sleep between them.
 */
void cache_ext_index_walk(void (*fn)(struct cache_ext_node *node, void *arg),
			  void *arg)
{
	struct cache_ext_node *node;
	unsigned long index;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cache_ext_index); i++) {
		index = 0;
		do {
			rcu_read_lock();
			node = xa_find(&cache_ext_index[i], &index, ULONG_MAX,
				       XA_PRESENT);
			if (node)
				fn(node, arg);
			rcu_read_unlock();
			index++;
			cond_resched();
		} while (node);
	}
}
