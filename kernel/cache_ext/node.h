/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes, and how a folio's node is found.
 *
 *   folio * golden ratio
 *     | top bits		 | middle bits
 *     v			 v
 *   stripe --- buckets ---> bucket: id --> node --chain: id--> node ...
 *				      |
 *   id = block << 9 | offset / 8     +---> directory[block] + offset
 *
 * Nodes sit in blocks of one page, each of one policy, and name each other by
 * 32-bit ids: that makes them small (24 bytes and the record). Lookup takes no
 * lock (RCU) and does not read the folio: a program may hold a pointer to one
 * that is being freed.
 */
#ifndef _MM_CACHE_EXT_NODE_H
#define _MM_CACHE_EXT_NODE_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

struct cache_ext_policy;

/*
 * What is known of a folio that a policy owns, or is being told of.
 * All but @folio and @chain change under policy->lock; @folio too, when the
 * folio migrates; @chain under the stripe's lock.
 */
enum cache_ext_state {
	NODE_NEW,	/* in folio_added, on no list yet: not owned */
	NODE_LISTED,
	NODE_OFFERED,	/* off its list, has a seat in the request */
	NODE_PROPOSED,	/* off its list, reclaim decides */
	NODE_REFUSED,	/* not admitted, on policy->refused: not owned */
	NODE_DYING,	/* being removed: @list is still told */
};

struct cache_ext_node {
	struct folio *folio;
	u32 next;	/* ids; on its list. @next: also in limbo, and free */
	u32 prev;
	u32 chain;	/* id; the next one in the bucket */
	s16 list;	/* where it is or came from, -1: nowhere yet; admit.c */
	u8 state;
	u8 order : 6;
	u8 far_tail : 1; /* refused: goes to the tail of @list, else the head */
	u8 seen : 1;	/* accessed, or not here for being read */
	u8 data[] __aligned(8);
};

/* The head of a page of nodes. Under arena->lock, but @policy and @id. */
struct cache_ext_block {
	struct cache_ext_policy *policy; /* outlives its nodes by RCU */
	struct list_head partial;	/* on arena->partial if @free */
	u32 id;
	u16 used;
	u16 free;			/* offset / 8 of a slot; 0: none */
};

/* A policy's nodes. Innermost lock but for those of stripes. */
struct cache_ext_arena {
	spinlock_t lock;
	struct list_head partial;
	u32 node_size;			/* bytes, a multiple of 8 */
	u32 nr_blocks;
	/* Erased nodes, by @next: until the next grace period, after it. */
	u32 flying;
	u32 waiting;
	bool in_flight;			/* @rcu is queued */
	struct rcu_head rcu;
};

/* A part of the table. */
struct cache_ext_stripe {
	spinlock_t lock;	/* all that changes: irqsave, innermost */
	u32 seq;		/* odd: nodes are moving to other buckets */
	u32 count;
	/* Aligned array of ids; low bits: 32 less the log of its length */
	unsigned long buckets;
};

#define CACHE_EXT_BUCKETS_ALIGN	64
#define CACHE_EXT_BLOCK_SHIFT	9

struct cache_ext_directory {
	struct rcu_head rcu;
	u32 nr;
	struct cache_ext_block *block[];
};

struct cache_ext_table {
	u32 shift;		/* 64 less the log of how many stripes */
	struct cache_ext_directory *directory; /* RCU; grows */
	struct cache_ext_stripe stripe[];
};

/* Never NULL: an empty one while there is no policy. RCU. */
extern struct cache_ext_table *cache_ext_table;

/*
 * The folio that the program running on this CPU was called for, so that its
 * kfuncs need not search. Who sets it keeps RCU and preemption off, and puts
 * back what was there, so that interrupts and nested programs may set it too.
 */
struct cache_ext_hint {
	struct folio *folio;
	struct cache_ext_node *node;
};

DECLARE_PER_CPU(struct cache_ext_hint, cache_ext_hint);

static inline struct cache_ext_block *node_block(struct cache_ext_node *node)
{
	return (void *)((unsigned long)node & PAGE_MASK);
}

static inline struct cache_ext_policy *node_policy(struct cache_ext_node *node)
{
	return node_block(node)->policy;
}

static inline unsigned long node_pages(const struct cache_ext_node *node)
{
	return 1UL << node->order;
}

static inline u32 node_id(struct cache_ext_node *node)
{
	return node_block(node)->id << CACHE_EXT_BLOCK_SHIFT |
	       offset_in_page(node) >> 3;
}

/* @id was read from where it is kept: its block is in the directory by then. */
static inline struct cache_ext_node *
__node_at(struct cache_ext_table *table, u32 id)
{
	struct cache_ext_directory *dir = READ_ONCE(table->directory);

	return (void *)dir->block[id >> CACHE_EXT_BLOCK_SHIFT] +
	       ((id << 3) & ~PAGE_MASK);
}

static inline struct cache_ext_node *node_at(u32 id)
{
	return __node_at(READ_ONCE(cache_ext_table), id);
}

static inline u64 folio_hash(struct folio *folio)
{
	return (unsigned long)folio * GOLDEN_RATIO_64;
}

static inline u32 *bucket_of(unsigned long buckets, u64 hash)
{
	u32 *array = (u32 *)(buckets & ~(CACHE_EXT_BUCKETS_ALIGN - 1UL));

	return &array[(u32)(hash >> 16) >> (buckets & 31)];
}

struct cache_ext_node *cache_ext_node_missed(struct cache_ext_stripe *stripe,
					     u32 seq, struct folio *folio);

/* Caller: rcu_read_lock(). The node may be NODE_DYING. */
static __always_inline struct cache_ext_node *
cache_ext_node_find(struct folio *folio)
{
	struct cache_ext_table *table = READ_ONCE(cache_ext_table);
	u64 hash = folio_hash(folio);
	struct cache_ext_stripe *stripe = &table->stripe[hash >> table->shift];
	struct cache_ext_node *node;
	u32 seq, id;

	/* Before the chain is read; with rehash() and cache_ext_node_missed(). */
	seq = smp_load_acquire(&stripe->seq);
	/* What an id names is whole, and its block in the directory. */
	id = smp_load_acquire(bucket_of(READ_ONCE(stripe->buckets), hash));
	while (id) {
		node = __node_at(table, id);
		if (likely(READ_ONCE(node->folio) == folio))
			return node;
		id = smp_load_acquire(&node->chain); /* as above */
	}
	return cache_ext_node_missed(stripe, seq, folio);
}

/* The same for kfuncs, which are mostly called for the folio of the event. */
static __always_inline struct cache_ext_node *
cache_ext_node_find_hinted(struct folio *folio)
{
	if (likely(this_cpu_read(cache_ext_hint.folio) == folio))
		return this_cpu_read(cache_ext_hint.node);
	return cache_ext_node_find(folio);
}

int cache_ext_node_init(void);
void cache_ext_node_exit(void);
int cache_ext_table_get(void);
void cache_ext_table_put(void);
unsigned long cache_ext_table_bytes(void);
void cache_ext_arena_exit(void);
void cache_ext_arena_init(struct cache_ext_arena *arena, u32 data_size);
void cache_ext_arena_free(struct cache_ext_policy *p);
bool cache_ext_arena_grow(struct cache_ext_policy *p, gfp_t gfp);
struct cache_ext_node *cache_ext_node_alloc(struct cache_ext_policy *p);
void cache_ext_node_free(struct cache_ext_node *node);
void cache_ext_node_free_rcu(struct cache_ext_node *node);
int cache_ext_node_insert(struct cache_ext_node *node);
void cache_ext_node_erase(struct cache_ext_node *node);

#endif /* _MM_CACHE_EXT_NODE_H */
