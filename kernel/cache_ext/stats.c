// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/cache_ext/stat: a line for each policy. Counters are for each CPU, and sizes are read
 * without the policy's lock.
 */
#include <linux/seq_file.h>
#include "cache_ext.h"
#include "counter_names.h"
#include "glue.h"

static void show_counters(struct seq_file *m, struct cache_ext_policy *p)
{
	u64 sum[CES_NR];

	policy_ext_stat_sum(p->stats->nr, sum, CES_NR);
	policy_ext_stat_counters(m, cache_ext_counter_names, sum, CES_NR);
	/* The first access since a folio was read is a miss. */
	seq_printf(m, " hits=%llu",
		   sum[CES_ACCESSED] - min(sum[CES_MISSES], sum[CES_ACCESSED]));
}

/* The worker that runs its init makes them. */
static unsigned int lists_of(struct cache_ext_policy *p)
{
	/* with cache_ext_lists_init(): the lists are there */
	return smp_load_acquire(&p->lists.nr);
}

/*
 * Bytes that this policy takes: its nodes with what they are charged for the index, which
 * all policies share.
 */
static unsigned long memory_of(struct cache_ext_policy *p)
{
	unsigned long nodes = READ_ONCE(p->nr_refused);
	unsigned int i, nr = lists_of(p);

	for (i = 0; i < nr; i++)
		nodes += READ_ONCE(p->lists.list[i].nr_folios);
	return sizeof(*p) + nr * sizeof(p->lists.list[0]) +
	       (p->pin_pages ? CACHE_EXT_PIN_SLOTS *
				     sizeof(*p->lists.pin_slots) : 0) +
	       num_possible_cpus() * (sizeof(*p->stats) +
				      sizeof(*p->lists.batches)) +
	       nodes * p->kind.charge;
}

static void show_sizes(struct seq_file *m, struct cache_ext_policy *p)
{
	unsigned long nr, listed = 0;
	unsigned int i, lists = lists_of(p);

	seq_printf(m, " owned=%lu pinned=%lu pin_limit=%lu lists=",
		   READ_ONCE(p->lists.owned), READ_ONCE(p->lists.pinned),
		   p->pin_pages ? cache_ext_pin_limit(p) : 0);
	for (i = 0; i < lists; i++) {
		nr = READ_ONCE(p->lists.list[i].nr_pages);
		listed += nr;
		if (i < CACHE_EXT_STAT_LISTS)
			seq_printf(m, "%s%lu", i ? "," : "", nr);
	}
	if (!lists)
		seq_putc(m, '0');
	seq_printf(m, " nr_lists=%u listed=%lu capacity=%llu untracked=%lu",
		   lists, listed,
		   cache_ext_capacity(p->life.memcg, READ_ONCE(p->lists.owned)),
		   READ_ONCE(p->untracked));
	seq_printf(m, " refaults=%lu memory=%lu shared=%zu",
		   cache_ext_refaults(p->life.memcg) - READ_ONCE(p->refaults),
		   memory_of(p), cache_ext_index_bytes());
}

static void look(struct policy_ext_line *line)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(line->life);
	const char *why = cache_ext_watchdog_reason(p);

	line->why = why;
	line->state = why ? "overruled" :
		      p->life.dead ? "detached" :
		      !p->life.published ? "init" :
		      READ_ONCE(p->adopting) ? "adopting" : "attached";
	line->exited = why || p->life.dead;
}

static void show(struct seq_file *m, struct policy_ext_life *l)
{
	struct cache_ext_policy *p = cache_ext_policy_of_life(l);

	show_counters(m, p);
	show_sizes(m, p);
}

static int stat_show(struct seq_file *m, void *v)
{
	return policy_ext_stat_show(m, &cache_ext_type, look, show);
}

void __init cache_ext_stats_init(void)
{
	policy_ext_stat_init("cache_ext", stat_show);
}

void cache_ext_stats_exit(void)
{
	policy_ext_stat_exit("cache_ext");
}
