/* SPDX-License-Identifier: MIT */
/* Proposals, and candidates of `evict lowest`, on the host (host.h). */
#ifndef CPOL_HOST_EVICT_H
#define CPOL_HOST_EVICT_H

CPOL_INLINE u64 cpol_evict_wanted(cpol_ctx *c)
{
	return c->wanted;
}

#if CPOL_USES_RECLAIM
/* Nothing is evicted while a handler runs. */
CPOL_INLINE void cpol_reclaim_begin(cpol_ctx *c)
{
	(void)c;
}

/* `reclaim pages`: they go after the event, in cpol_machine_reclaim. The greatest number counts. */
CPOL_INLINE void cpol_reclaim(cpol_ctx *c, u64 pages)
{
	if (!pages)
		return;
	CPOL_IF_EVENTS(cpol_log_row(c, CPOL_OP_RECLAIM, (struct cpol_name){ 0, 0 }, pages, 0);)
	c->reclaims++;
	if (pages > c->reclaim_wanted)
		c->reclaim_wanted = pages;
}
#endif

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
#if CPOL_USES_PINS
	if (c->pinned[f]) {
		c->pins_kept += cpol_folio_pages(c, f);
		return c->proposed_pages >= c->wanted;
	}
#endif
	if (cpol_on_list(c, f) && c->proposed_pages < c->wanted) {
#if !CPOL_EVENTS
		/* Those behind are likely the next victims. What is known of their objects is not in the processor's own caches. */
		u32 next = cpol_successor(c, f, !far_tail), second = cpol_successor(c, next, !far_tail);

		__builtin_prefetch(&c->keys[second]);
		__builtin_prefetch(&c->links[second]);
		__builtin_prefetch(&c->objects[c->keys[second]], 1);
#endif
		cpol_unlink(c, f);
		cpol_push_proposal(c, f, far_tail);
	}
	return c->proposed_pages >= c->wanted;
}

/* Puts `loser` where the candidate `f` is on its list: behind the last loser. One may be the other. */
CPOL_INLINE void cpol_lose(cpol_ctx *c, cpol_folio loser, cpol_folio f, bool far_tail)
{
	struct cpol_links *links = c->links;
	u32 near = __builtin_expect(c->last_loser != 0, 1) ? c->last_loser : cpol_list_of(c, f);
	u32 far = cpol_successor(c, f, !far_tail), prev = far_tail ? near : far, next = far_tail ? far : near;

	links[loser].prev = prev;
	links[loser].next = next;
	links[prev].next = loser;
	links[next].prev = loser;
#if CPOL_EVENTS
	u32 list = cpol_list_of(c, f);

	c->list_pages[list] += c->pages[loser] - c->pages[f];
	cpol_array_count(c, list, c->pages[loser] - c->pages[f]);
#endif
	c->last_loser = loser;
}

/*
 * Adds a candidate of `evict lowest`. Candidates are sorted by score, the lowest first, then by the order in which they were added.
 *
 * A loser moves to the far end, as a pinned folio does. Until the scan is over, losers stay at the near end, in the order of these moves and up to
 * `last_loser`: so one that has not been a candidate stays where it is, and cpol_evict_candidates moves all at once.
 */
CPOL_INLINE void cpol_add_candidate(cpol_ctx *c, cpol_folio f, u64 score, bool far_tail)
{
	bool full = c->n_candidates == c->wanted - c->proposed_pages;
	u32 at;

	__builtin_prefetch(&c->keys[f]); /* of the lowest, which goes, the index needs it */
#if CPOL_USES_PINS
	c->losers_tail = far_tail;
	if (c->pinned[f])
		c->pins_kept += cpol_folio_pages(c, f);
#elif !CPOL_EVENTS
	if (full && c->n_candidates == 1) { /* as below, but no branch depends on the scores, which are hard to foretell */
		struct cpol_candidate *best = &c->candidates[0], was = *best;
		bool lower = score < was.score;
		u32 loser = __builtin_unpredictable(lower) ? was.slot : f;

		best->score = __builtin_unpredictable(lower) ? score : was.score;
		best->slot = __builtin_unpredictable(lower) ? f : was.slot;
		cpol_lose(c, loser, f, far_tail);
		return;
	}
#endif
	if (cpol_is_pinned(c, f) || (full && score >= c->candidates[c->n_candidates - 1].score)) {
		CPOL_LOG(c, CPOL_OP_MOVE, f, cpol_list_of(c, f), far_tail);
		c->last_loser = f;
		return;
	}
	if (full) {
		u32 loser = c->candidates[--c->n_candidates].slot;

		CPOL_LOG(c, CPOL_OP_MOVE, loser, cpol_list_of(c, f), far_tail);
		cpol_lose(c, loser, f, far_tail);
	} else {
		cpol_unlink(c, f);
		c->where[f] &= (cpol_where)~CPOL_OFF_LIST; /* until it is proposed */
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
#if CPOL_USES_PINS
	bool far_tail = c->losers_tail; /* there may be no candidate */
#else
	bool far_tail = c->candidates[0].far_tail;
#endif

	if (c->last_loser)
		cpol_rotate(c, c->last_loser, far_tail);
	c->last_loser = 0;
	for (u32 at = 0; at < c->n_candidates; at++) {
		c->where[c->candidates[at].slot] |= CPOL_OFF_LIST;
		cpol_push_proposal(c, c->candidates[at].slot, c->candidates[at].far_tail);
	}
	c->n_candidates = 0;
	return c->proposed_pages >= c->wanted;
}

#endif
