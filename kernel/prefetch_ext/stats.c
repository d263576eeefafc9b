// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/prefetch_ext/stat: a line for each policy. Counters are for each CPU: the
 * numbers of a line are not of one instant. For root only, as those of cache_ext.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include "prefetch_ext.h"
#include "counter_names.h"

static void show_counters(struct seq_file *m, struct prefetch_ext_policy *p)
{
	u64 sum;
	int item, cpu;

	for (item = 0; item < PES_NR; item++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(p->stats, cpu)->nr[item]);
		seq_printf(m, " %s=%llu", prefetch_ext_counter_names[item], sum);
	}
	for (item = 0; item < PREFETCH_EXT_BUCKETS; item++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(p->stats,
						     cpu)->latency[item]);
		seq_printf(m, "%s%llu", item ? "," : " latency=", sum);
	}
}

static unsigned long memory_of(struct prefetch_ext_policy *p)
{
	return sizeof(*p) + num_possible_cpus() * sizeof(*p->stats) +
	       prefetch_ext_marks_memory(p);
}

static const char *state_of(struct prefetch_ext_policy *p)
{
	if (p->dead)
		return p->life.exit.kind == CACHE_EXT_EXIT_WATCHDOG ? "overruled" :
								 "detached";
	return p->published ? "attached" : "init";
}

static int stat_show(struct seq_file *m, void *v)
{
	struct prefetch_ext_policy *p;

	mutex_lock(&prefetch_ext_mutex);
	list_for_each_entry(p, &prefetch_ext_policies, life.all) {
		if (!p->life.linked)
			continue;
		seq_printf(m, "cgroup=%llu name=%s state=%s",
			   p->life.cgroup_id, p->life.name, state_of(p));
		cache_ext_exit_show(m, &p->life.exit);
		show_counters(m, p);
		seq_printf(m, " waiting=%d memory=%lu\n",
			   atomic_read(&p->late.nr) + atomic_read(&p->again.nr),
			   memory_of(p));
	}
	cache_ext_ended_show(m, &prefetch_ext_lives.ended);
	mutex_unlock(&prefetch_ext_mutex);
	return 0;
}

/* Without the file policies work as well, so its want is no error. */
void __init prefetch_ext_stats_init(void)
{
	struct proc_dir_entry *dir = proc_mkdir("prefetch_ext", NULL);

	if (dir)
		proc_create_single("stat", 0400, dir, stat_show);
}

/* Waits for readers. */
void prefetch_ext_stats_exit(void)
{
	remove_proc_subtree("prefetch_ext", NULL);
}
