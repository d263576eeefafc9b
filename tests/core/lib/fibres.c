// SPDX-License-Identifier: GPL-2.0
/*
 * Workers where there is one thread: fibres, each with a stack of its own. One
 * runs until it waits for something, and goes on when somebody lets it.
 */
#include <linux/workqueue.h>
#include <stdlib.h>
#include <ucontext.h>
#include "fibres.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define STACK (256 << 10)
#else
#define __sanitizer_start_switch_fiber(save, bottom, size) ((void)(save))
#define __sanitizer_finish_switch_fiber(save, bottom, size) ((void)(save))
#define STACK (64 << 10)
#endif

/* Where a stack is, for AddressSanitizer. */
struct stack {
	const void *bottom;
	size_t size;
	void *fake;
};

struct fibre {
	ucontext_t regs;
	struct stack stack;
	struct context context;
	struct work_struct *work;	/* that it runs; NULL: idle */
	work_func_t func;
	bool (*ready)(void *arg);	/* NULL: it runs, or has just begun */
	void *arg;
	struct fibre *resumer;
	struct fibre *next;
};

static struct fibre bottom, *self = &bottom, *fibres;
static LIST_HEAD(queue);
static unsigned long ticks = 1;

static void switch_to(struct fibre *to)
{
	struct fibre *from = self;

	self = to;
	__sanitizer_start_switch_fiber(&from->stack.fake, to->stack.bottom,
				       to->stack.size);
	swapcontext(&from->regs, &to->regs);
	__sanitizer_finish_switch_fiber(from->stack.fake, NULL, NULL);
}

/* A fibre's life: one work after another. */
static void live(void)
{
	struct fibre *me = self;
	const void *resumer_bottom = NULL;
	size_t resumer_size = 0;

	__sanitizer_finish_switch_fiber(NULL, &resumer_bottom, &resumer_size);
	/* The first of all is resumed from the bottom, which then is known. */
	if (me->resumer == &bottom && resumer_bottom) {
		bottom.stack.bottom = resumer_bottom;
		bottom.stack.size = resumer_size;
	}
	for (;;) {
		me->func(me->work);
		shim_assert_idle();
		me->work = NULL;
		switch_to(me->resumer);
	}
}

static struct fibre *idle_fibre(void)
{
	struct fibre *fibre;

	for (fibre = fibres; fibre; fibre = fibre->next)
		if (!fibre->work)
			return fibre;
	fibre = calloc(1, sizeof(*fibre));
	fibre->stack.bottom = malloc(STACK);
	fibre->stack.size = STACK;
	getcontext(&fibre->regs);
	fibre->regs.uc_stack.ss_sp = (void *)fibre->stack.bottom;
	fibre->regs.uc_stack.ss_size = STACK;
	makecontext(&fibre->regs, live, 0);
	fibre->next = fibres;
	fibres = fibre;
	return fibre;
}

static void resume(struct fibre *fibre)
{
	struct context *outer = shim_context;

	shim_push(&fibre->context);
	fibre->resumer = self;
	switch_to(fibre);
	shim_pop();
	shim_context = outer;
}

/* Is it run by a fibre already? Such a work is not run twice at once. */
static struct fibre *runner(struct work_struct *work)
{
	struct fibre *fibre;

	for (fibre = fibres; fibre; fibre = fibre->next)
		if (fibre->work == work)
			return fibre;
	return NULL;
}

static bool start_one(unsigned int skip)
{
	struct work_struct *work;
	struct fibre *fibre;

	list_for_each_entry(work, &queue, queued) {
		if (work->due > ticks || runner(work) || skip--)
			continue;
		fibre = idle_fibre();
		list_del(&work->queued);
		work->pending = false;
		fibre->work = work;
		fibre->func = work->func;
		fibre->ready = NULL;
		resume(fibre);
		return true;
	}
	return false;
}

static bool resume_one(void)
{
	struct fibre *fibre;

	for (fibre = fibres; fibre; fibre = fibre->next) {
		if (!fibre->work || !fibre->ready || !fibre->ready(fibre->arg))
			continue;
		fibre->ready = NULL;
		resume(fibre);
		return true;
	}
	return false;
}

bool shim_run_worker(void)
{
	bool ran = shim_pick(2) ? resume_one() || start_one(shim_pick(3)) :
				  start_one(shim_pick(3)) || resume_one();

	return ran || start_one(0);
}

bool shim_may_wait(void)
{
	if (self == &bottom)
		return !shim_nested();
	return shim_context == &self->context;
}

/* Somebody below waits: the first that is due later is due now. */
static bool hurry(void)
{
	struct work_struct *work, *first = NULL;

	list_for_each_entry(work, &queue, queued)
		if (!runner(work) && (!first || work->due < first->due))
			first = work;
	if (!first)
		return false;
	ticks = max(ticks, first->due);
	return start_one(0);
}

void shim_wait(bool (*ready)(void *arg), void *arg)
{
	while (!ready(arg)) {
		if (!shim_may_wait())
			shim_die("what began in a gap waits");
		if (self != &bottom) {
			self->ready = ready;
			self->arg = arg;
			switch_to(self->resumer);
		} else if (!shim_run_worker() && !hurry()) {
			shim_die("all wait for each other");
		}
	}
}

static bool always(void *unused __maybe_unused)
{
	return true;
}

void shim_yield(void)
{
	if (self == &bottom || !shim_may_wait())
		return;
	self->ready = always;
	switch_to(self->resumer);
}

void shim_init_work(struct work_struct *work, work_func_t func)
{
	*work = (struct work_struct){ .func = func };
}

static bool enqueue(struct work_struct *work, unsigned long delay)
{
	if (work->pending || work->cancelling)
		return false;
	work->pending = true;
	work->due = ticks + delay;
	list_add_tail(&work->queued, &queue);
	return true;
}

bool queue_work(struct workqueue_struct *wq __maybe_unused,
		struct work_struct *work)
{
	return enqueue(work, 0);
}

bool queue_delayed_work(struct workqueue_struct *wq __maybe_unused,
			struct delayed_work *work, unsigned long delay)
{
	return enqueue(&work->work, delay);
}

bool mod_delayed_work(struct workqueue_struct *wq __maybe_unused,
		      struct delayed_work *work, unsigned long delay)
{
	if (!work->work.pending)
		return enqueue(&work->work, delay);
	work->work.due = ticks + delay;
	return true;
}

static bool is_through(void *work)
{
	return !((struct work_struct *)work)->pending && !runner(work);
}

bool flush_work(struct work_struct *work)
{
	shim_might_sleep();
	shim_wait(is_through, work);
	return true;
}

bool cancel_work_sync(struct work_struct *work)
{
	bool was = work->pending;

	shim_might_sleep();
	if (was)
		list_del(&work->queued);
	work->pending = false;
	work->cancelling++;
	shim_wait(is_through, work);
	work->cancelling--;
	return was;
}

bool cancel_delayed_work(struct delayed_work *work)
{
	bool was = work->work.pending;

	if (was)
		list_del(&work->work.queued);
	work->work.pending = false;
	return was;
}

bool cancel_delayed_work_sync(struct delayed_work *work)
{
	return cancel_work_sync(&work->work);
}

static bool all_idle(void *unused __maybe_unused)
{
	struct fibre *fibre;

	for (fibre = fibres; fibre; fibre = fibre->next)
		if (fibre->work)
			return false;
	return list_empty(&queue);
}

bool shim_workers_wait(void)
{
	struct fibre *fibre;

	for (fibre = fibres; fibre; fibre = fibre->next)
		if (fibre->work)
			return true;
	return false;
}

struct workqueue_struct *alloc_workqueue(const char *name __maybe_unused,
					 unsigned int flags __maybe_unused,
					 int max_active __maybe_unused)
{
	return (struct workqueue_struct *)&queue;
}

void destroy_workqueue(struct workqueue_struct *wq __maybe_unused)
{
	shim_wait(all_idle, NULL);
}

unsigned long shim_jiffies(void)
{
	return ticks;
}

/* Each look takes a moment, so that a world is repeated: how long a run takes decides when the next one is. */
static u64 looks;

u64 ktime_get_ns(void)
{
	return (u64)ticks * (1000000000 / HZ) + 100 * looks++;
}

void shim_time_passes(unsigned long passed)
{
	ticks += passed;
}

void shim_settle(void)
{
	shim_assert_idle();
	while (shim_run_worker())
		;
	shim_rcu_free();
}

/* Workers run where others wait or look for them only. */
void shim_stand_still(void)
{
	shim_settle();
}

void shim_go_on(void)
{
}

/* As if nothing had been before. */
void shim_start(void)
{
	looks = 0;
	ticks = 1;
	shim_reset();
}

void shim_stop(void)
{
	struct fibre *fibre;

	shim_settle();
	while ((fibre = fibres)) {
		if (fibre->work)
			shim_die("a worker waits for ever");
		fibres = fibre->next;
		free((void *)fibre->stack.bottom);
		free(fibre);
	}
}
