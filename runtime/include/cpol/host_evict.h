/* SPDX-License-Identifier: MIT */
/* Proposals and offers on the host (host.h). */
#ifndef CPOL_HOST_EVICT_H
#define CPOL_HOST_EVICT_H

CPOL_INLINE u64 cpol_evict_wanted(cpol_ctx *c)
{
	return c->wanted;
}

/* `f` is off its list; it goes to the end of the proposals. */
CPOL_INLINE void cpol_push_proposal(cpol_ctx *c, cpol_folio f, bool far_tail)
{
	CPOL_LOG(c, CPOL_OP_PROPOSE, f, 0, 0);
	if (far_tail)
		c->where[f] |= CPOL_FAR_TAIL;
	c->proposals[c->n_proposals++] = f;
	c->proposed_pages += cpol_folio_pages(c, f);
}

/* `evict f`. Each proposal has a page at least, so that a request has no more of them than CPOL_MAX_BATCH. */
CPOL_INLINE bool cpol_propose(cpol_ctx *c, cpol_folio f, bool far_tail)
{
	if (cpol_on_list(c, f) && c->proposed_pages < c->wanted) {
#if !CPOL_EVENTS
		/* The next victim is likely to be the successor: its id is near, what the id leads to is not. */
		u32 next = cpol_successor(c, f, !far_tail);

		__builtin_prefetch(&c->cells[(c->ids[next] & c->mask) * CPOL_BUCKET]);
#if CPOL_HAS_REMOVED && CPOL_N_GHOSTS
		for (u32 ghost = 0; ghost < CPOL_N_GHOSTS; ghost++)
			__builtin_prefetch(cpol_ghost_bucket(c->ghosts_at[ghost], c->ids[next]));
#endif
#endif
		cpol_unlink(c, f);
		cpol_push_proposal(c, f, far_tail);
	}
	return c->proposed_pages >= c->wanted;
}

/* Of `evict lowest`: the seats are sorted, the lowest score first, of equal ones the one that was offered first. */
CPOL_INLINE void cpol_offer(cpol_ctx *c, cpol_folio f, u64 score, bool far_tail)
{
	u64 seats = c->wanted - c->proposed_pages;
	u32 list = cpol_list_of(c, f), at;

	cpol_unlink(c, f);
	if (c->n_seats == seats) {
		u32 loser = f;

		if (score < c->seats[c->n_seats - 1].score)
			loser = c->seats[--c->n_seats].slot;
		CPOL_LOG(c, CPOL_OP_MOVE, loser, list, far_tail);
		cpol_link(c, loser, list, far_tail);
		if (loser == f)
			return;
	}
	for (at = c->n_seats++; at > 0 && score < c->seats[at - 1].score; at--)
		c->seats[at] = c->seats[at - 1];
	c->seats[at] = (struct cpol_seat){ .score = score, .slot = f, .far_tail = far_tail };
}

/* Offers up to `bound` folios of a list, a member of their records being the score. */
#define CPOL_OFFER_BY(c, list, from_tail, bound, member)                                                                      \
	CPOL_SCAN((c), cpol_f, (list), (from_tail), (bound))                                                                  \
		cpol_offer((c), cpol_f, cpol_meta((c), cpol_f)->member, !(from_tail))

CPOL_INLINE bool cpol_take_offers(cpol_ctx *c)
{
	for (u32 seat = 0; seat < c->n_seats; seat++)
		cpol_push_proposal(c, c->seats[seat].slot, c->seats[seat].far_tail);
	c->n_seats = 0;
	return c->proposed_pages >= c->wanted;
}

#endif
