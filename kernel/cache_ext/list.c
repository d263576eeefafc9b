// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of nodes.
 *
 * A list may have one iterator at a time. No lock is held between its steps,
 * so its cursor (the next node to visit) is registered with the list, and
 * whoever takes that node off the list moves the cursor on first. An iterator
 * runs only inside a request, of which there is one at a time (evict_mutex).
 * Handlers of events may look at an end of a list instead.
 *
 * Everything here wants policy->lock, but for cache_ext_iter_*(), which take
 * it.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include "cache_ext.h"

/*
 * @nr more lists; returns the number of the first. All lists are one
 * allocation, charged to whoever attaches. Only from the init program, when
 * there is no node yet: so they may move. Caller: cache_ext_mutex.
 */
s32 cache_ext_lists_grow(struct cache_ext_policy *p, u32 nr)
{
	unsigned int first = p->nr_lists, room = first + nr, i;
	struct cache_ext_list *lists;

	lockdep_assert_held(&cache_ext_mutex);
	if (!nr)
		return -EINVAL;
	if (nr > CACHE_EXT_MAX_LISTS - first)
		return -ENOSPC;
	if (room > p->room) {
		/* Lists that are asked for one by one do not move each time. */
		if (nr == 1)
			room = max(8, roundup_pow_of_two(room));
		lists = kvcalloc(room, sizeof(*lists), GFP_KERNEL_ACCOUNT);
		if (!lists)
			return -ENOMEM;
		for (i = 0; i < room; i++)
			INIT_LIST_HEAD(&lists[i].head);
		kvfree(p->lists);
		p->lists = lists;
		p->room = room;
	}
	p->nr_lists += nr;
	return first;
}

static struct list_head *successor(struct cache_ext_list *list,
				   struct list_head *link)
{
	return list->from_tail ? link->prev : link->next;
}

static void count_in(struct cache_ext_policy *p, struct cache_ext_node *node,
		     struct cache_ext_list *list)
{
	WRITE_ONCE(list->nr_pages, list->nr_pages + node_pages(node));
	WRITE_ONCE(list->nr_folios, list->nr_folios + 1);
	node->state = NODE_LISTED;
}

/* The node is on no list. The caller counts it in policy->owned if new. */
void cache_ext_list_insert(struct cache_ext_policy *p,
			   struct cache_ext_node *node, s32 nr, bool tail)
{
	struct cache_ext_list *list = &p->lists[nr];

	lockdep_assert_held(&p->lock);
	node->list = nr;
	if (tail)
		list_add_tail(&node->link, &list->head);
	else
		list_add(&node->link, &list->head);
	count_in(p, node, list);
}

/* A part of a split folio: next to the part that was there. */
void cache_ext_list_insert_after(struct cache_ext_policy *p,
				 struct cache_ext_node *node,
				 struct cache_ext_node *prev)
{
	lockdep_assert_held(&p->lock);
	node->list = prev->list;
	list_add(&node->link, &prev->link);
	count_in(p, node, &p->lists[prev->list]);
}

/* Takes a NODE_LISTED node off its list; the caller sets the new state. */
void cache_ext_list_unlink(struct cache_ext_policy *p,
			   struct cache_ext_node *node)
{
	struct cache_ext_list *list = &p->lists[node->list];

	lockdep_assert_held(&p->lock);
	if (list->cursor == &node->link)
		list->cursor = successor(list, &node->link);
	list_del_init(&node->link);
	WRITE_ONCE(list->nr_pages, list->nr_pages - node_pages(node));
	WRITE_ONCE(list->nr_folios, list->nr_folios - 1);
}

/*
 * Off its list into a request. A refused folio later goes to the end that is
 * far from the scan that proposed it, so that the next scan meets others first.
 */
bool cache_ext_list_take(struct cache_ext_policy *p,
			 struct cache_ext_node *node,
			 enum cache_ext_state state)
{
	struct cache_ext_list *list;

	lockdep_assert_held(&p->lock);
	if (node->state != NODE_LISTED)
		return false;
	list = &p->lists[node->list];
	cache_ext_list_unlink(p, node);
	node->far_tail = !(list->iterating && list->from_tail);
	node->state = state;
	return true;
}

/* Undoes cache_ext_list_take(): to the far end. */
void cache_ext_list_restore(struct cache_ext_policy *p,
			    struct cache_ext_node *node)
{
	cache_ext_list_insert(p, node, node->list, node->far_tail);
}

int cache_ext_iter_begin(struct cache_ext_policy *p, s32 nr, u32 flags)
{
	struct cache_ext_list *list;
	unsigned long irq;
	int ret = -EBUSY;

	if (nr < 0 || nr >= p->nr_lists || (flags & ~CACHE_EXT_SCAN_TAIL))
		return -EINVAL;
	list = &p->lists[nr];
	spin_lock_irqsave(&p->lock, irq);
	if (!list->iterating) {
		list->iterating = true;
		list->from_tail = flags & CACHE_EXT_SCAN_TAIL;
		list->cursor = successor(list, &list->head);
		ret = 0;
	}
	spin_unlock_irqrestore(&p->lock, irq);
	return ret;
}

/*
 * The folio under the cursor, but for those that this request cannot take, since
 * they are of a cgroup that is not short of memory. At most @budget folios are
 * looked at. The cursor moves on before the program sees the folio. What is
 * returned may be freed any time: programs only read from it (with faults
 * handled), and every kfunc looks it up anew.
 */
struct folio *cache_ext_iter_step(struct cache_ext_policy *p, s32 nr,
				  u32 *budget)
{
	struct cache_ext_list *list = &p->lists[nr];
	struct folio *folio = NULL;
	unsigned long irq;
	u32 hold = 0;

	spin_lock_irqsave(&p->lock, irq);
	while (list->cursor && list->cursor != &list->head && *budget) {
		folio = list_entry(list->cursor, struct cache_ext_node,
				   link)->folio;
		list->cursor = successor(list, list->cursor);
		--*budget;
		/* A listed folio is charged, so it may be asked whose it is. */
		if (cache_ext_may_take(p, folio))
			break;
		folio = NULL;
		if (++hold % 128 == 0) {
			spin_unlock_irqrestore(&p->lock, irq);
			spin_lock_irqsave(&p->lock, irq);
		}
	}
	spin_unlock_irqrestore(&p->lock, irq);
	return folio;
}

void cache_ext_iter_end(struct cache_ext_policy *p, s32 nr)
{
	struct cache_ext_list *list = &p->lists[nr];
	unsigned long irq;

	spin_lock_irqsave(&p->lock, irq);
	list->iterating = false;
	list->cursor = NULL;
	spin_unlock_irqrestore(&p->lock, irq);
}

/*
 * The folio at an end of a list, without an iterator: for handlers of events,
 * of which any number run at once. As of a step, it may be gone any time.
 */
struct folio *cache_ext_list_peek(struct cache_ext_policy *p, s32 nr, bool tail)
{
	struct cache_ext_list *list = &p->lists[nr];
	struct folio *folio = NULL;
	struct list_head *link;
	unsigned long irq;

	spin_lock_irqsave(&p->lock, irq);
	link = tail ? list->head.prev : list->head.next;
	if (link != &list->head)
		folio = list_entry(link, struct cache_ext_node, link)->folio;
	spin_unlock_irqrestore(&p->lock, irq);
	return folio;
}
