// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/prefetch_ext/stat: a line for each policy. Counters are for each CPU: the
 * numbers of a line are not of one instant. For root only, as those of cache_ext.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "prefetch_ext.h"
#include "counter_names.h"

/* Links that may be made while one counts them. What goes beyond is told the next time. */
#define PREFETCH_EXT_STAT_MORE	64

static void show_counters(struct seq_file *m, struct prefetch_ext_policy *p)
{
	struct prefetch_ext_stats sum = {}, *of_cpu;
	int item, cpu;

	for_each_possible_cpu(cpu) {
		of_cpu = per_cpu_ptr(p->stats, cpu);
		for (item = 0; item < PES_NR; item++)
			sum.nr[item] += READ_ONCE(of_cpu->nr[item]);
		for (item = 0; item < PREFETCH_EXT_BUCKETS; item++)
			sum.latency[item] += READ_ONCE(of_cpu->latency[item]);
	}
	for (item = 0; item < PES_NR; item++)
		seq_printf(m, " %s=%llu", prefetch_ext_counter_names[item],
			   sum.nr[item]);
	for (item = 0; item < PREFETCH_EXT_BUCKETS; item++)
		seq_printf(m, "%s%llu", item ? "," : " latency=",
			   sum.latency[item]);
}

static unsigned long memory_of(struct prefetch_ext_policy *p)
{
	return sizeof(*p) + num_possible_cpus() * sizeof(*p->stats) +
	       prefetch_ext_marks_memory(p);
}

/* A policy with a reference, and what is told of it as of the moment it was taken. */
struct line {
	struct prefetch_ext_policy *policy;
	const char *state;
	char until_then[16];	/* as in cache_ext's */
	bool exited;
};

static void show_policy(struct seq_file *m, const struct line *line)
{
	struct prefetch_ext_policy *p = line->policy;

	seq_printf(m, "cgroup=%llu name=%s state=%s", p->life.cgroup_id,
		   p->life.name, line->state);
	if (line->until_then[0])
		seq_printf(m, " until_then=%s", line->until_then);
	if (line->exited)
		cache_ext_exit_show(m, &p->life.exit);
	show_counters(m, p);
	seq_printf(m, " waiting=%d memory=%lu\n",
		   atomic_read(&p->late.nr) + atomic_read(&p->again.nr),
		   memory_of(p));
}

/* Caller: prefetch_ext_mutex. */
static struct line line_of(struct prefetch_ext_policy *p)
{
	bool barked = p->life.exit.kind == CACHE_EXT_EXIT_WATCHDOG;
	struct line line = {
		.policy = p,
		.state = p->dead ? (barked ? "overruled" : "detached") :
			 p->published ? "attached" : "init",
		.exited = p->dead,
	};

	if (p->initializing && p->old && !p->old->dead)
		strscpy(line.until_then, p->old->life.name,
			sizeof(line.until_then));
	return line;
}

/* How many policies have a link. Caller: prefetch_ext_mutex. */
static unsigned int count_linked(void)
{
	struct prefetch_ext_policy *p;
	unsigned int nr = 0;

	list_for_each_entry(p, &prefetch_ext_policies, life.all)
		nr += p->life.linked;
	return nr;
}

/*
 * Who is attached is told of one instant, counters are not: whoever makes or removes a
 * cgroup waits for the mutex. Links of policies that have ended may be more than policies
 * may be attached.
 */
static int stat_show(struct seq_file *m, void *v)
{
	struct prefetch_ext_policy *p;
	unsigned int i, nr = 0, most;
	struct line *lines;

	mutex_lock(&prefetch_ext_mutex);
	most = count_linked() + PREFETCH_EXT_STAT_MORE;
	mutex_unlock(&prefetch_ext_mutex);
	lines = kvcalloc(most, sizeof(*lines), GFP_KERNEL);
	if (!lines)
		return -ENOMEM;
	mutex_lock(&prefetch_ext_mutex);
	list_for_each_entry(p, &prefetch_ext_policies, life.all) {
		if (!p->life.linked || nr == most)
			continue;
		prefetch_ext_keep(p);
		lines[nr++] = line_of(p);
	}
	cache_ext_ended_show(m, &prefetch_ext_lives.ended);
	mutex_unlock(&prefetch_ext_mutex);
	for (i = 0; i < nr; i++) {
		show_policy(m, &lines[i]);
		cond_resched();
		prefetch_ext_forget(lines[i].policy);
	}
	kvfree(lines);
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
