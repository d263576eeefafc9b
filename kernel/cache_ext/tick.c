// SPDX-License-Identifier: GPL-2.0
/*
 * The tick program: in process context, by time and when a program asks.
 *
 *   attach	       ---> after tick_ms (0: not by time), again and again
 *   bpf_cache_ext_tick() ---> a jiffy later; calls until then are one
 *
 * One work item a policy, so there is one tick at a time. A tick that was asked
 * for starts the interval anew. Locks: none; programs run under RCU.
 */
#include <linux/jiffies.h>
#include "cache_ext.h"
#include "hint.h"
#include "kfuncs.h"

#define TICK_WANTED	0

static void tick(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(to_delayed_work(work),
						  struct cache_ext_policy,
						  tick);

	/* A request from here on gets another tick. */
	test_and_clear_bit(TICK_WANTED, &p->tick_wanted);
	rcu_read_lock();
	if (!READ_ONCE(p->life.dead)) {
		ces_inc(p, CES_TICKS);
		hint_begin(&p->self);
		cache_ext_timed(p, p->ops->tick(p->life.memcg));
		hint_end();
	}
	rcu_read_unlock();
	cache_ext_tick_start(p);
}

/* The next one by time, unless one that was asked for is due. */
void cache_ext_tick_start(struct cache_ext_policy *p)
{
	/* One more: the current jiffy is partly over. */
	if (p->ops->tick_ms && !READ_ONCE(p->life.dead))
		queue_delayed_work(policy_ext_wq, &p->tick,
				   msecs_to_jiffies(p->ops->tick_ms) + 1);
}

/* Any context but NMI. Caller: rcu_read_lock(). */
static void kick(struct cache_ext_policy *p)
{
	if (!p->ops->tick || READ_ONCE(p->life.dead) ||
	    test_bit(TICK_WANTED, &p->tick_wanted) ||
	    test_and_set_bit(TICK_WANTED, &p->tick_wanted))
		return;
	/* Not at once: a tick that asks for the next must not take a CPU. */
	mod_delayed_work(policy_ext_wq, &p->tick, 1);
}

void cache_ext_tick_init(struct cache_ext_policy *p)
{
	INIT_DELAYED_WORK(&p->tick, tick);
}

/* Caller: @p is dead, and RCU since. Waits for the tick that runs. */
void cache_ext_tick_stop(struct cache_ext_policy *p)
{
	cancel_delayed_work_sync(&p->tick);
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_tick - have the tick program run soon
 * @memcg: the policy's cgroup
 *
 * Calls before it runs are one. Without a tick program it does nothing.
 *
 * Context: any program but init and exit.
 */
__bpf_kfunc void bpf_cache_ext_tick(struct mem_cgroup *memcg)
{
	struct cache_ext_policy *p;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		kick(p);
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();
