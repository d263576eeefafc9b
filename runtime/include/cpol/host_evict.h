/* SPDX-License-Identifier: MIT */
/* Proposals, and candidates of `evict lowest`, on the host (host.h). */
#ifndef CPOL_HOST_EVICT_H
#define CPOL_HOST_EVICT_H

CPOL_INLINE u64 cpol_evict_wanted(cpol_ctx *c)
{
	return c->wanted;
}

/* Appends `f`, which is off its list, to the proposals. */
CPOL_INLINE void cpol_push_proposal(cpol_ctx *c, cpol_folio f, bool far_tail)
{
	CPOL_LOG(c, CPOL_OP_PROPOSE, f, 0, 0);
	if (far_tail)
		c->where[f] |= CPOL_FAR_TAIL;
	c->proposals[c->n_proposals++] = f;
	c->proposed_pages += cpol_folio_pages(c, f);
}

/* `evict f`. Each proposal has at least one page, so a request has at most CPOL_MAX_BATCH of them. */
CPOL_INLINE bool cpol_evict(cpol_ctx *c, cpol_folio f, bool far_tail)
{
	if (cpol_on_list(c, f) && c->proposed_pages < c->wanted) {
#if !CPOL_EVENTS
		/* The successor is likely the next victim. Its id is in the cache, but not its cells in the index and the ghosts. */
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

/* Adds a candidate of `evict lowest`. Candidates are sorted by score, the lowest first, then by the order in which they were added. */
CPOL_INLINE void cpol_add_candidate(cpol_ctx *c, cpol_folio f, u64 score, bool far_tail)
{
	u64 wanted = c->wanted - c->proposed_pages;
	u32 list = cpol_list_of(c, f), at;

	cpol_unlink(c, f);
	if (c->n_candidates == wanted) {
		u32 loser = f;

		if (score < c->candidates[c->n_candidates - 1].score)
			loser = c->candidates[--c->n_candidates].slot;
		CPOL_LOG(c, CPOL_OP_MOVE, loser, list, far_tail);
		cpol_link(c, loser, list, far_tail);
		if (loser == f)
			return;
	}
	for (at = c->n_candidates++; at > 0 && score < c->candidates[at - 1].score; at--)
		c->candidates[at] = c->candidates[at - 1];
	c->candidates[at] = (struct cpol_candidate){ .score = score, .slot = f, .far_tail = far_tail };
}

/* Adds up to `bound` folios of a list as candidates. The score is a member of their records. */
#define CPOL_ADD_CANDIDATES_BY(c, list, from_tail, bound, member)                                                             \
	CPOL_SCAN((c), cpol_f, (list), (from_tail), (bound))                                                                  \
		cpol_add_candidate((c), cpol_f, cpol_meta((c), cpol_f)->member, !(from_tail))

CPOL_INLINE bool cpol_evict_candidates(cpol_ctx *c)
{
	for (u32 at = 0; at < c->n_candidates; at++)
		cpol_push_proposal(c, c->candidates[at].slot, c->candidates[at].far_tail);
	c->n_candidates = 0;
	return c->proposed_pages >= c->wanted;
}

#endif
