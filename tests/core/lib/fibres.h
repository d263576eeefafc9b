/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the one-threaded library share: fibres.c, one_thread.c. */
#ifndef SHIM_FIBRES_H
#define SHIM_FIBRES_H

#include "shim.h"

/*
 * A task that runs on a CPU. Contexts are a stack: one that begins in a gap of
 * another ends before that goes on.
 */
struct context {
	struct task_struct task;
	unsigned int irqs_off;
	unsigned int preempt_off;
	unsigned int spins;	/* locks */
	unsigned int rcu;
	bool hook;		/* its caller has interrupts off */
};

extern struct context *shim_context;

void shim_push(struct context *context);
void shim_pop(void);

/* Returns when @ready(@arg). Dies if that can never be. */
void shim_wait(bool (*ready)(void *arg), void *arg);

void shim_reset(void);
/* A worker lets others go on for a while. */
void shim_yield(void);

/* RCU readers of all contexts. */
bool shim_no_readers(void *unused);
void shim_rcu_free(void);

#endif
