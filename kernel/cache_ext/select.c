// SPDX-License-Identifier: GPL-2.0
/*
 * Candidates by a field of the records: the core looks at a list by itself, as if
 * the program offered each folio with that field as its score, but under few
 * holds of the lock.
 *
 * Callers: rcu_read_lock(), evict_mutex.
 */
#include <linux/log2.h>
#include "request.h"

#define SELECT_CHUNK	128	/* folios looked at with interrupts off */

/* How scores are read from nodes. */
struct score_field {
	unsigned int offset;	/* in the node */
	unsigned int size;
};

static __always_inline u64 score_of(const struct cache_ext_node *node,
				    unsigned int offset, unsigned int size)
{
	const void *at = (const void *)node + offset;

	/* Programs on other CPUs may be writing to it. */
	switch (size) {
	case 1:
		return READ_ONCE(*(const u8 *)at);
	case 2:
		return READ_ONCE(*(const u16 *)at);
	case 4:
		return READ_ONCE(*(const u32 *)at);
	default:
		return READ_ONCE(*(const u64 *)at);
	}
}

/*
 * @winner, which is on a list, becomes a candidate in place of @loser, which goes back to its
 * list; @in_place: to the place of @winner, if both are of one list.
 */
static void displace(struct cache_ext_request *r,
		     struct cache_ext_node *winner,
		     struct cache_ext_node *loser, bool in_place)
{
	struct cache_ext_lists *ls = r->lists;
	struct list_head *place = winner->link.prev;
	u16 list = winner->list;

	cache_ext_list_take(ls, winner, &r->hand, NODE_CANDIDATE);
	/* The folio of the node may have been removed. */
	if (cnode_state(loser) != NODE_CANDIDATE)
		return;
	cache_ext_list_restore(ls, loser);
	if (in_place && loser->list == list)
		list_move(&loser->link, place);
}

/*
 * Returns the first node from @node on whose score is below @worst, or NULL after *@budget
 * nodes, which is not 0. The hot loop: few nodes win.
 */
static __always_inline struct cache_ext_node *
skip(struct cache_ext_list *list, struct cache_ext_node *node, bool from_tail,
     unsigned int offset, unsigned int size, u64 worst, u32 *budget)
{
	struct list_head *link = &node->link;
	u32 left = *budget;

	while (link != &list->nodes) {
		node = list_entry(link, struct cache_ext_node, link);
		if (score_of(node, offset, size) < worst)
			break;
		link = from_tail ? link->prev : link->next;
		if (!--left)
			break;
	}
	*budget = left;
	return cache_ext_list_node(list, link);
}

static struct cache_ext_node *skip_losers(struct cache_ext_list *list,
					  const struct score_field *field,
					  u64 worst, u32 *budget)
{
	/* The common case in a loop of its own. */
	if (field->size == 4 && !list->from_tail)
		return skip(list, list->cursor, false, field->offset, 4,
			    worst, budget);
	return skip(list, list->cursor, list->from_tail, field->offset,
		    field->size, worst, budget);
}

/* The node under the cursor, which has moved on. Any may be taken if @whole. */
static void look_at(struct cache_ext_request *r, struct cache_ext_list *list,
		    struct cache_ext_node *node,
		    const struct score_field *field, unsigned int room,
		    bool whole)
{
	u64 score = score_of(node, field->offset, field->size);

	r->looked++;
	if (unlikely(cnode_pinned(node))) {
		r->pin_kept += cnode_pages(node);
		if (!whole)
			cache_ext_list_defer(r->lists, node, !list->from_tail);
	} else if (r->nr_candidates < room) {
		cache_ext_list_take(r->lists, node, &r->hand, NODE_CANDIDATE);
		cache_ext_candidate_add(r, node, score);
	} else if (score < r->candidates[r->nr_candidates - 1].score) {
		displace(r, node, r->candidates[--r->nr_candidates].node,
			 whole);
		cache_ext_candidate_add(r, node, score);
	} else if (!whole) {
		cache_ext_list_defer(r->lists, node, !list->from_tail);
	}
}

/*
 * Go over up to @budget folios from the cursor on, until r->looked is @end: that does
 * not count those that reclaim may not take. Those that are no candidates
 * stay where they are, and go to the far end all together; but if there are some
 * that reclaim may not take, which stay, each goes by itself. Returns how many it
 * has gone over. Caller: lists->lock. If any may be taken, @budget ends before @end.
 */
static u32 select_chunk(struct cache_ext_request *r,
			struct cache_ext_list *list,
			const struct score_field *field, u32 budget, u32 end)
{
	unsigned int room = cache_ext_candidates_room(r);
	bool whole = !r->may_take;
	struct cache_ext_node *node;
	struct list_head *before;
	u32 left = budget;

	if (whole && !list->cursor)
		return 0;
	before = whole ? cache_ext_iter_behind(list, list->cursor) : NULL;
	while (left && r->looked != end) {
		if (whole && list->cursor && r->nr_candidates == room) {
			u32 was_left = left;

			list->cursor = skip_losers(list, field,
						   r->candidates[room - 1].score, &left);
			r->looked += was_left - left;
			if (!left)
				break;
		}
		node = cache_ext_iter_next(list);
		if (!node)
			break;
		left--;
		if (cache_ext_request_allows(r, node))
			look_at(r, list, node, field, room, whole);
		else if (cache_ext_request_passes(r))
			break;
	}
	if (whole)
		cache_ext_list_defer_passed(list, before);
	return budget - left;
}

/**
 * cache_ext_select - candidates of a list, a field of their records the score
 * @r: the request
 * @nr: the list
 * @flags: CACHE_EXT_SCAN_TAIL: from the tail
 * @limit: how many folios are looked at, at most, of those that reclaim may take
 * @where: the field, an unsigned number: offset in the record in bytes, and its
 *	size in bytes from bit 16 on
 *
 * As if each were offered in order. Returns 0, -E2BIG if no pages are wanted any
 * more, -EBUSY if the list has an iterator, -EINVAL.
 */
int cache_ext_select(struct cache_ext_request *r, s32 nr, u32 flags, u64 limit,
		     u32 where)
{
	struct score_field field = {
		.offset = where & 0xffff,
		.size = where >> 16,
	};
	struct cache_ext_lists *ls = r->lists;
	struct cache_ext_list *list;
	unsigned long irq;
	u32 left, end, chunk, done;
	int ret;

	if (field.size > 8 || !is_power_of_2(field.size) ||
	    field.offset % field.size || r->record % field.size ||
	    field.offset + field.size > r->data_size ||
	    (flags & ~CACHE_EXT_SCAN_TAIL))
		return -EINVAL;
	field.offset += r->record;
	if (!cache_ext_candidates_room(r))
		return -E2BIG;
	ret = cache_ext_iter_begin(ls, nr, flags & CACHE_EXT_SCAN_TAIL,
				   r->resumes);
	if (ret)
		return ret;
	cache_ext_put_losers(r);
	list = &ls->list[nr];
	left = min3(READ_ONCE(list->nr_folios), CACHE_EXT_MAX_SCAN,
		    r->steps_left);
	end = r->looked + min_t(u64, limit, left);
	while (left && r->looked != end) {
		chunk = min(left, SELECT_CHUNK);
		if (!r->may_take)
			chunk = min(chunk, end - r->looked);
		spin_lock_irqsave(&ls->lock, irq);
		done = select_chunk(r, list, &field, chunk, end);
		spin_unlock_irqrestore(&ls->lock, irq);
		if (!done)
			break;
		left -= done;
		r->steps_left -= done;
		if (cache_ext_request_cut(r))
			break;
	}
	cache_ext_iter_end(ls, nr, cache_ext_request_cut(r));
	return 0;
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_select - offer folios of a list, a field of records the score
 * @ctx: of the call
 * @list: number of the list
 * @flags: CACHE_EXT_SCAN_TAIL: from the tail
 * @limit: how many folios are looked at, at most, of those that reclaim may take
 * @field: an unsigned field: its offset in the record in bytes, and its size in
 *	bytes (1, 2, 4, 8) from bit 16 on
 *
 * As if bpf_cache_ext_offer() were called for each in order.
 *
 * Context: only from evict_folios.
 * Return: 0; -E2BIG: no more pages are wanted; -EBUSY: the list has an iterator;
 * -EINVAL.
 */
__bpf_kfunc s32 bpf_cache_ext_select(struct cache_ext_evict_ctx *ctx, s32 list,
				     u32 flags, u64 limit, u32 field)
{
	return cache_ext_select(cache_ext_request_of(ctx), list, flags, limit, field);
}

__bpf_kfunc_end_defs();
