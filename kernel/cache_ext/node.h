/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nodes: what the core knows of a folio, and the policy's record beside it.
 *
 * A node is a slab object, charged to the policy's cgroup. It holds no
 * reference on its folio, and names it by its page frame number. index.h leads
 * from a folio to its node. Nodes are freed by RCU, so a node that was found in
 * an RCU read section stays readable to the end of that section.
 */
#ifndef _MM_CACHE_EXT_NODE_H
#define _MM_CACHE_EXT_NODE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

struct cache_ext_policy;
struct mem_cgroup;
struct obj_cgroup;

/*
 * Each node is on exactly one list_head: of a list, of the refused folios, or
 * of the request that has it in hand; or on none while it is new or dying.
 */
enum cache_ext_state {
	NODE_NEW,	/* in folio_added, not owned yet */
	NODE_REFUSED,	/* not admitted (admit.c), not owned */
	NODE_DYING,	/* being removed: @list is still told */
	NODE_LISTED = 4, /* on a list. Owned, from here on: one bit */
	NODE_CANDIDATE,	/* off its list, in the hand of a request */
	NODE_PROPOSED,	/* off its list, reclaim decides */
};

/* Bits of node->word. */
#define NODE_STATE_MASK		0x7
#define NODE_OWNED		0x4	/* of the state */
#define NODE_SEEN		BIT(3)	/* accessed since it was added */
#define NODE_MOVING		BIT(4)	/* changes lists: no batch may note it */
#define NODE_FAR_TAIL		BIT(6)	/* if it comes back, to its list's tail */
#define NODE_BY_READ		BIT(7)	/* came to be read: a miss */
#define NODE_ORDER_SHIFT	8
#define NODE_ORDER_MASK		0xf
#define NODE_PINNED		BIT(12)	/* counted in lists->pinned */
#define NODE_PIN_SLOT_SHIFT	13	/* ... and in this one of lists->pin_slots */
#define NODE_PIN_SLOT_MASK	(0xffu << NODE_PIN_SLOT_SHIFT)
#define CACHE_EXT_PIN_SLOTS	256	/* the first stands for none */
#define NODE_BATCHES_SHIFT	21	/* how many batches of moves note it: batch.h */
#define NODE_BATCHES_ONE	BIT(NODE_BATCHES_SHIFT)
#define NODE_BATCHES_MASK	(0x7ffu << NODE_BATCHES_SHIFT)

/* node->list: of no list. Those of refused folios: admit.c. */
#define NODE_NOWHERE		U16_MAX
#define NODE_LISTS		0xfff0

#define CACHE_EXT_MAX_POLICIES	1024

/*
 * @pfn, @list and the state change under lists->lock, and are read without.
 * @data belongs to the programs, which write to it at any time.
 */
struct cache_ext_node {
	union {
		struct list_head link;
		struct rcu_head rcu;
	};
	struct rhash_head hash;
	u32 pfn;
	u16 policy;		/* index in cache_ext_policy_ids; 0: none */
	u16 list;		/* that it is on, or was taken from */
	atomic_t word;
	u8 data[];		/* 4 bytes further if aligned to 8 */
};

/*
 * By node->policy; an entry stays until RCU readers of its nodes are gone. The first
 * is always NULL.
 */
extern struct cache_ext_policy *cache_ext_policy_ids[CACHE_EXT_MAX_POLICIES];

/* Of no folio. What the hint (index.h) points to if there is none. */
extern struct cache_ext_node cache_ext_no_node;

/* How the nodes of one policy are made. */
struct cache_ext_node_kind {
	struct kmem_cache *cache;
	struct obj_cgroup *objcg;	/* is charged for nodes; NULL: nobody is */
	u16 policy;
	u16 size;			/* bytes of a node */
	u16 charge;			/* and of its share of the index */
	u16 data_size;			/* bytes of a record */
	u16 record;			/* its offset in the node */
};

/* As cache_ext_policy_ids. */
extern struct cache_ext_node_kind *cache_ext_node_kinds[CACHE_EXT_MAX_POLICIES];

static inline struct cache_ext_policy *
cnode_policy(const struct cache_ext_node *node)
{
	return READ_ONCE(cache_ext_policy_ids[node->policy]);
}

static inline unsigned int cnode_word(const struct cache_ext_node *node)
{
	return atomic_read(&node->word);
}

static inline enum cache_ext_state
cnode_state(const struct cache_ext_node *node)
{
	return cnode_word(node) & NODE_STATE_MASK;
}

static inline bool cnode_owned(const struct cache_ext_node *node)
{
	return cnode_word(node) & NODE_OWNED;
}

/* Owned, and accessed before. */
static inline bool cnode_in_use(const struct cache_ext_node *node)
{
	return (cnode_word(node) & (NODE_OWNED | NODE_SEEN)) ==
	       (NODE_OWNED | NODE_SEEN);
}

/* Caller: lists->lock. Returns the word before. */
static inline unsigned int cnode_set_state(struct cache_ext_node *node,
					   enum cache_ext_state state)
{
	/* Only the state's bits change; other bits may change meanwhile. */
	return atomic_fetch_xor(cnode_state(node) ^ state, &node->word);
}

static inline void cnode_set(struct cache_ext_node *node, unsigned int bit)
{
	atomic_or(bit, &node->word);
}

static inline void cnode_clear(struct cache_ext_node *node, unsigned int bit)
{
	atomic_andnot(bit, &node->word);
}

static inline unsigned int cnode_order(const struct cache_ext_node *node)
{
	return cnode_word(node) >> NODE_ORDER_SHIFT & NODE_ORDER_MASK;
}

/*
 * A listed node may change lists, unless batches note it. Caller: lists->lock; and
 * calls cnode_end_move() when the node says its new list.
 */
static inline bool cnode_begin_move(struct cache_ext_node *node)
{
	int word = cnode_word(node);

	do {
		if (word & NODE_BATCHES_MASK)
			return false;
	} while (!atomic_try_cmpxchg(&node->word, &word, word | NODE_MOVING));
	return true;
}

static inline void cnode_end_move(struct cache_ext_node *node)
{
	/* with cache_ext_batch_move(), which looks at node->list after the word */
	smp_mb__before_atomic();
	cnode_clear(node, NODE_MOVING);
}

/* Caller: lists->lock, or nobody knows the node yet. */
static inline void cnode_set_order(struct cache_ext_node *node,
				   unsigned int order)
{
	atomic_xor((cnode_order(node) ^ order) << NODE_ORDER_SHIFT,
		   &node->word);
}

static inline unsigned long cnode_pages(const struct cache_ext_node *node)
{
	return 1UL << cnode_order(node);
}

static inline u16 cnode_list(const struct cache_ext_node *node)
{
	return READ_ONCE(node->list);
}

/* Less than this are the page frames that nodes can name: 16 TiB of 4 KiB pages. */
#define CACHE_EXT_MAX_PFN	U32_MAX

static inline unsigned long folio_key(const struct folio *folio)
{
	return folio_pfn((struct folio *)folio);
}

static inline struct folio *cnode_folio(const struct cache_ext_node *node)
{
	return (struct folio *)pfn_to_page(READ_ONCE(node->pfn));
}

/* @record: of the policy's cache_ext_node_kind */
static inline u8 *cnode_record(struct cache_ext_node *node, u16 record)
{
	return (u8 *)node + record;
}

int cache_ext_nodes_init(void);
void cache_ext_nodes_exit(void);
void cache_ext_node_kind_init(struct cache_ext_node_kind *kind, u32 data_size,
			      u32 align);
void cache_ext_node_kind_charge(struct cache_ext_node_kind *kind,
				struct mem_cgroup *memcg);
void cache_ext_node_kind_exit(struct cache_ext_node_kind *kind);
struct cache_ext_node *
cache_ext_node_alloc(const struct cache_ext_node_kind *kind,
		     const struct folio *folio, unsigned int order, gfp_t gfp);
void cache_ext_node_free(const struct cache_ext_node_kind *kind,
			 struct cache_ext_node *node);

#endif /* _MM_CACHE_EXT_NODE_H */
