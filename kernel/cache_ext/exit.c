// SPDX-License-Identifier: GPL-2.0
/*
 * Why a policy ended: kind, code, message. The first reason counts.
 *
 * The watchdog and programs (bpf_cache_ext_error()) may end a policy from
 * contexts that cannot wait for cache_ext_mutex: a worker retires it then. What
 * is told of a policy stays in the statistics as long as its link, and for the
 * last CACHE_EXT_KEPT policies after that.
 */
#include <linux/cgroup.h>
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include "cache_ext.h"
#include "kfuncs.h"

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
bool cache_ext_exit_record(struct cache_ext_exit *exit,
			   enum cache_ext_exit_kind kind, s32 code,
			   const char *message)
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
						  life.exit_work);
	/* Detach waits for this: it must not wait for reclaim. */
	char *path = kmalloc(PATH_MAX, GFP_NOWAIT | __GFP_NOWARN);

	if (path && cgroup_path(p->memcg->css.cgroup, path, PATH_MAX) < 0)
		strscpy(path, "?", PATH_MAX);
	if (!cache_ext_retire(p))
		goto out;
	if (p->life.exit.kind == CACHE_EXT_EXIT_WATCHDOG)
		pr_warn("cache_ext: policy %s of cgroup %llu (%s) is detached after %u offences: %s, but the kernel could evict pages from its lists; the kernel's own reclaim takes over\n",
			p->life.name, p->life.cgroup_id, path ?: "?", CACHE_EXT_OFFENCES,
			p->life.exit.message);
	else
		pr_warn("cache_ext: policy %s of cgroup %llu (%s) is detached: its program reports error %d: %s; the kernel's own reclaim takes over\n",
			p->life.name, p->life.cgroup_id, path ?: "?", p->life.exit.code,
			p->life.exit.message);
out:
	kfree(path);
}

void cache_ext_exit_init(struct cache_ext_policy *p)
{
	INIT_WORK(&p->life.exit_work, end);
}

/* @p is dead, and nobody uses it any more. Not from cache_ext_mutex. */
void cache_ext_exit_stop(struct cache_ext_policy *p)
{
	cancel_work_sync(&p->life.exit_work);
}

void cache_ext_ended_keep(struct cache_ext_ended *ended, u64 cgroup_id,
			  const char name[16],
			  const struct cache_ext_exit *exit)
{
	unsigned int i = ended->nr++ % CACHE_EXT_KEPT;

	ended->kept[i].cgroup_id = cgroup_id;
	memcpy(ended->kept[i].name, name, sizeof(ended->kept[i].name));
	ended->kept[i].exit = *exit;
}

/* Nothing, or " exit=KIND code=N message="TEXT" ended_ms=T". */
void cache_ext_exit_show(struct seq_file *m, const struct cache_ext_exit *exit)
{
	/* with cache_ext_exit_record() */
	enum cache_ext_exit_kind kind = smp_load_acquire(&exit->kind);

	if (kind != CACHE_EXT_EXIT_NONE)
		seq_printf(m, " exit=%s code=%d message=\"%s\" ended_ms=%llu",
			   names[kind], exit->code, exit->message, exit->ms);
}

/* A line for each that is kept, the oldest first. */
void cache_ext_ended_show(struct seq_file *m,
			  const struct cache_ext_ended *ended)
{
	unsigned int i = 0, k;

	if (ended->nr > CACHE_EXT_KEPT)
		i = ended->nr - CACHE_EXT_KEPT;
	for (; i < ended->nr; i++) {
		k = i % CACHE_EXT_KEPT;
		seq_printf(m, "cgroup=%llu name=%s state=ended",
			   ended->kept[k].cgroup_id, ended->kept[k].name);
		cache_ext_exit_show(m, &ended->kept[k].exit);
		seq_putc(m, '\n');
	}
}

__bpf_kfunc_start_defs();

/**
 * bpf_cache_ext_error - end the policy: its program cannot go on
 * @memcg: the policy's cgroup
 * @code: the program's own number for what is wrong
 * @message__str: the same for people; the start of it is kept
 *
 * The policy is detached soon, from a worker, and the kernel's own reclaim takes
 * over. Statistics and the kernel's log tell code and message. While the policy takes
 * another one's place, and programs of that one may run, errors of both are ignored.
 *
 * Context: any program but init and exit.
 */
__bpf_kfunc void bpf_cache_ext_error(struct mem_cgroup *memcg, s32 code,
				     const char *message__str)
{
	struct cache_ext_policy *p;

	rcu_read_lock();
	p = cache_ext_own_policy(memcg);
	if (p)
		cache_ext_life_error(&p->life, code, message__str);
	rcu_read_unlock();
}

__bpf_kfunc_end_defs();
