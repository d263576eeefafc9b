// SPDX-License-Identifier: GPL-2.0
/* Folios and their nodes: found, adopted, disowned, split, without memory. */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

/* A folio leads to its node, its neighbour to none. */
void alone_in_the_index(void)
{
	struct folio *folio;

	attach(first, group);
	folio = cached_folio(0x1000, group);
	rcu_read_lock();
	if (!cache_ext_node_find(folio))
		shim_die("the node of a folio is not found");
	if (cache_ext_node_find(folio + 1))
		shim_die("a folio leads to the node of another");
	rcu_read_unlock();
	drop(folio);
	detach(first);
}

static bool adopted;

static void removed_slowly(struct folio *folio __maybe_unused,
			   struct mem_cgroup *memcg __maybe_unused,
			   u32 reason __maybe_unused)
{
	/* What the other CPU does while this program runs. */
	adopted = shim_run_worker();
}

/*
 * A nearer policy adopts a folio while another CPU, which has seen that it is the
 * nearer one's, has the far one forget it: WARN_ON_ONCE(), as if a hook was
 * missing.
 */
void adopted_while_disowned(void)
{
	struct mem_cgroup *child;
	struct folio *folio;

	first->ops.folio_removed = removed_slowly;
	attach(first, group);
	child = shim_memcg_create(group, 3);
	cache_ext_memcg_online(child);
	shim_settle();
	folio = cached_folio(0x1000, child);
	lru_add_drain_all();
	attach(second, child);
	cache_ext_folio_accessed(folio);
	if (!adopted)
		shim_die("the adoption was not at the same time");
	shim_settle();
	drop(folio);
	detach(second);
	detach(first);
	shim_settle();
	go(child);
}

static u32 far_away(unsigned int n)
{
	return 0x1000 + (n << 12) + 65 * n;
}

/* Memory is short when a folio comes, a little later each time. */
void short_of_memory(void)
{
	unsigned int i;

	attach(first, group);
	for (i = 0; i < 16; i++) {
		calm = i;
		shim_failures = 1;
		cached_folio(far_away(i), group);
		shim_failures = 0;
		calm = -1;
	}
	detach(first);
	for (i = 0; i < 16; i++)
		drop(&pfn_to_page(far_away(i))->folio);
}

/* Two folios that were one; of the second the policy knows nothing. */
static struct folio *part;

static void disown_part(void)
{
	struct cache_ext_node *node;

	rcu_read_lock();
	node = cache_ext_node_find(part);
	if (node)
		cache_ext_disown(node, part);
	rcu_read_unlock();
	if (!node)
		meanwhile = disown_part;
}

/*
 * A nearer policy takes a part of a folio while the far one adopts it: what was
 * forgotten was linked.
 */
void split_part_disowned(void)
{
	struct folio *folio;

	part = cached_folio(0x1001, group);
	attach(first, group);
	folio = cached_folio(0x1000, group);
	in_gap(disown_part);
	cache_ext_folio_split(folio, 1, 0);
	if (meanwhile)
		shim_die("nobody came between");
	in_gap(NULL);
	if (group->cache_ext->lists.list[0].nr_folios != 1)
		shim_die("a part that was disowned is on a list");
	detach(first);
	drop(folio);
	drop(part);
}
