// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/cache_ext/stat: a line for each policy. Counters are for each CPU,
 * sizes are read without the policy's lock: the numbers of a line are not of
 * one instant.
 *
 * It is in procfs because hardened kernels have no debugfs. The ids and names
 * of all cgroups' policies are for root only.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/slab.h>
#include "cache_ext.h"
#include "counter_names.h"
#include "glue.h"

static void show_counters(struct seq_file *m, struct cache_ext_policy *p)
{
	u64 sum[CES_NR] = { 0 };
	int item, cpu;

	for_each_possible_cpu(cpu)
		for (item = 0; item < CES_NR; item++)
			sum[item] += READ_ONCE(per_cpu_ptr(p->stats,
							   cpu)->nr[item]);
	for (item = 0; item < CES_NR; item++)
		seq_printf(m, " %s=%llu", cache_ext_counter_names[item], sum[item]);
	/* What is accessed for the first time since it was read is a miss. */
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
		   cache_ext_capacity(p->memcg, READ_ONCE(p->lists.owned)),
		   READ_ONCE(p->untracked));
	seq_printf(m, " refaults=%lu memory=%lu shared=%zu",
		   cache_ext_refaults(p->memcg) - READ_ONCE(p->refaults),
		   memory_of(p), cache_ext_index_bytes());
}

/* A policy with a reference, and what is told of it as of the moment it was taken. */
struct line {
	struct cache_ext_policy *policy;
	const char *state, *why;
	char until_then[16];	/* who governs while its init has still to run, or "" */
	bool exited;
};

static void show_policy(struct seq_file *m, const struct line *line)
{
	struct cache_ext_policy *p = line->policy;

	seq_printf(m, "cgroup=%llu name=%s state=%s",
		   p->life.cgroup_id, p->life.name, line->state);
	if (line->until_then[0])
		seq_printf(m, " until_then=%s", line->until_then);
	if (line->why)
		seq_printf(m, " reason=%s", line->why);
	if (line->exited)
		cache_ext_exit_show(m, &p->life.exit);
	show_counters(m, p);
	show_sizes(m, p);
	seq_putc(m, '\n');
}

/* Caller: cache_ext_mutex. */
static struct line line_of(struct cache_ext_policy *p)
{
	const char *why = cache_ext_watchdog_reason(p);
	struct line line = {
		.policy = p,
		.why = why,
		.state = why ? "overruled" :
			 p->dead ? "detached" :
			 !p->published ? "init" :
			 READ_ONCE(p->adopting) ? "adopting" : "attached",
		.exited = why || p->dead,
	};

	if (p->initializing && p->old && !p->old->dead)
		strscpy(line.until_then, p->old->life.name,
			sizeof(line.until_then));
	return line;
}

/*
 * Who is attached is told of one instant: else a reader sees a cgroup without a policy
 * while one replaces another. Whoever makes or removes a cgroup waits for the mutex: what
 * takes time, such as the kernel's statistics of cgroups, is read without it.
 */
static int stat_show(struct seq_file *m, void *v)
{
	struct cache_ext_policy *p;
	unsigned int i, nr = 0;
	struct line *lines;

	lines = kvcalloc(CACHE_EXT_MAX_POLICIES, sizeof(*lines), GFP_KERNEL);
	if (!lines)
		return -ENOMEM;
	mutex_lock(&cache_ext_mutex);
	list_for_each_entry(p, &cache_ext_policies, life.all) {
		if (!p->life.linked)
			continue;
		kref_get(&p->refs);
		lines[nr++] = line_of(p);
	}
	cache_ext_ended_show(m, &cache_ext_lives.ended);
	mutex_unlock(&cache_ext_mutex);
	for (i = 0; i < nr; i++) {
		show_policy(m, &lines[i]);
		cond_resched();
		cache_ext_policy_put(lines[i].policy);
	}
	kvfree(lines);
	return 0;
}

/* Without the file policies work as well, so its want is no error. */
void __init cache_ext_stats_init(void)
{
	struct proc_dir_entry *dir = proc_mkdir("cache_ext", NULL);

	if (dir)
		proc_create_single("stat", 0400, dir, stat_show);
}

/* Waits for readers. */
void cache_ext_stats_exit(void)
{
	remove_proc_subtree("cache_ext", NULL);
}
