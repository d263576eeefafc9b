/* SPDX-License-Identifier: GPL-2.0 */
/* Why a policy ended: exit.c tells of it. */
#ifndef _MM_CACHE_EXT_EXIT_H
#define _MM_CACHE_EXT_EXIT_H

#include <linux/atomic.h>
#include <linux/types.h>

struct seq_file;

enum cache_ext_exit_kind {
	CACHE_EXT_EXIT_NONE,
	CACHE_EXT_EXIT_UNREG,	/* its link is gone */
	CACHE_EXT_EXIT_REPLACED, /* its link has another policy now */
	CACHE_EXT_EXIT_CGROUP,	/* its cgroup was removed */
	CACHE_EXT_EXIT_WATCHDOG, /* @code: enum cache_ext_stall */
	CACHE_EXT_EXIT_ERROR,	/* a program of it said so; @code is its own */
	CACHE_EXT_EXIT_INIT,	/* @code: what init returned, or -errno */
};

#define CACHE_EXT_EXIT_MESSAGE	96

struct cache_ext_exit {
	atomic_t claimed;	/* the first reason counts */
	enum cache_ext_exit_kind kind;	/* written last, read without a lock */
	s32 code;
	char message[CACHE_EXT_EXIT_MESSAGE];
	u64 ms;			/* of CLOCK_BOOTTIME */
};

/* The last policies of a type that ended, a ring. The caller locks. */
#define CACHE_EXT_KEPT	16

struct cache_ext_ended {
	struct {
		u64 cgroup_id;
		char name[16];
		struct cache_ext_exit exit;
	} kept[CACHE_EXT_KEPT];
	unsigned int nr;
};

bool cache_ext_exit_record(struct cache_ext_exit *exit,
			   enum cache_ext_exit_kind kind, s32 code,
			   const char *message);
const char *cache_ext_exit_name(enum cache_ext_exit_kind kind);
void cache_ext_exit_show(struct seq_file *m, const struct cache_ext_exit *exit);
void cache_ext_ended_keep(struct cache_ext_ended *ended, u64 cgroup_id,
			  const char name[16],
			  const struct cache_ext_exit *exit);
void cache_ext_ended_show(struct seq_file *m,
			  const struct cache_ext_ended *ended);

#endif /* _MM_CACHE_EXT_EXIT_H */
