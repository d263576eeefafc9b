/* SPDX-License-Identifier: GPL-2.0 */
/* What policies of both types have: a link, a cgroup, an end. life.c */
#ifndef _MM_POLICY_EXT_LIFE_H
#define _MM_POLICY_EXT_LIFE_H

#include <linux/gfp.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include "exit.h"

struct bpf_link;
struct mem_cgroup;
struct obj_cgroup;

/*
 * How reg() allocates: others wait for BPF's lock meanwhile, so it neither reclaims nor
 * takes what is kept for reclaim. Workers do as they like, but kill nobody.
 */
#define POLICY_EXT_GFP_REG	(GFP_NOWAIT | __GFP_NOWARN)
#define POLICY_EXT_GFP_WORKER	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* A policy's life. Writers hold the lock of its type. */
struct policy_ext_life {
	struct mem_cgroup *memcg;	/* css reference */
	bool dead;			/* under the lock, read without */
	bool published;			/* under the lock */
	bool has_init;
	bool initializing;		/* init has still to run: under the lock */
	bool linked;			/* it has a link; under the lock */
	bool gone;			/* its cgroup is; under the lock */
	bool quiet;	/* no program of it runs any more; under the lock */
	struct kref refs;		/* references on the struct itself */

	struct policy_ext_type *type;
	struct list_head all;		/* of @type */
	const void *ops;		/* as BPF knows its link's policy: only compared */
	const void *held;		/* its own ops, until it is quiet */
	u64 cgroup_id;
	char name[16];

	struct policy_ext_life *old;	/* that it is to replace; referenced */
	struct work_struct begin;
	struct work_struct teardown;	/* the core's, which ends with its reference */
	struct work_struct exit_work;	/* retires it, for reasons of its own */
	struct policy_ext_exit exit;
	spinlock_t exit_lock;		/* to write or copy @exit; nothing is taken under it */

	struct obj_cgroup *objcg;	/* pays for it; NULL: nobody does */
	size_t charged;			/* bytes */
};

/*
 * A type of policies: those that have a link, or programs that may still run; the last
 * ones that had a link; and what its core does at the turns of their lives.
 */
struct policy_ext_type {
	struct mutex *lock;		/* for what follows; sleeps */
	struct list_head *all;
	struct policy_ext_ended ended;

	/* A policy for @ops with one reference, or an error. As reg() allocates. */
	struct policy_ext_life *(*make)(void *ops);
	/* It has its cgroup to itself. May be NULL. Caller: the lock. 0, or an error. */
	int (*enter)(struct policy_ext_life *l);
	/* Hooks on, until teardown. 0, or an error: then they are not. */
	int (*hook)(struct policy_ext_life *l);
	/* For one with init, in a worker: all that it takes, and the program. 0, or no. */
	int (*init)(struct policy_ext_life *l);
	/* Hooks see it from here on, in place of @old, which may be NULL. Caller: the lock. */
	void (*publish)(struct policy_ext_life *l, struct policy_ext_life *old);
	/* Hooks do not see it any more, which was published. Caller: the lock. */
	void (*hide)(struct policy_ext_life *l);
	/* For people: the watchdog or a program has ended it. */
	void (*notify_exit)(struct policy_ext_life *l);
	/* Its exit program, if it has one. */
	void (*exit)(struct policy_ext_life *l);
	/* Nothing names it any more. */
	void (*free)(struct policy_ext_life *l);
};

/* For make(), in this order. */
void policy_ext_life_init(struct policy_ext_life *l, struct policy_ext_type *type,
			  void (*teardown)(struct work_struct *work), bool has_init);
int policy_ext_life_join(struct policy_ext_life *l, u64 cgroup_id);
int policy_ext_life_hold(struct policy_ext_life *l, const void *ops,
			 const char *name);

int policy_ext_life_charge(struct policy_ext_life *l, size_t bytes, gfp_t gfp);
bool policy_ext_life_again(unsigned int *tries);
void policy_ext_life_free(struct policy_ext_life *l);
struct policy_ext_life *policy_ext_life_of(struct policy_ext_type *type,
					   const void *ops);

int policy_ext_reg(struct policy_ext_type *type, void *ops, struct bpf_link *link);
int policy_ext_update(struct policy_ext_type *type, void *ops, void *old_ops);
void policy_ext_unreg(struct policy_ext_type *type, void *ops);
void policy_ext_offline(struct policy_ext_type *type, struct mem_cgroup *memcg);
void policy_ext_exit(struct policy_ext_life *l, enum policy_ext_exit_kind kind,
		     s32 code, const char *message);
void policy_ext_quiet(struct policy_ext_life *l);
void policy_ext_free(struct kref *kref);

/* The struct, not its programs. Caller of the first: has a reference, or runs a program. */
static inline void policy_ext_get(struct policy_ext_life *l)
{
	kref_get(&l->refs);
}

static inline void policy_ext_put(struct policy_ext_life *l)
{
	kref_put(&l->refs, policy_ext_free);
}

#endif /* _MM_POLICY_EXT_LIFE_H */
