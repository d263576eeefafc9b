// SPDX-License-Identifier: GPL-2.0
/*
 * Where nodes come from: a slab cache for each size, in steps of 8 bytes.
 *
 * Objects are charged to the cgroup of the policy. All policies share the
 * caches, which live as long as the core: so a node may be freed by RCU when its
 * policy is gone.
 */
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "contract.h"
#include "node.h"

#define STEP		8
#define LARGEST		(ALIGN(sizeof(struct cache_ext_node), 8) + \
			 CACHE_EXT_MAX_DATA)
#define NR_CACHES	(LARGEST / STEP + 1)

struct cache_ext_policy *cache_ext_policy_ids[CACHE_EXT_MAX_POLICIES];
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

	BUILD_BUG_ON(offsetof(struct cache_ext_node, data) != 28);
	BUILD_BUG_ON(CACHE_EXT_MAX_LISTS > NODE_LISTS);
	BUILD_BUG_ON(MAX_PAGECACHE_ORDER > NODE_ORDER_MASK);
	for (size = smallest(); size <= LARGEST; size += STEP) {
		snprintf(name, sizeof(name), "cache_ext_node_%zu", size);
		caches[size / STEP] = kmem_cache_create(name, size, STEP,
							SLAB_ACCOUNT, NULL);
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

	/* Waits for nodes that RCU has still to free. */
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
}

/* What a node takes, with the pointer by which the slab knows who is charged. */
size_t cache_ext_node_bytes(const struct cache_ext_node_kind *kind)
{
	return kmem_cache_size(kind->cache) + sizeof(void *);
}

/* A node of NODE_NEW with a zeroed record, or NULL. Sleeps if @gfp says so. */
struct cache_ext_node *
cache_ext_node_alloc(const struct cache_ext_node_kind *kind,
		     const struct folio *folio, unsigned int order, gfp_t gfp)
{
	struct mem_cgroup *old = set_active_memcg(kind->memcg);
	struct cache_ext_node *node;

	node = kmem_cache_zalloc(kind->cache, gfp | __GFP_NOWARN);
	set_active_memcg(old);
	if (!node)
		return NULL;
	INIT_LIST_HEAD(&node->link);
	node->pfn = folio_key(folio);
	node->policy = kind->policy;
	node->list = NODE_NOWHERE;
	atomic_set(&node->word, order << NODE_ORDER_SHIFT | NODE_NEW);
	return node;
}

/* A node that nobody has seen. */
void cache_ext_node_free(const struct cache_ext_node_kind *kind,
			 struct cache_ext_node *node)
{
	kmem_cache_free(kind->cache, node);
}
