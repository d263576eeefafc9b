// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a policy, of either type. What its core does at each turn is in
 * struct policy_ext_type.
 *
 *   link created ---> reg():	 make, enter, hook; a worker runs init, and publishes
 *   link updated ---> update(): the same; the worker publishes in place of the old policy
 *   link gone	  ---> unreg():  retire
 *   cgroup gone  ---> offline:  retire; the link stays, and nothing of the policy
 *   watchdog, error in a program ---> end(), a worker: the same
 *
 * BPF makes, updates and removes links of all types under one lock. So none of the three
 * waits for a program or reclaims, and none does work that a policy could make long. A policy
 * that loses its link stays on the list, hidden from hooks, until teardown has seen its last
 * program end. Until then it holds a reference on its ops, since BPF drops its own with the
 * link.
 *
 * A policy without init is published at once. If init fails the policy ends, and the one that
 * it was to replace goes on.
 *
 * The watchdog and programs (bpf_cache_ext_error()) may end a policy from contexts
 * that cannot wait for a mutex: its exit_work retires it then.
 */
#include <linux/bpf.h>
#include <linux/cgroup.h>
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "policy_ext.h"

/* ---- Resources ------------------------------------------------------------------------ */

/* Returns the cgroup's memcg with a reference, or an error. The root's is refused. */
static struct mem_cgroup *memcg_of_id(u64 cgroup_id)
{
	struct mem_cgroup *memcg = ERR_PTR(-EINVAL);
	struct cgroup_subsys_state *css;
	struct cgroup *cgrp;

	cgrp = cgroup_get_from_id(cgroup_id);
	if (IS_ERR(cgrp))
		return ERR_PTR(-EINVAL);
	/* The css of this very cgroup: the effective one may be an ancestor's. */
	rcu_read_lock();
	css = rcu_dereference(cgrp->subsys[memory_cgrp_id]);
	if (css && css->parent && css_tryget_online(css))
		memcg = mem_cgroup_from_css(css);
	rcu_read_unlock();
	cgroup_put(cgrp);
	return memcg;
}

/*
 * Ties @l to a cgroup, which pays for its memory. Once that cgroup is removed, its parent
 * pays. Nobody pays if kernel memory is not accounted. Returns 0 or an error.
 */
int policy_ext_life_join(struct policy_ext_life *l, u64 cgroup_id)
{
	struct mem_cgroup *memcg = memcg_of_id(cgroup_id);
	struct obj_cgroup *objcg;

	if (IS_ERR(memcg))
		return PTR_ERR(memcg);
	l->memcg = memcg;
	l->cgroup_id = cgroup_id;
	rcu_read_lock();
	objcg = policy_ext_objcg_of(memcg);
	if (objcg && obj_cgroup_tryget(objcg))
		l->objcg = objcg;
	rcu_read_unlock();
	return 0;
}

/* Charges @bytes before they are allocated without __GFP_ACCOUNT. Returns 0 or -ENOMEM. */
int policy_ext_life_charge(struct policy_ext_life *l, size_t bytes, gfp_t gfp)
{
	if (l->objcg && obj_cgroup_charge(l->objcg, gfp, bytes))
		return -ENOMEM;
	l->charged += bytes;
	return 0;
}

/*
 * Should a failed per-CPU allocation be tried again? Callers that may not reclaim get
 * pages of a reserve, which a kernel worker refills; this waits a tick for it. @tries: 0 at
 * first.
 */
bool policy_ext_life_again(unsigned int *tries)
{
	if (++*tries >= 4)
		return false;
	schedule_timeout_uninterruptible(1);
	return true;
}

/*
 * Sets programs and name, and takes a reference on @ops, which teardown drops. The last step
 * of making a policy. Returns -ENOENT if the map of @ops is being freed.
 */
int policy_ext_life_hold(struct policy_ext_life *l, const void *ops, const char *name)
{
	/* The link that is being made or updated has a reference of its own. */
	if (!bpf_struct_ops_get(ops))
		return -ENOENT;
	l->ops = l->held = ops;
	l->linked = true;
	strscpy(l->name, name[0] ? name : "-", sizeof(l->name));
	return 0;
}

/* The last reference is gone. */
void policy_ext_free(struct kref *kref)
{
	struct policy_ext_life *l = container_of(kref, struct policy_ext_life, refs);

	l->type->free(l);
}

/* For the core's free(): uncharges its memory, and drops its cgroup. */
void policy_ext_life_free(struct policy_ext_life *l)
{
	if (l->objcg) {
		if (l->charged)
			obj_cgroup_uncharge(l->objcg, l->charged);
		obj_cgroup_put(l->objcg);
	}
	if (l->memcg)
		css_put(&l->memcg->css);
}

/* ---- Exit ----------------------------------------------------------------------------- */

/**
 * policy_ext_exit - note why a policy ends
 * @l: of the policy, which is referenced, or under rcu_read_lock()
 * @kind: of reason; the first one counts
 * @code: depends on @kind
 * @message: for people
 *
 * POLICY_EXT_EXIT_WATCHDOG and POLICY_EXT_EXIT_ERROR also have it retired soon; for
 * the others that is the caller's. Any context but NMI.
 */
void policy_ext_exit(struct policy_ext_life *l,
		     enum policy_ext_exit_kind kind, s32 code,
		     const char *message)
{
	unsigned long irq;
	bool first;

	/* A program that says so again and again, on all CPUs, takes no lock. */
	if (READ_ONCE(l->exit.kind) != POLICY_EXT_EXIT_NONE)
		return;
	spin_lock_irqsave(&l->exit_lock, irq);
	first = policy_ext_exit_record(&l->exit, kind, code, message);
	spin_unlock_irqrestore(&l->exit_lock, irq);
	if (!first)
		return;
	if (kind == POLICY_EXT_EXIT_WATCHDOG || kind == POLICY_EXT_EXIT_ERROR)
		queue_work(policy_ext_wq, &l->exit_work);
}

/* Takes @l off the list once it has neither link nor programs. Caller holds the lock. */
static void leave(struct policy_ext_life *l)
{
	lockdep_assert_held(l->type->lock);
	if (l->linked || !l->quiet || list_empty(&l->all))
		return;
	list_del_init(&l->all);
	/* The list's reference; teardown has the other one. */
	policy_ext_put(l);
}

/*
 * @l has been retired, and its link is gone or belongs to another policy now. Its programs
 * may still run. Caller holds the lock.
 */
static void unlink(struct policy_ext_life *l)
{
	l->linked = false;
	/* A program of it may be giving its reason. */
	spin_lock_irq(&l->exit_lock);
	policy_ext_ended_add(&l->type->ended, l->cgroup_id, l->name, &l->exit);
	spin_unlock_irq(&l->exit_lock);
	leave(l);
}

/*
 * Marks @l dead, and has a worker tear it down. Returns whether it was alive. Caller holds
 * the lock; hooks do not see @l any more, or its init still runs.
 */
static bool mark_dead(struct policy_ext_life *l)
{
	lockdep_assert_held(l->type->lock);
	if (l->dead)
		return false;
	WRITE_ONCE(l->dead, true);
	/* Otherwise the worker that runs init does this afterwards. */
	if (!l->initializing)
		queue_work(policy_ext_long_wq, &l->teardown);
	return true;
}

/* Hides @l from hooks, and marks it dead. Returns whether it was alive. Caller holds the lock. */
static bool retire(struct policy_ext_life *l)
{
	if (!l->dead && l->published)
		l->type->hide(l);
	return mark_dead(l);
}

/* The link is gone. Caller holds the lock. */
static void retire_unlinked(struct policy_ext_life *l)
{
	policy_ext_exit(l, POLICY_EXT_EXIT_UNREG, 0, "its link is gone");
	retire(l);
}

/*
 * The cgroup is gone, so @l has been retired. Once its programs have ended, the link keeps
 * nothing of it: user space may hold that link for ever. Caller holds the lock.
 */
static void cgroup_gone(struct policy_ext_life *l)
{
	l->gone = true;
	if (l->quiet && l->linked)
		unlink(l);
}

void policy_ext_offline(struct policy_ext_type *type, struct mem_cgroup *memcg)
{
	struct policy_ext_life *l, *next;

	mutex_lock(type->lock);
	list_for_each_entry_safe(l, next, type->all, all) {
		if (l->memcg != memcg)
			continue;
		policy_ext_exit(l, POLICY_EXT_EXIT_CGROUP, 0,
				"its cgroup was removed");
		retire(l);
		cgroup_gone(l);
	}
	mutex_unlock(type->lock);
}

/* The watchdog or a program has ended the policy, in a context that cannot take the mutex. */
static void end(struct work_struct *work)
{
	struct policy_ext_life *l = container_of(work, struct policy_ext_life,
						 exit_work);
	bool first;

	mutex_lock(l->type->lock);
	first = retire(l);
	mutex_unlock(l->type->lock);
	if (first)
		l->type->notify_exit(l);
}

/*
 * For teardown: no program of the policy runs any more. Runs its exit program, the last one,
 * and drops its ops, which may be freed then. May sleep.
 */
void policy_ext_quiet(struct policy_ext_life *l)
{
	const void *ops = l->held;

	cancel_work_sync(&l->exit_work);
	if (l->published)
		l->type->exit(l);
	mutex_lock(l->type->lock);
	l->quiet = true;
	if (l->gone)
		cgroup_gone(l);
	leave(l);
	mutex_unlock(l->type->lock);
	bpf_struct_ops_put(ops);
}

/* ---- Attach --------------------------------------------------------------------------- */

/*
 * May a policy for this cgroup get a link, in place of @old unless that is NULL? Returns 0;
 * -EINVAL if @old is of another cgroup; -EBUSY if the cgroup has another policy, or if init
 * of @old has yet to run. Caller holds the lock.
 */
static int check(struct policy_ext_type *type, u64 cgroup_id,
		 struct policy_ext_life *old)
{
	struct policy_ext_life *l;

	lockdep_assert_held(type->lock);
	if (old && old->cgroup_id != cgroup_id)
		return -EINVAL;
	list_for_each_entry(l, type->all, all)
		if (l != old && l->linked && l->cgroup_id == cgroup_id)
			return -EBUSY;
	return old && old->initializing ? -EBUSY : 0;
}

/* Makes a policy for @ops and puts it on the list, which reserves its cgroup. Or an error. */
static struct policy_ext_life *enter(struct policy_ext_type *type, void *ops,
				     struct policy_ext_life *old)
{
	struct policy_ext_life *l = type->make(ops);
	int err;

	if (IS_ERR(l))
		return l;
	mutex_lock(type->lock);
	err = check(type, l->cgroup_id, old);
	if (!err && type->enter)
		err = type->enter(l);
	if (!err)
		list_add_tail(&l->all, type->all);
	mutex_unlock(type->lock);
	if (err) {
		bpf_struct_ops_put(ops);
		policy_ext_put(l);
		return ERR_PTR(err);
	}
	/* One for teardown, one for the list. */
	policy_ext_get(l);
	return l;
}

/* Ends @l before it has run. Caller holds the lock. */
static void fail(struct policy_ext_life *l, int err)
{
	policy_ext_exit(l, POLICY_EXT_EXIT_INIT, err, "init failed");
	l->initializing = false;
	WRITE_ONCE(l->dead, true);
	queue_work(policy_ext_long_wq, &l->teardown);
}

/*
 * Init of @l has failed. The policy that it was to replace goes on and gets the link back,
 * unless that is gone by now. Caller holds the lock.
 */
static void give_up(struct policy_ext_life *l, int err)
{
	struct policy_ext_life *old = l->old;

	fail(l, err);
	if (!old)
		return;
	if (l->linked && !old->dead) {
		/* To BPF, the link has the ops of @l from now on. */
		old->ops = l->ops;
		old->linked = true;
		unlink(l);
	} else {
		retire_unlinked(old);
		unlink(old);
	}
	l->old = NULL;
	policy_ext_put(old);
}

/*
 * Shows @l to hooks, in place of the policy that it replaces, if that has not ended by
 * itself. Caller holds the lock.
 */
static void publish(struct policy_ext_life *l)
{
	struct policy_ext_life *old = l->old;

	WRITE_ONCE(l->published, true);
	l->type->publish(l, old && !old->dead ? old : NULL);
	if (!old)
		return;
	policy_ext_exit(old, POLICY_EXT_EXIT_REPLACED, 0, l->name);
	mark_dead(old);
	unlink(old);
	l->old = NULL;
	policy_ext_put(old);
}

/*
 * Publishes @l unless its cgroup is going away. If that goes later, policy_ext_offline()
 * finds @l on the list. Caller holds the lock.
 */
static int come_online(struct policy_ext_life *l)
{
	if (l->dead)
		return -EINVAL;
	if (!css_tryget_online(&l->memcg->css)) {
		l->gone = true;
		return -EINVAL;
	}
	l->initializing = false;
	publish(l);
	css_put(&l->memcg->css);
	return 0;
}

static void begin(struct work_struct *work)
{
	struct policy_ext_life *l = container_of(work, struct policy_ext_life, begin);
	int err = l->type->init(l);

	mutex_lock(l->type->lock);
	if (!err)
		err = come_online(l);
	if (err)
		give_up(l, err < 0 ? err : -EINVAL);
	mutex_unlock(l->type->lock);
}

/* The first step of making a policy. The memory of @l is zero. */
void policy_ext_life_init(struct policy_ext_life *l, struct policy_ext_type *type,
			  void (*teardown)(struct work_struct *work), bool has_init)
{
	l->type = type;
	l->has_init = has_init;
	l->initializing = true;
	kref_init(&l->refs);
	spin_lock_init(&l->exit_lock);
	INIT_WORK(&l->begin, begin);
	INIT_WORK(&l->teardown, teardown);
	INIT_WORK(&l->exit_work, end);
}

static int start(struct policy_ext_type *type, void *ops,
		 struct policy_ext_life *old)
{
	struct policy_ext_life *l = enter(type, ops, old);
	int err;

	if (IS_ERR(l))
		return PTR_ERR(l);
	err = type->hook(l);

	mutex_lock(type->lock);
	/* @old may have lost its link and ended meanwhile. */
	if (!err && old && old->linked) {
		policy_ext_get(old);
		l->old = old;
	}
	if (!err && !l->has_init)
		err = come_online(l);
	if (err) {
		if (l->old)
			policy_ext_put(l->old);
		l->old = NULL;
		fail(l, err);
		unlink(l);
	} else if (l->has_init) {
		/* The link belongs to @l now, though its init may fail yet. */
		if (l->old)
			l->old->linked = false;
		queue_work(policy_ext_long_wq, &l->begin);
	}
	mutex_unlock(type->lock);
	return err;
}

/* ---- struct_ops callbacks ------------------------------------------------------------- */

/*
 * Returns the policy of @ops, or NULL if it went with its cgroup. Caller holds the lock.
 */
struct policy_ext_life *policy_ext_life_of(struct policy_ext_type *type,
					   const void *ops)
{
	struct policy_ext_life *l, *found = NULL;

	lockdep_assert_held(type->lock);
	list_for_each_entry(l, type->all, all)
		if (l->linked && l->ops == ops)
			found = l;
	return found;
}

/* The same with a reference. */
static struct policy_ext_life *get_by_ops(struct policy_ext_type *type,
					  const void *ops)
{
	struct policy_ext_life *l;

	mutex_lock(type->lock);
	l = policy_ext_life_of(type, ops);
	if (l)
		policy_ext_get(l);
	mutex_unlock(type->lock);
	return l;
}

/* Attaches @ops to a new link. Returns 0, or an error that changes nothing. */
int policy_ext_reg(struct policy_ext_type *type, void *ops, struct bpf_link *link)
{
	return link ? start(type, ops, NULL) : -EOPNOTSUPP;
}

/*
 * Gives the link @ops instead of @old_ops. The cgroup has a policy all the while. Returns 0,
 * or an error that changes nothing; -EBUSY if init of the old policy has yet to run. BPF
 * updates a link under a lock that it does not hold when the last reference to the link
 * goes. So the type's lock serialises these three callbacks.
 */
int policy_ext_update(struct policy_ext_type *type, void *ops, void *old_ops)
{
	struct policy_ext_life *old = get_by_ops(type, old_ops);
	int err = 0;

	if (!old)
		return -EINVAL;
	/* A replacement has failed, and @old went on (give_up()): now BPF is told. */
	if (old->held == ops && old->ops != ops) {
		mutex_lock(type->lock);
		old->ops = ops;
		mutex_unlock(type->lock);
	} else {
		err = start(type, ops, old);
	}
	policy_ext_put(old);
	return err;
}

/* The link of @ops is gone. */
void policy_ext_unreg(struct policy_ext_type *type, void *ops)
{
	struct policy_ext_life *l = get_by_ops(type, ops);

	if (!l)
		return;
	mutex_lock(type->lock);
	retire_unlinked(l);
	/* Init still runs: the policy that governs until then has no link either. */
	if (l->initializing && l->old)
		retire_unlinked(l->old);
	/* If the cgroup went meanwhile, that has been done. */
	if (l->linked)
		unlink(l);
	mutex_unlock(type->lock);
	policy_ext_put(l);
}
