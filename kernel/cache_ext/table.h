/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a folio's node is found.
 *
 *   folio * golden ratio
 *     | top bits		 | middle bits
 *     v			 v
 *   stripe --- buckets ---> bucket: id --> node --chain: id--> node ...
 *				      |
 *   id = block << 10 | offset / 4    +---> directory[block] + offset
 *   0: none					0: cache_ext_no_node
 *
 * Lookup takes no lock (RCU) and does not read the folio: a program may hold a
 * pointer to one that is being freed.
 */
#ifndef _MM_CACHE_EXT_TABLE_H
#define _MM_CACHE_EXT_TABLE_H

#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include "node.h"

/* A part of the table. */
struct cache_ext_stripe {
	/* Aligned array of ids; low bits: 32 less the log of its length */
	unsigned long buckets;
	spinlock_t lock;	/* all that changes: irqsave, innermost */
	u32 seq;		/* odd: nodes are moving to other buckets */
	u32 count;
	u32 least;		/* with fewer or more nodes it is resized */
	u32 most;
};

#define CACHE_EXT_BUCKETS_ALIGN	64

struct cache_ext_directory {
	struct rcu_head rcu;
	u32 nr;
	struct cache_ext_block *block[]; /* 0: set_no_block() */
};

struct cache_ext_table {
	u32 shift;		/* 64 less the log of how many stripes */
	struct cache_ext_directory *directory; /* RCU; grows */
	struct cache_ext_stripe stripe[];
};

/* Never NULL: an empty one while there is no policy. RCU. */
extern struct cache_ext_table *cache_ext_table;

/*
 * The node of the folio that the program running on this CPU was called for, so
 * that its kfuncs need not search. Never NULL. Who sets it keeps RCU and
 * preemption off until he has taken it back (hint.h). An interrupt may take it
 * away any time, or leave another there: it counts if it is the folio's.
 */
DECLARE_PER_CPU(struct cache_ext_node *, cache_ext_hint);
extern struct cache_ext_node cache_ext_no_node;

static inline struct cache_ext_node *node_in(struct cache_ext_directory *dir,
					     u32 id)
{
	return (void *)dir->block[id >> CACHE_EXT_BLOCK_SHIFT] +
	       ((id << 2) & ~PAGE_MASK);
}

/* @id was read from where it is kept: its block is in the directory by then. */
static inline struct cache_ext_node *
__node_at(struct cache_ext_table *table, u32 id)
{
	return node_in(READ_ONCE(table->directory), id);
}

static inline struct cache_ext_node *node_at(u32 id)
{
	return __node_at(READ_ONCE(cache_ext_table), id);
}

static inline u64 key_hash(u32 key)
{
	return key * GOLDEN_RATIO_64;
}

static inline u32 *bucket_of(unsigned long buckets, u64 hash)
{
	u32 *array = (u32 *)(buckets & ~(CACHE_EXT_BUCKETS_ALIGN - 1UL));

	return &array[(u32)(hash >> 16) >> (buckets & 31)];
}

/* Before the directory is seen: there is something at the id 0, whose key is no folio's. */
static inline void set_no_block(struct cache_ext_directory *dir)
{
	dir->block[0] = (void *)&cache_ext_no_node;
}

struct cache_ext_node *cache_ext_node_missed(struct cache_ext_stripe *stripe,
					     u32 seq, u32 key);

/*
 * As cache_ext_node_find(), but where nodes are moving at the moment it may miss
 * one. False: look with that.
 */
static __always_inline bool cache_ext_node_glance(struct folio *folio,
						  struct cache_ext_node **node)
{
	struct cache_ext_table *table = READ_ONCE(cache_ext_table);
	u32 key = folio_key(folio);
	u64 hash = key_hash(key);
	struct cache_ext_stripe *stripe = &table->stripe[hash >> table->shift];
	u32 id;

	/* As in cache_ext_node_find(). A bucket is hardly ever empty: 0 is looked at, too. */
	id = smp_load_acquire(bucket_of(READ_ONCE(stripe->buckets), hash));
	do {
		*node = __node_at(table, id);
		if (likely(READ_ONCE((*node)->key) == key))
			return true;
		id = smp_load_acquire(&(*node)->chain); /* as above */
	} while (id);
	return false;
}

/* Caller: rcu_read_lock(). The node may be NODE_DYING. */
static __always_inline struct cache_ext_node *
cache_ext_node_find(struct folio *folio)
{
	struct cache_ext_table *table = READ_ONCE(cache_ext_table);
	u32 key = folio_key(folio);
	u64 hash = key_hash(key);
	struct cache_ext_stripe *stripe = &table->stripe[hash >> table->shift];
	struct cache_ext_node *node;
	u32 seq, id;

	/* Or the compiler works it out once for each member. */
	OPTIMIZER_HIDE_VAR(stripe);
	/* Before the chain is read; with rehash() and cache_ext_node_missed(). */
	seq = smp_load_acquire(&stripe->seq);
	/* What an id names is whole, and its block in the directory. */
	id = smp_load_acquire(bucket_of(READ_ONCE(stripe->buckets), hash));
	while (id) {
		node = __node_at(table, id);
		if (likely(READ_ONCE(node->key) == key))
			return node;
		id = smp_load_acquire(&node->chain); /* as above */
	}
	return cache_ext_node_missed(stripe, seq, key);
}

/* The same for kfuncs, which are mostly called for the folio of the event. */
static __always_inline struct cache_ext_node *
cache_ext_node_find_hinted(struct folio *folio)
{
	struct cache_ext_node *node = this_cpu_read(cache_ext_hint);

	if (likely(READ_ONCE(node->key) == folio_key(folio)))
		return node;
	return cache_ext_node_find(folio);
}

int cache_ext_table_init(void);
void cache_ext_table_exit(void);
int cache_ext_table_get(void);
void cache_ext_table_put(void);
unsigned long cache_ext_table_bytes(void);
int cache_ext_node_insert(struct cache_ext_node *node);
void cache_ext_node_erase(struct cache_ext_node *node);
void __cache_ext_node_erase(struct cache_ext_node *node);

#endif /* _MM_CACHE_EXT_TABLE_H */
