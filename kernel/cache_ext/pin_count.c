// SPDX-License-Identifier: GPL-2.0
/*
 * How much is pinned: of the policy, and of each cgroup below its own that has
 * something pinned, with all below that one.
 *
 *	a	policy; limit 1000, so 500 may be pinned in all
 *	+- b	limit 100: 50 of b and c
 *	|  +- c	no limit of its own
 *	+- d	no limit
 *
 * What is pinned of a cgroup below is in the way of reclaim for that one's limit. So
 * there it may not be more than the administrator's share of that limit. Each such
 * cgroup has a slot, as long as something is pinned, and nodes remember the slot of
 * the cgroup that their folio is charged to: it may have lost its charge when its pin
 * ends. When all slots are taken, perhaps by removed cgroups, what has no limit on the
 * way is pinned without: it counts for the policy only.
 *
 * Locks: lists->lock. Slots are read without it, under RCU.
 */
#include <linux/memcontrol.h>
#include <linux/page_counter.h>
#include <linux/slab.h>
#include "list.h"

static unsigned long own_limit(struct mem_cgroup *memcg)
{
	return min(READ_ONCE(memcg->memory.max), READ_ONCE(memcg->memory.high));
}

/* Would @pages be more than @percent of the own limit of @memcg? */
static bool exceeds(struct mem_cgroup *memcg, unsigned long pages,
		    unsigned int percent)
{
	return pages > mult_frac(own_limit(memcg), percent, 100);
}

/* Allocates the slots, which the caller has charged for. Returns 0 or -ENOMEM. */
int cache_ext_pins_init(struct cache_ext_lists *ls, gfp_t gfp)
{
	ls->pin_slots = kvcalloc(CACHE_EXT_PIN_SLOTS, sizeof(*ls->pin_slots),
				 gfp);
	return ls->pin_slots ? 0 : -ENOMEM;
}

/* Frees the slots. Nothing is pinned any more. */
void cache_ext_pins_free(struct cache_ext_lists *ls)
{
	kvfree(ls->pin_slots);
}

/* The slot of a cgroup below the policy's; 0: it has none. Caller: ls->lock. */
static unsigned int slot_of(struct cache_ext_lists *ls,
			    struct mem_cgroup *memcg)
{
	unsigned int i;

	if (!ls->pin_slots_used)
		return 0;
	/* Folios of one cgroup often come in a row. */
	if (ls->pin_slots[ls->pin_slot].memcg == memcg)
		return ls->pin_slot;
	for (i = 1; i < CACHE_EXT_PIN_SLOTS; i++) {
		if (ls->pin_slots[i].memcg == memcg) {
			ls->pin_slot = i;
			return i;
		}
	}
	return 0;
}

/* A slot for a cgroup whose parent has the slot @parent. Caller: ls->lock. */
static unsigned int slot_take(struct cache_ext_lists *ls,
			      struct mem_cgroup *memcg, unsigned int parent)
{
	unsigned int i = 1;

	while (ls->pin_slots[i].memcg)
		i++;
	css_get(&memcg->css);
	WRITE_ONCE(ls->pin_slots[i].pages, 0);
	WRITE_ONCE(ls->pin_slots[i].parent, parent);
	WRITE_ONCE(ls->pin_slots[i].memcg, memcg);
	ls->pin_slots_used++;
	return i;
}

/* @pages more, or less, are pinned of the cgroup of @slot. Caller: ls->lock. */
static void count(struct cache_ext_lists *ls, unsigned int slot, long pages)
{
	struct cache_ext_pin_slot *s;
	struct mem_cgroup *memcg;

	lockdep_assert_held(&ls->lock);
	WRITE_ONCE(ls->pinned, ls->pinned + pages);
	for (; slot; slot = s->parent) {
		s = &ls->pin_slots[slot];
		WRITE_ONCE(s->pages, s->pages + pages);
		if (s->pages)
			continue;
		memcg = s->memcg;
		WRITE_ONCE(s->memcg, NULL);
		ls->pin_slots_used--;
		css_put(&memcg->css);
	}
}

/* Are there enough free slots for @memcg and the cgroups above it? */
static bool has_room(struct cache_ext_lists *ls, struct mem_cgroup *memcg,
		     struct mem_cgroup *top)
{
	unsigned int used = ls->pin_slots_used;

	for (; memcg && memcg != top; memcg = parent_mem_cgroup(memcg))
		used += !slot_of(ls, memcg);
	return used < CACHE_EXT_PIN_SLOTS;
}

/*
 * May @pages of a folio be pinned that is charged to @memcg, which is @top or below it? Every
 * cgroup with a limit between the two needs a slot. Caller: ls->lock.
 */
bool cache_ext_pins_fit(struct cache_ext_lists *ls, struct mem_cgroup *memcg,
			struct mem_cgroup *top, unsigned long pages,
			unsigned int percent)
{
	bool limited = false, room = has_room(ls, memcg, top);
	unsigned int slot;

	for (; memcg && memcg != top; memcg = parent_mem_cgroup(memcg)) {
		slot = slot_of(ls, memcg);
		limited |= own_limit(memcg) < PAGE_COUNTER_MAX;
		if (exceeds(memcg, pages + (slot ? ls->pin_slots[slot].pages : 0),
			    percent))
			return false;
	}
	return room || !limited;
}

/* Returns the slot of @memcg; gives it and the cgroups above it slots. There is room. */
static unsigned int slots_take(struct cache_ext_lists *ls,
			       struct mem_cgroup *memcg, struct mem_cgroup *top)
{
	unsigned int slot, parent, first = 0, below = 0;

	for (; memcg && memcg != top; memcg = parent_mem_cgroup(memcg)) {
		slot = slot_of(ls, memcg);
		parent = slot ? ls->pin_slots[slot].parent : 0;
		if (!slot)
			slot = slot_take(ls, memcg, 0);
		first = first ?: slot;
		if (below)
			WRITE_ONCE(ls->pin_slots[below].parent, slot);
		/* The cgroups above it have slots. */
		if (parent)
			break;
		below = slot;
	}
	return first;
}

/* Adds pins. The caller has checked them with cache_ext_pins_fit(). */
void cache_ext_pins_add(struct cache_ext_lists *ls, struct cache_ext_node *node,
			struct mem_cgroup *memcg, struct mem_cgroup *top)
{
	unsigned int slot = 0;

	if (has_room(ls, memcg, top))
		slot = slots_take(ls, memcg, top);
	cnode_set(node, NODE_PINNED | slot << NODE_PIN_SLOT_SHIFT);
	count(ls, slot, cnode_pages(node));
}

/*
 * Are the pins within the limits from the cgroup of @node up to the policy's?
 * Caller: rcu_read_lock().
 */
bool cache_ext_pins_hold(struct cache_ext_lists *ls,
			 const struct cache_ext_node *node, unsigned int percent)
{
	unsigned int slot = cnode_pin_slot(node), levels = 0;
	const struct cache_ext_pin_slot *s;
	struct mem_cgroup *memcg;

	/* A slot that changes hands meanwhile may lead anywhere. */
	for (; slot && levels < CACHE_EXT_PIN_SLOTS; levels++) {
		s = &ls->pin_slots[slot];
		memcg = READ_ONCE(s->memcg);
		if (memcg && exceeds(memcg, READ_ONCE(s->pages), percent))
			return false;
		slot = READ_ONCE(s->parent);
	}
	return true;
}

/* Any node. */
void cache_ext_list_unpin(struct cache_ext_lists *ls,
			  struct cache_ext_node *node)
{
	unsigned int slot = cnode_pin_slot(node);

	lockdep_assert_held(&ls->lock);
	if (likely(!cnode_pinned(node)))
		return;
	cnode_clear(node, NODE_PINNED | NODE_PIN_SLOT_MASK);
	count(ls, slot, -(long)cnode_pages(node));
}

/* @part, a node that is not pinned, was one with @first, which is pinned. */
void cache_ext_list_pin_part(struct cache_ext_lists *ls,
			     struct cache_ext_node *part,
			     const struct cache_ext_node *first)
{
	unsigned int slot = cnode_pin_slot(first);

	cnode_set(part, NODE_PINNED | slot << NODE_PIN_SLOT_SHIFT);
	count(ls, slot, cnode_pages(part));
}

/* A pinned node has @pages more, or less. */
void cache_ext_list_pin_resize(struct cache_ext_lists *ls,
			       const struct cache_ext_node *node, long pages)
{
	if (unlikely(cnode_pinned(node)))
		count(ls, cnode_pin_slot(node), pages);
}

/* The folio of a pinned node is charged to @memcg now: if that is another, no more. */
void cache_ext_list_pin_move(struct cache_ext_lists *ls,
			     struct cache_ext_node *node,
			     struct mem_cgroup *memcg, struct mem_cgroup *top)
{
	unsigned int slot = cnode_pin_slot(node);

	if (unlikely(cnode_pinned(node)) &&
	    memcg != (slot ? ls->pin_slots[slot].memcg : top))
		cache_ext_list_unpin(ls, node);
}
