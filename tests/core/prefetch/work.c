// SPDX-License-Identifier: GPL-2.0
/* Work queues, as threads: each work that runs has one, and comes as late as in the kernel. */
#include <time.h>
#include <unistd.h>
#include "world.h"

/* Each running work has a thread; as many as the queue allows. */
struct workqueue_struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	int active, max_active, threads;
	struct work_struct *now[WQ_MAX_ACTIVE];	/* as addresses: they may be gone */
};

struct running {
	struct workqueue_struct *wq;
	struct work_struct *work;
	unsigned long delay;
};

/* Where it stands among those that run, or -1. Caller: the mutex. */
static int number_of(struct workqueue_struct *wq, struct work_struct *work)
{
	for (int i = 0; i < WQ_MAX_ACTIVE; i++)
		if (wq->now[i] == work)
			return i;
	return -1;
}

static void *run(void *data)
{
	struct running r = *(struct running *)data;
	struct workqueue_struct *wq = r.wq;
	int mine;

	free(data);
	usleep((useconds_t)r.delay * 1000);
	pthread_mutex_lock(&wq->mutex);
	while (wq->active == wq->max_active || number_of(wq, r.work) >= 0)
		pthread_cond_wait(&wq->changed, &wq->mutex);
	wq->active++;
	mine = number_of(wq, NULL);
	wq->now[mine] = r.work;
	r.work->pending = false;
	pthread_mutex_unlock(&wq->mutex);
	r.work->func(r.work);
	pthread_mutex_lock(&wq->mutex);
	wq->now[mine] = NULL;
	wq->active--;
	wq->threads--;
	pthread_cond_broadcast(&wq->changed);
	pthread_mutex_unlock(&wq->mutex);
	return NULL;
}

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int max_active)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));

	(void)name;
	(void)flags;
	pthread_mutex_init(&wq->mutex, NULL);
	pthread_cond_init(&wq->changed, NULL);
	wq->max_active = max_active;
	return wq;
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *delayed, unsigned long delay)
{
	struct work_struct *work = &delayed->work;
	struct running *r = calloc(1, sizeof(*r));
	pthread_t thread;
	bool queued;

	pthread_mutex_lock(&wq->mutex);
	queued = !work->pending;
	work->pending = true;
	wq->threads += queued;
	pthread_mutex_unlock(&wq->mutex);
	*r = (struct running){ wq, work, delay };
	if (!queued)
		free(r);
	else if (pthread_create(&thread, NULL, run, r) || pthread_detach(thread))
		abort();
	return queued;
}

unsigned long jiffies_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * HZ + (unsigned long)now.tv_nsec / (1000000000 / HZ);
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	pthread_mutex_lock(&wq->mutex);
	while (wq->threads)
		pthread_cond_wait(&wq->changed, &wq->mutex);
	pthread_mutex_unlock(&wq->mutex);
	free(wq);
}
