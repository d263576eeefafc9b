/* SPDX-License-Identifier: GPL-2.0 */
/* What policies of both types have: a link, a cgroup, an end. life.c */
#ifndef _MM_CACHE_EXT_LIFE_H
#define _MM_CACHE_EXT_LIFE_H

#include <linux/gfp.h>
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

/*
 * How reg() allocates: others wait for BPF's lock meanwhile, so it neither reclaims nor
 * takes what is kept for reclaim. Workers do as they like, but kill nobody.
 */
#define CACHE_EXT_GFP_REG	(GFP_NOWAIT | __GFP_NOWARN)
#define CACHE_EXT_GFP_WORKER	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct cache_ext_life {
	struct list_head all;		/* of struct cache_ext_lives */
	const void *ops;		/* as BPF knows its link's policy: only compared */
	const void *held;		/* its own ops, until it is quiet */
	u64 cgroup_id;
	char name[16];
	bool linked;			/* it has a link; under the lock */
	bool gone;		/* its cgroup is; under the lock */
	bool quiet;		/* no program of it runs any more; under the lock */
	struct obj_cgroup *objcg;	/* pays for it; NULL: nobody does */
	size_t charged;			/* bytes */
	struct cache_ext_exit exit;
	struct work_struct exit_work;	/* retires it, for reasons of its own */
};

struct mem_cgroup;
struct obj_cgroup;

int cache_ext_wq_init(void);
void cache_ext_wq_exit(void);
void cache_ext_life_payer(struct cache_ext_life *l, struct mem_cgroup *memcg);
int cache_ext_life_charge(struct cache_ext_life *l, size_t bytes, gfp_t gfp);
void cache_ext_life_uncharge(struct cache_ext_life *l);
bool cache_ext_life_again(unsigned int *tries);
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
bool cache_ext_life_gone(struct cache_ext_lives *lives,
			 struct cache_ext_life *l);
void cache_ext_life_lend_link(struct cache_ext_life *l);
void cache_ext_life_return_link(struct cache_ext_life *l,
				struct cache_ext_life *from);
bool cache_ext_life_quiet(struct cache_ext_lives *lives,
			  struct cache_ext_life *l);

#endif /* _MM_CACHE_EXT_LIFE_H */
