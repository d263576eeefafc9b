// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of nodes.
 *
 *   on a list  --take-->  in a request's hand  --restore-->  its list's far end
 *	 |			   |
 *	 +-------disown-----------+----->  on none
 *
 * A list may have one iterator at a time. No lock is held between its steps.
 * So its cursor, the next node to visit, is registered with the list. To
 * take that node off the list, a task first moves the cursor on.
 *
 * An iterator that was ended early may have the next one resume there, and wrap at
 * the end. So a scan that may take few of a list's nodes does not skip the same
 * ones each time.
 */
#include <linux/slab.h>
#include "contract.h"
#include "list.h"

/**
 * cache_ext_lists_init - the lists of a policy
 * @ls: has none
 * @nr: how many, at most CACHE_EXT_MAX_LISTS
 * @gfp: how to allocate them
 *
 * The caller has charged for them. Returns 0 or -ENOMEM.
 */
int cache_ext_lists_init(struct cache_ext_lists *ls, u32 nr, gfp_t gfp)
{
	unsigned int i;

	ls->list = kvcalloc(nr, sizeof(*ls->list), gfp);
	if (nr && !ls->list)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		INIT_LIST_HEAD(&ls->list[i].nodes);
	/* Statistics may be read meanwhile: lists_of() in stats.c. */
	smp_store_release(&ls->nr, nr);
	return 0;
}

static void count(struct cache_ext_list *list, long pages, long folios)
{
	WRITE_ONCE(list->nr_pages, list->nr_pages + pages);
	WRITE_ONCE(list->nr_folios, list->nr_folios + folios);
}

static void own(struct cache_ext_lists *ls, long pages)
{
	lockdep_assert_held(&ls->lock);
	WRITE_ONCE(ls->owned, ls->owned + pages);
}

static void link_at(struct list_head *nodes, struct cache_ext_node *node,
		    bool tail)
{
	if (tail)
		list_add_tail(&node->link, nodes);
	else
		list_add(&node->link, nodes);
}

/* A node that is owned and linked nowhere comes to an end of the list @nr. */
void cache_ext_list_place(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, u16 nr, bool tail)
{
	struct cache_ext_list *list = &ls->list[nr];

	lockdep_assert_held(&ls->lock);
	WRITE_ONCE(node->list, nr);
	link_at(&list->nodes, node, tail);
	count(list, cnode_pages(node), 1);
	cnode_set_state(node, NODE_LISTED);
}

/* A new node comes to an end of the list @nr. */
void cache_ext_list_own(struct cache_ext_lists *ls,
			struct cache_ext_node *node, u16 nr, bool tail)
{
	cache_ext_list_place(ls, node, nr, tail);
	own(ls, cnode_pages(node));
}

/* The same, next to @prev, which is on a list, towards the tail. */
void cache_ext_list_own_after(struct cache_ext_lists *ls,
			      struct cache_ext_node *node,
			      struct cache_ext_node *prev)
{
	WRITE_ONCE(node->list, prev->list);
	list_add(&node->link, &prev->link);
	count(&ls->list[prev->list], cnode_pages(node), 1);
	cnode_set_state(node, NODE_LISTED);
	own(ls, cnode_pages(node));
}

/* The cursor must not stay on a node that moves. */
static void step_over(struct cache_ext_list *list, struct cache_ext_node *node)
{
	struct list_head *ahead = cache_ext_iter_ahead(list, node);

	if (unlikely(list->cursor == node))
		list->cursor = cache_ext_list_node(list, ahead);
	if (unlikely(list->resume == node))
		list->resume = cache_ext_list_node(list, ahead);
}

/* Takes a NODE_LISTED node off its list; the caller sets the new state. */
void cache_ext_list_unlink(struct cache_ext_lists *ls,
			   struct cache_ext_node *node)
{
	struct cache_ext_list *list = &ls->list[node->list];

	lockdep_assert_held(&ls->lock);
	step_over(list, node);
	list_del_init(&node->link);
	count(list, -(long)cnode_pages(node), -1);
}

/* An owned node is not owned any more; the caller sets the new state. */
void cache_ext_list_disown(struct cache_ext_lists *ls,
			   struct cache_ext_node *node)
{
	if (cnode_state(node) == NODE_LISTED)
		cache_ext_list_unlink(ls, node);
	else
		list_del_init(&node->link);
	cache_ext_list_unpin(ls, node);
	own(ls, -(long)cnode_pages(node));
	WRITE_ONCE(ls->gone, ls->gone + cnode_pages(node));
}

/* An owned node's folio becomes smaller. */
void cache_ext_list_shrink(struct cache_ext_lists *ls,
			   struct cache_ext_node *node, unsigned int order)
{
	long pages = (1L << order) - (long)cnode_pages(node);

	if (cnode_state(node) == NODE_LISTED)
		count(&ls->list[node->list], pages, 0);
	own(ls, pages);
	cnode_set_order(node, order);
	cache_ext_list_pin_resize(ls, node, pages);
}

/*
 * Moves it from its list to a request. If it is not reclaimed, it goes to the end
 * opposite to the scan that took it, so that the next scan visits others first.
 */
bool cache_ext_list_take(struct cache_ext_lists *ls,
			 struct cache_ext_node *node, struct list_head *hand,
			 enum cache_ext_state state)
{
	struct cache_ext_list *list;

	lockdep_assert_held(&ls->lock);
	if (cnode_state(node) != NODE_LISTED || cnode_pinned(node))
		return false;
	list = &ls->list[node->list];
	cache_ext_list_unlink(ls, node);
	list_add_tail(&node->link, hand);
	if (list->iterating && list->from_tail)
		cnode_clear(node, NODE_FAR_TAIL);
	else
		cnode_set(node, NODE_FAR_TAIL);
	cnode_set_state(node, state);
	return true;
}

/* Undoes cache_ext_list_take(): to the far end. */
void cache_ext_list_restore(struct cache_ext_lists *ls,
			    struct cache_ext_node *node)
{
	list_del(&node->link);
	cache_ext_list_place(ls, node, node->list,
			     cnode_word(node) & NODE_FAR_TAIL);
}

/* The same for all in @hand, in their order. Returns their pages. */
unsigned long cache_ext_list_restore_all(struct cache_ext_lists *ls,
					 struct list_head *hand)
{
	struct cache_ext_node *node, *next;
	unsigned long pages = 0;

	list_for_each_entry_safe(node, next, hand, link) {
		pages += cnode_pages(node);
		cache_ext_list_restore(ls, node);
	}
	return pages;
}

/* A listed node goes to an end of its list. */
void cache_ext_list_defer(struct cache_ext_lists *ls,
			  struct cache_ext_node *node, bool tail)
{
	struct cache_ext_list *list = &ls->list[node->list];

	lockdep_assert_held(&ls->lock);
	if (cache_ext_list_end(list, tail) == node)
		return;
	step_over(list, node);
	list_del(&node->link);
	link_at(&list->nodes, node, tail);
}

/*
 * To the far end with all that the iterator has passed since @before (the link of
 * a node, or the list's head: since the end where it began), in their order.
 */
void cache_ext_list_defer_passed(struct cache_ext_list *list,
				 struct list_head *before)
{
	struct list_head *first, *last;
	LIST_HEAD(passed);

	/* The rest of the list is that end. */
	if (!list->cursor)
		return;
	last = cache_ext_iter_behind(list, list->cursor);
	if (last == before)
		return;
	if (list->from_tail) {
		/* first ... last lies from right to left. */
		first = before->prev;
		list_bulk_move_tail(&passed, last, first);
		list_splice(&passed, &list->nodes);
	} else {
		first = before->next;
		list_bulk_move_tail(&list->nodes, first, last);
	}
}

/* The node at an end, or NULL. */
struct cache_ext_node *cache_ext_list_end(struct cache_ext_list *list,
					  bool tail)
{
	return cache_ext_list_node(list, tail ? list->nodes.prev :
						list->nodes.next);
}

/* 0, -EINVAL, or -EBUSY: the list has an iterator. */
int cache_ext_iter_begin(struct cache_ext_lists *ls, s32 nr, bool from_tail,
			 bool resume)
{
	struct cache_ext_list *list;
	unsigned long irq;
	int ret = -EBUSY;

	if (!cache_ext_list_valid(ls, nr))
		return -EINVAL;
	list = &ls->list[nr];
	spin_lock_irqsave(&ls->lock, irq);
	if (!list->iterating) {
		list->iterating = true;
		list->from_tail = from_tail;
		list->wraps = resume && list->resume;
		list->cursor = list->wraps ? list->resume :
					     cache_ext_list_end(list, from_tail);
		ret = 0;
	}
	spin_unlock_irqrestore(&ls->lock, irq);
	return ret;
}

/*
 * The node under the cursor, which moves on; NULL at the end. An iterator
 * that resumes asks for at most as many nodes as there are: wrapping has no end.
 */
struct cache_ext_node *cache_ext_iter_next(struct cache_ext_list *list)
{
	struct cache_ext_node *node = list->cursor;

	if (!node && list->wraps)
		node = cache_ext_list_end(list, list->from_tail);
	if (node)
		list->cursor = cache_ext_list_node(list,
						   cache_ext_iter_ahead(list, node));
	return node;
}

void cache_ext_iter_end(struct cache_ext_lists *ls, s32 nr, bool resume)
{
	struct cache_ext_list *list = &ls->list[nr];
	unsigned long irq;

	spin_lock_irqsave(&ls->lock, irq);
	list->iterating = false;
	list->resume = resume ? list->cursor : NULL;
	list->cursor = NULL;
	list->wraps = false;
	spin_unlock_irqrestore(&ls->lock, irq);
}
