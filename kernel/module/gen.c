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
 * they do, and name them; compat/mglru.h has what kernels differ in.
 */
#include <linux/log2.h>
#include <linux/mm_inline.h>
#include "cache_ext.h"
#include "evict_lruvec.h"
#include "module.h"
#include "scan_control.h"
#include "compat/mglru.h"

/* get_nr_gens() */
static int nr_gens(struct lruvec *lruvec, int type)
{
	return lruvec->lrugen.max_seq - lruvec->lrugen.min_seq[type] + 1;
}

/* How often folios of a type and some tiers came back; see read_ctrl_pos(). */
struct refaults {
	unsigned long refaulted;
	unsigned long total;
	unsigned long gain;
};

static struct refaults refaults_of(struct lruvec *lruvec, int type, int tier,
				   int end, int gain)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	int hist = lru_hist_from_seq(lrugen->min_seq[type]);
	struct refaults r = { .gain = gain };

	for (; tier < end; tier++) {
		r.refaulted += lrugen->avg_refaulted[type][tier] +
			atomic_long_read(&lrugen->refaulted[hist][type][tier]);
		r.total += lrugen->avg_total[type][tier] +
			   atomic_long_read(&lrugen->evicted[hist][type][tier]);
		if (tier >= STOCK_FIRST_PROTECTED)
			r.total += lrugen->protected[hist][type]
						    [STOCK_PROTECTED(tier)];
	}
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
	struct refaults first = refaults_of(lruvec, LRU_GEN_FILE, 0, 1, STOCK_TIER_GAIN);
	int tier;

	for (tier = 1; tier < MAX_NR_TIERS; tier++)
		if (!few_came_back(refaults_of(lruvec, LRU_GEN_FILE, tier,
					       tier + 1, STOCK_TIER_GAIN + 1),
				   first))
			break;
	return tier - 1;
}

/* isolate_folios(): is it the turn of file pages? */
static bool file_first(struct lruvec *lruvec, struct scan_control *sc,
		       int swappiness)
{
	int type = stock_settled_type(lruvec, sc, swappiness);

	if (type >= 0)
		return type == LRU_GEN_FILE;
	return few_came_back(refaults_of(lruvec, LRU_GEN_FILE, 0,
					 STOCK_COMPARED_TIERS,
					 MAX_SWAPPINESS - swappiness),
			     refaults_of(lruvec, LRU_GEN_ANON, 0,
					 STOCK_COMPARED_TIERS, swappiness));
}

static bool has_pages(struct lruvec *lruvec, unsigned long seq, int type,
		      int last_zone)
{
	int gen = lru_gen_from_seq(seq), zone;

	for (zone = 0; zone <= last_zone; zone++)
		if (READ_ONCE(lruvec->lrugen.nr_pages[gen][type][zone]) > 0)
			return true;
	return false;
}

/*
 * Of the oldest generation that evict_folios() would take pages from. Some
 * kernels drop empty ones before that. Here they stay until the policy has
 * used up the rest, and evict_folios() goes on.
 */
static unsigned long oldest_seq(struct lruvec *lruvec, int type)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	unsigned long seq = READ_ONCE(lrugen->min_seq[type]);
	unsigned long end = READ_ONCE(lrugen->max_seq) - MIN_NR_GENS;

	while (STOCK_EMPTY_GENS_GO_FIRST && seq < end &&
	       !has_pages(lruvec, seq, type, MAX_NR_ZONES - 1))
		seq++;
	return seq;
}

/* Are there folios that evict_folios() may take? */
static bool has_old(struct lruvec *lruvec, struct scan_control *sc, int type)
{
	return nr_gens(lruvec, type) > MIN_NR_GENS &&
	       has_pages(lruvec, oldest_seq(lruvec, type), type,
			 sc->reclaim_idx);
}

/* File pages of generations after @oldest. */
static long younger_pages(struct lruvec *lruvec, unsigned long oldest)
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	unsigned long seq = oldest + 1;
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
	unsigned long new_flags, flags = READ_ONCE(*stock_folio_flags(folio));
	int zone = folio_zonenum(folio), new_gen;

	do {
		new_gen = ((flags & LRU_GEN_MASK) >> LRU_GEN_PGOFF) - 1;
		if (new_gen >= 0 && new_gen != gen)
			goto move;
		new_gen = (gen + 1) % MAX_NR_GENS;
		new_flags = flags & ~STOCK_GEN_FLAGS;
		new_flags |= (new_gen + 1UL) << LRU_GEN_PGOFF;
	} while (!try_cmpxchg(stock_folio_flags(folio), &flags, new_flags));
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
	int of = stock_tier(folio);
	int hist = lru_hist_from_seq(lrugen->min_seq[LRU_GEN_FILE]);

	if (is != gen) {
		list_move(&folio->lru,
			  &lrugen->folios[is][LRU_GEN_FILE][zone]);
		return true;
	}
	if (of <= tier && !stock_refs_full(folio))
		return false;
	if (STOCK_COUNTS_FULL || !stock_refs_full(folio))
		lrugen->protected[hist][LRU_GEN_FILE][STOCK_PROTECTED(of)] +=
			folio_nr_pages(folio);
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
	gen = lru_gen_from_seq(oldest_seq(lruvec, LRU_GEN_FILE));
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
 * Instead of evict_folios(), of which @nr pages are wanted. Returns false if that has to go
 * on: it is the turn of anonymous memory, or the policy has not delivered.
 */
bool cache_ext_evict_gen(unsigned long nr, struct lruvec *lruvec,
			 struct scan_control *sc, int swappiness, int *scanned)
{
	unsigned long oldest, got, want = min(nr, MIN_LRU_BATCH);
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
	oldest = oldest_seq(lruvec, LRU_GEN_FILE);
	younger = younger_pages(lruvec, oldest);
	/*
	 * A policy proposes folios of cgroups below, too. So what
	 * lru_gen_look_around() moves must not be collected for one lruvec.
	 */
	walk = current->reclaim_state->mm_walk;
	current->reclaim_state->mm_walk = NULL;
	got = cache_ext_evict_lruvec(lruvec, sc, want);
	current->reclaim_state->mm_walk = walk;
	sc->nr_reclaimed += got;
	younger -= younger_pages(lruvec, oldest);
	turn_clock(lruvec, sc, clamp(younger, 0, (long)got));
	*scanned = got;
	return got >= want;
}
