// SPDX-License-Identifier: GPL-2.0
/* /proc/prefetch_ext/stat: a line for each policy. */
#include <linux/seq_file.h>
#include "prefetch_ext.h"
#include "counter_names.h"

static void show_counters(struct seq_file *m, struct prefetch_ext_policy *p)
{
	u64 sum[PES_NR], latency[PREFETCH_EXT_BUCKETS];
	int i;

	policy_ext_stat_sum(p->stats->nr, sum, PES_NR);
	policy_ext_stat_sum(p->stats->latency, latency, PREFETCH_EXT_BUCKETS);
	policy_ext_stat_counters(m, prefetch_ext_counter_names, sum, PES_NR);
	for (i = 0; i < PREFETCH_EXT_BUCKETS; i++)
		seq_printf(m, "%s%llu", i ? "," : " latency=", latency[i]);
}

static unsigned long memory_of(struct prefetch_ext_policy *p)
{
	return sizeof(*p) + num_possible_cpus() * sizeof(*p->stats) +
	       prefetch_ext_marks_memory(p);
}

static void look(struct policy_ext_line *line)
{
	struct policy_ext_life *l = line->life;
	bool barked = READ_ONCE(l->exit.kind) == POLICY_EXT_EXIT_WATCHDOG;

	line->state = l->dead ? (barked ? "overruled" : "detached") :
		      l->published ? "attached" : "init";
	line->exited = l->dead;
}

static void show(struct seq_file *m, struct policy_ext_life *l)
{
	struct prefetch_ext_policy *p = prefetch_ext_policy_of_life(l);

	show_counters(m, p);
	seq_printf(m, " waiting=%d memory=%lu",
		   atomic_read(&p->late.nr) + atomic_read(&p->again.nr),
		   memory_of(p));
}

static int stat_show(struct seq_file *m, void *v)
{
	return policy_ext_stat_show(m, &prefetch_ext_type, look, show);
}

void __init prefetch_ext_stats_init(void)
{
	policy_ext_stat_init("prefetch_ext", stat_show);
}

void prefetch_ext_stats_exit(void)
{
	policy_ext_stat_exit("prefetch_ext");
}
