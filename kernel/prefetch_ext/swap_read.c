// SPDX-License-Identifier: GPL-2.0
/* Reads a faulted page from swap, and what a policy wants with it. */
#include <linux/blkdev.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/swap_cgroup.h>
#include <linux/swapops.h>
#include <linux/vmstat.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "targets.h"

/* Whose is it? The caller holds the device. */
static bool is_foreign(struct prefetch_ext_policy *p, unsigned short owner)
{
	bool foreign;

	rcu_read_lock();
	foreign = !prefetch_ext_governs(p, mem_cgroup_from_id(owner));
	rcu_read_unlock();
	return foreign;
}

/* The caller holds the device. */
static void read_entry(struct prefetch_ext_swap_reading *r, swp_entry_t entry,
		       pgoff_t ilx)
{
	unsigned short owner = 0;
	struct folio *folio;
	bool ours;

	if (data_race(swp_swap_info(entry)->flags & SWP_WRITEOK))
		owner = lookup_swap_cgroup_id(entry);
	/* What is free has no owner. */
	if (!owner) {
		pes_inc(r->p, PES_ABSENT);
		return;
	}
	if (is_foreign(r->p, owner)) {
		pes_inc(r->p, PES_FOREIGN);
		return;
	}
	/* Not worth killing somebody for. */
	folio = __read_swap_cache_async(entry, r->gfp | __GFP_NORETRY |
					__GFP_NOWARN, r->mpol, ilx, &ours,
					false);
	if (!folio) {
		r->nomem = __swap_count(entry);
		pes_inc(r->p, r->nomem ? PES_NOMEM : PES_ABSENT);
		return;
	}
	if (ours) {
		pes_inc(r->p, PES_PREFETCHED);
		/* A fault on behalf of another process may be charged elsewhere. */
		if (!prefetch_ext_governs_folio(r->p, folio) ||
		    !prefetch_ext_mark(r->p, swap_address_space(entry),
				       swap_cache_index(entry), true))
			pes_inc(r->p, PES_NOMEM);
		swap_read_folio(folio, &r->plug);
		folio_set_readahead(folio);
		count_vm_event(SWAP_RA);
	} else {
		pes_inc(r->p, PES_ABSENT);
	}
	folio_put(folio);
}

/*
 * The entry in the page table, if there is one. The fault holds the lock of its
 * area, or that of the whole map: in the area, no page table goes away but by
 * ways that pte_offset_map() knows.
 */
static bool entry_of_page(const struct vm_fault *vmf, unsigned long addr,
			  swp_entry_t *entry)
{
	pmd_t *pmd = vmf->pmd;
	pte_t *pte, pentry;

	if ((addr ^ vmf->address) & PMD_MASK)
		pmd = mm_find_pmd(vmf->vma->vm_mm, addr);
	pte = pmd ? pte_offset_map(pmd, addr) : NULL;
	if (!pte)
		return false;
	pentry = ptep_get_lockless(pte);
	pte_unmap(pte);
	if (!is_swap_pte(pentry))
		return false;
	*entry = pte_to_swp_entry(pentry);
	return !non_swap_entry(*entry);
}

static void read_page(struct prefetch_ext_swap_reading *r, u64 page)
{
	u64 from = r->vmf->address >> PAGE_SHIFT;
	struct swap_info_struct *si = NULL;
	swp_entry_t entry;

	if (entry_of_page(r->vmf, page << PAGE_SHIFT, &entry))
		si = get_swap_device(entry);
	if (!si) {
		pes_inc(r->p, PES_ABSENT);
		return;
	}
	read_entry(r, entry, r->ilx + page - from);
	put_swap_device(si);
}

/* The fault holds its own device, on which slots are. */
static void read_targets(struct prefetch_ext_swap_reading *r,
			 unsigned int type,
			 const struct prefetch_ext_targets *t)
{
	unsigned int i;

	for (i = 0; i < t->nr && !r->nomem; i++) {
		if (test_bit(i, t->page))
			read_page(r, t->index[i]);
		else
			read_entry(r, swp_entry(type, t->index[i]), r->ilx);
	}
	pes_add(r->p, PES_NOMEM, t->nr - i);
}

/* Reads the faulted page, if it is still missing, as the kernel's own does. */
static struct folio *read_faulted(swp_entry_t entry, gfp_t gfp,
				  struct mempolicy *mpol, pgoff_t ilx,
				  struct swap_iocb **plug)
{
	struct folio *folio;
	bool ours;

	folio = __read_swap_cache_async(entry, gfp, mpol, ilx, &ours, false);
	if (ours)
		swap_read_folio(folio, plug);
	else if (folio)		/* it came in the meantime, maybe for the policy */
		prefetch_ext_use(folio_memcg(folio), swap_address_space(entry),
				 swap_cache_index(entry),
				 !folio_test_uptodate(folio));
	return folio;
}

/* The faulted page, unless the kernel reads it, and all targets under one plug. */
struct folio *prefetch_ext_swap_read_all(struct prefetch_ext_swap_reading *r,
					 swp_entry_t entry,
					 const struct prefetch_ext_targets *t)
{
	struct blk_plug plug __uninitialized;
	struct folio *folio = NULL;

	blk_start_plug(&plug);
	if (!t->by_default)
		folio = read_faulted(entry, r->gfp, r->mpol, r->ilx, &r->plug);
	read_targets(r, swp_type(entry), t);
	blk_finish_plug(&plug);
	swap_read_unplug(r->plug);
	/* Push any new pages onto the LRU now, as the kernel's own does. */
	lru_add_drain();
	return folio;
}

/* The same of the faulted page alone, which needs no plug. */
struct folio *prefetch_ext_swap_read_one(swp_entry_t entry, gfp_t gfp,
					 struct mempolicy *mpol, pgoff_t ilx)
{
	struct swap_iocb *plug = NULL;
	struct folio *folio = read_faulted(entry, gfp, mpol, ilx, &plug);

	swap_read_unplug(plug);
	return folio;
}
