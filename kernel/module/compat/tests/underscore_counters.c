// SPDX-License-Identifier: GPL-2.0
/* Counters of a cgroup have functions for callers with interrupts off. */
#include <linux/memcontrol.h>
#include <linux/vmstat.h>

void count(struct mem_cgroup *memcg, struct lruvec *lruvec);

void count(struct mem_cgroup *memcg, struct lruvec *lruvec)
{
	__count_memcg_events(memcg, PGFAULT, 1);
	__mod_lruvec_state(lruvec, NR_ACTIVE_FILE, 1);
}
