// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy.
 *
 *   link created ---> reg():	 find the cgroup, hooks on; a worker runs the init
 *				 program, and publishes
 *   link updated ---> update(): the same; the worker publishes in place of the old
 *				 policy
 *   link gone	  ---> unreg():  retire
 *   cgroup gone  ---> offline:  retire; the link stays, and nothing of the policy
 *   watchdog, error in a program ---> a worker: the same
 *
 * Retiring hides the policy from new faults and reads. Teardown, in a worker because
 * cgroup removal must not wait, then waits for the programs of those under way, and
 * runs the exit program. What is marked as prefetched is forgotten. As in mm/cache_ext
 * neither reg(), update() nor unreg() waits for a program, or reclaims.
 */
#include <linux/cgroup.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "prefetch_ext.h"
#include "glue.h"

static void teardown(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     teardown);

	prefetch_ext_find_del(p);
	/* Who saw it alive has run its programs by now, and marks no more pages. */
	synchronize_rcu();
	prefetch_ext_leave_none(p->id);
	prefetch_ext_find_free(p);
	cancel_work_sync(&p->life.exit_work);
	if (p->published && p->ops->exit) {
		rcu_read_lock();
		p->ops->exit(p->memcg);
		rcu_read_unlock();
	}
	/* Of the list that it was on. */
	if (cache_ext_life_quiet(&prefetch_ext_lives, &p->life))
		prefetch_ext_forget(p);

	prefetch_ext_unmark_all(p);
	if (p->hooked)
		prefetch_ext_glue_disable(p->hooks);
	prefetch_ext_forget(p);
}

/* Caller: prefetch_ext_mutex. Returns whether this was the first time. */
static bool retire(struct prefetch_ext_policy *p)
{
	lockdep_assert_held(&prefetch_ext_mutex);
	if (p->dead)
		return false;
	WRITE_ONCE(p->dead, true);
	if (p->published)
		prefetch_ext_glue_hide(p);
	/* Else who runs init does, when that is over. */
	if (!p->initializing)
		queue_work(cache_ext_long_wq, &p->teardown);
	return true;
}

void __prefetch_ext_memcg_offline(struct mem_cgroup *memcg)
{
	struct prefetch_ext_policy *p, *next;

	mutex_lock(&prefetch_ext_mutex);
	list_for_each_entry_safe(p, next, &prefetch_ext_policies, life.all) {
		if (p->memcg != memcg)
			continue;
		prefetch_ext_exit(p, CACHE_EXT_EXIT_CGROUP, 0,
				  "its cgroup was removed");
		retire(p);
		if (cache_ext_life_gone(&prefetch_ext_lives, &p->life))
			prefetch_ext_forget(p);
	}
	mutex_unlock(&prefetch_ext_mutex);
}

/* The watchdog or a program has ended it. */
static void end(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     life.exit_work);
	bool first;

	mutex_lock(&prefetch_ext_mutex);
	first = retire(p);
	mutex_unlock(&prefetch_ext_mutex);
	if (!first)
		return;
	if (p->life.exit.kind == CACHE_EXT_EXIT_WATCHDOG)
		pr_warn_ratelimited("prefetch_ext: policy %s of cgroup %llu is detached: it %s; the kernel's own readahead takes over\n",
			p->life.name, p->life.cgroup_id, p->life.exit.message);
	else
		pr_warn_ratelimited("prefetch_ext: policy %s of cgroup %llu is detached: its program reports error %d: %s; the kernel's own readahead takes over\n",
			p->life.name, p->life.cgroup_id, p->life.exit.code,
			p->life.exit.message);
}

static void begin(struct work_struct *work);

/* What it has for each CPU. 0 or -ENOMEM. */
static int counters(struct prefetch_ext_policy *p)
{
	unsigned int tries = 0;

	do {
		p->stats = alloc_percpu_gfp(struct prefetch_ext_stats,
					    CACHE_EXT_GFP_REG);
	} while (!p->stats && cache_ext_life_again(&tries));
	return p->stats ? 0 : -ENOMEM;
}

/*
 * For the policy itself; marks are charged one by one. The worker that runs init reclaims
 * for it. Without init it is charged past a limit, until the next charge.
 */
static int charge(struct prefetch_ext_policy *p, gfp_t gfp)
{
	return cache_ext_life_charge(&p->life, sizeof(*p) + num_possible_cpus() *
				     sizeof(*p->stats), gfp);
}

/* Its cgroup, and what it has of @ops. The caller forgets @p if it fails. */
static int policy_fill(struct prefetch_ext_policy *p,
		       struct prefetch_ext_ops *ops)
{
	struct mem_cgroup *memcg = cache_ext_memcg_of_id(ops->cgroup_id);
	int err;

	if (IS_ERR(memcg))
		return PTR_ERR(memcg);
	p->memcg = memcg;
	cache_ext_life_payer(&p->life, memcg);
	err = counters(p);
	if (!err && !ops->init)
		err = charge(p, CACHE_EXT_GFP_REG | __GFP_HIGH);
	/* Last: it holds @ops, for teardown to let go of them. */
	return err ?: cache_ext_life_init(&p->life, ops, ops->cgroup_id,
					  ops->name);
}

static struct prefetch_ext_policy *policy_alloc(struct prefetch_ext_ops *ops)
{
	struct prefetch_ext_policy *p = kzalloc(sizeof(*p), CACHE_EXT_GFP_REG);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	kref_init(&p->refs);
	err = policy_fill(p, ops);
	if (err) {
		prefetch_ext_forget(p);
		return ERR_PTR(err);
	}
	p->ops = ops;
	p->initializing = true;
	if (ops->file_opened || ops->file_read || ops->file_written)
		p->hooks |= PREFETCH_EXT_HOOKS_RANGES;
	if (ops->swap_out)
		p->hooks |= PREFETCH_EXT_HOOKS_SWAP_OUT;
	spin_lock_init(&p->watchdog.lock);
	prefetch_ext_late_init(p);
	prefetch_ext_act_init(p);
	p->watchdog.percent = ops->waste_percent ?: PREFETCH_EXT_WASTE_PERCENT;
	INIT_WORK(&p->begin, begin);
	INIT_WORK(&p->teardown, teardown);
	INIT_WORK(&p->life.exit_work, end);
	return p;
}

/* Its link is gone, or is another policy's. Caller: prefetch_ext_mutex. */
static void unlink(struct prefetch_ext_policy *p)
{
	/* teardown() has one reference, this is the other. */
	if (cache_ext_life_unlink(&prefetch_ext_lives, &p->life))
		prefetch_ext_forget(p);
}

/* One that was never on the list. */
static void policy_drop(struct prefetch_ext_policy *p)
{
	prefetch_ext_unmark_all(p);
	bpf_struct_ops_put(p->ops);
	prefetch_ext_forget(p);
}

/* A policy for @ops, on the list: its cgroup is taken. Or an error. */
static struct prefetch_ext_policy *policy_enter(struct prefetch_ext_ops *ops,
						struct prefetch_ext_policy *old)
{
	struct prefetch_ext_policy *p = policy_alloc(ops);
	unsigned int noreclaim;
	int err;

	if (IS_ERR(p))
		return p;
	/* As CACHE_EXT_GFP_REG, for tables that take no such flags. */
	noreclaim = memalloc_noreclaim_save();
	err = prefetch_ext_marks_init(p);
	mutex_lock(&prefetch_ext_mutex);
	if (!err)
		err = cache_ext_life_check(&prefetch_ext_lives,
					   p->life.cgroup_id,
					   old ? &old->life : NULL);
	/* One change after the other. */
	if (!err && old && old->initializing)
		err = -EBUSY;
	/* Last: its number may have been another's, so it takes a grace period to free. */
	if (!err)
		err = prefetch_ext_find_add(p);
	if (!err)
		list_add_tail(&p->life.all, &prefetch_ext_policies);
	mutex_unlock(&prefetch_ext_mutex);
	memalloc_noreclaim_restore(noreclaim);
	if (err) {
		policy_drop(p);
		return ERR_PTR(err);
	}
	/* One for teardown(), one for the list. */
	kref_get(&p->refs);
	return p;
}

/* In place of the one that it replaces, if there is one. Caller: prefetch_ext_mutex. */
static void publish(struct prefetch_ext_policy *p)
{
	struct prefetch_ext_policy *old = p->old;

	p->published = true;
	prefetch_ext_glue_publish(p);
	if (!old)
		return;
	prefetch_ext_exit(old, CACHE_EXT_EXIT_REPLACED, 0, p->life.name);
	retire(old);
	unlink(old);
	p->old = NULL;
	prefetch_ext_forget(old);
}

/* @p never runs. Caller: prefetch_ext_mutex. */
static void fail(struct prefetch_ext_policy *p, int err)
{
	prefetch_ext_exit(p, CACHE_EXT_EXIT_INIT, err, "init failed");
	p->initializing = false;
	WRITE_ONCE(p->dead, true);
	queue_work(cache_ext_long_wq, &p->teardown);
}

/*
 * Its init has failed. The policy that it was to replace goes on, with the link that @p had,
 * unless the link is gone meanwhile. Caller: prefetch_ext_mutex.
 */
static void give_up(struct prefetch_ext_policy *p, int err)
{
	struct prefetch_ext_policy *old = p->old;

	fail(p, err);
	if (old) {
		if (p->life.linked && !old->dead) {
			cache_ext_life_return_link(&old->life, &p->life);
			unlink(p);
		} else {
			prefetch_ext_exit(old, CACHE_EXT_EXIT_UNREG, 0,
					  "its link is gone");
			retire(old);
			unlink(old);
		}
		p->old = NULL;
		prefetch_ext_forget(old);
	}
}

/*
 * Its cgroup is not going away: if it goes later, we are on the list by then. Caller:
 * prefetch_ext_mutex.
 */
static int come_online(struct prefetch_ext_policy *p)
{
	if (p->dead)
		return -EINVAL;
	if (!css_tryget_online(&p->memcg->css)) {
		p->life.gone = true;
		return -EINVAL;
	}
	p->initializing = false;
	publish(p);
	css_put(&p->memcg->css);
	return 0;
}

static void begin(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     begin);
	int err;

	err = charge(p, CACHE_EXT_GFP_WORKER);
	if (!err) {
		rcu_read_lock();
		err = p->ops->init(p->memcg);
		rcu_read_unlock();
	}

	mutex_lock(&prefetch_ext_mutex);
	if (!err)
		err = come_online(p);
	if (err)
		give_up(p, err < 0 ? err : -EINVAL);
	mutex_unlock(&prefetch_ext_mutex);
}

static int start(struct prefetch_ext_ops *ops, struct prefetch_ext_policy *old)
{
	struct prefetch_ext_policy *p = policy_enter(ops, old);
	int i, err;

	if (IS_ERR(p))
		return PTR_ERR(p);
	for (i = 0; i < PREFETCH_EXT_MEMBERS; i++)
		p->progs[i] = prefetch_ext_glue_prog(ops, i);
	err = prefetch_ext_glue_enable(p->hooks);
	p->hooked = !err;

	mutex_lock(&prefetch_ext_mutex);
	/* It may have lost its link, and ended. */
	if (!err && old && old->life.linked) {
		prefetch_ext_keep(old);
		p->old = old;
	}
	if (!err && !ops->init)
		err = come_online(p);
	if (err) {
		if (p->old)
			prefetch_ext_forget(p->old);
		p->old = NULL;
		fail(p, err);
		unlink(p);
	} else if (ops->init) {
		if (p->old)
			cache_ext_life_lend_link(&p->old->life);
		queue_work(cache_ext_long_wq, &p->begin);
	}
	mutex_unlock(&prefetch_ext_mutex);
	return err;
}

/* A link to the ops @kdata is made. 0, or an error; then all is as before. */
int prefetch_ext_reg(void *kdata, struct bpf_link *link)
{
	return link ? start(kdata, NULL) : -EOPNOTSUPP;
}

/* With a reference. NULL: its cgroup is gone. */
static struct prefetch_ext_policy *policy_of_ops(void *kdata)
{
	struct prefetch_ext_policy *p = NULL;
	struct cache_ext_life *l;

	mutex_lock(&prefetch_ext_mutex);
	l = cache_ext_life_of(&prefetch_ext_lives, kdata);
	if (l) {
		p = container_of(l, struct prefetch_ext_policy, life);
		prefetch_ext_keep(p);
	}
	mutex_unlock(&prefetch_ext_mutex);
	return p;
}

/*
 * The link gets the ops @kdata instead of @old_kdata. There is a policy all the
 * while. 0, or an error; then all is as before. -EBUSY: the old one's init has not
 * run yet. BPF updates a link under a lock of its own, but not when the last reference to it goes: prefetch_ext_mutex serialises these three.
 */
int prefetch_ext_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	struct prefetch_ext_policy *old = policy_of_ops(old_kdata);
	int err = 0;

	if (!old)
		return -EINVAL;
	/* It went on when another's init had failed: now BPF knows, too. */
	if (old->life.held == kdata && old->life.ops != kdata) {
		mutex_lock(&prefetch_ext_mutex);
		old->life.ops = kdata;
		mutex_unlock(&prefetch_ext_mutex);
	} else {
		err = start(kdata, old);
	}
	prefetch_ext_forget(old);
	return err;
}

/* It is gone. */
void prefetch_ext_unreg(void *kdata, struct bpf_link *link)
{
	struct prefetch_ext_policy *p = policy_of_ops(kdata);

	if (!p)
		return;
	mutex_lock(&prefetch_ext_mutex);
	prefetch_ext_exit(p, CACHE_EXT_EXIT_UNREG, 0, "its link is gone");
	retire(p);
	/* Its init has still to end. Who goes on till then has no link either. */
	if (p->initializing && p->old) {
		prefetch_ext_exit(p->old, CACHE_EXT_EXIT_UNREG, 0,
				  "its link is gone");
		retire(p->old);
	}
	/* Unless the cgroup went meanwhile. */
	if (p->life.linked)
		unlink(p);
	mutex_unlock(&prefetch_ext_mutex);
	prefetch_ext_forget(p);
}
