// SPDX-License-Identifier: GPL-2.0
/*
 * Swap: faults, and what is read ahead of them.
 *
 * swap_fault runs for each fault of a page that is in swap, or in the swap cache;
 * swap_prefetch for a fault that must read, in place of the kernel's own
 * readahead. It is not asked where the kernel goes past its own: on synchronous
 * devices (zram) for entries that only one process has; for shmem; and while the
 * device is being swapped off.
 *
 * A fault whose page is still being read comes twice: first it waits, without the
 * locks of memory management, and is then repeated. It counts once.
 */
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/pagemap.h>
#include <linux/sched/clock.h>
#include <linux/swap.h>
#include <linux/swap_cgroup.h>
#include <linux/swapops.h>
#include <linux/vmstat.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "targets.h"

/*
 * A cookie: for which policy, and when a fault began to read: the lower 54 bits of
 * the scheduler's clock, which is a cheap one. No fault takes the 208 days of these.
 */
#define COOKIE_SHIFT	10
static_assert(PREFETCH_EXT_MAX_ID < 1 << COOKIE_SHIFT);

static u64 cookie_of(u32 id)
{
	return local_clock() << COOKIE_SHIFT | id;
}

static u32 id_of(u64 cookie)
{
	return cookie & ((1 << COOKIE_SHIFT) - 1);
}

static u64 us_since(u64 cookie)
{
	u64 ns = (cookie_of(id_of(cookie)) - cookie) >> COOKIE_SHIFT;

	return ns / NSEC_PER_USEC;
}

static void describe(struct prefetch_ext_fault *f, const struct vm_fault *vmf,
		     swp_entry_t entry, u32 flags)
{
	const struct vm_area_struct *vma = vmf->vma;

	f->page = vmf->address >> PAGE_SHIFT;
	f->slot = swp_offset(entry);
	f->slots = READ_ONCE(swp_swap_info(entry)->max);
	f->first = vma->vm_start >> PAGE_SHIFT;
	f->last = (vma->vm_end - 1) >> PAGE_SHIFT;
	f->area = (unsigned long)vma->vm_mm;
	f->device = swp_type(entry);
	f->flags = flags;
	f->window = 1U << min(READ_ONCE(page_cluster), 31);
}

/* Faults of @vmf's page by this task wait for it: the next one is the same. */
static u64 *recent_of(struct prefetch_ext_policy *p, const struct vm_fault *vmf,
		      u64 *key)
{
	*key = (unsigned long)current + (vmf->address >> PAGE_SHIFT);
	return &p->recent[hash_ptr(current, ilog2(PREFETCH_EXT_RECENT))];
}

/* Is it a fault that has waited, and is repeated? */
static bool is_repeated(struct prefetch_ext_policy *p,
			const struct vm_fault *vmf, bool waits)
{
	u64 key, *recent = recent_of(p, vmf, &key);
	bool seen = READ_ONCE(*recent) == key;

	if (seen)
		WRITE_ONCE(*recent, 0);
	else if (waits && fault_flag_allow_retry_first(vmf->flags))
		WRITE_ONCE(*recent, key);
	return seen || vmf->flags & FAULT_FLAG_TRIED;
}

/* Caller: rcu_read_lock(). */
static void tell(struct prefetch_ext_policy *p, const struct vm_fault *vmf,
		 swp_entry_t entry, u32 flags)
{
	struct prefetch_ext_fault fault __uninitialized;

	pes_inc(p, PES_FAULTS);
	if (flags & PREFETCH_EXT_CACHED)
		pes_inc(p, PES_CACHED);
	if (!p->ops->swap_fault)
		return;
	describe(&fault, vmf, entry, flags);
	prefetch_ext_run(p, PREFETCH_EXT_SWAP_FAULT, swap_fault, &fault);
}

/*
 * Flags of a fault of what may be in the swap cache. *@waits: it is being read.
 *
 * Mostly it is not there, and its byte of the swap map says so for less than a
 * look-up costs. The caller holds the device, so there is a map.
 */
static u32 flags_of(swp_entry_t entry, bool *waits)
{
	const unsigned char *map = swp_swap_info(entry)->swap_map;
	struct address_space *cache = swap_address_space(entry);
	pgoff_t index = swap_cache_index(entry);
	u32 flags = PREFETCH_EXT_CACHED;
	struct folio *folio;

	if (!(data_race(map[swp_offset(entry)]) & SWAP_HAS_CACHE))
		return 0;
	folio = filemap_get_folio(cache, index);
	if (IS_ERR(folio))
		return 0;
	*waits = !folio_test_uptodate(folio);
	/* The policy's, or by the kernel's own readahead. */
	if (prefetch_ext_use(cache, index, *waits) ||
	    (!folio_test_large(folio) && folio_test_readahead(folio) &&
	     !folio_test_writeback(folio)))
		flags |= PREFETCH_EXT_PREFETCHED;
	folio_put(folio);
	return flags;
}

/*
 * A fault of a swapped page, before the swap cache is looked up; the caller holds
 * the swap device. Returns a cookie for __prefetch_ext_swap_read(), or 0.
 */
u64 __prefetch_ext_swap_fault(struct vm_fault *vmf, swp_entry_t entry)
{
	struct prefetch_ext_policy *p;
	bool waits = false;
	u32 flags = flags_of(entry, &waits);
	u64 cookie = 0;

	rcu_read_lock();
	p = prefetch_ext_of_mm(vmf->vma->vm_mm);
	if (p && !flags)
		cookie = cookie_of(p->id);
	if (p && !is_repeated(p, vmf, waits))
		tell(p, vmf, entry, flags);
	rcu_read_unlock();
	return cookie;
}

/* What the fault had to read is there. */
void __prefetch_ext_swap_read(u64 cookie)
{
	unsigned int bucket = min(fls64(us_since(cookie)),
				  PREFETCH_EXT_BUCKETS - 1);
	struct prefetch_ext_policy *p;

	rcu_read_lock();
	p = prefetch_ext_policy_of_id(id_of(cookie));
	if (p)
		this_cpu_inc(p->stats->latency[bucket]);
	rcu_read_unlock();
}

/* Somebody uses what is in the swap cache, but not by a fault: shmem. */
void __prefetch_ext_swap_used(swp_entry_t entry)
{
	prefetch_ext_use(swap_address_space(entry), swap_cache_index(entry),
			 false);
}

/* @folio leaves the swap cache, whose lock is held. */
void __prefetch_ext_swap_gone(struct folio *folio, swp_entry_t entry)
{
	if (!folio_test_large(folio))
		prefetch_ext_gone(swap_address_space(entry),
				  swap_cache_index(entry),
				  data_race(swp_swap_info(entry)->flags) &
				  SWP_WRITEOK);
}

/* What it takes to read. */
struct reading {
	struct prefetch_ext_policy *p;
	const struct vm_fault *vmf;
	gfp_t gfp;
	struct mempolicy *mpol;
	pgoff_t ilx;
	struct swap_iocb *plug;
	bool nomem;	/* stop */
};

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
static void read_entry(struct reading *r, swp_entry_t entry, pgoff_t ilx)
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
		if (!prefetch_ext_mark(r->p, swap_address_space(entry),
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

static void read_page(struct reading *r, u64 page)
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
static void read_targets(struct reading *r, unsigned int type,
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
static struct folio *read_faulted(struct reading *r, swp_entry_t entry)
{
	struct folio *folio;
	bool ours;

	folio = __read_swap_cache_async(entry, r->gfp, r->mpol, r->ilx, &ours,
					false);
	if (ours)
		swap_read_folio(folio, &r->plug);
	return folio;
}

/*
 * Runs the program, and keeps its policy's counters. Its programs may end from then
 * on. NULL: there is none.
 */
static struct prefetch_ext_policy *ask(struct prefetch_ext_swap_call *call,
				       const struct vm_fault *vmf,
				       swp_entry_t entry)
{
	struct prefetch_ext_policy *p;

	rcu_read_lock();
	p = prefetch_ext_of_mm(vmf->vma->vm_mm);
	if (p && p->ops->swap_prefetch) {
		describe(&call->fault, vmf, entry, 0);
		prefetch_ext_targets_init(&call->targets);
		pes_inc(p, PES_ASKED);
		prefetch_ext_run(p, PREFETCH_EXT_SWAP_PREFETCH, swap_prefetch,
				 &call->fault);
		prefetch_ext_targets_count(p, &call->targets);
		prefetch_ext_keep(p);
	} else {
		p = NULL;
	}
	rcu_read_unlock();
	return p;
}

/* The faulted page, unless the kernel reads it, and all targets under one plug. */
static void read_all(struct reading *r, swp_entry_t entry,
		     const struct prefetch_ext_targets *t, struct folio **folio)
{
	struct blk_plug plug __uninitialized;

	/* A single page needs no plug. */
	if (t->nr)
		blk_start_plug(&plug);
	if (!t->by_default)
		*folio = read_faulted(r, entry);
	if (t->nr) {
		read_targets(r, swp_type(entry), t);
		blk_finish_plug(&plug);
	}
	swap_read_unplug(r->plug);
	/* Push any new pages onto the LRU now, as the kernel's own does. */
	if (t->nr)
		lru_add_drain();
}

/*
 * In place of the kernel's own swap readahead. True: *@folio is what it returns.
 * False: it is wanted, too, or nobody was asked.
 */
bool __prefetch_ext_swapin(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol,
			   pgoff_t ilx, struct vm_fault *vmf,
			   struct folio **folio)
{
	struct reading r = {
		.vmf = vmf, .gfp = gfp, .mpol = mpol, .ilx = ilx,
	};
	/* ask() fills in what is read of it. */
	struct prefetch_ext_swap_call call __uninitialized;

	/* swapoff() reads all that there is, for whoever has it. */
	if (!(data_race(swp_swap_info(entry)->flags) & SWP_WRITEOK))
		return false;
	r.p = ask(&call, vmf, entry);
	if (!r.p)
		return false;
	read_all(&r, entry, &call.targets, folio);
	if (call.targets.by_default)
		pes_inc(r.p, PES_DEFAULTED);
	prefetch_ext_forget(r.p);
	return !call.targets.by_default;
}
