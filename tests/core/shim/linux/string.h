/* SPDX-License-Identifier: GPL-2.0 */
/* Included by the name of the kernel's, and by nobody as <string.h>. */
#ifndef _LINUX_STRING_H
#define _LINUX_STRING_H

#include <linux/types.h>

#if __has_feature(thread_sanitizer)
/* Records are copied while programs may write to them: that is no fault. */
static inline void *shim_copy(void *to, const void *from, size_t size)
{
	while (size--)
		__atomic_store_n((char *)to + size,
				 __atomic_load_n((const char *)from + size,
						 __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
	return to;
}
#define memcpy shim_copy
#endif

#endif
