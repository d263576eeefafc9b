/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a program asks for in one call. The program gets a pointer to @fault or
 * @ra, which it can only read; kfuncs.c records targets behind it. The same holds for
 * @range, behind which it records what is to be done with the file or its pages; and
 * for @out, behind which it records whether the folio stays.
 */
#ifndef _MM_PREFETCH_EXT_TARGETS_H
#define _MM_PREFETCH_EXT_TARGETS_H

#include <linux/bitmap.h>
#include "prefetch_ext.h"

struct prefetch_ext_targets {
	u64 index[PREFETCH_EXT_MAX_TARGETS];	/* as recorded, no two alike */
	DECLARE_BITMAP(page, PREFETCH_EXT_MAX_TARGETS);	/* else: a slot */
	u32 nr;
	bool by_default;	/* the kernel's own, too */
	/* What was not recorded. */
	u64 out_of_range;
	u64 duplicates;
	u64 over_limit;
};

struct prefetch_ext_swap_call {
	struct prefetch_ext_fault fault;
	struct prefetch_ext_targets targets;
};

struct prefetch_ext_file_call {
	struct prefetch_ext_readahead ra;
	struct prefetch_ext_targets targets;
};

struct prefetch_ext_range_call {
	struct prefetch_ext_range range;
	u64 window;	/* pages, if @has_window */
	bool has_window;
	bool leave;
	bool flush;
	bool wait;
	bool drop;
};

struct prefetch_ext_swap_out_call {
	struct prefetch_ext_swap_out out;
	bool keep;
};

static inline void prefetch_ext_targets_init(struct prefetch_ext_targets *t)
{
	bitmap_zero(t->page, PREFETCH_EXT_MAX_TARGETS);
	t->nr = 0;
	t->by_default = false;
	t->out_of_range = t->duplicates = t->over_limit = 0;
}

static inline void prefetch_ext_targets_count(struct prefetch_ext_policy *p,
					      const struct prefetch_ext_targets *t)
{
	if (likely(!(t->out_of_range | t->duplicates | t->over_limit)))
		return;
	pes_add(p, PES_OUT_OF_RANGE, t->out_of_range);
	pes_add(p, PES_DUPLICATES, t->duplicates);
	pes_add(p, PES_OVER_LIMIT, t->over_limit);
}

/* swap_read.c */
/* What it takes to read. */
struct prefetch_ext_swap_reading {
	struct prefetch_ext_policy *p;
	const struct vm_fault *vmf;
	gfp_t gfp;
	struct mempolicy *mpol;
	pgoff_t ilx;
	struct swap_iocb *plug;
	bool nomem;	/* stop */
};

struct folio *prefetch_ext_swap_read_all(struct prefetch_ext_swap_reading *r,
					 swp_entry_t entry,
					 const struct prefetch_ext_targets *t);
struct folio *prefetch_ext_swap_read_one(swp_entry_t entry, gfp_t gfp,
					 struct mempolicy *mpol, pgoff_t ilx);

#endif /* _MM_PREFETCH_EXT_TARGETS_H */
