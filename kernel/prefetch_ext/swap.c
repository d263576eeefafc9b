// SPDX-License-Identifier: GPL-2.0
/*
 * Swap: faults, and what is read ahead of them.
 *
 * swap_fault runs for each fault of a page that is in swap, or in the swap cache;
 * swap_prefetch for a fault that must read, in place of the kernel's own
 * readahead. It does not run where the kernel bypasses its own: on synchronous
 * devices (zram) for entries that only one process has; for shmem; and while the
 * device is being swapped off.
 *
 * If swap_prefetch will run for a fault, swap_fault runs just before it, not earlier:
 * so the policy is found once, and one program may do both (PREFETCH_EXT_ONE_CALL).
 *
 * A fault whose page is still being read is handled twice: first it waits, without
 * the locks of memory management, and is then repeated. It counts once, unless the
 * page is gone again by then.
 */
#include <linux/pagemap.h>
#include <linux/sched/clock.h>
#include <linux/swap.h>
#include <linux/swap_cgroup.h>
#include <linux/swapops.h>
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

/*
 * One of this many faults that must read is timed, on average: reading the clock is
 * expensive. Which one is drawn (Numerical Recipes' generator), since faults of two
 * tasks may alternate.
 */
#define TIMED_IN	8

static DEFINE_PER_CPU(u32, drawn);

static bool is_timed(void)
{
	u32 next = this_cpu_read(drawn) * 1664525 + 1013904223;

	this_cpu_write(drawn, next);
	return next < U32_MAX / TIMED_IN;
}

static void describe(struct prefetch_ext_fault *f, const struct vm_fault *vmf,
		     const struct swap_info_struct *si, swp_entry_t entry,
		     u32 flags)
{
	const struct vm_area_struct *vma = vmf->vma;

	f->page = vmf->address >> PAGE_SHIFT;
	f->slot = swp_offset(entry);
	f->slots = READ_ONCE(si->max);
	f->first = vma->vm_start >> PAGE_SHIFT;
	f->last = (vma->vm_end - 1) >> PAGE_SHIFT;
	f->area = (unsigned long)vma->vm_mm;
	f->device = swp_type(entry);
	f->flags = flags;
	f->window = 1U << min(READ_ONCE(page_cluster), 31);
}

/*
 * Is it a fault that has waited, and is repeated? @waits: this one will; the next of
 * the same page by this task is the same.
 */
static inline bool is_repeated(struct prefetch_ext_policy *p,
			       const struct vm_fault *vmf, bool waits)
{
	u64 *recent = &p->recent[current->pid % PREFETCH_EXT_RECENT];
	u64 key = (unsigned long)current + (vmf->address >> PAGE_SHIFT);
	bool seen = READ_ONCE(*recent) == key;

	if (unlikely(seen))
		WRITE_ONCE(*recent, 0);
	else if (waits && fault_flag_allow_retry_first(vmf->flags))
		WRITE_ONCE(*recent, key);
	return seen || vmf->flags & FAULT_FLAG_TRIED;
}

/* Caller: rcu_read_lock(). */
static void run_fault_program(struct prefetch_ext_policy *p, const struct vm_fault *vmf,
			      const struct swap_info_struct *si, swp_entry_t entry, u32 flags)
{
	struct prefetch_ext_fault fault __uninitialized;

	pes_inc(p, PES_FAULTS);
	if (flags & PREFETCH_EXT_CACHED)
		pes_inc(p, PES_CACHED);
	if (!p->ops->swap_fault)
		return;
	describe(&fault, vmf, si, entry, flags);
	prefetch_ext_run(p, PREFETCH_EXT_SWAP_FAULT, swap_fault, &fault);
}

/* Flags of a fault of what may be in the swap cache. *@waits: it is being read. */
static u32 flags_of(swp_entry_t entry, bool *waits)
{
	struct address_space *cache = swap_address_space(entry);
	pgoff_t index = swap_cache_index(entry);
	u32 flags = PREFETCH_EXT_CACHED;
	struct folio *folio;

	folio = filemap_get_folio(cache, index);
	if (IS_ERR(folio))
		return 0;
	*waits = !folio_test_uptodate(folio);
	/* The policy's, or by the kernel's own readahead. */
	if (prefetch_ext_use(folio_memcg(folio), cache, index, *waits) ||
	    (!folio_test_large(folio) && folio_test_readahead(folio) &&
	     !folio_test_writeback(folio)))
		flags |= PREFETCH_EXT_PREFETCHED;
	folio_put(folio);
	return flags;
}

/* Does a fault that must read come to __prefetch_ext_swapin()? */
static bool comes_to_swapin(unsigned long device_flags)
{
	return (device_flags & (SWP_WRITEOK | SWP_SYNCHRONOUS_IO)) == SWP_WRITEOK;
}

/*
 * Reports a fault, or times it, or both. If a page @may_be_cached and is not found,
 * another task is about to bring it: that takes time, too.
 */
static noinline u64 report_fault(const struct vm_fault *vmf,
				 const struct swap_info_struct *si, swp_entry_t entry,
				 bool may_be_cached, bool times)
{
	struct prefetch_ext_policy *p;
	bool waits = false;
	u64 cookie = 0;
	u32 flags = 0;

	rcu_read_lock();
	/* First: for others there is no look-up. */
	p = prefetch_ext_of_mm(vmf->vma->vm_mm);
	if (!p)
		goto out;
	if (may_be_cached)
		flags = flags_of(entry, &waits);
	if (!flags && (times || (may_be_cached && is_timed())))
		cookie = cookie_of(p->id);
	if ((flags || !comes_to_swapin(data_race(si->flags))) && !is_repeated(p, vmf, waits))
		run_fault_program(p, vmf, si, entry, flags);
out:
	rcu_read_unlock();
	return cookie;
}

/*
 * A fault of a swapped page, before the swap cache is looked up; the caller holds
 * the swap device. Returns a cookie for __prefetch_ext_swap_read(), or 0.
 *
 * Mostly the page is not in the swap cache. Its byte of the swap map says so, which is
 * cheaper than a look-up; then both programs run later, when the page is read. If
 * another task brings the page before this task looks it up, no program runs.
 */
u64 __prefetch_ext_swap_fault(struct vm_fault *vmf,
			      const struct swap_info_struct *si,
			      swp_entry_t entry)
{
	bool may_be_cached = data_race(si->swap_map[swp_offset(entry)]) &
			     SWAP_HAS_CACHE;
	bool times = !may_be_cached && is_timed();

	if (!may_be_cached && !times && comes_to_swapin(data_race(si->flags)))
		return 0;
	return report_fault(vmf, si, entry, may_be_cached, times);
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
		this_cpu_add(p->stats->latency[bucket], TIMED_IN);
	rcu_read_unlock();
}

/*
 * Somebody uses what is in the swap cache: by a fault of a process that no policy
 * governs, or of shmem. The owner of the entry is the cgroup that its page is charged to. Caller:
 * holds the device.
 */
void __prefetch_ext_swap_used(swp_entry_t entry)
{
	struct mem_cgroup *memcg;

	rcu_read_lock();
	memcg = mem_cgroup_from_id(lookup_swap_cgroup_id(entry));
	prefetch_ext_use(memcg, swap_address_space(entry),
			 swap_cache_index(entry), false);
	rcu_read_unlock();
}

/* @folio leaves the swap cache, whose lock is held. */
void __prefetch_ext_swap_gone(struct folio *folio, swp_entry_t entry)
{
	if (!folio_test_large(folio))
		prefetch_ext_gone(folio_memcg(folio), swap_address_space(entry),
				  swap_cache_index(entry), 1,
				  data_race(swp_swap_info(entry)->flags) &
				  SWP_WRITEOK);
}

/* Runs one or both programs of @p. False: it has none. Caller: rcu_read_lock(). */
static bool run_programs(struct prefetch_ext_policy *p, struct prefetch_ext_swap_call *call,
			 const struct vm_fault *vmf, const struct swap_info_struct *si,
			 swp_entry_t entry, unsigned long device_flags)
{
	/*
	 * A fault that was reported as cached, and finds its page gone, counts
	 * again.
	 */
	bool is_new = comes_to_swapin(device_flags) && !(vmf->flags & FAULT_FLAG_TRIED);
	u32 flags = 0;

	if (p->ops->flags & PREFETCH_EXT_ONE_CALL) {
		if (is_new) {
			pes_inc(p, PES_FAULTS);
			flags = PREFETCH_EXT_NEW;
		}
	} else {
		if (is_new)
			run_fault_program(p, vmf, si, entry, 0);
		if (!p->ops->swap_prefetch)
			return false;
	}
	describe(&call->fault, vmf, si, entry, flags);
	prefetch_ext_targets_init(&call->targets);
	pes_inc(p, PES_ASKED);
	prefetch_ext_run(p, PREFETCH_EXT_SWAP_PREFETCH, swap_prefetch,
			 &call->fault);
	prefetch_ext_targets_count(p, &call->targets);
	if (call->targets.by_default)
		pes_inc(p, PES_DEFAULTED);
	return true;
}

/*
 * In place of the kernel's own swap readahead. True: *@folio is what it returns.
 * False: it is wanted, too, or nobody was asked.
 */
bool __prefetch_ext_swapin(swp_entry_t entry, gfp_t gfp, struct mempolicy *mpol,
			   pgoff_t ilx, struct vm_fault *vmf,
			   struct folio **folio)
{
	/* run_programs() fills in what is read of it. */
	struct prefetch_ext_swap_call call __uninitialized;
	const struct swap_info_struct *si = swp_swap_info(entry);
	unsigned long device_flags = READ_ONCE(si->flags);
	struct prefetch_ext_policy *p;

	/* swapoff() reads all entries, of all cgroups. */
	if (!(device_flags & SWP_WRITEOK))
		return false;
	rcu_read_lock();
	p = prefetch_ext_of_mm(vmf->vma->vm_mm);
	if (!p || !run_programs(p, &call, vmf, si, entry, device_flags)) {
		rcu_read_unlock();
		return false;
	}
	if (call.targets.nr) {
		struct prefetch_ext_swap_reading r = {
			.p = p, .vmf = vmf, .gfp = gfp, .mpol = mpol, .ilx = ilx,
		};

		/* Its counters. Its programs may end from now on. */
		policy_ext_get(&p->life);
		rcu_read_unlock();
		*folio = prefetch_ext_swap_read_all(&r, entry, &call.targets);
		policy_ext_put(&p->life);
	} else {
		rcu_read_unlock();
		if (!call.targets.by_default)
			*folio = prefetch_ext_swap_read_one(entry, gfp, mpol, ilx);
	}
	return !call.targets.by_default;
}
