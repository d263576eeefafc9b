// SPDX-License-Identifier: GPL-2.0
/*
 * The turns of a policy's life, of which ../policy_ext/life.c tells: entering it gives it a
 * number, and hooks are on before its init program runs.
 *
 * Retiring hides the policy from new faults and reads. Teardown, in a worker because
 * cgroup removal must not wait, then waits for the programs of those under way, and
 * runs the exit program. What is marked as prefetched is forgotten.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include "prefetch_ext.h"
#include "glue.h"

static void teardown(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     life.teardown);

	prefetch_ext_find_del(p);
	/* Tasks that saw it alive have run its programs, and mark no more pages. */
	synchronize_rcu();
	prefetch_ext_leave_none(p->id);
	prefetch_ext_find_free(p);
	policy_ext_quiet(&p->life);
	prefetch_ext_unmark_all(p);
	if (p->hooked)
		prefetch_ext_glue_disable(p->hooks);
	policy_ext_put(&p->life);
}

static void run_exit(struct policy_ext_life *l)
{
	struct prefetch_ext_policy *p = prefetch_ext_policy_of_life(l);

	if (!p->ops->exit)
		return;
	rcu_read_lock();
	p->ops->exit(l->memcg);
	rcu_read_unlock();
}

static void hide(struct policy_ext_life *l)
{
	prefetch_ext_glue_hide(prefetch_ext_policy_of_life(l));
}

static void notify_exit(struct policy_ext_life *l)
{
	if (l->exit.kind == POLICY_EXT_EXIT_WATCHDOG)
		pr_warn_ratelimited("prefetch_ext: policy %s of cgroup %llu is detached: it %s; the kernel's own readahead takes over\n",
			l->name, l->cgroup_id, l->exit.message);
	else
		pr_warn_ratelimited("prefetch_ext: policy %s of cgroup %llu is detached: its program reports error %d: %s; the kernel's own readahead takes over\n",
			l->name, l->cgroup_id, l->exit.code, l->exit.message);
}

/* Nothing names it any more. It has marks still if it never came to teardown. */
static void release(struct policy_ext_life *l)
{
	struct prefetch_ext_policy *p = prefetch_ext_policy_of_life(l);

	prefetch_ext_unmark_all(p);
	free_percpu(p->stats);
	policy_ext_life_free(l);
	kfree(p);
}

/* What it has for each CPU. 0 or -ENOMEM. */
static int counters(struct prefetch_ext_policy *p)
{
	unsigned int tries = 0;

	do {
		p->stats = alloc_percpu_gfp(struct prefetch_ext_stats,
					    POLICY_EXT_GFP_REG);
	} while (!p->stats && policy_ext_life_again(&tries));
	return p->stats ? 0 : -ENOMEM;
}

/*
 * For the policy itself; marks are charged one by one. The worker that runs init reclaims
 * for it. Without init it is charged past a limit, until the next charge.
 */
static int charge(struct prefetch_ext_policy *p, gfp_t gfp)
{
	return policy_ext_life_charge(&p->life,
				      sizeof(*p) + num_possible_cpus() *
				      sizeof(*p->stats), gfp);
}

/* A table of its own, if it prefetches. As POLICY_EXT_GFP_REG, which tables do not take. */
static int marks(struct prefetch_ext_policy *p)
{
	unsigned int noreclaim = memalloc_noreclaim_save();
	int err = prefetch_ext_marks_init(p);

	memalloc_noreclaim_restore(noreclaim);
	return err;
}

/* Its cgroup, and what it has of @ops. The caller forgets @p if it fails. */
static int policy_fill(struct prefetch_ext_policy *p,
		       struct prefetch_ext_ops *ops)
{
	int err = policy_ext_life_join(&p->life, ops->cgroup_id);

	if (!err)
		err = counters(p);
	if (!err && !ops->init)
		err = charge(p, POLICY_EXT_GFP_REG | __GFP_HIGH);
	if (!err)
		err = marks(p);
	/* Last: it holds @ops, for teardown to let go of them. */
	return err ?: policy_ext_life_hold(&p->life, ops, ops->name);
}

static struct policy_ext_life *make(void *kdata)
{
	struct prefetch_ext_ops *ops = kdata;
	struct prefetch_ext_policy *p = kzalloc(sizeof(*p), POLICY_EXT_GFP_REG);
	int i, err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	policy_ext_life_init(&p->life, &prefetch_ext_type, teardown, ops->init);
	p->ops = ops;
	if (ops->file_opened || ops->file_read || ops->file_written)
		p->hooks |= PREFETCH_EXT_HOOKS_RANGES;
	if (ops->swap_out)
		p->hooks |= PREFETCH_EXT_HOOKS_SWAP_OUT;
	spin_lock_init(&p->watchdog.lock);
	prefetch_ext_late_init(p);
	prefetch_ext_act_init(p);
	p->watchdog.percent = ops->waste_percent ?: PREFETCH_EXT_WASTE_PERCENT;
	err = policy_fill(p, ops);
	if (err) {
		policy_ext_put(&p->life);
		return ERR_PTR(err);
	}
	for (i = 0; i < PREFETCH_EXT_MEMBERS; i++)
		p->progs[i] = prefetch_ext_glue_prog(ops, i);
	return &p->life;
}

/* Last: its number may have been another's, so it takes a grace period to free. */
static int enter(struct policy_ext_life *l)
{
	unsigned int noreclaim = memalloc_noreclaim_save();
	int err = prefetch_ext_find_add(prefetch_ext_policy_of_life(l));

	memalloc_noreclaim_restore(noreclaim);
	return err;
}

static int hook(struct policy_ext_life *l)
{
	struct prefetch_ext_policy *p = prefetch_ext_policy_of_life(l);
	int err = prefetch_ext_glue_enable(p->hooks);

	p->hooked = !err;
	return err;
}

static int init(struct policy_ext_life *l)
{
	struct prefetch_ext_policy *p = prefetch_ext_policy_of_life(l);
	int err = charge(p, POLICY_EXT_GFP_WORKER);

	if (err)
		return err;
	rcu_read_lock();
	err = p->ops->init(l->memcg);
	rcu_read_unlock();
	return err;
}

static void publish(struct policy_ext_life *l, struct policy_ext_life *old)
{
	prefetch_ext_glue_publish(prefetch_ext_policy_of_life(l));
	if (old)
		hide(old);
}

struct policy_ext_type prefetch_ext_type = {
	.lock = &prefetch_ext_mutex,
	.all = &prefetch_ext_policies,
	.make = make,
	.enter = enter,
	.hook = hook,
	.init = init,
	.publish = publish,
	.hide = hide,
	.notify_exit = notify_exit,
	.exit = run_exit,
	.free = release,
};

int prefetch_ext_reg(void *kdata, struct bpf_link *link)
{
	return policy_ext_reg(&prefetch_ext_type, kdata, link);
}

int prefetch_ext_update(void *kdata, void *old_kdata, struct bpf_link *link)
{
	return policy_ext_update(&prefetch_ext_type, kdata, old_kdata);
}

void prefetch_ext_unreg(void *kdata, struct bpf_link *link)
{
	policy_ext_unreg(&prefetch_ext_type, kdata);
}

void __prefetch_ext_memcg_offline(struct mem_cgroup *memcg)
{
	policy_ext_offline(&prefetch_ext_type, memcg);
}
