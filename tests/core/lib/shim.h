/* SPDX-License-Identifier: GPL-2.0 */
/* What the layer under the core offers to those who drive it. */
#ifndef SHIM_H
#define SHIM_H

#include <linux/mm.h>

/* Of 1024 allocations that must not wait, how many fail: slab.c. */
extern unsigned int shim_failures;
/* Does an allocation fail? Those that may wait seldom do. */
bool shim_fails(gfp_t gfp);

/*
 * What is decided at random, by whoever drives: a number below @n, which is at
 * least 1.
 */
unsigned int shim_pick(unsigned int n);

/* Called before the end: tells how to repeat what happened. */
extern void (*shim_on_death)(void);

/*
 * A lock of the world's, not of the core's, with interrupts off. False: somebody
 * has it who cannot let it go, since this began in a gap of its.
 */
bool shim_try_lock_irq(spinlock_t *lock);
void shim_unlock_irq(spinlock_t *lock);
/* May the caller wait for others? Not what began in a gap. */
bool shim_may_wait(void);

/* fibres.c: what another CPU does in a gap. It must neither sleep nor wait. */
extern void (*shim_other_cpu)(void);
/* Gaps without that, at most; 0: nothing happens in gaps. */
extern unsigned int shim_calm;
/*
 * Another CPU that holds no lock comes by, also where this one does: before each
 * spinning lock is taken, after it is let go, at each allocation, and before RCU is
 * told to free. It must not wait. NULL: none does.
 */
extern void (*shim_passer_by)(void);
void shim_pass_by(void);
/* How often a task found a mutex held, and would have waited killably. */
extern unsigned long shim_waited;
/* Is this such another CPU? */
bool shim_nested(void);
/* Let a worker run until it waits. False: none can. */
bool shim_run_worker(void);
/* fibres.c: has any begun, and waits? */
bool shim_workers_wait(void);

/* Both libraries. */
extern const bool shim_threads;	/* are there? */
void shim_start(void);
void shim_stop(void);
/* fibres.c: whoever calls it goes on on another CPU. */
void shim_move_cpu(void);
void shim_time_passes(unsigned long passed);
/* All workers that are due have run, and RCU has freed what it could. */
void shim_settle(void);
/* The same, and no worker begins until others may go on. */
void shim_stand_still(void);
void shim_go_on(void);
/* @in: the caller holds locks of a hook, with interrupts off. */
void shim_hook(bool in);
/* Locks that a hook or request still holds: none at the end of each. */
void shim_assert_idle(void);

/* folio.c */
struct shim_section {
	u32 first;		/* page frame number */
	u32 nr;
};
void shim_frames_init(const struct shim_section *sections, unsigned int nr);
void shim_frames_exit(void);
unsigned int shim_nr_frames(void);
struct folio *shim_frame(unsigned int n);
struct folio *shim_folio_alloc(unsigned int order);
/* Of one page, at a page frame that is free. */
struct folio *shim_folio_alloc_at(u32 pfn);
/* Nobody else looks at it now. */
void shim_set_order(struct folio *folio, unsigned int order);
void shim_charge(struct folio *folio, struct mem_cgroup *memcg);
void shim_uncharge(struct folio *folio);
void shim_lru_add(struct folio *folio);
void shim_activate(struct folio *folio);
/* It is split: from now on it has this order. Nobody else has a reference. */
void shim_lru_shrink(struct folio *folio, unsigned int order);
void shim_lru_putback(struct folio *folio);
/* All references at once, if there are so many. */
bool shim_freeze_refs(struct folio *folio, int refs);
void shim_unfreeze_refs(struct folio *folio, int refs);
/* A folio that nobody refers to, whose references are frozen. */
void shim_folio_free(struct folio *folio);
unsigned int shim_used_frames(void);

/* How often the batches of all CPUs were drained. */
extern unsigned int shim_drains;

/* memcg.c */
struct mem_cgroup *shim_memcg_create(struct mem_cgroup *parent, u64 id);
void shim_memcg_offline(struct mem_cgroup *memcg);
unsigned int shim_memcgs(void);
struct lruvec *shim_lruvec(struct folio *folio);

#endif
