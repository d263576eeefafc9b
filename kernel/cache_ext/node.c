// SPDX-License-Identifier: GPL-2.0
/*
 * Where nodes come from: a slab cache for each size, in steps of 8 bytes.
 *
 * Nodes are charged to the cgroup of the policy. All of a policy are to the same
 * one, so none needs to remember it, as objects of SLAB_ACCOUNT do in 8 bytes
 * each. All policies share the caches, which live as long as the core.
 */
#include <linux/memcontrol.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include "contract.h"
#include "node.h"
#include "../policy_ext/memcg.h"

#define STEP		8
/*
 * Bytes of the index for each node, at most, when it is not about to grow or shrink: a
 * pointer a bucket, and it shrinks below three nodes in ten buckets.
 */
#define INDEX_SHARE	27
#define LARGEST		(ALIGN(sizeof(struct cache_ext_node), 8) + \
			 CACHE_EXT_MAX_DATA)
#define NR_CACHES	(LARGEST / STEP + 1)

struct cache_ext_policy *cache_ext_policy_ids[CACHE_EXT_MAX_POLICIES];
struct cache_ext_node_kind *cache_ext_node_kinds[CACHE_EXT_MAX_POLICIES];
struct cache_ext_node cache_ext_no_node = { .pfn = CACHE_EXT_MAX_PFN };

/* By size in steps; none for sizes below the smallest node's. */
static struct kmem_cache *caches[NR_CACHES];

static size_t smallest(void)
{
	return ALIGN(sizeof(struct cache_ext_node), STEP);
}

int __init cache_ext_nodes_init(void)
{
	char name[32];
	size_t size;

	BUILD_BUG_ON(offsetof(struct cache_ext_node, data) != 36);
	BUILD_BUG_ON(CACHE_EXT_MAX_LISTS > NODE_LISTS);
	BUILD_BUG_ON(MAX_PAGECACHE_ORDER > NODE_ORDER_MASK);
	for (size = smallest(); size <= LARGEST; size += STEP) {
		snprintf(name, sizeof(name), "cache_ext_node_%zu", size);
		caches[size / STEP] = kmem_cache_create(name, size, STEP, 0,
							NULL);
		if (!caches[size / STEP]) {
			cache_ext_nodes_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void cache_ext_nodes_exit(void)
{
	unsigned int i;

	/* Each policy has waited for its nodes, which RCU freed. */
	for (i = 0; i < NR_CACHES; i++) {
		kmem_cache_destroy(caches[i]);
		caches[i] = NULL;
	}
}

/* @data_size: bytes of a record; @align: 4 or 8 bytes. */
void cache_ext_node_kind_init(struct cache_ext_node_kind *kind, u32 data_size,
			      u32 align)
{
	size_t record = ALIGN(offsetof(struct cache_ext_node, data), align);
	size_t size = max(ALIGN(record + data_size, STEP), smallest());

	kind->data_size = data_size;
	kind->record = record;
	kind->cache = caches[size / STEP];
	kind->size = size;
	kind->charge = size + INDEX_SHARE;
}

/*
 * Nodes are charged to @memcg; should it go, to its parent, as all that it was
 * charged for. To nobody if the kernel was told not to (cgroup.memory=nokmem).
 * Caller: has a reference on @memcg.
 */
void cache_ext_node_kind_charge(struct cache_ext_node_kind *kind,
				struct mem_cgroup *memcg)
{
	struct obj_cgroup *objcg;

	rcu_read_lock();
	objcg = policy_ext_objcg_of(memcg);
	if (objcg && obj_cgroup_tryget(objcg))
		kind->objcg = objcg;
	rcu_read_unlock();
}

/* No node is left. */
void cache_ext_node_kind_exit(struct cache_ext_node_kind *kind)
{
	if (kind->objcg)
		obj_cgroup_put(kind->objcg);
}

static void uncharge(const struct cache_ext_node_kind *kind)
{
	if (kind->objcg)
		obj_cgroup_uncharge(kind->objcg, kind->charge);
}

/*
 * A node of NODE_NEW with a zeroed record, or NULL. Sleeps if @gfp says so. With
 * GFP_ATOMIC it is charged even past the cgroup's limit, which the next charge makes
 * good. No node is worth memory of the machine's reserves.
 */
struct cache_ext_node *
cache_ext_node_alloc(const struct cache_ext_node_kind *kind,
		     const struct folio *folio, unsigned int order, gfp_t gfp)
{
	struct cache_ext_node *node;

	gfp |= __GFP_NOWARN;
	if (kind->objcg && obj_cgroup_charge(kind->objcg, gfp, kind->charge))
		return NULL;
	node = kmem_cache_zalloc(kind->cache,
				 (gfp & ~__GFP_HIGH) | __GFP_NOMEMALLOC);
	if (unlikely(!node)) {
		uncharge(kind);
		return NULL;
	}
	INIT_LIST_HEAD(&node->link);
	/* A page frame beyond these, of memory that was added, is not inserted. */
	node->pfn = min_t(unsigned long, folio_key(folio), CACHE_EXT_MAX_PFN);
	node->policy = kind->policy;
	node->list = NODE_NOWHERE;
	atomic_set(&node->word, order << NODE_ORDER_SHIFT | NODE_NEW);
	return node;
}

/* A node without users. */
void cache_ext_node_free(const struct cache_ext_node_kind *kind,
			 struct cache_ext_node *node)
{
	uncharge(kind);
	kmem_cache_free(kind->cache, node);
}
