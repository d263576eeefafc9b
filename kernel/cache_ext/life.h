/* SPDX-License-Identifier: GPL-2.0 */
/* What policies of both types have: a link, a cgroup, an end. life.c */
#ifndef _MM_CACHE_EXT_LIFE_H
#define _MM_CACHE_EXT_LIFE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "exit.h"

/*
 * The policies of a type that have a link, or programs that may still run; and the last
 * ones that had a link.
 */
struct cache_ext_lives {
	struct mutex *lock;		/* for what follows; sleeps */
	struct list_head *all;
	struct cache_ext_ended ended;
};

struct cache_ext_life {
	struct list_head all;		/* of struct cache_ext_lives */
	const void *ops;		/* as BPF knows its link's policy: only compared */
	const void *held;		/* its own ops, until it is quiet */
	u64 cgroup_id;
	char name[16];
	bool linked;			/* it has a link; under the lock */
	bool quiet;		/* no program of it runs any more; under the lock */
	struct cache_ext_exit exit;
	struct work_struct exit_work;	/* retires it, for reasons of its own */
};

int cache_ext_wq_init(void);
void cache_ext_wq_exit(void);
int cache_ext_life_init(struct cache_ext_life *l, const void *ops,
			u64 cgroup_id, const char *name);
int cache_ext_life_check(struct cache_ext_lives *lives, u64 cgroup_id,
			 struct cache_ext_life *old);
struct cache_ext_life *cache_ext_life_of(struct cache_ext_lives *lives,
					 const void *ops);
void cache_ext_life_exit(struct cache_ext_life *l,
			 enum cache_ext_exit_kind kind, s32 code,
			 const char *message);
bool cache_ext_life_unlink(struct cache_ext_lives *lives,
			   struct cache_ext_life *l);
void cache_ext_life_lend_link(struct cache_ext_life *l);
void cache_ext_life_return_link(struct cache_ext_life *l,
				struct cache_ext_life *from);
bool cache_ext_life_quiet(struct cache_ext_lives *lives,
			  struct cache_ext_life *l);

#endif /* _MM_CACHE_EXT_LIFE_H */
