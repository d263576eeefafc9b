// SPDX-License-Identifier: GPL-2.0
/*
 * What the lives of policies of both types, cache_ext and prefetch_ext, have in
 * common: who has a link, whose cgroup it is, and how it ends. ops.c of each has
 * the rest.
 *
 * The watchdog and programs (bpf_cache_ext_error()) may end a policy from contexts
 * that cannot wait for a mutex: its exit_work retires it then.
 */
#include <linux/string.h>
#include "life.h"
#include "shared.h"

/* Slow work of policies. A module that goes waits for it. */
struct workqueue_struct *cache_ext_wq;

int __init cache_ext_wq_init(void)
{
	cache_ext_wq = alloc_workqueue("cache_ext", WQ_UNBOUND, 0);
	return cache_ext_wq ? 0 : -ENOMEM;
}

/* Of a module that goes: no policy has a link, and the last ones go now. */
void cache_ext_wq_exit(void)
{
	destroy_workqueue(cache_ext_wq);
}

void cache_ext_life_init(struct cache_ext_life *l, const void *ops,
			 u64 cgroup_id, const char *name)
{
	l->ops = ops;
	l->cgroup_id = cgroup_id;
	strscpy(l->name, name[0] ? name : "-", sizeof(l->name));
	init_completion(&l->quiet);
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
		if (l != old && l->cgroup_id == cgroup_id)
			return -EBUSY;
	return 0;
}

/* The policy that @ops are of, or NULL. May sleep. */
struct cache_ext_life *cache_ext_life_of(struct cache_ext_lives *lives,
					 const void *ops)
{
	struct cache_ext_life *l, *found = NULL;

	mutex_lock(lives->lock);
	list_for_each_entry(l, lives->all, all)
		if (l->ops == ops)
			found = l;
	mutex_unlock(lives->lock);
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

/*
 * A program of @l's cgroup reports an error. Programs say their cgroup, so while the
 * policy that @l replaces is not quiet the program may be of that one. It must not end
 * @l: then nobody's error counts. What is wrong with @l it can report again. Caller:
 * rcu_read_lock().
 */
void cache_ext_life_error(struct cache_ext_life *l, s32 code,
			  const char *message)
{
	if (!READ_ONCE(l->heir))
		cache_ext_life_exit(l, CACHE_EXT_EXIT_ERROR, code, message);
}

/* Whom the policy of @ops has replaced is quiet. Its link is being updated: it stays. */
void cache_ext_life_settle(struct cache_ext_lives *lives, const void *ops)
{
	struct cache_ext_life *l = cache_ext_life_of(lives, ops);

	if (!WARN_ON_ONCE(!l))
		WRITE_ONCE(l->heir, false);
}

/*
 * The policy, attached or not, has been retired, and has no link from here on. When
 * this returns no program of it runs any more. No lock held.
 */
void cache_ext_life_end(struct cache_ext_lives *lives,
			struct cache_ext_life *l)
{
	wait_for_completion(&l->quiet);
	mutex_lock(lives->lock);
	list_del(&l->all);
	cache_ext_ended_keep(&lives->ended, l->cgroup_id, l->name, &l->exit);
	mutex_unlock(lives->lock);
}
