/* SPDX-License-Identifier: GPL-2.0 */
/* Why a policy ended: exit.c tells of it. */
#ifndef _MM_POLICY_EXT_EXIT_H
#define _MM_POLICY_EXT_EXIT_H

#include <linux/types.h>

struct seq_file;

enum policy_ext_exit_kind {
	POLICY_EXT_EXIT_NONE,
	POLICY_EXT_EXIT_UNREG,	/* its link is gone */
	POLICY_EXT_EXIT_REPLACED, /* its link has another policy now */
	POLICY_EXT_EXIT_CGROUP,	/* its cgroup was removed */
	POLICY_EXT_EXIT_WATCHDOG, /* @code: the type's own */
	POLICY_EXT_EXIT_ERROR,	/* a program of it said so; @code is its own */
	POLICY_EXT_EXIT_INIT,	/* @code: what init returned, or -errno */
};

#define POLICY_EXT_EXIT_MESSAGE	96

struct policy_ext_exit {
	enum policy_ext_exit_kind kind;	/* written last, read without a lock */
	s32 code;
	char message[POLICY_EXT_EXIT_MESSAGE];
	u64 ms;			/* of CLOCK_BOOTTIME */
};

/* The last policies of a type that ended, a ring. The caller locks. */
#define POLICY_EXT_KEPT	16

struct policy_ext_ended {
	struct {
		u64 cgroup_id;
		char name[16];
		struct policy_ext_exit exit;
	} kept[POLICY_EXT_KEPT];
	unsigned int nr;
};

bool policy_ext_exit_record(struct policy_ext_exit *exit,
			    enum policy_ext_exit_kind kind, s32 code,
			    const char *message);
void policy_ext_exit_show(struct seq_file *m, const struct policy_ext_exit *exit);
void policy_ext_ended_add(struct policy_ext_ended *ended, u64 cgroup_id,
			  const char name[16],
			  const struct policy_ext_exit *exit);
void policy_ext_ended_show(struct seq_file *m,
			   const struct policy_ext_ended *ended);

#endif /* _MM_POLICY_EXT_EXIT_H */
