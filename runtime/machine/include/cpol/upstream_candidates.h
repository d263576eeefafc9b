/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `evict lowest` (docs/semantics.md) for upstream's interface. A program cannot keep a folio beyond a step of an iterator. So the first
 * pass keeps scores: that of each folio in its node, and the lowest in a table, as many as folios are wanted. The second pass visits the
 * same folios. It evicts those with a score in the table, and moves the others to the tail.
 *
 * Two orders differ from the abstract machine's. Folios are evicted in the order of the list, not of their scores. The others move to
 * the tail in the order of the list, even if they were candidates for a time.
 */
#ifndef CPOL_UPSTREAM_CANDIDATES_H
#define CPOL_UPSTREAM_CANDIDATES_H

#define CPOL_MAX_CANDIDATES 32

/* The state of the statement that runs. Only one evict_folios runs at a time. */
struct cpol_candidates {
	u64 round;             /* from 1 */
	u64 looked;            /* folios visited by the first pass */
	u64 count;             /* scores in the table */
	u64 highest, equal;    /* after the first pass: the highest score, and how many in the table equal it */
	u64 scores[CPOL_MAX_CANDIDATES];
} cpol_candidates = { .round = 1 };

/* Keeps the `wanted` lowest scores. Of equal scores, it drops the one that came last. */
__noinline int cpol_candidates_insert(u64 score, u64 wanted)
{
	u64 count = cpol_candidates.count, highest = 0, at = 0;

	CPOL_OPAQUE(score);
	CPOL_OPAQUE(wanted);
	if (wanted > CPOL_MAX_CANDIDATES)
		wanted = CPOL_MAX_CANDIDATES;
	if (count < wanted && count < CPOL_MAX_CANDIDATES) {
		cpol_candidates.scores[count] = score;
		cpol_candidates.count = count + 1;
		return 0;
	}
	for (u64 i = 0; i < CPOL_MAX_CANDIDATES && i < count; i++) {
		if (cpol_candidates.scores[i] >= highest) {
			highest = cpol_candidates.scores[i];
			at = i;
		}
	}
	if (score < highest)
		cpol_candidates.scores[at] = score;
	return 0;
}

/* Finds the highest score in the table. */
__noinline int cpol_candidates_close(void)
{
	u64 count = cpol_candidates.count, highest = 0, equal = 0;

	for (u64 i = 0; i < CPOL_MAX_CANDIDATES && i < count; i++) {
		u64 score = cpol_candidates.scores[i];

		if (score > highest)
			equal = 0;
		if (score >= highest) {
			highest = score;
			equal++;
		}
	}
	cpol_candidates.highest = highest;
	cpol_candidates.equal = equal;
	return 0;
}

/* Prepares for the next statement. */
CPOL_PRIMITIVE void cpol_candidates_reset(void)
{
	cpol_candidates.round++;
	cpol_candidates.looked = 0;
	cpol_candidates.count = 0;
}

/* The first pass. A scan from the head has its far end at the tail. */
CPOL_RELOCATED void cpol_add_candidate(cpol_ctx *c, cpol_folio f, u64 score_key, bool far_tail)
{
	struct cpol_node *node = cpol_find(f);

	if (!node)
		return;
	node->score = score_key;
	node->round = cpol_candidates.round;
	cpol_candidates.looked++;
	cpol_candidates_insert(score_key, c->evict->request_nr_folios - c->evict->nr_evicted);
}

/* Whether a folio of the first pass is evicted. Counts off those with the highest score. */
CPOL_PRIMITIVE bool cpol_candidates_take(u64 score)
{
	if (score < cpol_candidates.highest)
		return true;
	if (score > cpol_candidates.highest || !cpol_candidates.equal)
		return false;
	cpol_candidates.equal--;
	return true;
}

/* The second pass. */
CPOL_PRIMITIVE bool cpol_evict_candidates(cpol_ctx *c)
{
	u32 list = c->scanned;

	cpol_candidates_close();
	CPOL_SCAN(c, f, list, false, cpol_candidates.looked)
	{
		struct cpol_node *node = cpol_find(f);

		if (!node || node->round != cpol_candidates.round)
			continue;
		if (cpol_candidates_take(node->score))
			cpol_evict(c, f, true);
		else
			cpol_move(c, f, list, true);
	}
	cpol_candidates_reset();
	return cpol_evict_done(c);
}

#endif
