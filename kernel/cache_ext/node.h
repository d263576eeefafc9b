/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes, and how a folio's node is found.
 *
 *   folio * golden ratio
 *     | top bits		 | middle bits
 *     v			 v
 *   stripe --- buckets ---> bucket: id --> node --chain: id--> node ...
 *				      |
 *   id = block << 10 | offset / 4    +---> directory[block] + offset
 *
 * Nodes sit in blocks of one page, each of one policy, and name each other by
 * 32-bit ids and folios by 32 bits of their address: that makes them small (20
 * bytes and the record). Lookup takes no
 * lock (RCU) and does not read the folio: a program may hold a pointer to one
 * that is being freed.
 */
#ifndef _MM_CACHE_EXT_NODE_H
#define _MM_CACHE_EXT_NODE_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

struct cache_ext_policy;

/*
 * What is known of a folio that a policy owns, or is being told of.
 * All but @key and @chain change under policy->lock; @key too, when the folio
 * migrates; @chain under the stripe's lock.
 */
enum cache_ext_state {
	NODE_NEW,	/* in folio_added, on no list yet: not owned */
	NODE_REFUSED,	/* not admitted, on policy->refused: not owned */
	NODE_DYING,	/* being removed: @list is still told */
	NODE_LISTED,	/* owned, from here on */
	NODE_OFFERED,	/* off its list, has a seat in the request */
	NODE_PROPOSED,	/* off its list, reclaim decides */
};

struct cache_ext_node {
	u32 key;	/* of its folio: folio_key() */
	u32 next;	/* ids; on its list. @next: also in limbo, and free */
	u32 prev;
	u32 chain;	/* id; the next one in the bucket */
	union {
		struct {
			/* Where it is or was, -1: nowhere yet; admit.c */
			s16 list;
			u8 state;
			u8 order : 6;
			/* Refused: it goes to the tail of @list, else the head */
			u8 far_tail : 1;
			/* Accessed, or not here for being read; node_see() */
			u8 seen : 1;
		};
		atomic_t word;
	};
	u8 data[];	/* aligned as the policy asks for */
};

/* The head of a page of nodes. Under arena->lock, but @policy and @id. */
struct cache_ext_block {
	struct cache_ext_policy *policy; /* outlives its nodes by RCU */
	struct list_head partial;	/* on arena->partial if @free */
	u32 id;
	u16 used;
	u16 free;			/* offset / 4 of a slot; 0: none */
};

/* A policy's nodes. Innermost lock but for those of stripes. */
struct cache_ext_arena {
	spinlock_t lock;
	struct list_head partial;
	u16 node_size;			/* bytes, a multiple of @align */
	u16 align;			/* of records: 4 or 8 */
	u32 data_words;			/* of 4 bytes, in a record */
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
	u32 least;		/* with fewer or more nodes it is resized */
	/* Aligned array of ids; low bits: 32 less the log of its length */
	unsigned long buckets;
	u32 most;
};

#define CACHE_EXT_BUCKETS_ALIGN	64
#define CACHE_EXT_BLOCK_SHIFT	10

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
 * The node of the folio that the program running on this CPU was called for, so
 * that its kfuncs need not search. Never NULL. Who sets it keeps RCU and
 * preemption off until he has taken it back (hint.h). An interrupt may take it
 * away any time, or leave another there: it counts if it is the folio's.
 */
DECLARE_PER_CPU(struct cache_ext_node *, cache_ext_hint);
extern struct cache_ext_node cache_ext_no_node;

static inline struct cache_ext_block *node_block(struct cache_ext_node *node)
{
	return (void *)((unsigned long)node & PAGE_MASK);
}

static inline struct cache_ext_policy *node_policy(struct cache_ext_node *node)
{
	return node_block(node)->policy;
}

/*
 * Without a lock. Who writes to @far_tail or @order at the same time may undo it:
 * then one more access counts as a miss.
 */
static inline void node_see(struct cache_ext_node *node)
{
	struct cache_ext_node seen = { .seen = 1 };

	atomic_or(atomic_read(&seen.word), &node->word);
}

static inline bool node_owned(struct cache_ext_node *node)
{
	return READ_ONCE(node->state) >= NODE_LISTED;
}

static inline unsigned long node_pages(const struct cache_ext_node *node)
{
	return 1UL << node->order;
}

static inline u32 node_id(struct cache_ext_node *node)
{
	return node_block(node)->id << CACHE_EXT_BLOCK_SHIFT |
	       offset_in_page(node) >> 2;
}

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

/*
 * 32 bits are enough to tell struct pages apart that all lie in 2^38 bytes, as
 * those of 16 TiB of memory do (cache_ext_table_get() looks).
 */
static inline u32 folio_key(const struct folio *folio)
{
	BUILD_BUG_ON(sizeof(struct page) != 64);
	return (unsigned long)folio >> 6;
}

static inline struct folio *folio_of_key(u32 key)
{
	u32 nth = key - (u32)((unsigned long)pfn_to_page(0) >> 6);

	return (struct folio *)pfn_to_page((unsigned long)nth);
}

static inline struct folio *node_folio(const struct cache_ext_node *node)
{
	return folio_of_key(READ_ONCE(node->key));
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

	/* As in cache_ext_node_find(). */
	id = smp_load_acquire(bucket_of(READ_ONCE(stripe->buckets), hash));
	while (likely(id)) {
		*node = __node_at(table, id);
		if (likely(READ_ONCE((*node)->key) == key))
			return true;
		id = smp_load_acquire(&(*node)->chain); /* as above */
	}
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

int cache_ext_node_init(void);
void cache_ext_node_exit(void);
int cache_ext_table_get(void);
void cache_ext_table_put(void);
unsigned long cache_ext_table_bytes(void);
void cache_ext_arena_exit(void);
void cache_ext_arena_init(struct cache_ext_arena *arena, u32 data_size,
			  u32 align);
void cache_ext_arena_free(struct cache_ext_policy *p);
bool cache_ext_arena_grow(struct cache_ext_policy *p, gfp_t gfp);
struct cache_ext_node *cache_ext_node_alloc(struct cache_ext_policy *p);
void cache_ext_node_free(struct cache_ext_node *node);
void cache_ext_node_free_rcu(struct cache_ext_node *node);
void __cache_ext_node_free_rcu(struct cache_ext_node *node);
int cache_ext_node_insert(struct cache_ext_node *node);
void cache_ext_node_erase(struct cache_ext_node *node);
void __cache_ext_node_erase(struct cache_ext_node *node);

#endif /* _MM_CACHE_EXT_NODE_H */
