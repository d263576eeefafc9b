// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim: who asks the core, and what mm/vmscan.c and mm/truncate.c do for it.
 */
#include <linux/cache_ext.h>
#include "world.h"

void (*reclaim_watch)(struct list_head *folios);
int reclaim_priority = -1;

static void kernel_scans(struct lruvec *lruvec, unsigned long nr)
{
	COUNT_MANY(reclaimed_by_kernel, reclaim_scan(lruvec, nr));
}

/*
 * The page cache gives @folio up, which is locked and has one reference beside
 * those. As __remove_mapping(): its references are frozen when the core hears.
 */
static bool take_out(struct folio *folio)
{
	long nr = folio_nr_pages(folio);
	struct file *file;

	if (!folio->mapping)
		return shim_freeze_refs(folio, 1);
	file = file_of(folio);
	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	if (!shim_freeze_refs(folio, 1 + nr)) {
		shim_unlock_irq(&file->mapping.i_pages);
		return false;
	}
	if (folio_test_dirty(folio)) {
		shim_unfreeze_refs(folio, 1 + nr);
		shim_unlock_irq(&file->mapping.i_pages);
		return false;
	}
	shim_hook(true);
	cache_ext_folio_removed(folio, CACHE_EXT_EVICTED);
	shim_hook(false);
	page_delete(folio);
	page_cached(folio, -nr);
	shim_unlock_irq(&file->mapping.i_pages);
	return true;
}

enum outcome { KEPT, FREED, LOST };

/* shrink_folio_list(), for an isolated folio. */
static enum outcome reclaim_folio(struct folio *folio,
				  struct list_head *isolated, bool own)
{
	if (!folio_trylock(folio))
		return KEPT;
	shim_gap(true);
	if (folio_test_poison(folio)) {
		folio_unlock(folio);
		folio_put(folio);
		return LOST;
	}
	if (!own && cache_ext_keeps(folio, reclaim_priority < 0 ?
						   (int)pick(DEF_PRIORITY + 1) :
						   reclaim_priority))
		goto keep;
	if (folio_test_writeback(folio) || folio_test_unevictable(folio) ||
	    shim_chance(30))
		goto keep;
	if (folio_test_dirty(folio)) {
		if (pick(2))
			goto keep;
		folio_clear_dirty(folio);
	}
	if (folio_mapped(folio)) {
		if (pick(2))
			goto keep;
		atomic_set(&folio->_mapcount, 0);
	}
	if (folio_order(folio) && folio->mapping && shim_chance(200))
		change_split_folio(folio, pick(folio_order(folio)), 1, isolated);
	if (!take_out(folio))
		goto keep;
	folio_clear_active(folio);
	folio_unlock(folio);
	return FREED;
keep:
	folio_unlock(folio);
	return KEPT;
}

/* @own: the policy proposed them. */
static unsigned long reclaim_list(struct list_head *folios, bool own)
{
	unsigned long freed = 0, nr;
	struct folio *folio;
	LIST_HEAD(kept);

	while (!list_empty(folios)) {
		folio = list_last_entry(folios, struct folio, lru);
		list_del(&folio->lru);
		switch (reclaim_folio(folio, folios, own)) {
		case KEPT:
			list_add(&folio->lru, &kept);
			break;
		case FREED:
			nr = folio_nr_pages(folio);
			shim_folio_free(folio);
			freed += nr;
			break;
		case LOST:
			COUNT(lost);
			break;
		}
	}
	list_splice(&kept, folios);
	return freed;
}

unsigned long cache_ext_reclaim_folios(struct cache_ext_shrink *s,
				       struct list_head *folios)
{
	unsigned long freed, taken = 0;
	struct folio *folio;

	shim_might_sleep();
	if (reclaim_watch)
		reclaim_watch(folios);
	list_for_each_entry(folio, folios, lru) {
		folio_clear_active(folio);
		taken += folio_nr_pages(folio);
	}
	freed = reclaim_list(folios, true);
	mod_node_page_state(lruvec_pgdat(s->lruvec), NR_ISOLATED_FILE,
			    -(long)taken);
	COUNT_MANY(reclaimed, freed);
	return freed;
}

void cache_ext_putback_folios(struct cache_ext_shrink *s __maybe_unused,
			      struct list_head *folios)
{
	struct folio *folio;

	shim_might_sleep();
	while (!list_empty(folios)) {
		folio = list_first_entry(folios, struct folio, lru);
		list_del(&folio->lru);
		shim_lru_putback(folio);
	}
}

static unsigned int some_of(struct lruvec *lruvec, enum lru_list lru,
			    struct folio **folios, unsigned int room, long *left)
{
	struct list_head *list = &lruvec->lists[lru];
	unsigned int nr = 0;

	spin_lock_irq(&lruvec->lru_lock);
	while (nr < room && *left > 0 && !list_empty(list)) {
		struct folio *folio = list_last_entry(list, struct folio, lru);

		*left -= folio_nr_pages(folio);
		list_move(&folio->lru, list);
		if (folio_try_get(folio))
			folios[nr++] = folio;
	}
	spin_unlock_irq(&lruvec->lru_lock);
	return nr;
}

void cache_ext_walk_lru(struct lruvec *lruvec, void (*fn)(struct folio *folio))
{
	struct folio *folios[32];
	unsigned int i, nr;
	enum lru_list lru;
	long left;

	for (lru = 0; lru < NR_LRU_LISTS; lru++) {
		left = READ_ONCE(lruvec->nr_pages[lru][0]) +
		       READ_ONCE(lruvec->nr_pages[lru][1]);
		while ((nr = some_of(lruvec, lru, folios, 32, &left))) {
			for (i = 0; i < nr; i++) {
				fn(folios[i]);
				folio_put(folios[i]);
			}
			cond_resched();
		}
	}
}

/* Its scan comes to @folio, which is referenced. False: it stays. */
bool reclaim_folio_alone(struct folio *folio)
{
	LIST_HEAD(isolated);
	bool isolated_it = folio_isolate_lru(folio);

	folio_put(folio);
	if (!isolated_it)
		return false;
	list_add(&folio->lru, &isolated);
	if (reclaim_list(&isolated, false))
		return true;
	shim_lru_putback(folio);
	return false;
}

/* The kernel's own scan of a cgroup. Returns the pages that it freed. */
unsigned long reclaim_scan(struct lruvec *lruvec, unsigned long nr)
{
	struct folio *folios[32], *folio;
	unsigned long freed;
	unsigned int i, found;
	LIST_HEAD(isolated);
	enum lru_list lru = pick(4) ? LRU_INACTIVE_FILE : LRU_ACTIVE_FILE;
	long left = nr;

	lru_add_drain();
	found = some_of(lruvec, lru, folios, min(nr, 32UL), &left);
	for (i = 0; i < found; i++) {
		if (folio_isolate_lru(folios[i]))
			list_add(&folios[i]->lru, &isolated);
		folio_put(folios[i]);
	}
	freed = reclaim_list(&isolated, false);
	while (!list_empty(&isolated)) {
		folio = list_first_entry(&isolated, struct folio, lru);
		list_del(&folio->lru);
		shim_lru_putback(folio);
	}
	return freed;
}

/* mm/truncate.c: what the policy did not admit, whoever else refers to it. */
bool cache_ext_drop_folio(struct folio *folio)
{
	struct file *file = file_of(folio);
	long nr = folio_nr_pages(folio);

	if (folio_mapped(folio) || folio_test_dirty(folio) ||
	    folio_test_writeback(folio) || shim_chance(30))
		return false;
	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	if (folio_test_dirty(folio)) {
		shim_unlock_irq(&file->mapping.i_pages);
		return false;
	}
	shim_hook(true);
	cache_ext_folio_removed(folio, CACHE_EXT_DELETED);
	shim_hook(false);
	page_delete(folio);
	page_cached(folio, -nr);
	shim_unlock_irq(&file->mapping.i_pages);
	folio_put_refs(folio, nr);
	return true;
}

/* One cgroup's turn, for the limit of @target, or of nobody. */
static void shrink(struct mem_cgroup *memcg, struct mem_cgroup *target,
		   unsigned long nr)
{
	int nid = pick(nr_online_nodes);
	struct lruvec *lruvec = &memcg->lruvec[nid];
	struct cache_ext_shrink s = {
		.memcg = memcg,
		.lruvec = lruvec,
		.target = target,
		.low = pick(2),
		.nid = nid,
		.reclaim_idx = MAX_NR_ZONES - 1 - !pick(8),
		.priority = pick(64) ? 12 - pick(8) : pick(3),
		.nr_to_reclaim = nr,
	};
	unsigned long got = 0;

	current->kswapd = !target && pick(2);
	current->dying = shim_chance(10);
	COUNT(requests);
	if (cache_ext_enabled() && cache_ext_governs(memcg))
		got = cache_ext_shrink(&s);
	current->kswapd = false;
	current->dying = false;
	if (got < nr)
		kernel_scans(lruvec, nr - got);
}

#ifdef CONFIG_CACHE_EXT_RECLAIM
unsigned long cache_ext_reclaim_own(struct mem_cgroup *memcg, struct cache_ext_policy *own, int nid,
				    unsigned long nr)
{
	struct cache_ext_shrink s = {
		.memcg = memcg,
		.lruvec = &memcg->lruvec[nid],
		.target = memcg,
		.own = own,
		.nid = nid,
		.reclaim_idx = MAX_NR_ZONES - 1,
		.priority = DEF_PRIORITY,
		.nr_to_reclaim = nr,
	};

	shim_might_sleep();
	return cache_ext_shrink(&s);
}
#endif

void reclaim_cgroup(struct mem_cgroup *target, unsigned long nr)
{
	struct mem_cgroup *pos = NULL;

	/* A limit is everybody's below. */
	while ((pos = mem_cgroup_iter(target, pos, NULL))) {
		mem_cgroup_calculate_protection(target, pos);
		if (pos == target || pick(2))
			shrink(pos, target, nr);
	}
}

void reclaim_some(void)
{
	struct mem_cgroup *memcg = cgroup_any();

	if (!memcg)
		return;
	if (pick(4))
		reclaim_cgroup(memcg, 1 + pick(64));
	else
		shrink(memcg, NULL, 1 + pick(64));
	css_put(&memcg->css);
}
