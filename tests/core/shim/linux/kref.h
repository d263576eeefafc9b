/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KREF_H
#define _LINUX_KREF_H

#include <linux/atomic.h>

struct kref {
	atomic_t refcount;
};

static inline void kref_init(struct kref *kref)
{
	atomic_set(&kref->refcount, 1);
}

static inline void kref_get(struct kref *kref)
{
	int was = __atomic_fetch_add(&kref->refcount.counter, 1,
				     __ATOMIC_RELAXED);

	WARN_ON_ONCE(was <= 0);
}

static inline bool kref_get_unless_zero(struct kref *kref)
{
	int was = atomic_read(&kref->refcount);

	do {
		if (!was)
			return false;
	} while (!atomic_try_cmpxchg(&kref->refcount, &was, was + 1));
	return true;
}

static inline int kref_put(struct kref *kref, void (*release)(struct kref *))
{
	int left = atomic_sub_return(1, &kref->refcount);

	WARN_ON_ONCE(left < 0);
	if (left)
		return 0;
	release(kref);
	return 1;
}

#endif
