// SPDX-License-Identifier: GPL-2.0
/*
 * Writers of the index (index.h). Folios leave with interrupts off and the lock
 * of their mapping held: the locks of the table's buckets are irqsave, and nothing is
 * taken inside them.
 *
 * The table is grown from a worker, and if need be by an insertion, without
 * sleeping. It is charged to nobody; each node is charged with its share (node.c).
 */
#include <linux/sched.h>
#include "index.h"

#define WALK_CHUNK	1024	/* nodes under one rcu_read_lock() */

struct rhashtable cache_ext_index;
DEFINE_PER_CPU(struct cache_ext_node *, cache_ext_hint);

int __init cache_ext_index_init(void)
{
	unsigned int cpu;

	/* Not by an initialiser: 6.12 does not relocate those of modules. */
	for_each_possible_cpu(cpu)
		per_cpu(cache_ext_hint, cpu) = &cache_ext_no_node;
	return rhashtable_init(&cache_ext_index, &index_params);
}

/* When the module is unloaded: no policy is left. */
void cache_ext_index_exit(void)
{
	WARN_ON_ONCE(atomic_read(&cache_ext_index.nelems));
	rhashtable_destroy(&cache_ext_index);
}

/* Bytes of the table, for the nodes of all policies. */
size_t cache_ext_index_bytes(void)
{
	const struct bucket_table *table;
	size_t ret;

	rcu_read_lock();
	table = rht_dereference_rcu(cache_ext_index.tbl, &cache_ext_index);
	ret = sizeof(*table) + (size_t)table->size * sizeof(table->buckets[0]);
	rcu_read_unlock();
	return ret;
}

/* The folio's node, which may be NODE_DYING; or NULL. Caller: rcu_read_lock(). */
struct cache_ext_node *cache_ext_node_find(const struct folio *folio)
{
	return cache_ext_node_lookup_fast(folio);
}

/**
 * cache_ext_node_insert - have a node found by its folio
 * @node: of NODE_NEW, with the folio's name
 *
 * Returns 0; -EEXIST: the folio has a node; -ENOMEM; -EFBIG: a page frame that
 * nodes cannot name. Any context.
 */
int cache_ext_node_insert(struct cache_ext_node *node)
{
	int err;

	if (node->pfn == CACHE_EXT_MAX_PFN)
		return -EFBIG;
	err = rhashtable_lookup_insert_fast(&cache_ext_index, &node->hash,
					    index_params);
	return err && err != -EEXIST ? -ENOMEM : err;
}

/* It is not found any more. Any context. Once for each node that was inserted. */
void cache_ext_node_erase(struct cache_ext_node *node)
{
	WARN_ON_ONCE(rhashtable_remove_fast(&cache_ext_index, &node->hash,
					    index_params));
}

static void free_rcu(struct rcu_head *rcu)
{
	struct cache_ext_node *node = container_of(rcu, struct cache_ext_node, rcu);

	cache_ext_node_free(READ_ONCE(cache_ext_node_kinds[node->policy]), node);
}

/*
 * A node that is not found any more, on no list and in no batch, is freed by RCU.
 * It stays charged until then: a program may delay its end. Its policy waits for it
 * (finish()). Any context.
 */
void cache_ext_node_free_rcu(struct cache_ext_node *node)
{
	if (IS_ENABLED(CONFIG_CACHE_EXT_DEBUG)) {
		rcu_read_lock();
		WARN_ONCE(cache_ext_node_find(cnode_folio(node)) == node,
			  "cache_ext: inconsistent: a node is freed while its folio leads to it\n");
		rcu_read_unlock();
	}
	call_rcu(&node->rcu, free_rcu);
}

/*
 * @node is @folio's from now on. For a moment neither folio leads to it: both are
 * locked, so nobody removes or adopts one, and at worst an access is not told. Returns
 * 0, or an error: then neither leads to it, though it still names an existing folio, for
 * tasks that found it before. Caller: lists->lock.
 */
int cache_ext_node_rename(struct cache_ext_node *node, struct folio *folio)
{
	cache_ext_node_erase(node);
	if (folio_key(folio) >= CACHE_EXT_MAX_PFN)
		return -EFBIG;
	WRITE_ONCE(node->pfn, folio_key(folio));
	return cache_ext_node_insert(node);
}

/*
 * Calls @fn for all nodes that are in the index throughout, for some perhaps twice,
 * each under rcu_read_lock(). May sleep between them.
 */
void cache_ext_index_walk(void (*fn)(struct cache_ext_node *node, void *arg),
			  void *arg)
{
	struct rhashtable_iter iter;
	struct cache_ext_node *node;
	unsigned int left;

	rhashtable_walk_enter(&cache_ext_index, &iter);
	do {
		left = WALK_CHUNK;
		rhashtable_walk_start(&iter);
		do {
			node = rhashtable_walk_next(&iter);
			/* Else the table has changed its size, and it goes on. */
			if (!IS_ERR_OR_NULL(node))
				fn(node, arg);
		} while (node && --left);
		rhashtable_walk_stop(&iter);
		cond_resched();
	} while (node);
	rhashtable_walk_exit(&iter);
}
