// SPDX-License-Identifier: GPL-2.0
/*
 * Locks and RCU with POSIX threads, each of which is a CPU.
 *
 * ThreadSanitizer does not see into liburcu. So it is told what RCU promises:
 * what a reader did comes before the end of each grace period that waited for it,
 * and what was done before a grace period comes before readers that begin later.
 */
#include <linux/completion.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "threads.h"
#include "urcu.h"

#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>

/* What liburcu itself does is not looked at. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:liburcu-memb.so\n";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "halt_on_error=1:second_deadlock_stack=1:history_size=4";
}
#else
#define __tsan_acquire(p) ((void)(p))
#define __tsan_release(p) ((void)(p))
#endif

_Static_assert(sizeof(pthread_mutex_t) <= sizeof(((spinlock_t *)0)->room),
	       "room of a lock");

const bool shim_threads = true;
void (*shim_other_cpu)(void);
void (*shim_passer_by)(void);
unsigned int shim_calm;

static _Thread_local struct {
	struct task_struct task;
	unsigned int spins, irqs_off, preempt_off, rcu, readers;
} self;

static pthread_mutex_t cpus_lock = PTHREAD_MUTEX_INITIALIZER;
static bool cpus[NR_CPUS];
static char readers_end, grace_ends, callbacks_end;	/* named to ThreadSanitizer */

static pthread_mutex_t completions = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t completed = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t *mutex_of(void *room)
{
	return room;
}

/* Other threads do. */
void shim_pass_by(void)
{
}

void shim_thread_begins(void)
{
	int cpu = 0;

	pthread_mutex_lock(&cpus_lock);
	while (cpu < NR_CPUS && cpus[cpu])
		cpu++;
	if (cpu == NR_CPUS)
		shim_die("there are more threads than CPUs");
	cpus[cpu] = true;
	pthread_mutex_unlock(&cpus_lock);
	self.task.cpu = cpu;
	shim_urcu_register();
}

void shim_thread_ends(void)
{
	shim_assert_idle();
	shim_urcu_unregister();
	pthread_mutex_lock(&cpus_lock);
	cpus[self.task.cpu] = false;
	pthread_mutex_unlock(&cpus_lock);
}

struct task_struct *shim_current(void)
{
	return &self.task;
}

int shim_cpu(void)
{
	return self.task.cpu;
}

bool shim_nested(void)
{
	return false;
}

bool shim_may_wait(void)
{
	return true;
}

void shim_assert_idle(void)
{
	if (self.spins || self.irqs_off || self.preempt_off || self.rcu)
		shim_die("something is left held");
}

void shim_might_sleep(void)
{
	if (self.spins || self.irqs_off || self.preempt_off || self.rcu)
		shim_die("sleeping where nothing may sleep");
}

/* Others are really there; that they come between is made more likely. */
void shim_gap(bool sleeps __maybe_unused)
{
	unsigned int calm = READ_ONCE(shim_calm);

	if (calm && !shim_pick(calm))
		sched_yield();
}

void shim_move_cpu(void)
{
}

void shim_hook(bool in)
{
	if (in)
		shim_irq_save();
	else
		local_irq_restore(0);
}

/* RCU waits for whoever cannot be preempted, as for its readers. */
static void reader(void)
{
	shim_urcu_read_lock();
	if (!self.readers++)
		__tsan_acquire(&grace_ends);
}

static void no_reader(void)
{
	if (!--self.readers)
		__tsan_release(&readers_end);
	shim_urcu_read_unlock();
}

void preempt_disable(void)
{
	self.preempt_off++;
	reader();
}

void preempt_enable(void)
{
	no_reader();
	self.preempt_off--;
}

unsigned long shim_irq_save(void)
{
	reader();
	return self.irqs_off++;
}

bool irqs_disabled(void)
{
	return self.irqs_off;
}

void local_irq_restore(unsigned long flags __maybe_unused)
{
	if (!self.irqs_off--)
		shim_die("interrupts are switched on that are on");
	no_reader();
}

void spin_lock_init(spinlock_t *lock)
{
	memset(lock, 0, sizeof(*lock));
	pthread_mutex_init(mutex_of(lock->room), NULL);
}

void spin_lock(spinlock_t *lock)
{
	pthread_mutex_lock(mutex_of(lock->room));
	lock->held = true;
	lock->acquired++;
	self.spins++;
}

void spin_unlock(spinlock_t *lock)
{
	lock->held = false;
	self.spins--;
	pthread_mutex_unlock(mutex_of(lock->room));
	if (!self.spins)
		shim_gap(false);
}

unsigned long shim_spin_lock_irqsave(spinlock_t *lock)
{
	unsigned long flags = shim_irq_save();

	spin_lock(lock);
	return flags;
}

void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags)
{
	spin_unlock(lock);
	local_irq_restore(flags);
}

bool shim_try_lock_irq(spinlock_t *lock)
{
	shim_spin_lock_irqsave(lock);
	return true;
}

void shim_unlock_irq(spinlock_t *lock)
{
	spin_unlock_irqrestore(lock, 0);
}

bool shim_is_held(spinlock_t *lock)
{
	return lock->held;
}

void mutex_init(struct mutex *m)
{
	memset(m, 0, sizeof(*m));
	pthread_mutex_init(mutex_of(m->room), NULL);
}

bool mutex_is_locked(struct mutex *m)
{
	return __atomic_load_n(&m->owner, __ATOMIC_RELAXED);
}

static void own(struct mutex *m, struct task_struct *owner)
{
	__atomic_store_n(&m->owner, owner, __ATOMIC_RELAXED);
}

bool shim_mutex_is_mine(struct mutex *m)
{
	return __atomic_load_n(&m->owner, __ATOMIC_RELAXED) == current;
}

bool mutex_trylock(struct mutex *m)
{
	if (pthread_mutex_trylock(mutex_of(m->room)))
		return false;
	own(m, current);
	return true;
}

void mutex_lock(struct mutex *m)
{
	shim_might_sleep();
	pthread_mutex_lock(mutex_of(m->room));
	own(m, current);
}

int mutex_lock_killable(struct mutex *m)
{
	if (!shim_pick(8))
		return -EINTR;
	mutex_lock(m);
	return 0;
}

void mutex_unlock(struct mutex *m)
{
	if (!shim_mutex_is_mine(m))
		shim_die("a mutex is let go by another task");
	own(m, NULL);
	pthread_mutex_unlock(mutex_of(m->room));
}

void init_completion(struct completion *c)
{
	c->done = false;
}

void complete_all(struct completion *c)
{
	pthread_mutex_lock(&completions);
	c->done = true;
	pthread_cond_broadcast(&completed);
	pthread_mutex_unlock(&completions);
}

bool completion_done(struct completion *c)
{
	bool done;

	pthread_mutex_lock(&completions);
	done = c->done;
	pthread_mutex_unlock(&completions);
	return done;
}

void complete(struct completion *c)
{
	complete_all(c);
}

void wait_for_completion(struct completion *c)
{
	shim_might_sleep();
	pthread_mutex_lock(&completions);
	while (!c->done)
		pthread_cond_wait(&completed, &completions);
	pthread_mutex_unlock(&completions);
}

/* Of a second; the jiffies here are shorter. */
unsigned long wait_for_completion_timeout(struct completion *c,
					  unsigned long timeout)
{
	struct timespec end;
	int err = 0;
	bool done;

	shim_might_sleep();
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_nsec += timeout * 1000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	pthread_mutex_lock(&completions);
	while (!c->done && !err)
		err = pthread_cond_timedwait(&completed, &completions, &end);
	done = c->done;
	pthread_mutex_unlock(&completions);
	return done;
}

void rcu_read_lock(void)
{
	reader();
	self.rcu++;
}

void rcu_read_unlock(void)
{
	self.rcu--;
	no_reader();
}

bool rcu_read_lock_held(void)
{
	return self.rcu;
}

void synchronize_rcu(void)
{
	shim_might_sleep();
	__tsan_release(&grace_ends);
	shim_urcu_synchronize();
	__tsan_acquire(&readers_end);
}

void rcu_barrier(void)
{
	shim_might_sleep();
	shim_urcu_barrier();
	__tsan_acquire(&readers_end);
	__tsan_acquire(&callbacks_end);
}

/* What liburcu is told of, and what it is to call. */
struct later {
	struct rcu_head theirs, *head;
	void (*func)(struct rcu_head *head);
};

/* In liburcu's thread, which keeps @theirs, the start. */
static void call(void *theirs)
{
	struct later *later = theirs;

	__tsan_acquire(&readers_end);
	later->func(later->head);
	__tsan_release(&callbacks_end);
	free(later);
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	struct later *later = malloc(sizeof(*later));

	later->head = head;
	later->func = func;
	__tsan_release(&readers_end);
	shim_urcu_call(&later->theirs, call);
}
