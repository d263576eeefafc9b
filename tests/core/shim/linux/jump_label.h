/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_JUMP_LABEL_H
#define _LINUX_JUMP_LABEL_H

#include <linux/atomic.h>

struct static_key_false {
	atomic_t enabled;
};

struct static_key_false_deferred {
	struct static_key_false key;
};

#define DEFINE_STATIC_KEY_DEFERRED_FALSE(name, delay)                          \
	struct static_key_false_deferred name
#define static_branch_unlikely(key) unlikely(atomic_read(&(key)->enabled))
#define static_branch_deferred_inc(k) atomic_add(1, &(k)->key.enabled)
#define static_branch_slow_dec_deferred(k)                                     \
	WARN_ON_ONCE(atomic_sub_return(1, &(k)->key.enabled) < 0)

#endif
