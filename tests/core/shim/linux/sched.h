/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tasks, processors, and what waits for what. Two libraries implement it:
 *
 *   lib/fibres.c   one thread; all is decided by one sequence of choices
 *   lib/threads.c  POSIX threads, liburcu
 */
#ifndef _LINUX_SCHED_H
#define _LINUX_SCHED_H

#include <linux/kernel.h>

#define NR_CPUS 32

struct task_struct {
	int cpu;
	bool kswapd;
	bool dying;	/* a signal kills it */
	bool no_reclaim;	/* it has BPF's lock */
	unsigned int rcu;
	u64 start_time;
	char comm[16] __attribute__((aligned(8)));	/* nobody's command has a name */
};

struct task_struct *shim_current(void);
int shim_cpu(void);

/*
 * Something may happen here on another CPU: no lock of a spinning kind is held.
 * @sleeps: the caller may sleep, so workers may run as well.
 */
void shim_gap(bool sleeps);

/* Dies if the caller must not sleep. */
void shim_might_sleep(void);

/* True with a probability of @of in 1024. */
bool shim_chance(unsigned int of);

#define current shim_current()
/* It takes its time, and no worker waits. */
#define schedule_timeout_uninterruptible(jiffies)                              \
	do {                                                                   \
		(void)(jiffies);                                               \
		shim_might_sleep();                                            \
		shim_gap(true);                                                \
	} while (0)
void shim_time_passes(unsigned long passed);
#define schedule_timeout_idle(wait)                                            \
	do {                                                                   \
		shim_might_sleep();                                            \
		shim_gap(true);                                                \
		shim_time_passes(wait);                                        \
	} while (0)
#define current_is_kswapd() (current->kswapd)
#define fatal_signal_pending(task) ((task)->dying)
#define cond_resched()                                                         \
	do {                                                                   \
		shim_might_sleep();                                            \
		shim_gap(true);                                                \
	} while (0)

#endif
