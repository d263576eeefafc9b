/* SPDX-License-Identifier: GPL-2.0 */
/* Types, and the words that the kernel's compiler.h gives. */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;
typedef u8 __u8;
typedef u32 __u32;
typedef u64 __u64;
typedef unsigned int gfp_t;
typedef unsigned long pgoff_t;

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	long counter;
} atomic_long_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_head {
	struct hlist_node *first;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

/* As large as the kernel's. */
struct rcu_head {
	struct rcu_head *next;
	void (*func)(struct rcu_head *head);
};

#define __percpu
#define __rcu
#define __init
#define __exit
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __aligned(n) __attribute__((aligned(n)))
#define __maybe_unused __attribute__((unused))
#define noinline __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define barrier() __asm__ __volatile__("" ::: "memory")

/*
 * The kernel orders a read through a pointer after the read of that pointer.
 * C11 and ThreadSanitizer know that order only as "acquire".
 */
#define __is_pointer(x) (__builtin_classify_type(x) == 5)
#define READ_ONCE(x)                                                           \
	__atomic_load_n(&(x), __is_pointer(x) ? __ATOMIC_ACQUIRE :             \
						__ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define cmpxchg(p, old, new)                                                   \
	({                                                                     \
		__typeof__(*(p)) __was = (old);                                \
		__atomic_compare_exchange_n((p), &__was, (new), false,         \
					    __ATOMIC_SEQ_CST,                  \
					    __ATOMIC_SEQ_CST);                 \
		__was;                                                         \
	})

#endif
