// SPDX-License-Identifier: GPL-2.0
/*
 * MGLRU: where evict_folios() would take file pages, the cgroup's policy says
 * which. All else is MGLRU's: how much, when to turn to anonymous memory, when to
 * age, when the cgroup's turn is over.
 *
 * Generations are its clock. A cgroup whose oldest ones are used up is aged, and
 * then spared until all others had their turn. The policy evicts folios of any
 * generation. So that the clock goes on as if they were the oldest, as many pages
 * as it took of younger generations leave the oldest one for the next.
 *
 * MGLRU's own functions for this are inlined in mm/vmscan.c. Those here do as
 * they do in 6.12, and name them.
 */
#include <linux/log2.h>
#include <linux/mm_inline.h>
#include "cache_ext.h"
#include "evict_lruvec.h"
#include "module.h"
#include "scan_control.h"

/* Until 6.12.95 it stands in mm/vmscan.c. */
#ifndef LRU_REFS_FLAGS
#define LRU_REFS_FLAGS		(BIT(PG_referenced) | BIT(PG_workingset))
#endif

/* get_nr_gens() */
static int nr_gens(struct lruvec *lruvec, int type)
{
	return lruvec->lrugen.max_seq - lruvec->lrugen.min_seq[type] + 1;
}

/* How often folios of a type and tier came back; see read_ctrl_pos(). */
struct refaults {
	unsigned long refaulted;
	unsigned long total;
	unsigned long gain;
};

static struct refaults refaults_of(struct lruvec *lruvec, int type, int tier,
				   int gain)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int hist = lru_hist_from_seq(lrugen->min_seq[type]);
	struct refaults r = {
		.refaulted = lrugen->avg_refaulted[type][tier] +
			atomic_long_read(&lrugen->refaulted[hist][type][tier]),
		.total = lrugen->avg_total[type][tier] +
			 atomic_long_read(&lrugen->evicted[hist][type][tier]),
		.gain = gain,
	};

	if (tier)
		r.total += lrugen->protected[hist][type][tier - 1];
	return r;
}

/* positive_ctrl_err(): few came back, or no greater part than of @than. */
static bool few_came_back(struct refaults r, struct refaults than)
{
	return r.refaulted < MIN_LRU_BATCH ||
	       r.refaulted * (than.total + MIN_LRU_BATCH) * than.gain <=
	       (than.refaulted + 1) * r.total * r.gain;
}

/* get_tier_idx(): file pages of higher tiers are protected. */
static int last_tier(struct lruvec *lruvec)
{
	struct refaults first = refaults_of(lruvec, LRU_GEN_FILE, 0, 1);
	int tier;

	for (tier = 1; tier < MAX_NR_TIERS; tier++)
		if (!few_came_back(refaults_of(lruvec, LRU_GEN_FILE, tier, 2),
				   first))
			break;
	return tier - 1;
}

/* isolate_folios(): is it the turn of file pages? */
static bool file_first(struct lruvec *lruvec, struct scan_control *sc,
		       int swappiness)
{
	unsigned long *min_seq = lruvec->lrugen.min_seq;

	if (!swappiness)
		return true;
	if (READ_ONCE(min_seq[LRU_GEN_ANON]) < READ_ONCE(min_seq[LRU_GEN_FILE]))
		return false;
	if (swappiness == MAX_SWAPPINESS)
		return false;
	if (swappiness == 1 || !(sc->gfp_mask & __GFP_IO))
		return true;
	return few_came_back(refaults_of(lruvec, LRU_GEN_FILE, 0,
					 MAX_SWAPPINESS - swappiness),
			     refaults_of(lruvec, LRU_GEN_ANON, 0, swappiness));
}

/* Are there folios that evict_folios() may take? */
static bool has_old(struct lruvec *lruvec, struct scan_control *sc, int type)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int gen = lru_gen_from_seq(READ_ONCE(lrugen->min_seq[type]));
	int zone;

	if (nr_gens(lruvec, type) == MIN_NR_GENS)
		return false;
	for (zone = 0; zone <= sc->reclaim_idx; zone++)
		if (READ_ONCE(lrugen->nr_pages[gen][type][zone]) > 0)
			return true;
	return false;
}

/* File pages that are not in the oldest generation. */
static long younger_pages(struct lruvec *lruvec)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	unsigned long seq = READ_ONCE(lrugen->min_seq[LRU_GEN_FILE]) + 1;
	int gen, zone;
	long nr = 0;

	for (; seq <= READ_ONCE(lrugen->max_seq); seq++) {
		gen = lru_gen_from_seq(seq);
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			nr += READ_ONCE(lrugen->nr_pages[gen][LRU_GEN_FILE]
							[zone]);
	}
	return nr;
}

/*
 * folio_inc_gen(): from the oldest generation @gen to the next. A walk of
 * page tables may do the same without the lock. Caller: lru_lock.
 */
static void spare(struct lruvec *lruvec, struct folio *folio, int gen)
{
	unsigned long new_flags, flags = READ_ONCE(folio->flags);
	int zone = folio_zonenum(folio), new_gen;

	do {
		new_gen = ((flags & LRU_GEN_MASK) >> LRU_GEN_PGOFF) - 1;
		if (new_gen >= 0 && new_gen != gen)
			goto move;
		new_gen = (gen + 1) % MAX_NR_GENS;
		new_flags = flags &
			    ~(LRU_GEN_MASK | LRU_REFS_MASK | LRU_REFS_FLAGS);
		new_flags |= (new_gen + 1UL) << LRU_GEN_PGOFF;
	} while (!try_cmpxchg(&folio->flags, &flags, new_flags));
	lru_gen_update_size(lruvec, folio, gen, new_gen);
move:
	list_move_tail(&folio->lru,
		       &lruvec->lrugen.folios[new_gen][LRU_GEN_FILE][zone]);
}

/* sort_folio(): what is in the oldest generation, but young or often used. */
static bool sorted_out(struct lruvec *lruvec, struct folio *folio, int gen,
		       int tier)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int is = folio_lru_gen(folio), zone = folio_zonenum(folio);
	int refs = folio_lru_refs(folio), of = lru_tier_from_refs(refs);
	int hist = lru_hist_from_seq(lrugen->min_seq[LRU_GEN_FILE]);

	if (is != gen) {
		list_move(&folio->lru,
			  &lrugen->folios[is][LRU_GEN_FILE][zone]);
		return true;
	}
	if (of <= tier && refs != BIT(LRU_REFS_WIDTH))
		return false;
	lrugen->protected[hist][LRU_GEN_FILE][of - 1] += folio_nr_pages(folio);
	spare(lruvec, folio, gen);
	return true;
}

/* @nr pages leave the oldest generation, which the policy has spared. */
static void turn_clock(struct lruvec *lruvec, struct scan_control *sc, long nr)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int tier, gen, zone, remaining = MAX_LRU_BATCH;
	struct list_head *head;
	struct folio *folio;

	spin_lock_irq(&lruvec->lru_lock);
	if (nr_gens(lruvec, LRU_GEN_FILE) == MIN_NR_GENS)
		goto unlock;
	tier = last_tier(lruvec);
	gen = lru_gen_from_seq(lrugen->min_seq[LRU_GEN_FILE]);
	for (zone = sc->reclaim_idx; zone >= 0; zone--) {
		head = &lrugen->folios[gen][LRU_GEN_FILE][zone];
		while (!list_empty(head) && remaining-- > 0) {
			folio = lru_to_folio(head);
			if (sorted_out(lruvec, folio, gen, tier))
				continue;
			if (nr <= 0)
				break;
			nr -= folio_nr_pages(folio);
			spare(lruvec, folio, gen);
		}
	}
unlock:
	spin_unlock_irq(&lruvec->lru_lock);
}

/*
 * Instead of evict_folios(). Returns false if that has to go on: it is the turn
 * of anonymous memory, or the policy has not delivered.
 */
bool cache_ext_evict_gen(struct lruvec *lruvec, struct scan_control *sc,
			 int swappiness, int *scanned)
{
	unsigned long got, want = MIN_LRU_BATCH;
	struct lru_gen_mm_walk *walk;
	long younger;

	if (!file_first(lruvec, sc, swappiness) &&
	    has_old(lruvec, sc, LRU_GEN_ANON))
		return false;
	if (!has_old(lruvec, sc, LRU_GEN_FILE))
		return false;

	*scanned = 0;
	if (cache_ext_own_limit(lruvec, sc)) {
		if (sc->nr_reclaimed >= sc->nr_to_reclaim)
			return true;
		want = sc->nr_to_reclaim - sc->nr_reclaimed;
		/* No less than if anonymous memory has its turn. */
		if (swappiness)
			want = max(want, MIN_LRU_BATCH);
	}
	younger = younger_pages(lruvec);
	/*
	 * A policy proposes folios of cgroups below, too. So what
	 * lru_gen_look_around() moves must not be collected for one lruvec.
	 */
	walk = current->reclaim_state->mm_walk;
	current->reclaim_state->mm_walk = NULL;
	got = cache_ext_evict_lruvec(lruvec, sc, want);
	current->reclaim_state->mm_walk = walk;
	sc->nr_reclaimed += got;
	younger -= younger_pages(lruvec);
	turn_clock(lruvec, sc, clamp(younger, 0, (long)got));
	*scanned = got;
	return got >= want;
}
