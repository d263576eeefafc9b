/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `evict lowest` (docs/semantics.md) for upstream's interface, which lets a program keep no folio beyond a step of an iterator. So the
 * first pass keeps scores only: each folio's in its entry, and the lowest, as many as folios are wanted, in a table. The second pass
 * goes over the same folios: those with a score that is in the table are handed over, and the others go to the tail.
 *
 * It differs in two things from the machine's: what is handed over goes in the order of the list, not of the scores; and what goes to
 * the tail does so in the order of the list, whether it had a seat for a time or not.
 */
#ifndef CPOL_UPSTREAM_OFFERS_H
#define CPOL_UPSTREAM_OFFERS_H

#define CPOL_SEATS 32

/* Of the statement that runs; one evict_folios at a time. */
struct cpol_offers {
	u64 round;             /* from 1 */
	u64 looked;            /* folios */
	u64 seated;            /* scores in the table */
	u64 highest, equal;    /* once all were looked at: the highest of them, and how many there are of it */
	u64 scores[CPOL_SEATS];
} cpol_offers = { .round = 1 };

/* `score` takes a seat, if one of those `wanted` is free or its score is higher: of equal ones the one offered last gives way. */
__noinline int cpol_offers_seat(u64 score, u64 wanted)
{
	u64 seated = cpol_offers.seated, highest = 0, at = 0;

	CPOL_OPAQUE(score);
	CPOL_OPAQUE(wanted);
	if (wanted > CPOL_SEATS)
		wanted = CPOL_SEATS;
	if (seated < wanted && seated < CPOL_SEATS) {
		cpol_offers.scores[seated] = score;
		cpol_offers.seated = seated + 1;
		return 0;
	}
	for (u64 i = 0; i < CPOL_SEATS && i < seated; i++) {
		if (cpol_offers.scores[i] >= highest) {
			highest = cpol_offers.scores[i];
			at = i;
		}
	}
	if (score < highest)
		cpol_offers.scores[at] = score;
	return 0;
}

/* Finds the highest score in the table. */
__noinline int cpol_offers_close(void)
{
	u64 seated = cpol_offers.seated, highest = 0, equal = 0;

	for (u64 i = 0; i < CPOL_SEATS && i < seated; i++) {
		u64 score = cpol_offers.scores[i];

		if (score > highest)
			equal = 0;
		if (score >= highest) {
			highest = score;
			equal++;
		}
	}
	cpol_offers.highest = highest;
	cpol_offers.equal = equal;
	return 0;
}

/* For the next statement. */
CPOL_PRIMITIVE void cpol_offers_reset(void)
{
	cpol_offers.round++;
	cpol_offers.looked = 0;
	cpol_offers.seated = 0;
}

/* In the first pass. A scan from the head has its far end at the tail. */
CPOL_RELOCATED void cpol_offer(cpol_ctx *c, cpol_folio f, u64 score_key, bool far_tail)
{
	struct cpol_node *node = cpol_find(f);

	if (!node)
		return;
	node->score = score_key;
	node->round = cpol_offers.round;
	cpol_offers.looked++;
	cpol_offers_seat(score_key, c->evict->request_nr_folios - c->evict->nr_evicted);
}

/* Whether a folio that was looked at has one of the seats. */
CPOL_PRIMITIVE bool cpol_offers_take(u64 score)
{
	if (score < cpol_offers.highest)
		return true;
	if (score > cpol_offers.highest || !cpol_offers.equal)
		return false;
	cpol_offers.equal--;
	return true;
}

/* The second pass. */
CPOL_PRIMITIVE bool cpol_take_offers(cpol_ctx *c)
{
	u32 list = c->scanned;

	cpol_offers_close();
	CPOL_SCAN(c, f, list, false, cpol_offers.looked)
	{
		struct cpol_node *node = cpol_find(f);

		if (!node || node->round != cpol_offers.round)
			continue;
		if (cpol_offers_take(node->score))
			cpol_propose(c, f, true);
		else
			cpol_move(c, f, list, true);
	}
	cpol_offers_reset();
	return cpol_evict_done(c);
}

#endif
