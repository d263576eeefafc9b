/* SPDX-License-Identifier: GPL-2.0 */
/* What policies of both types have: a link, a cgroup, an end. life.c */
#ifndef _MM_CACHE_EXT_LIFE_H
#define _MM_CACHE_EXT_LIFE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "exit.h"

/* The policies of a type that have a link, and the last ones that had. */
struct cache_ext_lives {
	struct mutex *lock;		/* for what follows; sleeps */
	struct list_head *all;
	struct cache_ext_ended ended;
};

struct cache_ext_life {
	struct list_head all;		/* of struct cache_ext_lives */
	const void *ops;		/* as BPF knows the policy: only compared */
	u64 cgroup_id;
	char name[16];
	struct completion quiet;	/* no program of it runs any more */
	bool heir;			/* programs of who was here before may run still */
	struct cache_ext_exit exit;
	struct work_struct exit_work;	/* retires it, for reasons of its own */
};

int cache_ext_wq_init(void);
void cache_ext_wq_exit(void);
void cache_ext_life_init(struct cache_ext_life *l, const void *ops,
			 u64 cgroup_id, const char *name);
int cache_ext_life_check(struct cache_ext_lives *lives, u64 cgroup_id,
			 struct cache_ext_life *old);
struct cache_ext_life *cache_ext_life_of(struct cache_ext_lives *lives,
					 const void *ops);
void cache_ext_life_exit(struct cache_ext_life *l,
			 enum cache_ext_exit_kind kind, s32 code,
			 const char *message);
void cache_ext_life_error(struct cache_ext_life *l, s32 code,
			  const char *message);
void cache_ext_life_settle(struct cache_ext_lives *lives, const void *ops);
void cache_ext_life_end(struct cache_ext_lives *lives,
			struct cache_ext_life *l);

#endif /* _MM_CACHE_EXT_LIFE_H */
