// SPDX-License-Identifier: GPL-2.0
/*
 * Folios that become others, in the order of steps that mm/migrate.c,
 * mm/filemap.c, mm/huge_memory.c and mm/khugepaged.c have.
 */
#include <linux/cache_ext.h>
#include "world.h"

#define COUNT_MOVING(n)                                                        \
	((void)__atomic_fetch_add(&world.moving, (n), __ATOMIC_RELAXED))

/* Which policies are told that they own the folio: that goes to @new. */
static void shadow_moves(struct folio *old, struct folio *new)
{
	struct cache_ext_node *node;
	struct policy *policy;
	unsigned int i;

	if (!world.shadow)
		return;
	rcu_read_lock();
	node = cache_ext_node_find(new);
	policy = node && cnode_owned(node) ?
		 policy_of_ops(cnode_policy(node)->ops) : NULL;
	for (i = 0; i < POLICIES; i++) {
		/* If memory is short the policy loses it, and is not told. */
		if (world.policies[i].has && world.policies[i].has[frame_of(old)]) {
			world.policies[i].has[frame_of(old)] = 0;
			if (&world.policies[i] == policy)
				policy->has[frame_of(new)] = 1;
		}
	}
	rcu_read_unlock();
}

static void copy_state(struct folio *to, const struct folio *from)
{
	static const u8 flags[] = { PG_active, PG_referenced, PG_dirty,
				    PG_workingset, PG_swapbacked, PG_hugetlb };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (test_bit(flags[i], &from->flags))
			set_bit(flags[i], &to->flags);
}

/* The page cache has @new in place of @old, whose references are @refs. */
static bool take_place(struct folio *old, struct folio *new, int refs)
{
	struct file *file = file_of(old);
	long nr = folio_nr_pages(old);

	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	if (!shim_freeze_refs(old, refs)) {
		shim_unlock_irq(&file->mapping.i_pages);
		return false;
	}
	atomic_add(nr, &new->_refcount);
	page_insert(file, new, old->index);
	shim_unfreeze_refs(old, refs - nr);
	shim_unlock_irq(&file->mapping.i_pages);
	return true;
}

/* Caller: has @old locked and isolated, @refs are its references; @new locked. */
static bool migrate(struct folio *old, struct folio *new, int refs)
{
	struct mem_cgroup *memcg = folio_memcg(old);

	/* On the LRU are only folios with a charge. */
	if (!take_place(old, new, refs))
		return false;
	copy_state(new, old);
	COUNT_MOVING(1);
	cache_ext_folio_replaced(old, new);
	shadow_moves(old, new);
	COUNT_MOVING(-1);
	page_cached(old, -folio_nr_pages(old));
	shim_charge(new, memcg);
	shim_uncharge(old);
	page_cached(new, folio_nr_pages(new));
	WRITE_ONCE(old->mapping, NULL);
	COUNT(migrated);
	return true;
}

static void try_to_migrate(struct file *file, struct folio *old)
{
	struct folio *new;
	/* Those of the page cache, of who looks at it, of who has isolated it. */
	int refs = folio_nr_pages(old) + 2;
	bool done;

	if (old->mapping != &file->mapping || folio_mapped(old) ||
	    folio_test_writeback(old))
		return;
	new = shim_folio_alloc(folio_order(old));
	if (!new)
		return;
	if (!folio_trylock(new))
		shim_die("a new folio is locked");
	if (!folio_isolate_lru(old))
		goto out;
	done = migrate(old, new, refs);
	if (done) {
		shim_lru_add(new);
		folio_put(old);
	} else {
		shim_lru_putback(old);
	}
out:
	folio_unlock(new);
	folio_put(new);
}

void change_migrate(void)
{
	struct file *file;
	struct folio *old = page_find_any(&file);

	if (!old)
		return;
	if (folio_trylock(old)) {
		try_to_migrate(file, old);
		folio_unlock(old);
	}
	folio_put(old);
}

/* Caller: both are locked. */
static void replace(struct folio *old, struct folio *new)
{
	struct file *file = file_of(old);

	if (!folio_memcg(new) && folio_memcg(old))
		shim_charge(new, folio_memcg(old));
	folio_try_get(new);
	new->index = old->index;
	WRITE_ONCE(new->mapping, &file->mapping);
	COUNT_MOVING(1);
	cache_ext_folio_replaced(old, new);
	shadow_moves(old, new);
	COUNT_MOVING(-1);
	while (!shim_try_lock_irq(&file->mapping.i_pages))
		shim_die("nobody can have taken the lock");
	page_cached(old, -1);
	page_insert(file, new, old->index);
	page_cached(new, 1);
	WRITE_ONCE(old->mapping, NULL);
	shim_unlock_irq(&file->mapping.i_pages);
	folio_put(old);
	COUNT(replaced);
}

/*
 * FUSE moves a folio in, out of a pipe: with the charge that it had, if any. What
 * began in a gap does not, since it could not wait for i_pages.
 */
void change_replace(void)
{
	struct file *file;
	struct folio *old, *new;
	struct mem_cgroup *memcg;

	if (!shim_may_wait())
		return;
	old = page_find_any(&file);
	if (!old)
		return;
	new = shim_folio_alloc(0);
	if (!new)
		goto put;
	memcg = pick(2) ? cgroup_any() : NULL;
	if (memcg) {
		shim_charge(new, memcg);
		css_put(&memcg->css);
	}
	if (!folio_trylock(new))
		shim_die("a new folio is locked");
	if (folio_trylock(old)) {
		if (old->mapping == &file->mapping && !folio_order(old) &&
		    !folio_mapped(old) && !folio_test_writeback(old)) {
			replace(old, new);
			if (folio_memcg(new))
				shim_lru_add(new);
		}
		folio_unlock(old);
	}
	folio_unlock(new);
	folio_put(new);
put:
	folio_put(old);
}

/* A part of @folio: in the page cache, locked, with one reference beside. */
static void make_part(struct folio *folio, struct folio *part,
		      unsigned int order, unsigned long index)
{
	struct mem_cgroup *memcg = folio_memcg(folio);

	__atomic_store_n(&part->flags, BIT(PG_locked), __ATOMIC_RELEASE);
	copy_state(part, folio);
	shim_set_order(part, order);
	if (memcg) {
		css_get(&memcg->css);
		smp_store_release(&part->memcg_data, (unsigned long)memcg);
	}
	page_insert(file_of(folio), part, index);
	__atomic_store_n(&part->_refcount.counter, 1 + (1 << order),
			 __ATOMIC_RELEASE);
}

/* The core has been told of the parts. */
static void shadow_splits(struct folio *folio, unsigned int old_order,
			  unsigned int order)
{
	struct cache_ext_node *node;
	struct policy *policy;
	unsigned int i;

	if (!world.shadow)
		return;
	rcu_read_lock();
	for (i = 1U << order; i < 1U << old_order; i += 1U << order) {
		node = cache_ext_node_find(folio + i);
		policy = node && cnode_owned(node) ?
			 policy_of_ops(cnode_policy(node)->ops) : NULL;
		if (policy && policy->has)
			policy->has[frame_of(folio) + i] = 1;
	}
	rcu_read_unlock();
}

/* One beyond the end of the file leaves the page cache at once. */
static void cut_off(struct folio *part)
{
	long nr = folio_nr_pages(part);

	cache_ext_folio_removed(part, CACHE_EXT_DELETED);
	page_delete(part);
	page_cached(part, -nr);
	atomic_add(-nr, &part->_refcount);
}

static void release_part(struct folio *part, struct list_head *isolated)
{
	folio_unlock(part);
	if (isolated && READ_ONCE(part->mapping)) {
		list_add_tail(&part->lru, isolated);
		return;
	}
	if (folio_memcg(part))
		shim_lru_add(part);
	folio_put(part);
}

bool change_split_folio(struct folio *folio, unsigned int order, int extra,
			struct list_head *isolated)
{
	unsigned int old_order = folio_order(folio), i, nr = 1U << order;
	struct file *file = file_of(folio);
	bool cut = shim_chance(200);

	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	if (!shim_freeze_refs(folio, extra + (1 << old_order))) {
		shim_unlock_irq(&file->mapping.i_pages);
		return false;
	}
	shim_lru_shrink(folio, order);
	for (i = (1U << old_order) - nr; i >= nr; i -= nr) {
		make_part(folio, folio + i, order, folio->index + i);
		if (cut)
			cut_off(folio + i);
		cut &= !!pick(2);
	}
	COUNT_MOVING(1);
	shim_hook(true);
	cache_ext_folio_split(folio, old_order, order);
	shadow_splits(folio, old_order, order);
	shim_hook(false);
	COUNT_MOVING(-1);
	shim_unfreeze_refs(folio, extra + nr);
	shim_unlock_irq(&file->mapping.i_pages);
	for (i = nr; i < 1U << old_order; i += nr)
		release_part(folio + i, isolated);
	COUNT(split);
	return true;
}

void change_split(void)
{
	struct file *file;
	struct folio *folio = page_find_any(&file);

	if (!folio)
		return;
	if (folio_trylock(folio)) {
		if (folio->mapping == &file->mapping && folio_order(folio) &&
		    !folio_mapped(folio) && !folio_test_writeback(folio))
			change_split_folio(folio, pick(folio_order(folio)), 1,
					   NULL);
		folio_unlock(folio);
	}
	folio_put(folio);
}

#define COLLAPSED 4	/* folios of one page become one of four */

/* Caller: has all of them locked and referenced. */
static bool collapse(struct file *file, struct folio **old, struct folio *new)
{
	unsigned long index = old[0]->index;
	struct mem_cgroup *memcg = folio_memcg(old[0]);
	unsigned int i, frozen;

	if (memcg)
		shim_charge(new, memcg);
	if (!shim_try_lock_irq(&file->mapping.i_pages))
		return false;
	for (frozen = 0; frozen < COLLAPSED; frozen++)
		if (!shim_freeze_refs(old[frozen], 2))
			break;
	for (i = 0; i < frozen; i++)
		shim_unfreeze_refs(old[i], 2);
	if (frozen == COLLAPSED) {
		page_insert(file, new, index);
		atomic_add(COLLAPSED, &new->_refcount);
	}
	shim_unlock_irq(&file->mapping.i_pages);
	return frozen == COLLAPSED;
}

static void retire_small(struct folio *old)
{
	cache_ext_folio_removed(old, CACHE_EXT_DELETED);
	page_cached(old, -1);
	WRITE_ONCE(old->mapping, NULL);
	folio_clear_dirty(old);
	folio_put(old);
}

static void try_to_collapse(struct file *file, struct folio **old)
{
	struct folio *new = shim_folio_alloc(2);
	unsigned int i;

	if (!new)
		return;
	if (!folio_trylock(new))
		shim_die("a new folio is locked");
	if (collapse(file, old, new)) {
		page_cached(new, COLLAPSED);
		cache_ext_folio_added(new, shim_may_wait() ? GFP_KERNEL :
							     GFP_NOWAIT, false);
		for (i = 0; i < COLLAPSED; i++)
			retire_small(old[i]);
		if (folio_memcg(new))
			shim_lru_add(new);
		COUNT(collapsed);
	}
	folio_unlock(new);
	folio_put(new);
}

void change_collapse(void)
{
	struct file *file = &world.files[pick(FILES)];
	unsigned long start = pick(file->pages) & ~(COLLAPSED - 1UL);
	struct folio *old[COLLAPSED];
	unsigned int i, nr;

	if (start + COLLAPSED > file->pages)
		return;
	for (nr = 0; nr < COLLAPSED; nr++) {
		old[nr] = page_find(file, start + nr);
		if (!old[nr])
			break;
		if (!folio_trylock(old[nr])) {
			folio_put(old[nr]);
			break;
		}
		if (old[nr]->mapping != &file->mapping ||
		    folio_order(old[nr]) || folio_mapped(old[nr]) ||
		    folio_test_writeback(old[nr])) {
			folio_unlock(old[nr]);
			folio_put(old[nr]);
			break;
		}
	}
	if (nr == COLLAPSED)
		try_to_collapse(file, old);
	for (i = 0; i < nr; i++) {
		folio_unlock(old[i]);
		folio_put(old[i]);
	}
}
