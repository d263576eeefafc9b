// SPDX-License-Identifier: GPL-2.0
/*
 * Why a policy ended: kind, code, message. The first reason counts.
 *
 * What is told of a policy stays in the statistics as long as its link, and for the
 * last POLICY_EXT_KEPT policies after that.
 */
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include "exit.h"

static const char * const names[] = {
	[POLICY_EXT_EXIT_NONE]	   = "none",
	[POLICY_EXT_EXIT_UNREG]	   = "unreg",
	[POLICY_EXT_EXIT_REPLACED] = "replaced",
	[POLICY_EXT_EXIT_CGROUP]   = "cgroup",
	[POLICY_EXT_EXIT_WATCHDOG] = "watchdog",
	[POLICY_EXT_EXIT_ERROR]	   = "error",
	[POLICY_EXT_EXIT_INIT]	   = "init",
};

/* The first reason is kept. Returns whether this was it. The caller locks. */
bool policy_ext_exit_record(struct policy_ext_exit *exit,
			    enum policy_ext_exit_kind kind, s32 code,
			    const char *message)
{
	char *c;

	if (exit->kind != POLICY_EXT_EXIT_NONE)
		return false;
	exit->code = code;
	exit->ms = ktime_get_boot_fast_ns() / NSEC_PER_MSEC;
	strscpy(exit->message, message, sizeof(exit->message));
	/* It is shown between quotes. */
	for (c = exit->message; *c; c++)
		if (!isascii(*c) || !isprint(*c) || *c == '"' || *c == '\\')
			*c = '?';
	/* with policy_ext_exit_show(): after all the rest */
	smp_store_release(&exit->kind, kind);
	return true;
}

/* The caller locks @ended and @exit. */
void policy_ext_ended_add(struct policy_ext_ended *ended, u64 cgroup_id,
			  const char name[16],
			  const struct policy_ext_exit *exit)
{
	unsigned int i = ended->nr++ % POLICY_EXT_KEPT;

	ended->kept[i].cgroup_id = cgroup_id;
	memcpy(ended->kept[i].name, name, sizeof(ended->kept[i].name));
	ended->kept[i].exit = *exit;
}

/* Nothing, or " exit=KIND code=N message="TEXT" ended_ms=T". */
void policy_ext_exit_show(struct seq_file *m, const struct policy_ext_exit *exit)
{
	/* with policy_ext_exit_record() */
	enum policy_ext_exit_kind kind = smp_load_acquire(&exit->kind);

	if (kind != POLICY_EXT_EXIT_NONE)
		seq_printf(m, " exit=%s code=%d message=\"%s\" ended_ms=%llu",
			   names[kind], exit->code, exit->message, exit->ms);
}

/* A line for each that is kept, the oldest first. */
void policy_ext_ended_show(struct seq_file *m,
			   const struct policy_ext_ended *ended)
{
	unsigned int i = 0, k;

	if (ended->nr > POLICY_EXT_KEPT)
		i = ended->nr - POLICY_EXT_KEPT;
	for (; i < ended->nr; i++) {
		k = i % POLICY_EXT_KEPT;
		seq_printf(m, "cgroup=%llu name=%s state=ended",
			   ended->kept[k].cgroup_id, ended->kept[k].name);
		policy_ext_exit_show(m, &ended->kept[k].exit);
		seq_putc(m, '\n');
	}
}
