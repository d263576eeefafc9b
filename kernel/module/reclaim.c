// SPDX-License-Identifier: GPL-2.0
/*
 * Isolated folios, reclaimed with the scan_control of the reclaim that asked, as
 * the patched kernel does; and the walk over the LRU at attach.
 */
#include <linux/mm_inline.h>
#include <linux/vmstat.h>
#include "cache_ext.h"
#include "glue.h"
#include "module.h"
#include "scan_control.h"

bool cache_ext_glue_isolate(struct folio *folio)
{
	return folio_isolate_lru(folio);
}

/* Events are counted by who reclaims; khugepaged as direct reclaim. */
static int reclaimer_offset(void)
{
	return current_is_kswapd() ? 0 : PGSCAN_DIRECT - PGSCAN_KSWAPD;
}

unsigned long cache_ext_glue_reclaim(struct cache_ext_shrink *s,
				      struct list_head *folios)
{
	struct pglist_data *pgdat = lruvec_pgdat(s->lruvec);
	int who = reclaimer_offset();
	unsigned long nr_reclaimed, nr_taken = 0;
	struct scan_control *sc = s->sc;
	struct reclaim_stat stat;
	struct folio *folio;

	list_for_each_entry(folio, folios, lru) {
		folio_clear_active(folio);
		nr_taken += folio_nr_pages(folio);
	}
	nr_reclaimed = stock_shrink_list(folios, s->lruvec, sc, &stat);

	mod_node_page_state(pgdat, NR_ISOLATED_FILE, -(long)nr_taken);
	stock_count_reclaim(s->lruvec, s->memcg, !sc->target_mem_cgroup, who,
			    nr_taken, nr_reclaimed, stat.nr_demoted);
	stock_note_cost(s->lruvec, stat.nr_pageout, nr_taken - nr_reclaimed);

	/* See shrink_inactive_list(): the flushers do not keep up. */
	if (stat.nr_unqueued_dirty == nr_taken)
		wakeup_flusher_threads(WB_REASON_VMSCAN);

	sc->nr.dirty += stat.nr_dirty;
	sc->nr.congested += stat.nr_congested;
	sc->nr.writeback += stat.nr_writeback;
	sc->nr.immediate += stat.nr_immediate;
	sc->nr.taken += nr_taken;
	stock_count_kinds(sc, &stat, nr_taken);
	return nr_reclaimed;
}

/* A policy may propose folios of any cgroup below its own. */
void cache_ext_glue_putback(struct cache_ext_shrink *s,
			     struct list_head *folios)
{
	stock_putback(s->lruvec, folios);
}

static void walk_list(struct lruvec *lruvec, struct list_head *list,
		      long nr_pages, void (*fn)(struct folio *folio))
{
	struct folio *folios[32];
	unsigned int i, nr;

	while (nr_pages > 0) {
		nr = 0;
		spin_lock_irq(&lruvec->lru_lock);
		while (nr < ARRAY_SIZE(folios) && nr_pages > 0 &&
		       !list_empty(list)) {
			struct folio *folio = lru_to_folio(list);

			nr_pages -= folio_nr_pages(folio);
			list_move(&folio->lru, list);
			if (folio_try_get(folio))
				folios[nr++] = folio;
		}
		spin_unlock_irq(&lruvec->lru_lock);
		if (!nr)
			break;
		for (i = 0; i < nr; i++) {
			fn(folios[i]);
			folio_put(folios[i]);
		}
		cond_resched();
	}
}

/* The lists turn once around meanwhile. */
static void walk_lruvec(struct lruvec *lruvec, void (*fn)(struct folio *folio))
{
	struct lru_gen_folio *lrugen = &lruvec->lrugen;
	unsigned long seq = READ_ONCE(lrugen->min_seq[LRU_GEN_FILE]);
	enum lru_list lru;
	long nr;
	int gen, zone;

	for (; seq <= READ_ONCE(lrugen->max_seq); seq++) {
		gen = lru_gen_from_seq(seq);
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			walk_list(lruvec,
				  &lrugen->folios[gen][LRU_GEN_FILE][zone],
				  lrugen->nr_pages[gen][LRU_GEN_FILE][zone],
				  fn);
	}
	for (lru = LRU_INACTIVE_FILE; lru <= LRU_ACTIVE_FILE; lru++) {
		nr = 0;
		for (zone = 0; zone < MAX_NR_ZONES; zone++)
			nr += mem_cgroup_get_zone_lru_size(lruvec, lru, zone);
		walk_list(lruvec, &lruvec->lists[lru], nr, fn);
	}
}

void cache_ext_glue_walk(struct mem_cgroup *memcg,
			  void (*fn)(struct folio *folio))
{
	struct mem_cgroup *pos = NULL;
	int nid;

	while ((pos = mem_cgroup_iter(memcg, pos, NULL)))
		for_each_online_node(nid)
			walk_lruvec(mem_cgroup_lruvec(pos, NODE_DATA(nid)), fn);
}
