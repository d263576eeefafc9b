/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a folio's node is found: XArrays by page frame number.
 *
 *   pfn:   high bits | region (10 bits) | page (12 bits)
 *		      |			 |
 *   index: high bits ---- joined ---- page	of the XArray of the region
 *
 * Neighbouring regions of 16 MiB (of 4 KiB pages) have XArrays of their own, so
 * that CPUs which add folios meet at a lock only in the same region, and trees
 * stay low: two levels up to 16 GiB of memory, three up to 1 TiB.
 *
 * A look-up takes no lock (RCU), and does not read the folio: a program may hold
 * a pointer to one that is being freed.
 */
#ifndef _MM_CACHE_EXT_INDEX_H
#define _MM_CACHE_EXT_INDEX_H

#include <linux/percpu.h>
#include <linux/xarray.h>
#include "node.h"

#define INDEX_PAGE_BITS		12
#define INDEX_REGION_BITS	10

extern struct xarray cache_ext_index[1 << INDEX_REGION_BITS];

/*
 * The node of the folio that the program running on this CPU was called for, so
 * that its kfuncs need not search. Never NULL. The setter holds rcu_read_lock()
 * and disables preemption until it clears the hint (hint.h). An interrupt may
 * clear or replace it any time: it counts only if it is the folio's.
 */
DECLARE_PER_CPU(struct cache_ext_node *, cache_ext_hint);

static inline struct xarray *index_region(unsigned long pfn)
{
	return &cache_ext_index[pfn >> INDEX_PAGE_BITS &
				((1 << INDEX_REGION_BITS) - 1)];
}

static inline unsigned long index_in_region(unsigned long pfn)
{
	return (pfn >> (INDEX_PAGE_BITS + INDEX_REGION_BITS)) <<
	       INDEX_PAGE_BITS | (pfn & ((1 << INDEX_PAGE_BITS) - 1));
}

/* The folio's node, which may be NODE_DYING; or NULL. Caller: rcu_read_lock(). */
static inline struct cache_ext_node *
cache_ext_node_find(const struct folio *folio)
{
	unsigned long pfn = folio_key(folio);

	return xa_load(index_region(pfn), index_in_region(pfn));
}

/*
 * As xa_load(), inlined, for the hook of each access. False if the tree is being
 * changed: then cache_ext_node_find() can say.
 */
static __always_inline bool
cache_ext_node_lookup_fast(const struct folio *folio,
			   struct cache_ext_node **node)
{
	unsigned long pfn = folio_key(folio);
	struct xarray *xa = index_region(pfn);
	unsigned long index = index_in_region(pfn);
	const struct xa_node *level;
	void *entry = xa_head(xa);

	*node = NULL;
	/* Alone in its XArray, what has index 0 is its head. */
	if (unlikely(!xa_is_node(entry)) && index)
		return true;
	while (xa_is_node(entry)) {
		level = xa_to_node(entry);
		if (unlikely(index >> level->shift > XA_CHUNK_MASK))
			return true;
		entry = xa_entry(xa, level, index >> level->shift);
		index &= (1UL << level->shift) - 1;
		if (!level->shift)
			break;
	}
	if (unlikely(xa_is_internal(entry)))
		return false;
	*node = entry;
	return true;
}

/* For kfuncs, which are mostly called for the folio of the event. */
static __always_inline struct cache_ext_node *
cache_ext_node_find_hinted(const struct folio *folio)
{
	struct cache_ext_node *node = this_cpu_read(cache_ext_hint);

	if (likely(READ_ONCE(node->pfn) == folio_key(folio)))
		return node;
	return cache_ext_node_find(folio);
}

void cache_ext_index_init(void);
void cache_ext_index_exit(void);
int cache_ext_node_insert(struct cache_ext_node *node,
			  const struct folio *folio, struct mem_cgroup *memcg,
			  gfp_t gfp);
void cache_ext_node_erase(struct cache_ext_node *node);
void cache_ext_index_walk(void (*fn)(struct cache_ext_node *node, void *arg),
			  void *arg);
int cache_ext_node_rename(struct cache_ext_node *node, struct folio *folio,
			  struct mem_cgroup *memcg);

#endif /* _MM_CACHE_EXT_INDEX_H */
