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
#include "hint.h"

/*
 * @nr more lists; returns the number of the first. All lists are one
 * allocation, charged to whoever attaches. Only from the init program, when
 * there is no node yet: so they may move. Caller: cache_ext_mutex.
 */
s32 cache_ext_lists_grow(struct cache_ext_policy *p, u32 nr)
{
	unsigned int first = p->nr_lists, room = first + nr;
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
		kvfree(p->lists);
		p->lists = lists;
		p->room = room;
	}
	p->nr_lists += nr;
	return first;
}

static u32 first(struct cache_ext_list *list)
{
	return list->from_tail ? list->tail : list->head;
}

/* @prev, @next: ids of neighbours, 0: none. */
static void link_between(struct cache_ext_list *list,
			 struct cache_ext_node *node, u32 prev, u32 next)
{
	u32 id = node_id(node);

	node->prev = prev;
	node->next = next;
	*(prev ? &node_at(prev)->next : &list->head) = id;
	*(next ? &node_at(next)->prev : &list->tail) = id;
}

/* At an end; and away from where it is. Counts and cursors are not touched. */
void cache_ext_list_push(struct cache_ext_list *list,
			 struct cache_ext_node *node, bool tail)
{
	if (tail)
		link_between(list, node, list->tail, 0);
	else
		link_between(list, node, 0, list->head);
}

static __always_inline void detach(struct cache_ext_list *list,
				   struct cache_ext_node *node)
{
	*(node->prev ? &node_at(node->prev)->next : &list->head) = node->next;
	*(node->next ? &node_at(node->next)->prev : &list->tail) = node->prev;
}

void cache_ext_list_detach(struct cache_ext_list *list,
			   struct cache_ext_node *node)
{
	detach(list, node);
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
	cache_ext_list_push(list, node, tail);
	count_in(p, node, list);
}

/* @node, which is on no list, behind @prev (an id, 0: at the head). */
void cache_ext_list_insert_after(struct cache_ext_policy *p,
				 struct cache_ext_node *node, s32 nr, u32 prev)
{
	struct cache_ext_list *list = &p->lists[nr];

	lockdep_assert_held(&p->lock);
	node->list = nr;
	link_between(list, node, prev,
		     prev ? node_at(prev)->next : list->head);
	count_in(p, node, list);
}

/* Takes a NODE_LISTED node off its list; the caller sets the new state. */
static __always_inline void unlink(struct cache_ext_policy *p,
				   struct cache_ext_node *node)
{
	struct cache_ext_list *list = &p->lists[node->list];

	lockdep_assert_held(&p->lock);
	if (unlikely(list->cursor) && list->cursor == node_id(node))
		list->cursor = cache_ext_list_ahead(list, node);
	detach(list, node);
	WRITE_ONCE(list->nr_pages, list->nr_pages - node_pages(node));
	WRITE_ONCE(list->nr_folios, list->nr_folios - 1);
}

void cache_ext_list_unlink(struct cache_ext_policy *p,
			   struct cache_ext_node *node)
{
	unlink(p, node);
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
	unlink(p, node);
	node->far_tail = !(list->iterating && list->from_tail);
	node->state = state;
	return true;
}

/* To an end of its list. */
void cache_ext_list_defer(struct cache_ext_policy *p,
			  struct cache_ext_node *node, bool tail)
{
	struct cache_ext_list *list = &p->lists[node->list];
	u32 id = node_id(node);

	lockdep_assert_held(&p->lock);
	if ((tail ? list->tail : list->head) == id)
		return;
	if (unlikely(list->cursor == id))
		list->cursor = cache_ext_list_ahead(list, node);
	cache_ext_list_detach(list, node);
	cache_ext_list_push(list, node, tail);
}

/* The links of the node @id, as the iterator goes. */
static __always_inline u32 *ahead_of(struct cache_ext_list *list, u32 id)
{
	return list->from_tail ? &node_at(id)->prev : &node_at(id)->next;
}

static __always_inline u32 *behind(struct cache_ext_list *list, u32 id)
{
	return list->from_tail ? &node_at(id)->next : &node_at(id)->prev;
}

/*
 * To the far end with all that the iterator has been past since @before (an id,
 * 0: since the end where it began), in their order.
 */
void cache_ext_list_defer_all(struct cache_ext_list *list, u32 before)
{
	u32 *near = list->from_tail ? &list->tail : &list->head;
	u32 *far = list->from_tail ? &list->head : &list->tail;
	u32 *from = before ? ahead_of(list, before) : near;
	u32 first = *from, last;

	/* The rest of the list is that end. */
	if (!list->cursor)
		return;
	last = *behind(list, list->cursor);
	if (last == before)
		return;
	*from = list->cursor;
	*behind(list, list->cursor) = before;
	*ahead_of(list, *far) = first;
	*behind(list, first) = *far;
	*ahead_of(list, last) = 0;
	*far = last;
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
		list->cursor = first(list);
		ret = 0;
	}
	spin_unlock_irqrestore(&p->lock, irq);
	return ret;
}

/*
 * The folio under the cursor, but for those that this request cannot take, since
 * they are of a cgroup or a node that is not short of memory. At most @budget folios are
 * looked at. The cursor moves on before the program sees the folio. What is
 * returned may be freed any time: programs only read from it (with faults
 * handled), and every kfunc looks it up anew.
 */
struct folio *cache_ext_iter_step(struct cache_ext_policy *p, s32 nr,
				  u32 *budget)
{
	struct cache_ext_list *list = &p->lists[nr];
	struct folio *folio = NULL;
	struct cache_ext_node *node;
	unsigned long irq;
	u32 hold = 0;

	spin_lock_irqsave(&p->lock, irq);
	while (list->cursor && *budget) {
		node = node_at(list->cursor);
		folio = node_folio(node);
		list->cursor = cache_ext_list_ahead(list, node);
		--*budget;
		/* A listed folio is charged, so it may be asked whose it is. */
		if ((!READ_ONCE(p->subtree) && nr_online_nodes == 1) ||
		    cache_ext_may_take(p, folio))
			break;
		folio = NULL;
		if (++hold % 128 == 0) {
			spin_unlock_irqrestore(&p->lock, irq);
			spin_lock_irqsave(&p->lock, irq);
		}
	}
	spin_unlock_irqrestore(&p->lock, irq);
	if (ITERATORS_HINT && folio)
		hint_set(node);
	return folio;
}

void cache_ext_iter_end(struct cache_ext_policy *p, s32 nr)
{
	struct cache_ext_list *list = &p->lists[nr];
	unsigned long irq;

	spin_lock_irqsave(&p->lock, irq);
	list->iterating = false;
	list->cursor = 0;
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
	unsigned long irq;
	u32 id;

	spin_lock_irqsave(&p->lock, irq);
	id = tail ? list->tail : list->head;
	if (id)
		folio = node_folio(node_at(id));
	spin_unlock_irqrestore(&p->lock, irq);
	return folio;
}
