/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stands for runtime/machine/include/cpol/bpf_kernel.h, whose guard it defines: the C that
 * is generated for the kernel is compiled for this machine. kfuncs are the core's,
 * as cache_ext_abi.h declares them for BPF; structs are the world's; helpers are
 * agree_policy.c's.
 */
#ifndef CPOL_BPF_KERNEL_H
#define CPOL_BPF_KERNEL_H

#include <linux/mm.h>
#include "agree.h"

#undef current

#define SEC(name) __attribute__((used))
#define CPOL_KSYM
#define __noinline noinline
#define __hidden __attribute__((visibility("hidden")))

/* The loader makes maps larger than the object has them: they are elsewhere then. */
#define CPOL_OPAQUE(value)                                                     \
	((value) = (__typeof__(value))(__is_pointer(value) ?                   \
					       agree_place((u64)(value)) :     \
					       (u64)(value)))
#define CPOL_ADD_APART(value, amount) ((value) += (amount))
#define CPOL_VARIABLE(type, value) ((type)(value))
#define CPOL_STORE(place, value) ((place) = (value))
#define CPOL_COMPARED(type, value) ((type)(value))
#define CPOL_HIDE(name, value) u32 name = (value)
#define CPOL_HIDE_NEXT(name, value) ((name) = (value))
#define CPOL_HIDDEN(type, name) ((type)(name))
#define __builtin_preserve_enum_value(value, kind) ((unsigned int)PG_head)

struct bpf_spin_lock {
	u32 val;
};

struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));

#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_LPM_TRIE 11
#define BPF_F_NO_PREALLOC 1

void *bpf_map_lookup_elem(void *map, const void *key);
u64 bpf_ktime_get_ns(void);
u64 bpf_get_current_pid_tgid(void);
struct task_struct *bpf_get_current_task_btf(void);
void bpf_spin_lock(struct bpf_spin_lock *lock);
void bpf_spin_unlock(struct bpf_spin_lock *lock);
int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end);
int *bpf_iter_num_next(struct bpf_iter_num *it);
void bpf_iter_num_destroy(struct bpf_iter_num *it);

#include "cpol/cache_ext_abi.h"

/* The limit moves, so that the capacity is what the interpreter has. */
#define bpf_cache_ext_capacity(memcg)                                          \
	(agree_limit(memcg), bpf_cache_ext_capacity(memcg))

#endif
