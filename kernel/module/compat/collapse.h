/* SPDX-License-Identifier: GPL-2.0 */
/* Small folios of a file are collapsed into a huge one, of which the kernel tells nobody. */
#ifndef _CACHE_EXT_COMPAT_COLLAPSE_H
#define _CACHE_EXT_COMPAT_COLLAPSE_H

#ifdef STOCK_COLLAPSE_IS_OPTION

/* The module is not built for kernels with that option: check.c. */
#define STOCK_COLLAPSE_PATH

static inline int cache_ext_collapse_init(void)
{
	return 0;
}

static inline int cache_ext_collapse_stop(void)
{
	return 0;
}

static inline void cache_ext_collapse_go_on(void)
{
}

#else

/* From a function of its own to that which is hooked: callsites.c. */
#define STOCK_COLLAPSE_PATH						\
	{ "madvise_collapse", "collapse_single_pmd", "collapse_file" },

/* no_collapse.c; caller of the last two: hooks_mutex */
int cache_ext_collapse_init(void);
int cache_ext_collapse_stop(void);
void cache_ext_collapse_go_on(void);

#endif

#endif /* _CACHE_EXT_COMPAT_COLLAPSE_H */
