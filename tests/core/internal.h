/* SPDX-License-Identifier: GPL-2.0 */
/* mm/internal.h, as kernel/cache_ext/glue_patched.c names it. */
#include <linux/mm.h>
