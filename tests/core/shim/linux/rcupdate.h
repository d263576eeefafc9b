/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RCUPDATE_H
#define _LINUX_RCUPDATE_H

#include <linux/kernel.h>

void rcu_read_lock(void);
void rcu_read_unlock(void);
bool rcu_read_lock_held(void);
void synchronize_rcu(void);
void rcu_barrier(void);
void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

/* Slab objects only, and the head is their start. */
void shim_free_rcu(struct rcu_head *head);
#define kfree_rcu(p, member)                                                   \
	do {                                                                   \
		BUILD_BUG_ON(offsetof(__typeof__(*(p)), member));              \
		call_rcu(&(p)->member, shim_free_rcu);                         \
	} while (0)

#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_access_pointer(p) rcu_dereference(p)
#define rcu_dereference_protected(p, c) rcu_dereference(p)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

#endif
