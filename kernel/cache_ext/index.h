/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a folio's node is found: one hash table of all policies' nodes, by page frame
 * number. It grows and shrinks with them, so what it takes does not depend on where
 * folios lie.
 *
 * A look-up takes no lock (RCU), and does not read the folio: a program may hold
 * a pointer to one that is being freed.
 */
#ifndef _MM_CACHE_EXT_INDEX_H
#define _MM_CACHE_EXT_INDEX_H

#include <linux/percpu.h>
#include <linux/rhashtable.h>
#include "node.h"

extern struct rhashtable cache_ext_index;

/*
 * The table takes the lower bits. Page frames come in runs, of folios of many pages in
 * strides: each bit of the key has to reach these bits, and so that runs do not fall
 * together (the finalizer of MurmurHash3). One multiplication is not enough: 3 to 6 times as
 * many nodes were compared.
 */
static inline u32 index_hash(const void *key, u32 len __maybe_unused, u32 seed)
{
	u32 hash = *(const u32 *)key ^ seed;

	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35;
	return hash ^ hash >> 16;
}

static const struct rhashtable_params index_params = {
	.head_offset = offsetof(struct cache_ext_node, hash),
	.key_offset = offsetof(struct cache_ext_node, pfn),
	.key_len = sizeof(u32),
	.hashfn = index_hash,
	.automatic_shrinking = true,
};

/*
 * The node of the folio that the program running on this CPU was called for, so
 * that its kfuncs need not search; or the policy's own (policy->self), if it was called
 * for none. It also says whose program it is (kfuncs.h). Never NULL. The setter holds
 * rcu_read_lock() and disables preemption until it clears the hint (hint.h). No hook
 * runs in an interrupt, so nobody else sets it meanwhile.
 */
DECLARE_PER_CPU(struct cache_ext_node *, cache_ext_hint);

/* As cache_ext_node_find(), inlined, for the hook of each access. */
static __always_inline struct cache_ext_node *
cache_ext_node_lookup_fast(const struct folio *folio)
{
	u32 pfn = folio_key(folio);

	return rhashtable_lookup(&cache_ext_index, &pfn, index_params);
}

struct cache_ext_node *cache_ext_node_find(const struct folio *folio);

/* For kfuncs, which are mostly called for the folio of the event. */
static __always_inline struct cache_ext_node *
cache_ext_node_find_hinted(const struct folio *folio)
{
	struct cache_ext_node *node = this_cpu_read(cache_ext_hint);

	if (likely(READ_ONCE(node->pfn) == folio_key(folio)))
		return node;
	return cache_ext_node_find(folio);
}

int cache_ext_index_init(void);
void cache_ext_index_exit(void);
size_t cache_ext_index_bytes(void);
int cache_ext_node_insert(struct cache_ext_node *node);
void cache_ext_node_erase(struct cache_ext_node *node);
void cache_ext_node_free_rcu(struct cache_ext_node *node);
void cache_ext_index_walk(void (*fn)(struct cache_ext_node *node, void *arg),
			  void *arg);
int cache_ext_node_rename(struct cache_ext_node *node, struct folio *folio);

#endif /* _MM_CACHE_EXT_INDEX_H */
