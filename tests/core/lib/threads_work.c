// SPDX-License-Identifier: GPL-2.0
/*
 * Workqueues with threads: as many workers as it takes. A jiffy is a millisecond.
 *
 * Lock: one for the queue, and for who runs what.
 */
#include <linux/workqueue.h>
#include <pthread.h>
#include <time.h>
#include "threads.h"

#define WORKERS 16

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static LIST_HEAD(queue);
static pthread_t threads[WORKERS];
/* What each of them runs. */
static struct work_struct *runs[WORKERS];
static unsigned int nr_threads, nr_idle;
static bool ending, still;

static unsigned long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return time.tv_sec * 1000UL + time.tv_nsec / 1000000;
}

/* Caller: the lock. */
static bool is_running(const struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < nr_threads; i++)
		if (runs[i] == work)
			return true;
	return false;
}

/* The first that may run, and when the next one may. Caller: the lock. */
static struct work_struct *due(unsigned long *next)
{
	unsigned long time = now();
	struct work_struct *work;

	*next = time + 1000;
	if (still)
		return NULL;
	list_for_each_entry(work, &queue, queued) {
		if (work->due <= time && !is_running(work))
			return work;
		if (work->due > time)
			*next = min(*next, work->due);
	}
	return NULL;
}

static void wait_until(unsigned long time)
{
	struct timespec until = { .tv_sec = time / 1000,
				  .tv_nsec = time % 1000 * 1000000 };

	pthread_cond_timedwait(&changed, &lock, &until);
}

static void *work_on(void *arg)
{
	struct work_struct **runs_here = arg, *work;
	unsigned long next;
	work_func_t func;

	shim_thread_begins();
	pthread_mutex_lock(&lock);
	for (;;) {
		work = due(&next);
		if (!work && ending)
			break;
		if (!work) {
			nr_idle++;
			wait_until(next);
			nr_idle--;
			continue;
		}
		list_del(&work->queued);
		work->pending = false;
		func = work->func;
		*runs_here = work;
		pthread_mutex_unlock(&lock);
		/* It may be gone when this returns. */
		func(work);
		shim_assert_idle();
		pthread_mutex_lock(&lock);
		*runs_here = NULL;
		pthread_cond_broadcast(&changed);
	}
	pthread_mutex_unlock(&lock);
	shim_thread_ends();
	return NULL;
}

/* Caller: the lock. */
static void wake(void)
{
	if (!nr_idle && nr_threads < WORKERS && !ending) {
		pthread_create(&threads[nr_threads], NULL, work_on,
			       &runs[nr_threads]);
		nr_threads++;
	}
	pthread_cond_broadcast(&changed);
}

void shim_init_work(struct work_struct *work, work_func_t func)
{
	*work = (struct work_struct){ .func = func };
}

/* Caller: the lock. */
static bool enqueue(struct work_struct *work, unsigned long delay)
{
	if (work->pending || work->cancelling)
		return false;
	work->pending = true;
	work->due = now() + delay;
	list_add_tail(&work->queued, &queue);
	wake();
	return true;
}

bool queue_work(struct workqueue_struct *wq __maybe_unused,
		struct work_struct *work)
{
	bool ret;

	pthread_mutex_lock(&lock);
	ret = enqueue(work, 0);
	pthread_mutex_unlock(&lock);
	return ret;
}

bool queue_delayed_work(struct workqueue_struct *wq __maybe_unused,
			struct delayed_work *work, unsigned long delay)
{
	bool ret;

	pthread_mutex_lock(&lock);
	ret = enqueue(&work->work, delay);
	pthread_mutex_unlock(&lock);
	return ret;
}

bool mod_delayed_work(struct workqueue_struct *wq __maybe_unused,
		      struct delayed_work *work, unsigned long delay)
{
	bool was;

	pthread_mutex_lock(&lock);
	was = work->work.pending;
	if (was)
		work->work.due = now() + delay;
	else
		enqueue(&work->work, delay);
	wake();
	pthread_mutex_unlock(&lock);
	return was;
}

/* Caller: the lock. */
static void wait_for(struct work_struct *work)
{
	while (work->pending || is_running(work))
		pthread_cond_wait(&changed, &lock);
}

bool flush_work(struct work_struct *work)
{
	shim_might_sleep();
	pthread_mutex_lock(&lock);
	wait_for(work);
	pthread_mutex_unlock(&lock);
	return true;
}

bool cancel_work_sync(struct work_struct *work)
{
	bool was;

	shim_might_sleep();
	pthread_mutex_lock(&lock);
	was = work->pending;
	if (was)
		list_del(&work->queued);
	work->pending = false;
	work->cancelling++;
	wait_for(work);
	work->cancelling--;
	pthread_mutex_unlock(&lock);
	return was;
}

bool cancel_delayed_work(struct delayed_work *work)
{
	bool was;

	pthread_mutex_lock(&lock);
	was = work->work.pending;
	if (was)
		list_del(&work->work.queued);
	work->work.pending = false;
	pthread_mutex_unlock(&lock);
	return was;
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel_work_sync(&work->work);
}

/* Caller: the lock. Is anything under way, or due? */
static bool busy(bool later)
{
	unsigned long next;
	unsigned int i;

	for (i = 0; i < nr_threads; i++)
		if (runs[i])
			return true;
	return later ? !list_empty(&queue) : !!due(&next);
}

static void settle(bool later)
{
	pthread_mutex_lock(&lock);
	while (busy(later))
		wait_until(now() + 5);
	pthread_mutex_unlock(&lock);
}

void shim_settle(void)
{
	shim_might_sleep();
	settle(false);
	rcu_barrier();
}

/* What is due later would begin beside the one who looks at everything. */
void shim_stand_still(void)
{
	bool done;

	do {
		shim_settle();
		pthread_mutex_lock(&lock);
		done = !busy(false);
		still = done;
		pthread_mutex_unlock(&lock);
	} while (!done);
}

void shim_go_on(void)
{
	pthread_mutex_lock(&lock);
	still = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

struct workqueue_struct *alloc_workqueue(const char *name __maybe_unused,
					 unsigned int flags __maybe_unused,
					 int max_active __maybe_unused)
{
	return (struct workqueue_struct *)&queue;
}

void destroy_workqueue(struct workqueue_struct *wq __maybe_unused)
{
	settle(true);
}

bool shim_run_worker(void)
{
	return false;
}

/* Of those that are waited for. */
static unsigned long skipped;

unsigned long shim_jiffies(void)
{
	return now() + __atomic_load_n(&skipped, __ATOMIC_RELAXED);
}

u64 ktime_get_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

void shim_time_passes(unsigned long passed)
{
	__atomic_fetch_add(&skipped, passed, __ATOMIC_RELAXED);
}

void shim_start(void)
{
	ending = false;
	shim_thread_begins();
}

void shim_stop(void)
{
	unsigned int i;

	settle(true);
	pthread_mutex_lock(&lock);
	ending = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	nr_threads = 0;
	shim_thread_ends();
}
