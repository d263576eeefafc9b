/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_WORKQUEUE_H
#define _LINUX_WORKQUEUE_H

#include <linux/jiffies.h>
#include <linux/list.h>

#define WQ_UNBOUND 1
#define WQ_MAX_ACTIVE 2048

struct work_struct;
struct workqueue_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	work_func_t func;
	struct list_head queued;	/* by the time when it is due */
	unsigned long due;		/* in jiffies */
	bool pending;
	unsigned int cancelling;	/* it is not queued meanwhile */
};

struct delayed_work {
	struct work_struct work;
};

#define INIT_WORK(w, fn) shim_init_work(w, fn)
#define INIT_DELAYED_WORK(w, fn) shim_init_work(&(w)->work, fn)
#define to_delayed_work(w) container_of(w, struct delayed_work, work)

void shim_init_work(struct work_struct *work, work_func_t func);
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags,
					 int max_active);
void destroy_workqueue(struct workqueue_struct *wq);
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay);
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool cancel_delayed_work(struct delayed_work *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

#endif
