/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel has everywhere: macros, errors, messages. */
#ifndef _LINUX_KERNEL_H
#define _LINUX_KERNEL_H

#include <ctype.h>
#include <errno.h>
#include <linux/string.h>
#include <linux/types.h>

/* Not <stdio.h>: the core has names of it. */
__attribute__((format(printf, 3, 4))) int snprintf(char *to, size_t size,
						   const char *format, ...);
__attribute__((format(printf, 1, 2))) int printf(const char *format, ...);

#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX
#define U32_MAX UINT32_MAX
#define U64_MAX (~0ULL)
#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

#define BIT(n) (1UL << (n))
#define BITS_PER_TYPE(t) (sizeof(t) * 8)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN(x, a) (((x) + (a) - 1) & ~((__typeof__(x))(a) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define BUILD_BUG_ON(c) _Static_assert(!(c), #c)
#define min(a, b)                                                              \
	({                                                                     \
		__auto_type __a = (a);                                         \
		__auto_type __b = (b);                                         \
		__a < __b ? __a : __b;                                         \
	})
#define max(a, b)                                                              \
	({                                                                     \
		__auto_type __a = (a);                                         \
		__auto_type __b = (b);                                         \
		__a > __b ? __a : __b;                                         \
	})
#define min3(a, b, c) min(min(a, b), c)
#define min_t(t, a, b) min((t)(a), (t)(b))
#define mult_frac(x, n, d) ((x) / (d) * (n) + (x) % (d) * (n) / (d))
#define container_of(p, type, member)                                          \
	((type *)((char *)(p) - offsetof(type, member)))

#define CONFIG_CACHE_EXT 1
#define CONFIG_CACHE_EXT_HIERARCHY 1
#define CONFIG_CACHE_EXT_ADMIT 1
#define CONFIG_CACHE_EXT_PIN 1
#define CONFIG_CACHE_EXT_TICK 1
#define CONFIG_CACHE_EXT_RECLAIM 1
#define CONFIG_CACHE_EXT_SELECT 1
#define CONFIG_CACHE_EXT_DEBUG 1
#ifndef SHIM_PREEMPT_RCU
#define SHIM_PREEMPT_RCU 0
#endif
/* Only these are asked for. */
#define IS_ENABLED(option) shim_##option
#define shim_CONFIG_PREEMPT_RCU SHIM_PREEMPT_RCU
#define shim_CONFIG_PROVE_LOCKING 0
#define shim_CONFIG_CACHE_EXT_TICK 1
#define shim_CONFIG_CACHE_EXT_DEBUG 1

/* A complaint of the core ends the run: whoever drives it says how to repeat it. */
__attribute__((noreturn, format(printf, 1, 2))) void shim_die(const char *format,
							      ...);
/* But for so many, which a case expects. */
extern unsigned int shim_complaints;
#define shim_complain(...)                                                     \
	(shim_complaints ? (void)shim_complaints-- : shim_die(__VA_ARGS__))
#define WARN_ON_ONCE(c)                                                        \
	({                                                                     \
		bool __c = !!(c);                                              \
		if (unlikely(__c))                                             \
			shim_complain("%s:%d: WARN_ON(%s)", __FILE__,          \
				      __LINE__, #c);                           \
		__c;                                                           \
	})
#define WARN_ONCE(c, ...)                                                      \
	({                                                                     \
		bool __c = !!(c);                                              \
		if (unlikely(__c))                                             \
			shim_complain(__VA_ARGS__);                            \
		__c;                                                           \
	})
#define BUG_ON(c) ((void)WARN_ON_ONCE(c))
/* Compiled, so that their formats are checked, and not printed. */
#define pr_warn_ratelimited(...)                                               \
	do {                                                                   \
		if (0)                                                         \
			printf(__VA_ARGS__);                                   \
	} while (0)

#define MAX_ERRNO 4095
#define ERR_PTR(err) ((void *)(long)(err))
#define PTR_ERR(p) ((long)(p))
#define IS_ERR(p) ((unsigned long)(p) >= (unsigned long)-MAX_ERRNO)
#define IS_ERR_OR_NULL(p) (!(p) || IS_ERR(p))
#define ERR_CAST(p) ((void *)(p))

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t n = strnlen(from, size - 1);

	memcpy(to, from, n);
	to[n] = '\0';
	return from[n] ? -E2BIG : (ssize_t)n;
}

#endif
