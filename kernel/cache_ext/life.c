// SPDX-License-Identifier: GPL-2.0
/*
 * What the lives of policies of both types, cache_ext and prefetch_ext, have in
 * common: who has a link, whose cgroup it is, and how it ends. ops.c of each has
 * the rest.
 *
 * BPF makes, updates and removes links of all types under one lock. So nothing that a
 * policy could make long happens there: a policy that loses its link goes on to be on
 * the list, unseen, until teardown has seen its last program end. It holds its ops as
 * long, since with the link BPF lets go of them.
 *
 * The watchdog and programs (bpf_cache_ext_error()) may end a policy from contexts
 * that cannot wait for a mutex: its exit_work retires it then.
 */
#include <linux/bpf.h>
#include <linux/memcontrol.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/string.h>
#include "life.h"
#include "shared.h"

/*
 * Work of policies. A module that goes waits for it. No reclaim waits for any, so it needs
 * no thread in reserve (WQ_MEM_RECLAIM): a policy whose end is late for want of memory is
 * passed by meanwhile.
 *
 * The first queue is for what is short, such as the tick program. What goes through all
 * folios of a cgroup, reclaims, or waits for a grace period has the other one, on which
 * each policy has one work at a time: none waits for another's.
 */
struct workqueue_struct *cache_ext_wq;
struct workqueue_struct *cache_ext_long_wq;

static DEFINE_MUTEX(drain_mutex);
/* How many have begun, and when the next one may. Under drain_mutex. */
static unsigned long drains, next_drain;

int __init cache_ext_wq_init(void)
{
	drains = 0;
	next_drain = jiffies;
	cache_ext_wq = alloc_workqueue("cache_ext", WQ_UNBOUND, 0);
	cache_ext_long_wq = alloc_workqueue("cache_ext_long", WQ_UNBOUND,
					    WQ_MAX_ACTIVE);
	if (cache_ext_wq && cache_ext_long_wq)
		return 0;
	cache_ext_wq_exit();
	return -ENOMEM;
}

/* Of a module that goes: no policy has a link, and the last ones go now. */
void cache_ext_wq_exit(void)
{
	/* First: what begins or ends a policy goes on there. */
	if (cache_ext_wq)
		destroy_workqueue(cache_ext_wq);
	if (cache_ext_long_wq)
		destroy_workqueue(cache_ext_long_wq);
	cache_ext_wq = cache_ext_long_wq = NULL;
}

/*
 * What is on its way to an LRU list gets there: what all CPUs have gathered. They are
 * interrupted for that, so it is done once a second at most, whatever the number of
 * policies. Who comes before that waits for it; many share one. For cache_ext_long_wq.
 */
void cache_ext_drain(void)
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

/*
 * Who pays for the policy itself: @memcg, which the caller keeps; should it go, its
 * parent. Nobody if the kernel was told not to charge its own memory.
 */
void cache_ext_life_payer(struct cache_ext_life *l, struct mem_cgroup *memcg)
{
	struct obj_cgroup *objcg;

	rcu_read_lock();
	objcg = rcu_dereference(memcg->objcg);
	if (objcg && obj_cgroup_tryget(objcg))
		l->objcg = objcg;
	rcu_read_unlock();
}

/* Before it is allocated, without __GFP_ACCOUNT. 0 or -ENOMEM. */
int cache_ext_life_charge(struct cache_ext_life *l, size_t bytes, gfp_t gfp)
{
	if (l->objcg && obj_cgroup_charge(l->objcg, gfp, bytes))
		return -ENOMEM;
	l->charged += bytes;
	return 0;
}

/* All of it; nothing is charged any more. */
void cache_ext_life_uncharge(struct cache_ext_life *l)
{
	if (!l->objcg)
		return;
	if (l->charged)
		obj_cgroup_uncharge(l->objcg, l->charged);
	obj_cgroup_put(l->objcg);
	l->objcg = NULL;
}

/*
 * There was no memory for each CPU. The kernel keeps some pages of it for who may not
 * reclaim, and a worker of it adds more when they are used up, which takes a moment. Try
 * again? @tries: 0 at first.
 */
bool cache_ext_life_again(unsigned int *tries)
{
	if (++*tries >= 4)
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

/* -ENOENT: the map of @ops is going. */
int cache_ext_life_init(struct cache_ext_life *l, const void *ops,
			u64 cgroup_id, const char *name)
{
	/* A link that is being made or updated has a reference for its own. */
	if (!bpf_struct_ops_get(ops))
		return -ENOENT;
	l->ops = l->held = ops;
	l->cgroup_id = cgroup_id;
	l->linked = true;
	strscpy(l->name, name[0] ? name : "-", sizeof(l->name));
	return 0;
}

/*
 * May a policy for this cgroup have a link, in place of @old, which may be NULL?
 * 0; -EINVAL: @old is of another cgroup; -EBUSY: there is one. Caller: the lock.
 */
int cache_ext_life_check(struct cache_ext_lives *lives, u64 cgroup_id,
			 struct cache_ext_life *old)
{
	struct cache_ext_life *l;

	lockdep_assert_held(lives->lock);
	if (old && old->cgroup_id != cgroup_id)
		return -EINVAL;
	list_for_each_entry(l, lives->all, all)
		if (l != old && l->linked && l->cgroup_id == cgroup_id)
			return -EBUSY;
	return 0;
}

/*
 * The policy that @ops are of, or NULL: its cgroup is gone, and so is it. Caller: the
 * lock.
 */
struct cache_ext_life *cache_ext_life_of(struct cache_ext_lives *lives,
					 const void *ops)
{
	struct cache_ext_life *l, *found = NULL;

	lockdep_assert_held(lives->lock);
	list_for_each_entry(l, lives->all, all)
		if (l->linked && l->ops == ops)
			found = l;
	return found;
}

/**
 * cache_ext_life_exit - note why a policy ends
 * @l: of the policy, which is referenced, or under rcu_read_lock()
 * @kind: of reason; the first one counts
 * @code: depends on @kind
 * @message: for people
 *
 * CACHE_EXT_EXIT_WATCHDOG and CACHE_EXT_EXIT_ERROR also have it retired soon; for
 * the others that is the caller's. Any context but NMI.
 */
void cache_ext_life_exit(struct cache_ext_life *l,
			 enum cache_ext_exit_kind kind, s32 code,
			 const char *message)
{
	if (!cache_ext_exit_record(&l->exit, kind, code, message))
		return;
	if (kind == CACHE_EXT_EXIT_WATCHDOG || kind == CACHE_EXT_EXIT_ERROR)
		queue_work(cache_ext_wq, &l->exit_work);
}

/* Nothing speaks of it any more. The caller of either has a reference less to keep. */
static bool leaves(struct cache_ext_lives *lives, struct cache_ext_life *l)
{
	lockdep_assert_held(lives->lock);
	if (l->linked || !l->quiet || list_empty(&l->all))
		return false;
	list_del_init(&l->all);
	return true;
}

/*
 * The policy, attached or not, has been retired, and has no link from here on. Its
 * programs may still run. Returns whether it has left the list. Caller: the lock.
 */
bool cache_ext_life_unlink(struct cache_ext_lives *lives,
			   struct cache_ext_life *l)
{
	l->linked = false;
	cache_ext_ended_keep(&lives->ended, l->cgroup_id, l->name, &l->exit);
	return leaves(lives, l);
}

/*
 * Its cgroup is gone, and so it has been retired. When it is quiet, nothing of it is kept
 * for the link, which may last as long as somebody likes. Returns whether it has left the
 * list. Caller: the lock.
 */
bool cache_ext_life_gone(struct cache_ext_lives *lives,
			 struct cache_ext_life *l)
{
	l->gone = true;
	return l->quiet && l->linked && cache_ext_life_unlink(lives, l);
}

/* Its link has another policy, which may not begin after all. Caller: the lock. */
void cache_ext_life_lend_link(struct cache_ext_life *l)
{
	l->linked = false;
}

/*
 * It has not. BPF calls the link's policy by the ops of @from for good. Caller: the
 * lock; unlinks @from.
 */
void cache_ext_life_return_link(struct cache_ext_life *l,
				struct cache_ext_life *from)
{
	l->ops = from->ops;
	l->linked = true;
}

/*
 * For teardown: no program of the policy runs any more, nor ever will. Its ops may be
 * gone from here on. Returns whether it has left the list. May sleep.
 */
bool cache_ext_life_quiet(struct cache_ext_lives *lives,
			  struct cache_ext_life *l)
{
	const void *ops = l->held;
	bool ret;

	mutex_lock(lives->lock);
	l->quiet = true;
	ret = l->gone ? cache_ext_life_gone(lives, l) || leaves(lives, l) :
			leaves(lives, l);
	mutex_unlock(lives->lock);
	bpf_struct_ops_put(ops);
	return ret;
}
