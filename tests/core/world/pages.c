// SPDX-License-Identifier: GPL-2.0
/*
 * Folios come, are used, and go.
 *
 * The references of a folio: one for each of its pages in the page cache, one on
 * the way to the LRU, and those of whoever looks at it. Locks: the folio's, then
 * i_pages with interrupts off, as in the kernel.
 */
#include <linux/cache_ext.h>
#include "world.h"

struct file *file_of(struct folio *folio)
{
	return container_of(folio->mapping, struct file, mapping);
}

void page_cached(struct folio *folio, long nr)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	if (memcg)
		__atomic_fetch_add(&memcg->lruvec[folio_nid(folio)].cached, nr,
				   __ATOMIC_RELAXED);
}

void page_insert(struct file *file, struct folio *folio, unsigned long index)
{
	unsigned long i;

	folio->index = index;
	WRITE_ONCE(folio->mapping, &file->mapping);
	for (i = 0; i < (1UL << folio_order(folio)); i++)
		WRITE_ONCE(file->mapping.pages[index + i], folio);
}

/* Its references stay the caller's. */
void page_delete(struct folio *folio)
{
	struct file *file = file_of(folio);
	unsigned long i;

	for (i = 0; i < (1UL << folio_order(folio)); i++) {
		if (file->mapping.pages[folio->index + i] != folio)
			shim_die("the page cache has another folio");
		WRITE_ONCE(file->mapping.pages[folio->index + i], NULL);
	}
	WRITE_ONCE(folio->mapping, NULL);
}

struct folio *page_find(struct file *file, unsigned long index)
{
	struct folio *folio;

	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return NULL;
	folio = file->mapping.pages[index];
	if (folio && !folio_try_get(folio))
		folio = NULL;
	shim_unlock_irq(&file->mapping.i_pages);
	return folio;
}

struct folio *page_find_any(struct file **file)
{
	struct folio *folio = NULL;
	unsigned int tries;

	*file = &world.files[pick(FILES)];
	for (tries = 0; !folio && tries < 4; tries++)
		folio = page_find(*file, pick((*file)->pages));
	return folio;
}

static bool range_is_free(struct file *file, unsigned long index,
			  unsigned long nr)
{
	while (nr--)
		if (file->mapping.pages[index + nr])
			return false;
	return true;
}

/* A locked new folio is in the page cache. False: somebody else's is. */
static bool enter(struct file *file, struct folio *folio, unsigned long index)
{
	long nr = folio_nr_pages(folio);
	bool ok;

	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	ok = range_is_free(file, index, nr);
	if (ok) {
		atomic_add(nr, &folio->_refcount);
		page_insert(file, folio, index);
		page_cached(folio, nr);
	}
	shim_unlock_irq(&file->mapping.i_pages);
	return ok;
}

bool page_add(struct file *file, unsigned long index, unsigned int order,
	      struct mem_cgroup *memcg, bool by_read)
{
	struct folio *folio;
	gfp_t gfp = shim_may_wait() ? GFP_KERNEL : GFP_NOWAIT;

	index &= ~((1UL << order) - 1);
	if (index + (1UL << order) > file->pages)
		return false;
	folio = shim_folio_alloc(order);
	if (!folio)
		return false;
	if (!folio_trylock(folio))
		shim_die("a new folio is locked");
	/* shmem, and hugetlb: no policy governs these. */
	if (shim_chance(10))
		set_bit(shim_chance(512) ? PG_swapbacked : PG_hugetlb,
			&folio->flags);
	if (memcg)
		shim_charge(folio, memcg);
	if (!enter(file, folio, index)) {
		folio_unlock(folio);
		folio_put(folio);
		return false;
	}
	if (shim_chance(100))
		folio_set_workingset(folio);
	cache_ext_folio_added(folio, gfp, by_read);
	if (memcg)
		shim_lru_add(folio);
	folio_unlock(folio);
	folio_put(folio);
	COUNT(added);
	return true;
}

static void access(struct folio *folio)
{
	cache_ext_folio_accessed(folio);
	if (folio_test_referenced(folio))
		shim_activate(folio);
	folio_set_referenced(folio);
	COUNT(accessed);
}

/* read(2), and what readahead brings. */
void page_read(void)
{
	struct file *file = &world.files[pick(FILES)];
	unsigned long index = pick(file->pages);
	struct folio *folio = page_find(file, index);
	struct mem_cgroup *memcg;

	if (folio) {
		access(folio);
		cache_ext_folio_read(&file->mapping, folio,
				     (loff_t)(index + 1) << PAGE_SHIFT);
		folio_put(folio);
		return;
	}
	memcg = cgroup_any();
	page_add(file, index, pick(2) ? 0 : pick(MAX_ORDER + 1), memcg, true);
	if (memcg)
		css_put(&memcg->css);
	if (pick(2) && (folio = page_find(file, index))) {
		access(folio);
		folio_put(folio);
	}
}

void page_write(void)
{
	struct file *file = &world.files[pick(FILES)];
	unsigned long index = pick(file->pages);
	struct mem_cgroup *memcg = cgroup_any();
	struct folio *folio;

	page_add(file, index, 0, memcg, false);
	if (memcg)
		css_put(&memcg->css);
	folio = page_find(file, index);
	if (!folio)
		return;
	folio_set_dirty(folio);
	access(folio);
	folio_put(folio);
}

static void unmap(struct folio *folio)
{
	atomic_set(&folio->_mapcount, 0);
	if (folio_test_clear_young(folio))
		access(folio);
}

bool page_remove(struct file *file, struct folio *folio)
{
	long nr = folio_nr_pages(folio);

	if (!folio_trylock(folio))
		return false;
	if (folio->mapping != &file->mapping || folio_test_writeback(folio)) {
		folio_unlock(folio);
		return false;
	}
	nr = folio_nr_pages(folio);
	if (folio_mapped(folio))
		unmap(folio);
	if (!shim_try_lock_irq(&file->mapping.i_pages)) {
		folio_unlock(folio);
		return false;
	}
	shim_hook(true);
	cache_ext_folio_removed(folio, CACHE_EXT_DELETED);
	shim_hook(false);
	page_delete(folio);
	page_cached(folio, -nr);
	shim_unlock_irq(&file->mapping.i_pages);
	folio_clear_dirty(folio);
	folio_unlock(folio);
	folio_put_refs(folio, nr);
	COUNT(removed);
	return true;
}

void page_truncate(void)
{
	struct file *file;
	struct folio *folio = page_find_any(&file);

	if (!folio)
		return;
	page_remove(file, folio);
	folio_put(folio);
}

/* Dirty, under writeback, locked by somebody for long, broken, moved out of reach. */
void page_flags(void)
{
	struct file *file;
	struct folio *folio = page_find_any(&file);
	static const u8 flags[] = { PG_dirty, PG_writeback, PG_referenced,
				    PG_workingset, PG_poison,
				    PG_code };
	unsigned int flag = flags[pick(ARRAY_SIZE(flags))];

	if (!folio)
		return;
	if (test_bit(flag, &folio->flags) || pick(4))
		clear_bit(flag, &folio->flags);
	else
		set_bit(flag, &folio->flags);
	folio_put(folio);
}

/* A fault, fault-around, a use through the mapping, munmap. */
void page_map(void)
{
	struct file *file;
	struct folio *folio = page_find_any(&file);

	if (!folio)
		return;
	if (!folio_trylock(folio))
		goto out;
	if (folio->mapping != &file->mapping)
		goto unlock;
	if (folio_mapped(folio)) {
		folio_set_young(folio);
		if (pick(2))
			unmap(folio);
	} else if (pick(2)) {
		cache_ext_folio_mapped(folio);
		atomic_set(&folio->_mapcount, 1);
	} else if (cache_ext_may_map(folio)) {
		atomic_set(&folio->_mapcount, 1);
	}
unlock:
	folio_unlock(folio);
out:
	folio_put(folio);
}

/* All of it, at the end. */
bool page_remove_all(void)
{
	struct folio *folio;
	unsigned int i, n;
	bool all = true;

	for (i = 0; i < FILES; i++) {
		for (n = 0; n < world.files[i].pages; n++) {
			folio = page_find(&world.files[i], n);
			if (!folio)
				continue;
			folio_clear_writeback(folio);
			all &= page_remove(&world.files[i], folio);
			folio_put(folio);
		}
	}
	return all;
}
