/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_PREEMPT_H
#define _LINUX_PREEMPT_H

#include <linux/kernel.h>

void preempt_disable(void);
void preempt_enable(void);
unsigned long shim_irq_save(void);
bool irqs_disabled(void);
void local_irq_restore(unsigned long flags);
#define local_irq_save(flags) ((flags) = shim_irq_save())

#endif
