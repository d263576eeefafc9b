// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics: a line for each policy of a type, and one for each of the last that ended.
 * Counters are for each CPU: the numbers of a line are not of one instant.
 *
 * It is in procfs because hardened kernels have no debugfs. The ids and names
 * of all cgroups' policies are for root only.
 */
#include <linux/memcontrol.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "policy_ext.h"

/* Links that may be made while one counts them. What goes beyond is told the next time. */
#define POLICY_EXT_STAT_MORE	64

/* What all CPUs have counted, which is @nr numbers. */
void policy_ext_stat_sum(const u64 __percpu *stats, u64 *sum, unsigned int nr)
{
	const u64 *of_cpu;
	unsigned int i;
	int cpu;

	memset(sum, 0, nr * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		of_cpu = per_cpu_ptr(stats, cpu);
		for (i = 0; i < nr; i++)
			sum[i] += READ_ONCE(of_cpu[i]);
	}
}

void policy_ext_stat_counters(struct seq_file *m, const char * const *names,
			      const u64 *sum, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		seq_printf(m, " %s=%llu", names[i], sum[i]);
}

static void show_head(struct seq_file *m, const struct policy_ext_line *line)
{
	seq_printf(m, "cgroup=%llu name=%s state=%s", line->life->cgroup_id,
		   line->life->name, line->state);
	if (line->until_then[0])
		seq_printf(m, " until_then=%s", line->until_then);
	if (line->why)
		seq_printf(m, " reason=%s", line->why);
	if (line->exited)
		policy_ext_exit_show(m, &line->life->exit);
}

/* How many policies have a link. Caller: the lock. */
static unsigned int count_linked(const struct policy_ext_type *type)
{
	const struct policy_ext_life *l;
	unsigned int nr = 0;

	list_for_each_entry(l, type->all, all)
		nr += l->linked;
	return nr;
}

/*
 * @look says state, why and exited, under the lock; @show the rest of the line.
 *
 * The list of attached policies is of one instant: else a reader sees a cgroup without
 * a policy while one replaces another. The making and removal of cgroups wait for this
 * lock, so slow reads, such as the kernel's statistics of cgroups, are done without it.
 * There may be more links of ended policies than policies may be attached.
 */
int policy_ext_stat_show(struct seq_file *m, struct policy_ext_type *type,
			 void (*look)(struct policy_ext_line *line),
			 void (*show)(struct seq_file *m, struct policy_ext_life *l))
{
	struct policy_ext_line *lines;
	struct policy_ext_life *l;
	unsigned int i, nr = 0, most;

	mutex_lock(type->lock);
	most = count_linked(type) + POLICY_EXT_STAT_MORE;
	mutex_unlock(type->lock);
	lines = kvcalloc(most, sizeof(*lines), GFP_KERNEL);
	if (!lines)
		return -ENOMEM;
	mutex_lock(type->lock);
	list_for_each_entry(l, type->all, all) {
		if (!l->linked || nr == most)
			continue;
		policy_ext_get(l);
		lines[nr].life = l;
		if (l->initializing && l->old && !l->old->dead)
			strscpy(lines[nr].until_then, l->old->name,
				sizeof(lines[nr].until_then));
		look(&lines[nr++]);
	}
	policy_ext_ended_show(m, &type->ended);
	mutex_unlock(type->lock);
	for (i = 0; i < nr; i++) {
		show_head(m, &lines[i]);
		show(m, lines[i].life);
		seq_putc(m, '\n');
		cond_resched();
		policy_ext_put(lines[i].life);
	}
	kvfree(lines);
	return 0;
}

/* Without the file policies work as well, so its want is no error. */
void __init policy_ext_stat_init(const char *name,
				 int (*show)(struct seq_file *m, void *v))
{
	struct proc_dir_entry *dir = proc_mkdir(name, NULL);

	if (dir)
		proc_create_single("stat", 0400, dir, show);
}

/* Waits for readers. */
void policy_ext_stat_exit(const char *name)
{
	remove_proc_subtree(name, NULL);
}
