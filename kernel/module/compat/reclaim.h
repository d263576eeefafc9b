/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of reclaim that no header declares, and what they want of their caller. */
#ifndef STOCK_CALLS
#ifndef _CACHE_EXT_COMPAT_RECLAIM_H
#define _CACHE_EXT_COMPAT_RECLAIM_H

#ifdef STOCK_NOTE_COST_UNLOCKS
#define STOCK_RECLAIM(F)	F(lru_note_cost_unlock_irq)
#else
#define STOCK_RECLAIM(F)	F(lru_note_cost)
#endif

#ifdef MODULE
#if defined(STOCK_EVICT_TAKES_LRUVEC_FIRST)
int evict_folios(struct lruvec *lruvec, struct scan_control *sc,
		 int swappiness);
#elif defined(STOCK_EVICT_TAKES_NUMBER_FIRST)
int evict_folios(unsigned long nr_to_scan, struct lruvec *lruvec,
		 struct scan_control *sc, int swappiness);
#else
#error "cache_ext: this kernel's evict_folios() is none that the module knows"
#endif

#if defined(STOCK_SHRINK_LIST_TAKES_NO_MEMCG)
unsigned int shrink_folio_list(struct list_head *folios,
			       struct pglist_data *pgdat,
			       struct scan_control *sc,
			       struct reclaim_stat *stat,
			       bool ignore_references);
#elif defined(STOCK_SHRINK_LIST_TAKES_MEMCG)
unsigned int shrink_folio_list(struct list_head *folios,
			       struct pglist_data *pgdat,
			       struct scan_control *sc,
			       struct reclaim_stat *stat,
			       bool ignore_references,
			       struct mem_cgroup *memcg);
#else
#error "cache_ext: this kernel's shrink_folio_list() is none that the module knows"
#endif

#if defined(STOCK_MOVE_WANTS_LOCK)
unsigned int move_folios_to_lru(struct lruvec *lruvec, struct list_head *list);
#elif defined(STOCK_MOVE_LOCKS)
unsigned int move_folios_to_lru(struct list_head *list);
#else
#error "cache_ext: this kernel's move_folios_to_lru() is none that the module knows"
#endif
#endif /* MODULE */

#endif
#else /* STOCK_CALLS */

#ifdef STOCK_NOTE_COST_UNLOCKS
#define lru_note_cost_unlock_irq static_call(stock_lru_note_cost_unlock_irq)
#else
#define lru_note_cost static_call(stock_lru_note_cost)
#endif

/* Of file folios. */
static inline void stock_note_cost(struct lruvec *lruvec, unsigned int io,
				   unsigned int rotated)
{
#ifdef STOCK_NOTE_COST_UNLOCKS
	lruvec_lock_irq(lruvec);
	lru_note_cost_unlock_irq(lruvec, true, io, rotated);
#else
	lru_note_cost(lruvec, true, io, rotated);
#endif
}

static inline unsigned int
stock_shrink_list(struct list_head *folios, struct lruvec *lruvec,
		  struct scan_control *sc, struct reclaim_stat *stat)
{
	return shrink_folio_list(folios, lruvec_pgdat(lruvec), sc, stat, true
#ifdef STOCK_SHRINK_LIST_TAKES_MEMCG
				 , lruvec_memcg(lruvec)
#endif
				 );
}

/* Isolated folios of @lruvec, and of others of its node, go back. */
static inline void stock_putback(struct lruvec *lruvec,
				 struct list_head *folios)
{
#ifdef STOCK_MOVE_LOCKS
	move_folios_to_lru(folios);
#else
	struct folio *folio, *next;

	list_for_each_entry_safe(folio, next, folios, lru) {
		if (!folio_matches_lruvec(folio, lruvec)) {
			list_del(&folio->lru);
			folio_putback_lru(folio);
		}
	}
	spin_lock_irq(&lruvec->lru_lock);
	move_folios_to_lru(lruvec, folios);
	spin_unlock_irq(&lruvec->lru_lock);
#endif
}

/* Counters of a reclaim for which not all kernels have a use: of file pages, @pages. */
#ifdef STOCK_SC_COUNTS_KINDS
#define stock_count_kinds(sc, stat, pages)	({			\
	(sc)->nr.unqueued_dirty += (stat)->nr_unqueued_dirty;		\
	(sc)->nr.file_taken += (pages);					\
})
#else
#define stock_count_kinds(sc, stat, pages)	((void)0)
#endif

/* What memory.min and .low keep of @memcg under reclaim for @root, and what it uses. */
static inline void stock_protection(struct mem_cgroup *root,
				    struct mem_cgroup *memcg,
				    unsigned long *min, unsigned long *low,
				    unsigned long *usage)
{
#ifdef STOCK_PROTECTION_USAGE
	mem_cgroup_protection(root, memcg, min, low, usage);
#else
	mem_cgroup_protection(root, memcg, min, low);
#endif
	*usage = page_counter_read(&memcg->memory);
}

#endif /* STOCK_CALLS */
