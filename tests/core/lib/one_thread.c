// SPDX-License-Identifier: GPL-2.0
/*
 * Locks, RCU and gaps where there is one thread.
 *
 * All that is concurrent happens in gaps: wherever the core holds no spinning
 * lock, another CPU may come and do something from start to end, or a worker may
 * run until it waits. Which of it happens is decided by shim_pick() alone, so a
 * run can be repeated. Locks are only asserted: nobody can find one taken whose
 * holder could let it go, but mutexes, for which fibres wait.
 *
 * It also holds the core to its rules: nothing sleeps under RCU or a lock, locks
 * that a hook takes are never taken with interrupts on, and nothing is left held.
 */
#include <linux/completion.h>
#include <linux/workqueue.h>
#include <stdlib.h>
#include "fibres.h"

#define CPUS 8

static struct context bottom;
struct context *shim_context = &bottom;
void (*shim_other_cpu)(void);
void (*shim_passer_by)(void);
unsigned int shim_calm;

static unsigned int level, first_cpu, calm_left;
static unsigned int readers;
static struct rcu_head *dead, **last_dead = &dead;

struct task_struct *shim_current(void)
{
	return &shim_context->task;
}

int shim_cpu(void)
{
	return shim_context->task.cpu;
}

const bool shim_threads;

bool shim_nested(void)
{
	return level > 0;
}

/* Levels have CPUs of their own, not always the same. */
static int cpu_of_level(void)
{
	return (int)((first_cpu + level) % CPUS);
}

void shim_push(struct context *context)
{
	level++;
	context->task.cpu = cpu_of_level();
	shim_context = context;
}

void shim_pop(void)
{
	level--;
}

void shim_reset(void)
{
	calm_left = 0;
	first_cpu = 0;
	bottom.task.cpu = 0;
}

void shim_assert_idle(void)
{
	if (shim_context->irqs_off || shim_context->preempt_off ||
	    shim_context->spins || shim_context->rcu)
		shim_die("something is left held");
}

void shim_might_sleep(void)
{
	if (shim_context->irqs_off || shim_context->preempt_off ||
	    shim_context->spins || shim_context->rcu)
		shim_die("sleeping where nothing may sleep");
}

static void begin_other(void (*what)(void))
{
	struct context other = { .spins = 0 }, *outer = shim_context;

	shim_push(&other);
	what();
	shim_assert_idle();
	shim_pop();
	shim_context = outer;
}

/* What begins may itself let a worker run: that is two levels. */
void shim_gap(bool sleeps)
{
	if (!shim_calm || shim_context->spins || level >= CPUS - 2)
		return;
	if (calm_left--)
		return;
	/* The more are within each other, the fewer begin. */
	calm_left = (shim_pick(256) * shim_calm / 64) << level;
	if (sleeps && shim_pick(4) == 0)
		shim_yield();
	else
		begin_other(shim_other_cpu);
}

void shim_pass_by(void)
{
	static bool passing;

	if (!shim_passer_by || passing || level >= CPUS - 2)
		return;
	passing = true;
	begin_other(shim_passer_by);
	passing = false;
}

/* Of whoever is at the bottom: the next gaps are on other CPUs. */
void shim_move_cpu(void)
{
	first_cpu = shim_pick(CPUS);
	shim_context->task.cpu = cpu_of_level();
}

void shim_hook(bool in)
{
	shim_context->hook = in;
	if (in)
		shim_irq_save();
	else
		local_irq_restore(0);
}

/* RCU waits for whoever cannot be preempted, as for its readers. */
static void reader(void)
{
	readers++;
}

static void no_reader(void)
{
	readers--;
	if (!readers && dead)
		shim_rcu_free();
}

void preempt_disable(void)
{
	shim_context->preempt_off++;
	reader();
}

void preempt_enable(void)
{
	if (!shim_context->preempt_off--)
		shim_die("preemption is switched on that is on");
	no_reader();
}

unsigned long shim_irq_save(void)
{
	reader();
	return shim_context->irqs_off++;
}

bool irqs_disabled(void)
{
	return shim_context->irqs_off;
}

void local_irq_restore(unsigned long flags __maybe_unused)
{
	if (!shim_context->irqs_off--)
		shim_die("interrupts are switched on that are on");
	no_reader();
}

void spin_lock_init(spinlock_t *lock)
{
	memset(lock, 0, sizeof(*lock));
}

void spin_lock(spinlock_t *lock)
{
	shim_pass_by();
	if (lock->held)
		shim_die("a lock is taken twice");
	if (!shim_context->irqs_off)
		lock->with_irqs = true;
	if (shim_context->hook)
		lock->in_hook = true;
	if (lock->with_irqs && lock->in_hook)
		shim_die("a hook takes a lock that is taken with interrupts on");
	lock->held = true;
	lock->acquired++;
	shim_context->spins++;
	reader();
}

static void unlock(spinlock_t *lock)
{
	if (!lock->held)
		shim_die("a lock is let go that is not held");
	lock->held = false;
	shim_context->spins--;
	shim_pass_by();
	no_reader();
}

void spin_unlock(spinlock_t *lock)
{
	unlock(lock);
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
	unlock(lock);
	local_irq_restore(flags);
	shim_gap(false);
}

bool shim_try_lock_irq(spinlock_t *lock)
{
	if (lock->held)
		return false;
	lock->held = true;
	shim_irq_save();
	return true;
}

void shim_unlock_irq(spinlock_t *lock)
{
	lock->held = false;
	local_irq_restore(0);
	shim_gap(false);
}

bool shim_is_held(spinlock_t *lock)
{
	return lock->held;
}

void mutex_init(struct mutex *m)
{
	m->owner = NULL;
}

bool mutex_is_locked(struct mutex *m)
{
	return m->owner;
}

bool shim_mutex_is_mine(struct mutex *m)
{
	return m->owner == current;
}

bool mutex_trylock(struct mutex *m)
{
	if (m->owner)
		return false;
	m->owner = current;
	return true;
}

static bool is_free(void *m)
{
	return !((struct mutex *)m)->owner;
}

void mutex_lock(struct mutex *m)
{
	shim_might_sleep();
	shim_wait(is_free, m);
	m->owner = current;
}

unsigned long shim_waited;

/* Who began in a gap cannot wait: it is killed. */
int mutex_lock_killable(struct mutex *m)
{
	shim_might_sleep();
	shim_waited += !!m->owner;
	if (m->owner && (!shim_may_wait() || shim_pick(4) == 0))
		return -EINTR;
	mutex_lock(m);
	return 0;
}

void mutex_unlock(struct mutex *m)
{
	if (m->owner != current)
		shim_die("a mutex is let go by another task");
	m->owner = NULL;
	shim_gap(true);
}

void init_completion(struct completion *c)
{
	c->done = false;
}

bool completion_done(struct completion *c)
{
	return c->done;
}

void complete(struct completion *c)
{
	c->done = true;
}

void complete_all(struct completion *c)
{
	c->done = true;
	/* Any context. */
	shim_gap(!shim_context->rcu && !shim_context->irqs_off);
}

static bool is_done(void *c)
{
	return ((struct completion *)c)->done;
}

void wait_for_completion(struct completion *c)
{
	shim_might_sleep();
	shim_wait(is_done, c);
}

/* A worker's: it goes on a few turns later. */
unsigned long wait_for_completion_timeout(struct completion *c,
					  unsigned long timeout __maybe_unused)
{
	unsigned int turns = 8;

	shim_might_sleep();
	while (!c->done && turns--)
		shim_yield();
	return c->done;
}

void rcu_read_lock(void)
{
	shim_context->rcu++;
	reader();
}

void rcu_read_unlock(void)
{
	if (!shim_context->rcu--)
		shim_die("rcu_read_unlock() without rcu_read_lock()");
	no_reader();
}

bool rcu_read_lock_held(void)
{
	return shim_context->rcu;
}

bool shim_no_readers(void *unused __maybe_unused)
{
	return !readers;
}

/* Frees as soon as RCU allows, so that each use after that is seen. */
void shim_rcu_free(void)
{
	struct rcu_head *head;

	while (!readers && dead) {
		head = dead;
		dead = head->next;
		if (!dead)
			last_dead = &dead;
		head->func(head);
	}
}

void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	shim_pass_by();
	head->next = NULL;
	head->func = func;
	*last_dead = head;
	last_dead = &head->next;
	shim_rcu_free();
}

void synchronize_rcu(void)
{
	shim_might_sleep();
	shim_wait(shim_no_readers, NULL);
	shim_rcu_free();
}

void rcu_barrier(void)
{
	synchronize_rcu();
}
