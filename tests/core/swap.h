/* SPDX-License-Identifier: GPL-2.0 */
/* mm/swap.h, as kernel/prefetch_ext/glue.h names it. */
