/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_ATOMIC_H
#define _LINUX_ATOMIC_H

#include <linux/kernel.h>

#define atomic_read(v) __atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
#define atomic_set(v, i) __atomic_store_n(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_add(i, v)                                                       \
	((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_add(-1, v)
#define ATOMIC_INIT(i) { .counter = (i) }
#define atomic_sub_return(i, v)                                                \
	__atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_or(i, v)                                                        \
	((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_xor(i, v)                                                       \
	((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_andnot(i, v)                                                    \
	((void)__atomic_fetch_and(&(v)->counter, ~(i), __ATOMIC_RELAXED))
#define atomic_fetch_xor(i, v)                                                 \
	__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_try_cmpxchg(v, old, new)                                        \
	__atomic_compare_exchange_n(&(v)->counter, (old), (new), false,        \
				    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define smp_mb__before_atomic() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_atomic() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define atomic_cmpxchg(v, old, new) cmpxchg(&(v)->counter, (old), (new))
#define atomic_long_read(v) atomic_read(v)
#define atomic_long_set(v, i) atomic_set(v, i)
#define atomic_long_add(i, v) atomic_add(i, v)
#define atomic_long_try_cmpxchg(v, old, new) atomic_try_cmpxchg(v, old, new)
#define atomic_long_xchg(v, i)                                                 \
	__atomic_exchange_n(&(v)->counter, (i), __ATOMIC_SEQ_CST)

/* Those that return a value order what is around them, as the kernel's do. */
static inline bool test_and_set_bit(unsigned int nr, unsigned long *word)
{
	return __atomic_fetch_or(word, BIT(nr), __ATOMIC_SEQ_CST) & BIT(nr);
}

static inline bool test_and_clear_bit(unsigned int nr, unsigned long *word)
{
	return __atomic_fetch_and(word, ~BIT(nr), __ATOMIC_SEQ_CST) & BIT(nr);
}

static inline bool test_bit(unsigned int nr, const unsigned long *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED) & BIT(nr);
}

static inline void set_bit(unsigned int nr, unsigned long *word)
{
	__atomic_fetch_or(word, BIT(nr), __ATOMIC_RELAXED);
}

static inline void clear_bit(unsigned int nr, unsigned long *word)
{
	__atomic_fetch_and(word, ~BIT(nr), __ATOMIC_RELAXED);
}

#endif
