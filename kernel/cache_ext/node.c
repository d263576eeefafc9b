// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes: from a folio to what the policy keeps of it.
 *
 * One hash table for all policies leads from a folio to its node, without
 * reading the folio: a program may hold a pointer to a folio that is being
 * freed. It is looked up without a lock (RCU). Nodes and the record behind them come
 * from one slab cache for each size of record, shared by all policies, and go
 * through RCU: a program that still holds a pointer into a record of a folio
 * that was just removed writes to memory that nobody else owns yet.
 *
 * Removal happens with interrupts off; rhashtable's bucket locks are irqsave.
 */
#include <linux/hash.h>
#include <linux/slab.h>
#include "cache_ext.h"

static const u32 class_size[] = { 0, 8, 16, 32, CACHE_EXT_MAX_DATA };

/* Written once at init. */
static struct kmem_cache *node_cache[ARRAY_SIZE(class_size)];

static u32 node_hash(const void *key, u32 len, u32 seed)
{
	return hash_64(*(const unsigned long *)key + seed, 32);
}

static const struct rhashtable_params node_params = {
	.key_len = sizeof(struct folio *),
	.key_offset = offsetof(struct cache_ext_node, folio),
	.head_offset = offsetof(struct cache_ext_node, hash),
	.hashfn = node_hash,
	.automatic_shrinking = true,
};

/* Readers: RCU. Writers: its own bucket locks. */
static struct rhashtable nodes;

u32 cache_ext_size_class(u32 data_size)
{
	u32 i = 0;

	while (class_size[i] < data_size)
		i++;
	return i;
}

/* A node of NODE_NEW with a zeroed record. */
struct cache_ext_node *cache_ext_node_alloc(struct cache_ext_policy *p,
					    u32 size_class, gfp_t gfp)
{
	struct cache_ext_node *node;

	node = kmem_cache_zalloc(node_cache[size_class], gfp | __GFP_NOWARN);
	if (!node)
		return NULL;
	node->policy = p;
	node->size_class = size_class;
	node->list = -1;
	node->state = NODE_NEW;
	INIT_LIST_HEAD(&node->link);
	return node;
}

void cache_ext_node_free(struct cache_ext_node *node)
{
	kmem_cache_free(node_cache[node->size_class], node);
}

static void node_free_rcu(struct rcu_head *rcu)
{
	cache_ext_node_free(container_of(rcu, struct cache_ext_node, rcu));
}

void cache_ext_node_free_rcu(struct cache_ext_node *node)
{
	call_rcu(&node->rcu, node_free_rcu);
}

/* Caller: rcu_read_lock(). The node may be NODE_DYING. */
struct cache_ext_node *cache_ext_node_find(struct folio *folio)
{
	return rhashtable_lookup(&nodes, &folio, node_params);
}

int cache_ext_node_insert(struct cache_ext_node *node)
{
	return rhashtable_lookup_insert_fast(&nodes, &node->hash, node_params);
}

void cache_ext_node_erase(struct cache_ext_node *node)
{
	rhashtable_remove_fast(&nodes, &node->hash, node_params);
}

/* What @nr nodes of @p and their records take. */
unsigned long cache_ext_node_bytes(struct cache_ext_policy *p, unsigned long nr)
{
	return nr * kmem_cache_size(node_cache[p->size_class]);
}

int __init cache_ext_node_init(void)
{
	char name[32];
	int err;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(class_size); i++) {
		snprintf(name, sizeof(name), "cache_ext_node_%u",
			 class_size[i]);
		node_cache[i] = kmem_cache_create(name,
				sizeof(struct cache_ext_node) + class_size[i],
				0, 0, NULL);
		if (!node_cache[i])
			goto nomem;
	}
	err = rhashtable_init(&nodes, &node_params);
	if (!err)
		return 0;
nomem:
	while (i--)
		kmem_cache_destroy(node_cache[i]);
	return -ENOMEM;
}

/* No policy is left, but nodes may still be on their way through RCU. */
void cache_ext_node_exit(void)
{
	u32 i;

	rcu_barrier();
	rhashtable_destroy(&nodes);
	for (i = 0; i < ARRAY_SIZE(class_size); i++)
		kmem_cache_destroy(node_cache[i]);
}
