// SPDX-License-Identifier: GPL-2.0
/* A swap device, its faults, and anonymous folios about to go out, for prefetch/cases.c. */
#include <stdlib.h>
#include "world.h"

/* ---- Swap ---------------------------------------------------------------------------------------------------------- */

struct address_space swap_cache;
static unsigned char swap_map[1000]; /* nothing is in the swap cache before it is read */
struct swap_info_struct swap_device = { 1000, SWP_WRITEOK, swap_map };
int page_cluster = 3;
void (*before_swap_read)(void);
bool entry_is_shared;
struct mem_cgroup *swap_owner = &group;

struct folio *__read_swap_cache_async(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol, pgoff_t ilx, bool *ours,
				      bool skip)
{
	static struct folio folio;

	(void)gfp;
	(void)mpol;
	(void)ilx;
	(void)skip;
	if (before_swap_read)
		before_swap_read();
	*ours = true;
	folio.index = entry.val;
	folio.memcg = swap_owner;
	return &folio;
}

void swap_read_folio(struct folio *folio, struct swap_iocb **plug)
{
	(void)folio;
	(void)plug;
}

void (*between_swap_hooks)(int hook);

static void between(int hook)
{
	if (between_swap_hooks)
		between_swap_hooks(hook);
}

bool swap_fault(unsigned long slot, unsigned int flags)
{
	struct mm_struct mm = { .owner = &the_task };
	struct vm_area_struct vma = { .vm_mm = &mm, .vm_end = 1UL << 30 };
	struct vm_fault fault = { .vma = &vma, .address = 5UL << PAGE_SHIFT, .flags = flags };
	swp_entry_t entry = { slot };
	u64 cookie = __prefetch_ext_swap_fault(&fault, &swap_device, entry);
	struct folio *folio;
	bool ret = false;

	/* As do_swap_page(). */
	between(1);
	if (!(swap_device.flags & SWP_SYNCHRONOUS_IO) || entry_is_shared)
		ret = __prefetch_ext_swapin(entry, GFP_KERNEL, NULL, 0, &fault, &folio);
	between(2);
	if (cookie)
		__prefetch_ext_swap_read(cookie);
	return ret;
}

/* ---- Anonymous folios ------------------------------------------------------------------------------------------------ */

static struct task_struct owner = { .comm = "a long command" };
static struct mm_struct owned = { .owner = &owner };
unsigned long share, share_below;
bool is_contended;

struct anon_vma *folio_lock_anon_vma_read(struct folio *folio, struct rmap_walk_control *rwc)
{
	(void)folio;
	if (!rwc->try_lock)
		abort();
	return is_contended ? NULL : (struct anon_vma *)&owned;
}

void rmap_walk(struct folio *folio, struct rmap_walk_control *rwc)
{
	struct vm_area_struct vma = { .vm_mm = &owned, .vm_start = 64UL << PAGE_SHIFT, .vm_end = 128UL << PAGE_SHIFT };

	if (rwc->anon_lock(folio, rwc) && rwc->rmap_one(folio, &vma, folio->index << PAGE_SHIFT, rwc->arg))
		abort();
}

unsigned long policy_ext_share(struct mem_cgroup *memcg)
{
	return memcg == &below && share_below < share ? share_below : share;
}

bool swap_out(unsigned long pages, int priority)
{
	struct folio folio = { .index = 70, .more = pages - 1, .memcg = &group };

	return __prefetch_ext_swap_keeps(&folio, priority);
}

bool swap_out_below(unsigned long pages, int priority)
{
	struct folio folio = { .index = 70, .more = pages - 1, .memcg = &below };

	return __prefetch_ext_swap_keeps(&folio, priority);
}
