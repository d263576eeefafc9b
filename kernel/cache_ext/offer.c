// SPDX-License-Identifier: GPL-2.0
/*
 * What a program of evict_folios does with folios: it proposes them, or offers
 * them with a score. Of those offered the lowest are proposed.
 *
 * There are as many seats as pages are still wanted; a folio takes one. A folio
 * that gets none, or loses its seat to a lower score, goes to the far end of its
 * list, in the order of losing. Either the program offers folios one by one, with
 * a score that it works out, or it names a field of the records that is the score,
 * and cache_ext_select() looks at them all under few holds of the lock.
 *
 * Callers: rcu_read_lock(), evict_mutex.
 */
#include "cache_ext.h"
#include "kfuncs.h"

#define SELECT_CHUNK	128	/* folios looked at with interrupts off */

/* How the scores of a selection are read from nodes. */
struct score_field {
	unsigned int offset;	/* in the node */
	unsigned int size;
};

/* Caller: policy->lock. */
static __always_inline int propose(struct cache_ext_request *r,
				   struct cache_ext_node *node)
{
	struct cache_ext_policy *p = r->policy;
	unsigned long nr = node_pages(node);

	lockdep_assert_held(&p->lock);
	if (r->nr_proposed >= CACHE_EXT_BATCH)
		return -E2BIG;
	if (node->state == NODE_OFFERED)
		node->state = NODE_PROPOSED;
	else if (!cache_ext_list_take(p, node, NODE_PROPOSED))
		return -EBUSY;
	r->proposed[r->nr_proposed++].node = node;
	r->ctx.nr_evicted += nr;
	ces_add(p, CES_PROPOSED, nr);
	return 0;
}

int cache_ext_propose(struct cache_ext_request *r, struct folio *folio)
{
	struct cache_ext_node *node = cache_ext_node_find_hinted(folio);
	struct cache_ext_policy *p = r->policy;
	unsigned long irq;
	int ret;

	if (!node || node_policy(node) != p)
		return -ENOENT;
	spin_lock_irqsave(&p->lock, irq);
	ret = propose(r, node);
	spin_unlock_irqrestore(&p->lock, irq);
	return ret;
}

static unsigned int seats_of(struct cache_ext_request *r)
{
	if (r->ctx.nr_evicted >= r->ctx.request_nr_folios)
		return 0;
	return min(r->ctx.request_nr_folios - r->ctx.nr_evicted,
		   CACHE_EXT_BATCH - r->nr_proposed);
}

/* There is a seat, and @node is off its list. Of equal scores the last loses. */
static void seat(struct cache_ext_request *r, struct cache_ext_node *node,
		 u64 score)
{
	unsigned int i;

	for (i = r->nr_offers; i > 0 && r->offers[i - 1].score > score; i--)
		r->offers[i] = r->offers[i - 1];
	r->offers[i].node = node;
	r->offers[i].score = score;
	r->nr_offers++;
}

/* Those without a seat, to the far end in the order in which they lost it. */
static void put_back(struct cache_ext_request *r)
{
	struct cache_ext_policy *p = r->policy;
	struct cache_ext_node *node;
	unsigned long irq;
	unsigned int i;

	if (!r->nr_left)
		return;
	spin_lock_irqsave(&p->lock, irq);
	for (i = 0; i < r->nr_left; i++) {
		node = r->left[i];
		if (node->state == NODE_LISTED)
			cache_ext_list_defer(p, node, r->left_tail & BIT(i));
		else if (node->state == NODE_OFFERED)
			cache_ext_list_restore(p, node);
	}
	spin_unlock_irqrestore(&p->lock, irq);
	r->nr_left = 0;
	r->left_tail = 0;
}

/* The iterator may be gone when they are put back: which end is far is said now. */
static void leave(struct cache_ext_request *r, struct cache_ext_node *node)
{
	struct cache_ext_list *list = &r->policy->lists[node_list_now(node)];

	BUILD_BUG_ON(ARRAY_SIZE(r->left) > BITS_PER_TYPE(r->left_tail));
	if (!(list->iterating && list->from_tail))
		r->left_tail |= BIT(r->nr_left);
	r->left[r->nr_left++] = node;
	if (r->nr_left == ARRAY_SIZE(r->left))
		put_back(r);
}

static bool take_off(struct cache_ext_policy *p, struct cache_ext_node *node)
{
	unsigned long irq;
	bool taken;

	spin_lock_irqsave(&p->lock, irq);
	taken = cache_ext_list_take(p, node, NODE_OFFERED);
	spin_unlock_irqrestore(&p->lock, irq);
	return taken;
}

int cache_ext_offer_folio(struct cache_ext_request *r, struct folio *folio,
			  u64 score)
{
	struct cache_ext_policy *p = r->policy;
	struct cache_ext_node *node;
	unsigned int seats = seats_of(r);

	if (!seats)
		return -E2BIG;
	node = cache_ext_node_find_hinted(folio);
	if (!node || node_policy(node) != p)
		return -ENOENT;
	if (node_state_now(node) != NODE_LISTED)
		return -EBUSY;

	if (r->nr_offers >= seats) {
		if (score >= r->offers[r->nr_offers - 1].score) {
			leave(r, node);
			return 0;
		}
		/* It may wait among those left since an earlier offer. */
		put_back(r);
		if (!take_off(p, node))
			return -EBUSY;
		leave(r, r->offers[--r->nr_offers].node);
	} else if (!take_off(p, node)) {
		return -EBUSY;
	}
	seat(r, node, score);
	return 0;
}

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
 * @loser has lost its seat to @winner, which is on a list. If it is of the same
 * one it may stand where the winner stood, where those who lose stand.
 */
static void displace(struct cache_ext_policy *p, struct cache_ext_node *winner,
		     struct cache_ext_node *loser, bool in_place)
{
	s32 list = winner->list;
	u32 prev = winner->prev;

	cache_ext_list_take(p, winner, NODE_OFFERED);
	if (loser->state != NODE_OFFERED)
		return;
	if (in_place && loser->list == list)
		cache_ext_list_insert_after(p, loser, list, prev);
	else
		cache_ext_list_restore(p, loser);
}

/*
 * The first node from @id on, at most *@budget (not 0) of them, whose score is below
 * @worst; or 0. This is where most of the time goes: few win.
 */
static __always_inline u32 skip(u32 id, bool from_tail, unsigned int offset,
				unsigned int size, u64 worst, u32 *budget)
{
	/* Whoever came to a list under its lock was in there before. */
	struct cache_ext_directory *dir = READ_ONCE(cache_ext_table->directory);
	struct cache_ext_node *node;
	u32 left = *budget;

	while (id) {
		node = node_in(dir, id);
		if (score_of(node, offset, size) < worst)
			break;
		id = from_tail ? node->prev : node->next;
		if (!--left)
			break;
	}
	*budget = left;
	return id;
}

static u32 skip_losers(struct cache_ext_list *list,
		       const struct score_field *field, u64 worst, u32 *budget)
{
	/* The common case in a loop of its own. */
	if (field->size == 4 && !list->from_tail)
		return skip(list->cursor, false, field->offset, 4, worst,
			    budget);
	return skip(list->cursor, list->from_tail, field->offset, field->size,
		    worst, budget);
}

/*
 * Look at up to @budget folios from list->cursor on. Those without a seat stay
 * where they are, and all of them go to the far end in the end; but if some
 * folios are not to be taken, which stay, each goes by itself. Returns how many
 * it has looked at. Caller: policy->lock.
 */
static u32 select_chunk(struct cache_ext_request *r,
			struct cache_ext_list *list,
			const struct score_field *field, u32 budget)
{
	struct cache_ext_policy *p = r->policy;
	bool whole = !READ_ONCE(p->subtree);
	unsigned int seats = seats_of(r);
	u32 before, left = budget;

	if (!list->cursor)
		return 0;
	before = cache_ext_list_behind(list, node_at(list->cursor));
	while (list->cursor && left) {
		struct cache_ext_node *node;
		u32 was_left = left;
		u64 score;

		if (whole && r->nr_offers == seats) {
			list->cursor = skip_losers(list, field,
						   r->offers[seats - 1].score,
						   &left);
			r->looked += was_left - left;
			if (!list->cursor || !left)
				break;
		}
		node = node_at(list->cursor);
		list->cursor = cache_ext_list_ahead(list, node);
		left--;
		if (!whole && !cache_ext_may_take(p, node_folio(node))) {
			r->left_out = true;
			continue;
		}
		r->looked++;
		score = score_of(node, field->offset, field->size);
		if (r->nr_offers < seats) {
			cache_ext_list_take(p, node, NODE_OFFERED);
			seat(r, node, score);
		} else if (score < r->offers[r->nr_offers - 1].score) {
			displace(p, node, r->offers[--r->nr_offers].node,
				 whole);
			seat(r, node, score);
		} else if (!whole) {
			cache_ext_list_defer(p, node, !list->from_tail);
		}
	}
	if (whole)
		cache_ext_list_defer_all(list, before);
	return budget - left;
}

/**
 * cache_ext_select - offer folios of a list, a field of their records the score
 * @r: the request
 * @nr: the list
 * @flags: CACHE_EXT_SCAN_TAIL: from the tail
 * @limit: how many folios are looked at, at most
 * @where: the field, an unsigned number: offset in the record in bytes, and its
 *	size in bytes from bit 16 on
 *
 * As if each were offered in order. Returns 0, -E2BIG if no pages are wanted any
 * more, -EBUSY if the list has an iterator, -EINVAL.
 */
int cache_ext_select(struct cache_ext_request *r, s32 nr, u32 flags, u64 limit,
		     u32 where)
{
	struct cache_ext_policy *p = r->policy;
	struct score_field field = {
		.offset = where & 0xffff,
		.size = where >> 16,
	};
	struct cache_ext_list *list;
	unsigned long irq;
	u32 left, looked;
	int ret;

	if (field.size > 8 || !is_power_of_2(field.size) ||
	    field.offset % field.size ||
	    field.offset + field.size > p->data_size)
		return -EINVAL;
	field.offset += p->arena.record;
	if (!seats_of(r))
		return -E2BIG;
	ret = cache_ext_iter_begin(p, nr, flags);
	if (ret)
		return ret;
	put_back(r);
	list = &p->lists[nr];
	left = min_t(u64, limit, min3(READ_ONCE(list->nr_folios),
				      CACHE_EXT_MAX_SCAN, r->steps_left));
	while (left) {
		spin_lock_irqsave(&p->lock, irq);
		looked = select_chunk(r, list, &field,
				      min(left, SELECT_CHUNK));
		spin_unlock_irqrestore(&p->lock, irq);
		if (!looked)
			break;
		left -= looked;
		r->steps_left -= looked;
	}
	cache_ext_iter_end(p, nr);
	return 0;
}

/* Propose the seated, lowest score first. Returns how many. */
int cache_ext_take_offered(struct cache_ext_request *r)
{
	struct cache_ext_policy *p = r->policy;
	unsigned int i, taken = 0;
	unsigned long irq;

	put_back(r);
	spin_lock_irqsave(&p->lock, irq);
	for (i = 0; i < r->nr_offers; i++)
		taken += !propose(r, r->offers[i].node);
	spin_unlock_irqrestore(&p->lock, irq);
	r->nr_offers = 0;
	return taken;
}

/*
 * What a handler left behind: seats not taken. (It cannot leave an iterator: the
 * verifier sees to it that each is destroyed.)
 */
void cache_ext_end_offers(struct cache_ext_request *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_offers; i++)
		leave(r, r->offers[i].node);
	r->nr_offers = 0;
	put_back(r);
}
