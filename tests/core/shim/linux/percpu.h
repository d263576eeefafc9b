/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A variable of each CPU: copies STRIDE bytes apart, that of CPU 0 first.
 */
#ifndef _LINUX_PERCPU_H
#define _LINUX_PERCPU_H

#include <linux/gfp.h>
#include <linux/sched.h>

#define SHIM_STRIDE 512

#define DECLARE_PER_CPU(type, name)                                            \
	extern union {                                                         \
		__typeof__(type) copy;                                         \
		char room[SHIM_STRIDE];                                        \
	} percpu_##name[NR_CPUS]
#define DEFINE_PER_CPU(type, name)                                             \
	__typeof__(percpu_##name[0]) percpu_##name[NR_CPUS]
/* The name is the copy of CPU 0. The core has this one only. */
#define cache_ext_hint percpu_cache_ext_hint[0].copy

#define per_cpu_ptr(p, cpu)                                                    \
	((__typeof__(p))((char *)(p) + (size_t)(cpu) * SHIM_STRIDE))
#define raw_cpu_ptr(p) per_cpu_ptr(p, shim_cpu())
#define this_cpu_ptr(p) raw_cpu_ptr(p)
#define per_cpu(name, cpu) (*per_cpu_ptr(&(name), cpu))
#define this_cpu_read(name) (*raw_cpu_ptr(&(name)))
#define this_cpu_write(name, v) ((void)(*raw_cpu_ptr(&(name)) = (v)))
/* Others read the copy meanwhile. */
#define this_cpu_add(name, v)                                                  \
	((void)__atomic_fetch_add(raw_cpu_ptr(&(name)), (v), __ATOMIC_RELAXED))

#define alloc_percpu_gfp(type, gfp) ((type *)shim_alloc_percpu(sizeof(type), gfp))
void *shim_alloc_percpu(size_t size, gfp_t gfp);
void free_percpu(void *p);

#define num_possible_cpus() NR_CPUS
#define for_each_possible_cpu(cpu) for (cpu = 0; cpu < NR_CPUS; cpu++)

#endif
