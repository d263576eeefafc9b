// SPDX-License-Identifier: GPL-2.0
/*
 * Why a policy ended: kind, code, message. The first reason counts.
 *
 * The watchdog and programs (bpf_cache_ext_error()) may end a policy from
 * contexts that cannot wait for cache_ext_mutex: a worker retires it then. What
 * is told of a policy stays in the statistics as long as its link, and for the
 * last KEPT policies after that.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "cache_ext.h"

#define KEPT	16

struct ended {
	u64 cgroup_id;
	char name[16];
	struct cache_ext_exit exit;
};

/* The last ones that ended, a ring. Under cache_ext_mutex. */
static struct ended kept[KEPT];
static unsigned int nr_ended;

static const char * const names[] = {
	[CACHE_EXT_EXIT_NONE]	  = "none",
	[CACHE_EXT_EXIT_UNREG]	  = "unreg",
	[CACHE_EXT_EXIT_REPLACED] = "replaced",
	[CACHE_EXT_EXIT_CGROUP]	  = "cgroup",
	[CACHE_EXT_EXIT_WATCHDOG] = "watchdog",
	[CACHE_EXT_EXIT_ERROR]	  = "error",
	[CACHE_EXT_EXIT_INIT]	  = "init",
};

const char *cache_ext_exit_name(enum cache_ext_exit_kind kind)
{
	return names[kind];
}

/* The first reason is kept. Returns whether this was it. Any context. */
static bool record(struct cache_ext_exit *exit, enum cache_ext_exit_kind kind,
		   s32 code, const char *message)
{
	char *c;

	if (atomic_cmpxchg(&exit->claimed, 0, 1))
		return false;
	exit->code = code;
	exit->ms = ktime_get_boot_fast_ns() / NSEC_PER_MSEC;
	strscpy(exit->message, message, sizeof(exit->message));
	/* It is shown between quotes. */
	for (c = exit->message; *c; c++)
		if (!isascii(*c) || !isprint(*c) || *c == '"' || *c == '\\')
			*c = '?';
	/* with cache_ext_exit_show(): after all the rest */
	smp_store_release(&exit->kind, kind);
	return true;
}

static void end(struct work_struct *work)
{
	struct cache_ext_policy *p = container_of(work, struct cache_ext_policy,
						  exit_work);
	char *path = kmalloc(PATH_MAX, GFP_KERNEL);

	if (path && cgroup_path(p->memcg->css.cgroup, path, PATH_MAX) < 0)
		strscpy(path, "?", PATH_MAX);
	if (!cache_ext_retire(p))
		goto out;
	if (p->exit.kind == CACHE_EXT_EXIT_WATCHDOG)
		pr_warn("cache_ext: policy %s of cgroup %llu (%s) is detached after %u offences: %s, but the kernel could evict pages from its lists; the kernel's own reclaim takes over\n",
			p->name, p->cgroup_id, path ?: "?", CACHE_EXT_OFFENCES,
			p->exit.message);
	else
		pr_warn("cache_ext: policy %s of cgroup %llu (%s) is detached: its program reports error %d: %s; the kernel's own reclaim takes over\n",
			p->name, p->cgroup_id, path ?: "?", p->exit.code,
			p->exit.message);
out:
	kfree(path);
}

/**
 * cache_ext_exit - note why a policy ends
 * @p: the policy, referenced or under rcu_read_lock()
 * @kind: of reason
 * @code: depends on @kind
 * @message: for people
 *
 * CACHE_EXT_EXIT_WATCHDOG and CACHE_EXT_EXIT_ERROR also have it retired soon; for
 * the others that is the caller's. Any context but NMI.
 */
void cache_ext_exit(struct cache_ext_policy *p, enum cache_ext_exit_kind kind,
		    s32 code, const char *message)
{
	if (!record(&p->exit, kind, code, message))
		return;
	if (kind == CACHE_EXT_EXIT_WATCHDOG || kind == CACHE_EXT_EXIT_ERROR)
		queue_work(cache_ext_wq, &p->exit_work);
}

void cache_ext_exit_init(struct cache_ext_policy *p)
{
	INIT_WORK(&p->exit_work, end);
}

/* @p is dead, and nobody uses it any more. Not from cache_ext_mutex. */
void cache_ext_exit_stop(struct cache_ext_policy *p)
{
	cancel_work_sync(&p->exit_work);
}

/* @p is going: what it ended with is kept. Caller: cache_ext_mutex. */
void cache_ext_exit_keep(struct cache_ext_policy *p)
{
	struct ended *e = &kept[nr_ended++ % KEPT];

	lockdep_assert_held(&cache_ext_mutex);
	e->cgroup_id = p->cgroup_id;
	memcpy(e->name, p->name, sizeof(e->name));
	e->exit = p->exit;
}

/* Nothing, or " exit=KIND code=N message="TEXT" ended_ms=T". */
void cache_ext_exit_show(struct seq_file *m, const struct cache_ext_exit *exit)
{
	/* with record() */
	enum cache_ext_exit_kind kind = smp_load_acquire(&exit->kind);

	if (kind != CACHE_EXT_EXIT_NONE)
		seq_printf(m, " exit=%s code=%d message=\"%s\" ended_ms=%llu",
			   names[kind], exit->code, exit->message, exit->ms);
}

/* A line for each that is kept, the oldest first. Caller: cache_ext_mutex. */
void cache_ext_exit_show_ended(struct seq_file *m)
{
	unsigned int i = nr_ended > KEPT ? nr_ended - KEPT : 0;

	lockdep_assert_held(&cache_ext_mutex);
	for (; i < nr_ended; i++) {
		struct ended *e = &kept[i % KEPT];

		seq_printf(m, "cgroup=%llu name=%s state=ended", e->cgroup_id,
			   e->name);
		cache_ext_exit_show(m, &e->exit);
		seq_putc(m, '\n');
	}
}
