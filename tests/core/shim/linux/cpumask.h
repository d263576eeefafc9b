/* SPDX-License-Identifier: GPL-2.0 */
/* Sets of processors. */
#ifndef _LINUX_CPUMASK_H
#define _LINUX_CPUMASK_H

#include <linux/atomic.h>
#include <linux/sched.h>

struct cpumask {
	unsigned long bits;
};

#define cpumask_set_cpu(cpu, mask) set_bit(cpu, &(mask)->bits)
#define cpumask_clear_cpu(cpu, mask) clear_bit(cpu, &(mask)->bits)
#define cpumask_test_cpu(cpu, mask) test_bit(cpu, &(mask)->bits)
#define for_each_cpu(cpu, mask)                                                \
	for ((cpu) = 0; (cpu) < NR_CPUS; (cpu)++)                              \
		if (cpumask_test_cpu(cpu, mask))

#define raw_smp_processor_id() shim_cpu()

#endif
