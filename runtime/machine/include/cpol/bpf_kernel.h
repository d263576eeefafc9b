/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types and functions that a policy's BPF programs use, declared by hand. libbpf relocates them against the running kernel's
 * BTF (CO-RE), so only the names must match, not the layouts. The files included at the end declare the cache_ext part, which differs
 * between the interfaces.
 */
#ifndef CPOL_BPF_KERNEL_H
#define CPOL_BPF_KERNEL_H

#include "cpol/types.h"

#define SEC(name) __attribute__((section(name), used))
#define CPOL_KSYM __attribute__((section(".ksyms")))
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif
#define __hidden __attribute__((visibility("hidden")))

/* Makes the compiler forget what it knows of a value, so that it does not optimise the verifier's checks away. */
#define CPOL_OPAQUE(value) __asm__ volatile("" : "+r"(value))

/*
 * A local number, to be compared: a copy, of which the verifier does not know that it is one. Else it would follow what comes after both
 * for the numbers for which the comparison holds, and for the others.
 */
#define CPOL_COMPARED(type, value)                               \
	({                                                       \
		type cpol_copy = (value);                        \
		__asm__ volatile("%0 ^= 0" : "+r"(cpol_copy)); \
		cpol_copy;                                       \
	})

#if CPOL_USES_VARIABLES
/*
 * The new value of a `var`. The verifier follows a loop until the state of the program repeats. It would count a known value up, round by
 * round, if the value were an index. So it must not know it: it does not follow what is in memory. Nothing writes the zero.
 */
__hidden volatile u64 cpol_zero;
#define CPOL_VARIABLE(type, value)                                                         \
	({                                                                                 \
		u64 cpol_new = (u64)(value);                                               \
		__asm__ volatile("%0 ^= %1" : "+r"(cpol_new) : "r"((u64)cpol_zero)); \
		(type)cpol_new;                                                            \
	})
#endif

/*
 * A local of few values, of a bool or an enum. If the verifier knew them, it would follow all that comes after for each value of each
 * local. It knows what stands on the stack if it is a multiple of 8 bytes from the frame's end, or zero. So this stands elsewhere, plus 1.
 */
struct cpol_hidden {
	u16 unused;
	u16 value;
} __attribute__((aligned(4)));

static __always_inline void cpol_hide(struct cpol_hidden *hidden, u32 value)
{
	__asm__ volatile("*(u16 *)%0 = %1" : "=m"(hidden->value) : "ri"((u64)value + 1));
}

static __always_inline u32 cpol_hidden(const struct cpol_hidden *hidden)
{
	u64 value;

	__asm__ volatile("%0 = *(u16 *)%1" : "=r"(value) : "m"(hidden->value));
	return value - 1;
}

#define CPOL_HIDE(name, value)    \
	struct cpol_hidden name; \
	cpol_hide(&name, value)
#define CPOL_HIDE_NEXT(name, value) cpol_hide(&name, value)
#define CPOL_HIDDEN(type, name) ((type)cpol_hidden(&name))

/*
 * Assigns to a state or a field. A later read is to load it: then the verifier does not know what it is, nor on which path it was stored.
 * Otherwise clang would keep the value.
 */
#define CPOL_STORE(place, value)                     \
	do {                                           \
		(place) = (value);                     \
		__asm__ volatile("" : : : "memory"); \
	} while (0)

/*
 * value += amount, where a register may keep the old value. For a plain sum, the verifier of Linux 6.12 links the two registers. When it
 * learns more of the sum, it gets the bounds of the old value wrong (sync_linked_regs() does not make them agree).
 */
#define CPOL_ADD_APART(value, amount) __asm__ volatile("%0 -= %1" : "+r"(value) : "ri"(-(s64)(amount)))

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	u32 s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	struct {
		s32 counter;
	} i_readcount;
};

struct task_struct {
	u64 start_time;
	char comm[16];
};

struct address_space {
	struct inode *host;
};

#pragma clang attribute pop

enum pageflags {
	PG_writeback = 1, PG_dirty = 4, PG_head = 6, /* relocated */
};

struct bpf_spin_lock {
	u32 val;
};

struct bpf_iter_num {
	u64 opaque[1];
} __attribute__((aligned(8)));

#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_LPM_TRIE 11
#define BPF_F_NO_PREALLOC 1

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_spin_lock)(struct bpf_spin_lock *lock) = (void *)93;
static long (*const bpf_spin_unlock)(struct bpf_spin_lock *lock) = (void *)94;
static struct task_struct *(*const bpf_get_current_task_btf)(void) = (void *)158;

extern int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end) CPOL_KSYM;
extern int *bpf_iter_num_next(struct bpf_iter_num *it) CPOL_KSYM;
extern void bpf_iter_num_destroy(struct bpf_iter_num *it) CPOL_KSYM;

#ifdef CPOL_UPSTREAM
#include "cpol/upstream_kernel.h"
#else
#include "cpol/cache_ext_kernel.h"
#endif

#endif
