/* SPDX-License-Identifier: GPL-2.0 */
/* MGLRU: arguments of evict_folios(), tiers, and which type of folios goes first. */
#ifndef _CACHE_EXT_COMPAT_MGLRU_H
#define _CACHE_EXT_COMPAT_MGLRU_H

#include <linux/mm_inline.h>

/* Until 6.12.95 it stands in mm/vmscan.c. */
#ifndef LRU_REFS_FLAGS
#define LRU_REFS_FLAGS		(BIT(PG_referenced) | BIT(PG_workingset))
#endif

#ifdef STOCK_TIER_OF_WORKINGSET

/* What folio_inc_gen() clears. */
#define STOCK_GEN_FLAGS		(LRU_GEN_MASK | LRU_REFS_FLAGS)

static inline int stock_tier(struct folio *folio)
{
	return lru_tier_from_refs(folio_lru_refs(folio),
				  folio_test_workingset(folio));
}

/* Used as often as can be counted: it is promoted, and counts for no tier. */
static inline bool stock_refs_full(struct folio *folio)
{
	return folio_lru_refs(folio) + folio_test_workingset(folio) ==
	       BIT(LRU_REFS_WIDTH) + 1;
}

/*
 * The index of a tier in lrugen->protected[][], where the first one may be missing; and
 * whether those count there that stock_refs_full() is true of.
 */
#define STOCK_PROTECTED(tier)	(tier)
#define STOCK_FIRST_PROTECTED	0
#define STOCK_COUNTS_FULL	false
/* Of the first tier where get_tier_idx() compares others with it; theirs is one more. */
#define STOCK_TIER_GAIN		2

#else

#define STOCK_GEN_FLAGS		(LRU_GEN_MASK | LRU_REFS_MASK | LRU_REFS_FLAGS)

static inline int stock_tier(struct folio *folio)
{
	return lru_tier_from_refs(folio_lru_refs(folio));
}

static inline bool stock_refs_full(struct folio *folio)
{
	return folio_lru_refs(folio) == BIT(LRU_REFS_WIDTH);
}

#define STOCK_PROTECTED(tier)	((tier) - 1)
#define STOCK_FIRST_PROTECTED	1
#define STOCK_COUNTS_FULL	true
#define STOCK_TIER_GAIN		1

#endif

#ifdef STOCK_EVICT_TAKES_NUMBER_FIRST

/* Of evict_folios(). */
#define STOCK_EVICT_LRUVEC	1
#define STOCK_EVICT_PARAMETERS						\
	unsigned long nr, struct lruvec *lruvec, struct scan_control *sc, int swappiness
#define STOCK_EVICT_NUMBER	nr
#define STOCK_EVICT_ARGS(nr, lruvec, sc, swappiness) nr, lruvec, sc, swappiness
/* get_type_to_scan() compares all tiers of both types; else the first ones. */
#define STOCK_COMPARED_TIERS	MAX_NR_TIERS
/* try_to_inc_min_seq() comes before the folios are taken; else after that. */
#define STOCK_EMPTY_GENS_GO_FIRST	true

/* A type that is settled before refaults are compared: LRU_GEN_*, or -1. */
static inline int stock_settled_type(struct lruvec *lruvec,
				     struct scan_control *sc, int swappiness)
{
	if (swappiness <= MIN_SWAPPINESS + 1)
		return LRU_GEN_FILE;
	return swappiness >= MAX_SWAPPINESS ? LRU_GEN_ANON : -1;
}

#else

#define STOCK_EVICT_LRUVEC	0
#define STOCK_EVICT_PARAMETERS						\
	struct lruvec *lruvec, struct scan_control *sc, int swappiness
#define STOCK_EVICT_NUMBER	MIN_LRU_BATCH
#define STOCK_EVICT_ARGS(nr, lruvec, sc, swappiness) lruvec, sc, swappiness
#define STOCK_COMPARED_TIERS	1
#define STOCK_EMPTY_GENS_GO_FIRST	false

static inline int stock_settled_type(struct lruvec *lruvec,
				     struct scan_control *sc, int swappiness)
{
	unsigned long *min_seq = lruvec->lrugen.min_seq;

	if (!swappiness)
		return LRU_GEN_FILE;
	if (READ_ONCE(min_seq[LRU_GEN_ANON]) < READ_ONCE(min_seq[LRU_GEN_FILE]))
		return LRU_GEN_ANON;
	if (swappiness == MAX_SWAPPINESS)
		return LRU_GEN_ANON;
	if (swappiness == 1 || !(sc->gfp_mask & __GFP_IO))
		return LRU_GEN_FILE;
	return -1;
}

#endif

#endif /* _CACHE_EXT_COMPAT_MGLRU_H */
