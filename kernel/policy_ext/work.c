// SPDX-License-Identifier: GPL-2.0
/* Where the work of policies is done. */
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/workqueue.h>
#include "policy_ext.h"

/*
 * Work of policies. A module that goes waits for it. No reclaim waits for any, so it needs
 * no thread in reserve (WQ_MEM_RECLAIM): a policy whose end is late for want of memory is
 * passed by meanwhile.
 *
 * The first queue is for what is short, such as the tick program. What goes through all
 * folios of a cgroup, or waits for a grace period has the second one, on which each policy
 * has one work at a time: none waits for another's. What policies want evicted themselves
 * has the third: it may take long, and neither begin nor end of another waits for it.
 */
struct workqueue_struct *policy_ext_wq;
struct workqueue_struct *policy_ext_long_wq;
struct workqueue_struct *policy_ext_wanted_wq;

static DEFINE_MUTEX(drain_mutex);
/* How many have begun, and when the next one may. Under drain_mutex. */
static unsigned long drains, next_drain;

int __init policy_ext_wq_init(void)
{
	drains = 0;
	next_drain = jiffies;
	policy_ext_wq = alloc_workqueue("cache_ext", WQ_UNBOUND, 0);
	policy_ext_long_wq = alloc_workqueue("cache_ext_long", WQ_UNBOUND,
					     WQ_MAX_ACTIVE);
	policy_ext_wanted_wq = alloc_workqueue("cache_ext_wanted", WQ_UNBOUND, 0);
	if (policy_ext_wq && policy_ext_long_wq && policy_ext_wanted_wq)
		return 0;
	policy_ext_wq_exit();
	return -ENOMEM;
}

/* When the module is unloaded: no policy has a link, and the last ones go now. */
void policy_ext_wq_exit(void)
{
	/* First: what begins or ends a policy goes on there. */
	if (policy_ext_wq)
		destroy_workqueue(policy_ext_wq);
	if (policy_ext_wanted_wq)
		destroy_workqueue(policy_ext_wanted_wq);
	if (policy_ext_long_wq)
		destroy_workqueue(policy_ext_long_wq);
	policy_ext_wq = policy_ext_long_wq = policy_ext_wanted_wq = NULL;
}

/*
 * What is on its way to an LRU list gets there: what all CPUs have gathered. They are
 * interrupted for that, so it is done once a second at most, whatever the number of
 * policies. An earlier caller waits for it; many share one. For policy_ext_long_wq.
 */
void policy_ext_drain(void)
{
	/* One that begins from here on is as good as one's own. */
	unsigned long was = READ_ONCE(drains);
	long wait;

	do {
		mutex_lock(&drain_mutex);
		wait = drains == was ? (long)(next_drain - jiffies) : 0;
		if (drains == was && wait <= 0) {
			WRITE_ONCE(drains, drains + 1);
			next_drain = jiffies + HZ;
			lru_add_drain_all();
		}
		mutex_unlock(&drain_mutex);
		if (wait > 0)
			schedule_timeout_idle(wait);
	} while (wait > 0);
}
