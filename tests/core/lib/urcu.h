/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_URCU_H
#define SHIM_URCU_H

void shim_urcu_register(void);
void shim_urcu_unregister(void);
void shim_urcu_read_lock(void);
void shim_urcu_read_unlock(void);
void shim_urcu_synchronize(void);
void shim_urcu_barrier(void);
void shim_urcu_call(void *head, void (*func)(void *head));

#endif
