/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_SPINLOCK_H
#define _LINUX_SPINLOCK_H

#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched.h>

typedef struct {
	/* pthread_mutex_t, where there are threads. */
	unsigned long room[5];
	unsigned long acquired;		/* how often; under the lock */
	bool held;
	bool with_irqs;			/* it was taken while these were on */
	bool in_hook;			/* ... under the locks of a hook */
} spinlock_t;

void spin_lock_init(spinlock_t *lock);
void spin_lock(spinlock_t *lock);
void spin_unlock(spinlock_t *lock);
unsigned long shim_spin_lock_irqsave(spinlock_t *lock);
void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags);
bool shim_is_held(spinlock_t *lock);

#define spin_lock_irqsave(lock, flags) ((flags) = shim_spin_lock_irqsave(lock))
#define spin_lock_irq(lock) ((void)shim_spin_lock_irqsave(lock))
#define spin_unlock_irq(lock) spin_unlock_irqrestore(lock, 0)

#define shim_held_spinlock_t(lock) shim_is_held(lock)
#define lockdep_is_held(lock)                                                  \
	_Generic(*(lock), spinlock_t: shim_is_held,                            \
		 struct mutex: shim_mutex_is_mine)(lock)
#define lockdep_assert_held(lock)                                              \
	do {                                                                   \
		if (!lockdep_is_held(lock))                                    \
			shim_die("%s:%d: %s is not held", __FILE__, __LINE__,  \
				 #lock);                                       \
	} while (0)

struct mutex {
	unsigned long room[5];
	struct task_struct *owner;
};

#define DEFINE_MUTEX(name) struct mutex name = { .owner = NULL }

void mutex_init(struct mutex *m);
void mutex_lock(struct mutex *m);
int mutex_lock_killable(struct mutex *m);
bool mutex_trylock(struct mutex *m);
void mutex_unlock(struct mutex *m);
bool mutex_is_locked(struct mutex *m);
bool shim_mutex_is_mine(struct mutex *m);

#endif
