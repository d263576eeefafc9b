/* SPDX-License-Identifier: GPL-2.0 */
/* The lists of a policy, and their iterators; list.c tells of both. */
#ifndef _MM_CACHE_EXT_LIST_H
#define _MM_CACHE_EXT_LIST_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "node.h"

struct cache_ext_batch;

struct cache_ext_list {
	struct list_head nodes;
	unsigned long nr_pages;		/* read without the lock */
	unsigned long nr_folios;
	/* The list's one iterator: the next node to visit, NULL: at the end. */
	struct cache_ext_node *cursor;
	bool iterating;
	bool from_tail;
	bool wraps;			/* at the end it starts at the other */
	/* Where the next iterator that may resume goes on; NULL: at an end. */
	struct cache_ext_node *resume;
};

/* A cgroup below the policy's: pages that are pinned of it, and of those below it. */
struct cache_ext_pin_slot {
	struct mem_cgroup *memcg;	/* css reference; NULL: free */
	unsigned long pages;
	unsigned int parent;		/* slot; 0: the policy's own cgroup */
};

/* @lock: all of it, the states of nodes, and their places. irqsave. */
struct cache_ext_lists {
	spinlock_t lock;		/* see above */
	unsigned int nr;		/* with @list: fixed from the start */
	struct cache_ext_list *list;
	unsigned long owned;		/* pages; read without the lock */
	unsigned long gone;		/* that were, in all; read without the lock */
	unsigned long pinned;		/* of these; read without the lock */
	struct cache_ext_pin_slot *pin_slots;	/* NULL: nothing may be pinned */
	unsigned int pin_slots_used;
	unsigned int pin_slot;		/* that was looked for last */
	struct cache_ext_batch __percpu *batches; /* batch.h */
	unsigned int movers;		/* read without the lock: batch.h */
	struct cpumask batched;		/* of these, those that are not empty */
};

static inline bool cache_ext_list_valid(const struct cache_ext_lists *ls,
					s32 nr)
{
	return nr >= 0 && nr < ls->nr;
}

int cache_ext_lists_init(struct cache_ext_lists *ls, u32 nr, gfp_t gfp);

/* All of these want ls->lock held. */
void cache_ext_list_own(struct cache_ext_lists *ls,
			struct cache_ext_node *node, u16 nr, bool tail);
void cache_ext_list_own_after(struct cache_ext_lists *ls,
			      struct cache_ext_node *node,
			      struct cache_ext_node *prev);
void cache_ext_list_disown(struct cache_ext_lists *ls,
			   struct cache_ext_node *node);
void cache_ext_list_place(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 nr, bool tail);
void cache_ext_list_unlink(struct cache_ext_lists *ls,
			   struct cache_ext_node *node);
void cache_ext_list_shrink(struct cache_ext_lists *ls,
			   struct cache_ext_node *node, unsigned int order);
bool cache_ext_list_take(struct cache_ext_lists *ls,
			 struct cache_ext_node *node, struct list_head *hand,
			 enum cache_ext_state state);
void cache_ext_list_restore(struct cache_ext_lists *ls,
			    struct cache_ext_node *node);
unsigned long cache_ext_list_restore_all(struct cache_ext_lists *ls,
					 struct list_head *hand);
void cache_ext_list_defer(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, bool tail);
void cache_ext_list_defer_passed(struct cache_ext_list *list,
				 struct list_head *before);
struct cache_ext_node *cache_ext_list_end(struct cache_ext_list *list,
					  bool tail);
struct cache_ext_node *cache_ext_iter_next(struct cache_ext_list *list);

#ifdef CONFIG_CACHE_EXT_PIN
static inline bool cnode_pinned(const struct cache_ext_node *node)
{
	return cnode_word(node) & NODE_PINNED;
}

static inline unsigned int cnode_pin_slot(const struct cache_ext_node *node)
{
	return (cnode_word(node) & NODE_PIN_SLOT_MASK) >> NODE_PIN_SLOT_SHIFT;
}

/* pin_count.c */
int cache_ext_pins_init(struct cache_ext_lists *ls, gfp_t gfp);
void cache_ext_pins_free(struct cache_ext_lists *ls);
bool cache_ext_pins_fit(struct cache_ext_lists *ls, struct mem_cgroup *memcg,
			struct mem_cgroup *top, unsigned long pages,
			unsigned int percent);
void cache_ext_pins_add(struct cache_ext_lists *ls, struct cache_ext_node *node,
			struct mem_cgroup *memcg, struct mem_cgroup *top);
bool cache_ext_pins_hold(struct cache_ext_lists *ls,
			 const struct cache_ext_node *node,
			 unsigned int percent);
void cache_ext_list_unpin(struct cache_ext_lists *ls,
			  struct cache_ext_node *node);
void cache_ext_list_pin_part(struct cache_ext_lists *ls,
			     struct cache_ext_node *part,
			     const struct cache_ext_node *first);
void cache_ext_list_pin_resize(struct cache_ext_lists *ls,
			       const struct cache_ext_node *node, long pages);
void cache_ext_list_pin_move(struct cache_ext_lists *ls,
			     struct cache_ext_node *node,
			     struct mem_cgroup *memcg, struct mem_cgroup *top);
#else
static inline bool cnode_pinned(const struct cache_ext_node *node)
{
	return false;
}

static inline int cache_ext_pins_init(struct cache_ext_lists *ls, gfp_t gfp)
{
	return -EOPNOTSUPP;
}

static inline void cache_ext_pins_free(struct cache_ext_lists *ls) { }

static inline void cache_ext_list_unpin(struct cache_ext_lists *ls,
					struct cache_ext_node *node)
{ }

static inline void
cache_ext_list_pin_part(struct cache_ext_lists *ls, struct cache_ext_node *part,
			const struct cache_ext_node *first)
{ }

static inline void
cache_ext_list_pin_resize(struct cache_ext_lists *ls,
			  const struct cache_ext_node *node, long pages)
{ }

static inline void
cache_ext_list_pin_move(struct cache_ext_lists *ls, struct cache_ext_node *node,
			struct mem_cgroup *memcg, struct mem_cgroup *top)
{ }
#endif

/* These take it. */
int cache_ext_iter_begin(struct cache_ext_lists *ls, s32 nr, bool from_tail,
			 bool resume);
void cache_ext_iter_end(struct cache_ext_lists *ls, s32 nr, bool resume);

/* The neighbour of @node that an iterator comes to next, or was at before. */
static inline struct list_head *
cache_ext_iter_ahead(const struct cache_ext_list *list,
		     const struct cache_ext_node *node)
{
	return list->from_tail ? node->link.prev : node->link.next;
}

static inline struct list_head *
cache_ext_iter_behind(const struct cache_ext_list *list,
		      const struct cache_ext_node *node)
{
	return list->from_tail ? node->link.next : node->link.prev;
}

/* The node at @link, or NULL: that is the list's head. */
static inline struct cache_ext_node *
cache_ext_list_node(struct cache_ext_list *list, struct list_head *link)
{
	return link == &list->nodes ? NULL :
	       list_entry(link, struct cache_ext_node, link);
}

#endif /* _MM_CACHE_EXT_LIST_H */
