// SPDX-License-Identifier: GPL-2.0
/* What the core made of the events, on standard output. */
#include <linux/percpu.h>
#include <stdio.h>
#include "../../../kernel/cache_ext/batch.h"
#include "../../../kernel/cache_ext/hint.h"
#include "../world/kfuncs.h"
#include "../world/world.h"
#include "agree.h"

void agree_show_name(struct folio *folio)
{
	printf(" %ld:%lu", file_of(folio) - world.files - AGREE_OTHERS,
	       folio->index);
}

/* What the event made of the folio, of states and sizes. @folio: or NULL. */
void agree_show_event(struct mem_cgroup *memcg, struct folio *folio)
{
	s32 list;

	/* What its own programs see. */
	rcu_read_lock();
	hint_begin(&memcg->cache_ext->self);
	list = folio ? bpf_cache_ext_folio_list(folio) : -1;
	printf("size %llu states", bpf_cache_ext_size(memcg));
	agree_show_states();
	printf(" list %d", list + 1 > 0 ? list + 1 : 0);
	if (list >= 0)
		agree_show_record(folio);
	hint_end();
	rcu_read_unlock();
	printf("\n");
}

/* All that is promised to have happened is seen. */
void agree_show_lists(struct mem_cgroup *memcg)
{
	struct cache_ext_lists *lists = &memcg->cache_ext->lists;
	struct cache_ext_node *node;
	unsigned int n;

	cache_ext_batch_flush_all(lists);
	/* What its own programs see. */
	rcu_read_lock();
	hint_begin(&memcg->cache_ext->self);
	for (n = 0; n < lists->nr; n++) {
		if (list_empty(&lists->list[n].nodes))
			continue;
		printf("list %u:", n + 1);
		list_for_each_entry(node, &lists->list[n].nodes, link) {
			agree_show_name(cnode_folio(node));
			agree_show_record(cnode_folio(node));
		}
		printf("\n");
	}
	hint_end();
	rcu_read_unlock();
}

static u64 sum(struct mem_cgroup *memcg, enum cache_ext_stat_item item)
{
	u64 nr = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		nr += per_cpu_ptr(memcg->cache_ext->stats, cpu)->nr[item];
	return nr;
}

void agree_show_statistics(struct mem_cgroup *memcg)
{
	static const struct {
		const char *name;
		enum cache_ext_stat_item item;
	} shown[] = {
		{ "added", CES_ADDED },
		{ "accessed", CES_ACCESSED },
		{ "misses", CES_MISSES },
		{ "removed", CES_REMOVED },
		{ "wanted", CES_WANTED },
		{ "proposed", CES_PROPOSED },
		{ "evicted", CES_EVICTED },
		{ "refused", CES_REFUSED_DIRTY },
		{ "referenced", CES_REFUSED_REFERENCED },
		{ "admission", CES_REFUSED_ADMISSION },
		{ "fallback", CES_FALLBACK },
	};
	unsigned int n;

	printf("statistics");
	for (n = 0; n < ARRAY_SIZE(shown); n++)
		printf(" %s %llu", shown[n].name, sum(memcg, shown[n].item));
	printf("\n");
}
