/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes: what is known of folios. They sit in blocks of one page, each of one
 * policy, and name each other by 32-bit ids (table.h) and folios by 32 bits of
 * their address: that makes them small (20 bytes, in which there is room for a
 * record of one byte; larger ones come behind them).
 */
#ifndef _MM_CACHE_EXT_NODE_H
#define _MM_CACHE_EXT_NODE_H

#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

struct cache_ext_policy;

/*
 * What is known of a folio that a policy owns, or is being told of.
 * All but @key, @chain and @byte change under policy->lock; @key too, when the
 * folio migrates; @chain under the stripe's lock; @byte is the programs'.
 */
enum cache_ext_state {
	NODE_NEW,	/* in folio_added, on no list yet: not owned */
	NODE_REFUSED,	/* not admitted, on policy->refused: not owned */
	NODE_DYING,	/* being removed: @list is still told */
	NODE_LISTED = 4, /* owned, from here on: one bit, which is quickly seen */
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
			union {
				struct {
					/* Is or was on; NODE_NOWHERE; admit.c */
					u16 list : 15;
					/* Refused: to its tail, or its head */
					u16 far_tail : 1;
				};
				u16 where; /* both, for node_list_now() */
			};
			union {
				struct {
					u8 state : 3;
					u8 order : 4;
					/* Accessed, or not here for that */
					u8 seen : 1;
				};
				u8 how;	/* all three, for node_state_now() */
			};
			u8 byte;	/* the record, if it is one byte */
		};
		atomic_t word;
	};
	u8 data[];	/* other records, aligned as the policy asks for */
};

/* Of node->list: less than that are numbers of lists. */
#define NODE_LISTS	0x7ff0
#define NODE_NOWHERE	0x7fff

#define CACHE_EXT_BLOCK_SHIFT	10

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
	u16 align;			/* 4 or 8 */
	u16 record;			/* offset of the record in a node */
	u16 data_words;			/* of 4 bytes, in node->data */
	u32 nr_blocks;
	/* Erased nodes, by @next: until the next grace period, after it. */
	u32 flying;
	u32 waiting;
	bool in_flight;			/* @rcu is queued */
	struct rcu_head rcu;
};

static inline struct cache_ext_block *node_block(struct cache_ext_node *node)
{
	return (void *)((unsigned long)node & PAGE_MASK);
}

static inline struct cache_ext_policy *node_policy(struct cache_ext_node *node)
{
	return node_block(node)->policy;
}

/*
 * Without a lock. Who writes to @state or @order at the same time may undo it:
 * then one more access counts as a miss.
 */
static inline void node_see(struct cache_ext_node *node)
{
	const struct cache_ext_node seen = { .seen = 1 };

	atomic_or(seen.word.counter, &node->word);
}

/* Without policy->lock. */
static inline enum cache_ext_state node_state_now(struct cache_ext_node *node)
{
	struct cache_ext_node now;

	now.how = READ_ONCE(node->how);
	return now.state;
}

/* The same. */
static inline u32 node_list_now(struct cache_ext_node *node)
{
	struct cache_ext_node now;

	now.where = READ_ONCE(node->where);
	return now.list;
}

static inline bool node_owned(struct cache_ext_node *node)
{
	const struct cache_ext_node owned = { .state = NODE_LISTED };

	return READ_ONCE(node->how) & owned.how;
}

/* Owned, and it is not for its first access that it is accessed. */
static inline bool node_in_use(struct cache_ext_node *node)
{
	const struct cache_ext_node both = { .state = NODE_LISTED, .seen = 1 };

	return (READ_ONCE(node->how) & both.how) == both.how;
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

/* @record: arena->record */
static inline u8 *node_record(struct cache_ext_node *node, u16 record)
{
	return (u8 *)node + record;
}

void cache_ext_arena_exit(void);
void cache_ext_arena_init(struct cache_ext_arena *arena, u32 data_size,
			  u32 align);
void cache_ext_arena_free(struct cache_ext_policy *p);
bool cache_ext_arena_grow(struct cache_ext_policy *p, gfp_t gfp);
struct cache_ext_node *cache_ext_node_alloc(struct cache_ext_policy *p);
void cache_ext_node_free(struct cache_ext_node *node);
void cache_ext_node_free_rcu(struct cache_ext_node *node);
void __cache_ext_node_free_rcu(struct cache_ext_node *node);

#endif /* _MM_CACHE_EXT_NODE_H */
