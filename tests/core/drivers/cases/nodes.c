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

#define CHAIN_NODES	((1U << 16) / 4 * 3)	/* just before the table of so many grows */
#define ELASTICITY	16	/* of lib/rhashtable.c: a longer chain is an insert's slow path */

/* Of folios of 1 << @order pages, in runs of @run pages, each @apart from the last. */
static void chains_of(unsigned int order, u32 run, u32 apart, u32 seed)
{
	static u8 chain[1 << 16];
	unsigned int n, longest = 0;
	unsigned long compared = 0;
	u32 pages, pfn, bucket;

	memset(chain, 0, sizeof(chain));
	for (n = 0; n < CHAIN_NODES; n++) {
		pages = n << order;
		pfn = 0x20000 + pages / run * apart + pages % run;
		bucket = index_params.hashfn(&pfn, sizeof(pfn), seed) %
			 ARRAY_SIZE(chain);
		longest = max(longest, ++chain[bucket]);
		/* Each is found once: those before it are compared, too. */
		compared += chain[bucket];
	}
	/* Of a random hash: 1 + 0.75 / 2, and about 8. */
	if (compared * 100 > CHAIN_NODES * 145UL || longest > ELASTICITY)
		shim_die("folios of %u pages, runs of %u: %lu compared for %u found, longest chain %u",
			 1U << order, run, compared, CHAIN_NODES, longest);
}

/*
 * Neighbouring page frames fell into the same buckets: with folios of 4 pages 8 nodes were
 * compared for each that was found, and the longest chains made inserts fail.
 */
void chains_of_the_index(void)
{
	unsigned int order;
	u32 seed;

	if (index_params.key_len != sizeof(u32) || !index_params.hashfn)
		shim_die("the index has other keys");
	for (order = 0; order <= 9; order++) {
		for (seed = 1; seed < 16; seed++) {
			u32 random = seed * 0x9e3779b9U;

			chains_of(order, 1 << 30, 0, random);
			/* Blocks of 2 MiB: each second one, and far apart; of 1 GiB. */
			chains_of(order, 512, 512 * 2, random);
			chains_of(order, 512, 512 * 37, random);
			chains_of(order, 1 << 18, 1 << 20, random);
		}
	}
}
