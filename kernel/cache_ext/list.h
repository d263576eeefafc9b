/* SPDX-License-Identifier: GPL-2.0 */
/* Lists of nodes; list.c tells of their iterator. */
#ifndef _MM_CACHE_EXT_LIST_H
#define _MM_CACHE_EXT_LIST_H

#include <linux/types.h>
#include "table.h"

struct cache_ext_list {
	unsigned long nr_pages;		/* under lock; read without */
	unsigned long nr_folios;
	u32 head;	/* ids, 0: empty. Under lock */
	u32 tail;
	/* The list's one iterator: the next node to visit. Under lock. */
	u32 cursor;
	bool iterating;
	bool from_tail;
};

/* The neighbour (an id) that an iterator comes to after, or came from before. */
static inline u32 cache_ext_list_ahead(struct cache_ext_list *list,
				       struct cache_ext_node *node)
{
	return list->from_tail ? node->prev : node->next;
}

static inline u32 cache_ext_list_behind(struct cache_ext_list *list,
					struct cache_ext_node *node)
{
	return list->from_tail ? node->next : node->prev;
}

/* list.c; all of these but growing and iterators want policy->lock held */
s32 cache_ext_lists_grow(struct cache_ext_policy *p, u32 nr);
void cache_ext_list_push(struct cache_ext_list *list,
			 struct cache_ext_node *node, bool tail);
void cache_ext_list_detach(struct cache_ext_list *list,
			   struct cache_ext_node *node);
void cache_ext_list_insert(struct cache_ext_policy *p,
			   struct cache_ext_node *node, s32 list, bool tail);
void cache_ext_list_insert_after(struct cache_ext_policy *p,
				 struct cache_ext_node *node, s32 list,
				 u32 prev);
void cache_ext_list_unlink(struct cache_ext_policy *p,
			   struct cache_ext_node *node);
void cache_ext_list_restore(struct cache_ext_policy *p,
			    struct cache_ext_node *node);
void cache_ext_list_defer(struct cache_ext_policy *p,
			  struct cache_ext_node *node, bool tail);
void cache_ext_list_defer_all(struct cache_ext_list *list, u32 before);
bool cache_ext_list_take(struct cache_ext_policy *p,
			 struct cache_ext_node *node,
			 enum cache_ext_state state);
int cache_ext_iter_begin(struct cache_ext_policy *p, s32 list, u32 flags);
struct folio *cache_ext_iter_step(struct cache_ext_policy *p, s32 list,
				  u32 *budget);
void cache_ext_iter_end(struct cache_ext_policy *p, s32 list);
struct folio *cache_ext_list_peek(struct cache_ext_policy *p, s32 list,
				  bool tail);

#endif /* _MM_CACHE_EXT_LIST_H */
