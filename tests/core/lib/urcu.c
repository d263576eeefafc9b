// SPDX-License-Identifier: GPL-2.0
/*
 * liburcu, whose names are the kernel's: only here are its headers included.
 */
#include <urcu/urcu-memb.h>
#include "urcu.h"

void shim_urcu_register(void)
{
	urcu_memb_register_thread();
}

void shim_urcu_unregister(void)
{
	urcu_memb_unregister_thread();
}

void shim_urcu_read_lock(void)
{
	urcu_memb_read_lock();
}

void shim_urcu_read_unlock(void)
{
	urcu_memb_read_unlock();
}

void shim_urcu_synchronize(void)
{
	urcu_memb_synchronize_rcu();
}

void shim_urcu_barrier(void)
{
	urcu_memb_barrier();
}

/* @head has room for liburcu's, which is as large. */
void shim_urcu_call(void *head, void (*func)(void *head))
{
	_Static_assert(sizeof(struct rcu_head) <= 16, "rcu_head");
	urcu_memb_call_rcu(head, (void (*)(struct rcu_head *))func);
}
