// SPDX-License-Identifier: GPL-2.0
/* Folios that migrate, while other CPUs look for them, without a lock, or forget them. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

/* What migrates, and its node. */
static struct folio *from, *to;
static struct cache_ext_node *moving;
/* Neighbours of both, and their nodes: of the same policy, and of another cgroup's. */
static struct folio *beside[4];
static struct cache_ext_node *beside_node[4];
static unsigned int nr_beside;
/* So many times another CPU came by; at this one it does what it does. */
static unsigned int steps, at;
/* Allocations after which there is no memory left; below 0: there is. */
static int memory = -1;

/* Which folio leads to the node that moves? The old one is looked at first. */
static struct folio *leads_to_moving(void)
{
	if (cache_ext_node_find(from) == moving)
		return from;
	return cache_ext_node_find(to) == moving ? to : NULL;
}

/* No neighbour is missed, whichever step the other CPU is at. */
static void look(void)
{
	unsigned int i;

	steps++;
	rcu_read_lock();
	for (i = 0; i < nr_beside; i++)
		if (cache_ext_node_find(beside[i]) != beside_node[i])
			shim_die("the node of a neighbour is not found");
	rcu_read_unlock();
}

/* Neither the core nor the index holds a lock that the other CPU needs. */
static bool locks_are_free(struct cache_ext_policy *p)
{
	return !shim_is_held(&p->lists.lock) &&
	       !shim_is_held(&cache_ext_index.lock);
}

static struct folio *found_by;
static unsigned int lost;

/*
 * Another CPU finds the node at one step, and forgets it as soon as the locks let
 * it, as a nearer policy does that adopts the folio.
 */
static void forget(void)
{
	look();
	rcu_read_lock();
	if (steps == at)
		found_by = leads_to_moving();
	if (found_by && cnode_state(moving) != NODE_DYING &&
	    locks_are_free(group->cache_ext))
		cache_ext_disown(moving, found_by);
	rcu_read_unlock();
}

static struct mem_cgroup *other;
static unsigned int freed, between;

/*
 * The last two neighbours, which are another policy's, go from one step on, also while
 * this one's lock is held: the index shrinks under the migration.
 */
static void free_neighbours(void)
{
	look();
	if (steps < at || freed == 2 || nr_beside < 2 ||
	    !locks_are_free(other->cache_ext))
		return;
	drop(beside[--nr_beside]);
	freed++;
	between += shim_is_held(&group->cache_ext->lists.lock);
}

/* As mm/migrate.c does it: the core hears of it when the page cache has the new one. */
static void migrate(void (*other_cpu)(void))
{
	struct file *file = file_of(from);

	if (!folio_trylock(from) || !folio_trylock(to) ||
	    !folio_isolate_lru(from))
		shim_die("a folio does not migrate");
	page_insert(file, to, from->index);
	rcu_read_lock();
	moving = cache_ext_node_find(from);
	steps = 0;
	shim_failures = memory >= 0;
	calm = memory;
	shim_passer_by = other_cpu;
	cache_ext_folio_replaced(from, to);
	shim_passer_by = NULL;
	calm = -1;
	shim_failures = 0;
	rcu_read_unlock();
	page_cached(from, -1);
	shim_charge(to, folio_memcg(from));
	shim_uncharge(from);
	page_cached(to, 1);
	WRITE_ONCE(from->mapping, NULL);
	shim_lru_add(to);
	folio_unlock(to);
	folio_unlock(from);
	folio_put_refs(from, 2);
}

static unsigned int nr_listed(void)
{
	struct cache_ext_lists *ls = &group->cache_ext->lists;

	if (ls->owned != ls->list[0].nr_folios)
		shim_die("what is owned is not what is listed");
	return ls->list[0].nr_folios;
}

static void neighbour(u32 pfn, struct mem_cgroup *memcg)
{
	struct folio *folio = cached_folio(pfn, memcg);

	rcu_read_lock();
	beside[nr_beside] = folio;
	beside_node[nr_beside++] = cache_ext_node_find(folio);
	rcu_read_unlock();
}

/* @alone: they have no neighbours. */
static void move(u32 pfn, u32 new_pfn, bool alone, void (*other_cpu)(void))
{
	struct cache_ext_node *node;
	unsigned int before;
	bool kept;

	nr_beside = 0;
	found_by = NULL;
	freed = 0;
	if (!alone)
		neighbour(pfn + 2, group);
	from = cached_folio(pfn, group);
	if (!alone) {
		neighbour(new_pfn + 5, group);
		neighbour(new_pfn + 6, other);
		neighbour(pfn + 3, other);
	}
	to = shim_folio_alloc_at(new_pfn);
	lru_add_drain_all();
	before = nr_listed();
	migrate(other_cpu);

	rcu_read_lock();
	if (cache_ext_node_find(from))
		shim_die("a folio that has migrated has a node");
	node = cache_ext_node_find(to);
	if (node && (node != moving || cnode_folio(node) != to))
		shim_die("a folio has the node of another");
	kept = node;
	rcu_read_unlock();
	if (nr_listed() != before - !kept)
		shim_die("a node is listed that is not found, or found and not listed");
	/* Between its neighbours, where it was. */
	if (kept && !alone && node->link.prev != &beside_node[0]->link)
		shim_die("a folio that migrates loses its place");
	if (!kept && !found_by && memory < 0)
		shim_die("a migration loses the node");
	lost += !kept;
	drop(to);
	while (nr_beside)
		drop(beside[--nr_beside]);
	if (nr_listed())
		shim_die("a node of a folio that was freed is listed");
}

static const struct {
	u32 from, to;
} moves[] = {
	{ 0x1001, 0x1006 },
	{ 0x1001, 0x1081 },
	{ 0x2000, 0x3000 },
	{ 0x2fc0, 0x2000 },
	{ 0x4041, 0x5041 },
};

/* Each move, with what another CPU does at each step. */
static void all_moves(void (*other_cpu)(void))
{
	unsigned int i, alone;

	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		for (alone = 0; alone < 2; alone++) {
			at = 0;
			do {
				at++;
				move(moves[i].from, moves[i].to, alone,
				     other_cpu);
			} while (at < steps);
		}
	}
}

/* No memory for the index, a little later each time: the policy loses the folio. */
static void moves_without_memory(void)
{
	unsigned int i;

	lost = 0;
	for (i = 0; i < ARRAY_SIZE(moves); i++)
		for (memory = 0; memory < 4; memory++)
			move(moves[i].from, moves[i].to, true, look);
	memory = -1;
	if (!lost)
		shim_die("memory was never short");
}

/*
 * Migration takes the node out of a chain of the index and puts it into another. A
 * look-up that stands on it must not miss a node behind it, or a folio is freed whose
 * node stays listed: the kernel's rhashtable sees to it that it does not.
 */
void looked_up_while_migrated(void)
{
	other = shim_memcg_create(parent_mem_cgroup(group), 3);
	attach(first, group);
	attach(second, other);
	shim_settle();
	all_moves(look);
	all_moves(forget);
	all_moves(free_neighbours);
	if (!between)
		shim_die("nobody came between the steps of a migration");
	moves_without_memory();
	detach(second);
	detach(first);
	shim_settle();
	go(other);
}

/* Another CPU, which has no memory, migrates what a request has just proposed. */
static void migrate_proposed(void)
{
	memory = 0;
	migrate(NULL);
	memory = -1;
}

static void evict_what_migrates(struct cache_ext_evict_ctx *ctx,
				struct mem_cgroup *memcg)
{
	evict_oldest(ctx, memcg);
	if (!moving)
		shim_passer_by = migrate_proposed;
}

/* The request finds a node that is dying, and whose folio is not its own any more. */
void migrates_while_proposed(void)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);

	first->ops.evict_folios = evict_what_migrates;
	attach(first, group);
	shim_settle();
	from = cached_folio(0x1001, group);
	to = shim_folio_alloc_at(0x2002);
	lru_add_drain_all();
	cache_ext_shrink(&s);
	rcu_read_lock();
	if (!moving || cache_ext_node_find(to))
		shim_die("the folio did not migrate, or memory was not short");
	rcu_read_unlock();
	if (nr_listed() || counted(CES_REFUSED_OTHER) + counted(CES_REFUSED_BUSY))
		shim_die("what is gone is listed, or counts as refused");
	drop(to);
	detach(first);
	shim_settle();
}
