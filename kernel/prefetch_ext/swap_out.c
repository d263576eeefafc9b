// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-out: an anonymous folio is about to get a place in swap. It was not used of
 * late. The program may keep it this time: then it is activated, as reclaim does
 * with folios that are in use, and reclaim goes on with others.
 *
 * No reference is held, and nothing is remembered of the folio: the next time reclaim
 * comes to it, the program is asked again.
 *
 * How much is kept in a second is at most the lower one of the policy's quota and of
 * the administrator's share of the limit (max_pin_percent, as for pins) of the cgroup
 * that the folio is charged to, which may be one below the policy's. What is kept of
 * others in that second counts, too: so what is kept is never in the way of a small
 * cgroup for longer than of a large one.
 *
 * No policy may starve reclaim. Near OOM nobody is asked, nor for MADV_PAGEOUT and
 * DAMON, whose priority is 0. memory.reclaim is never near OOM: glues give it the
 * first priority. And a reclaim in trouble, whose priority has gone down,
 * adds up the pages that are kept; pages that go are taken off. When the sum comes to
 * as many as may be kept in a second, as many must go as stay.
 */
#include <linux/pagemap.h>
#include <linux/mmzone.h>
#include <linux/rmap.h>
#include <linux/timekeeping.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "targets.h"

/* As in mm/cache_ext: from here on nobody is asked; below, reclaim is in trouble. */
#define LAST_PRIORITY	2
#define CALM_PRIORITY	(DEF_PRIORITY - 2)

/* The policy that decides on the folio, or NULL. Caller: rcu_read_lock(). */
static struct prefetch_ext_policy *policy_of(struct folio *folio)
{
	struct prefetch_ext_policy *p;

	if (mem_cgroup_disabled())
		return NULL;
	p = prefetch_ext_policy_of(folio_memcg(folio));
	return p && !READ_ONCE(p->life.dead) && p->ops->swap_out ? p : NULL;
}

static void describe_owner(struct prefetch_ext_swap_out *out,
			   struct mm_struct *mm)
{
	struct task_struct *task;
	u64 comm[TASK_COMM_LEN / sizeof(u64)] = {};

	BUILD_BUG_ON(sizeof(comm) != sizeof(out->comm) + sizeof(out->comm_rest));
	rcu_read_lock();
	task = rcu_dereference(mm->owner);
	if (task) {
		/* It may be being changed. */
		strscpy((char *)comm, task->comm, sizeof(comm));
		out->process = task_tgid_nr(task);
	}
	rcu_read_unlock();
	out->comm = le64_to_cpu((__force __le64)comm[0]);
	out->comm_rest = le64_to_cpu((__force __le64)comm[1]);
}

/* A process that maps the folio: the first that is found. */
static bool describe_place(struct folio *folio, struct vm_area_struct *vma,
			   unsigned long address, void *arg)
{
	struct prefetch_ext_swap_out *out = arg;
	DEFINE_FOLIO_VMA_WALK(walk, folio, vma, address, 0);

	if (!page_vma_mapped_walk(&walk))
		return true;
	page_vma_mapped_walk_done(&walk);
	out->page = walk.address >> PAGE_SHIFT;
	out->first = vma->vm_start >> PAGE_SHIFT;
	out->last = (vma->vm_end - 1) >> PAGE_SHIFT;
	out->area = (unsigned long)vma->vm_mm;
	describe_owner(out, vma->vm_mm);
	return false;
}

/* A call, where the module has no pointer. */
static struct anon_vma *lock_anon_vma(struct folio *folio,
				      struct rmap_walk_control *rwc)
{
	return folio_lock_anon_vma_read(folio, rwc);
}

static void describe(struct prefetch_ext_swap_out *out, struct folio *folio)
{
	struct rmap_walk_control rwc = {
		.rmap_one = describe_place,
		.arg = out,
		.anon_lock = lock_anon_vma,
		/* Reclaim does not wait here. What is not found stays 0. */
		.try_lock = true,
	};

	out->pages = folio_nr_pages(folio);
	if (folio_likely_mapped_shared(folio))
		out->flags |= PREFETCH_EXT_SHARED;
	if (folio_test_workingset(folio))
		out->flags |= PREFETCH_EXT_WORKINGSET;
	rmap_walk(folio, &rwc);
}

/*
 * Pages that may be kept in a second as things stand, for @folio to be among them. Its
 * cgroup's limits are those of all on the way up, the policy's among them. Caller:
 * rcu_read_lock().
 */
static u32 limit_of(struct prefetch_ext_policy *p, struct folio *folio)
{
	u64 limit = min_t(u64, p->ops->keep_pages,
			  policy_ext_share(folio_memcg(folio)));

	return min_t(u64, limit, U32_MAX / 2);
}

/* Takes @pages of the quota of this second, if that much is left. */
static bool take(struct prefetch_ext_policy *p, u32 pages, u32 limit)
{
	u64 old = atomic64_read(&p->kept), new;
	u32 now = ktime_get_seconds();

	do {
		/* The second, and the pages kept in it. A late caller begins no new second. */
		new = (s32)(now - (u32)(old >> 32)) > 0 ? (u64)now << 32 : old;
		new += pages;
		if ((u32)new > limit)
			return false;
	} while (!atomic64_try_cmpxchg(&p->kept, &old, new));
	return true;
}

static bool may_keep(struct prefetch_ext_policy *p, struct folio *folio,
		     int priority)
{
	u32 limit = limit_of(p, folio), pages = folio_nr_pages(folio);
	bool trouble = priority < CALM_PRIORITY;

	if (trouble && limit && atomic_long_read(&p->passed) >= (long)limit) {
		pes_add(p, PES_OUT_OVERRULED, pages);
		return false;
	}
	if (!take(p, pages, limit)) {
		pes_add(p, PES_OUT_REFUSED, pages);
		return false;
	}
	if (trouble)
		atomic_long_add(pages, &p->passed);
	pes_add(p, PES_OUT_KEPT, pages);
	return true;
}

static void went(struct prefetch_ext_policy *p, u32 pages)
{
	long passed = atomic_long_read(&p->passed);

	/* Others do the same meanwhile: it need not be exact. */
	if (unlikely(passed))
		atomic_long_set(&p->passed, max(passed - (long)pages, 0L));
}

static bool run_program(struct prefetch_ext_policy *p, struct folio *folio,
			int priority)
{
	struct prefetch_ext_swap_out_call call = {};
	bool keep = false;

	/* Not under rcu_read_lock(): the walk may give the CPU to others. */
	describe(&call.out, folio);
	rcu_read_lock();
	/* A policy that has ended meanwhile keeps nothing. */
	if (!READ_ONCE(p->life.dead)) {
		prefetch_ext_run(p, PREFETCH_EXT_SWAP_OUT, swap_out, &call.out);
		pes_add(p, PES_OUT_ASKED, call.out.pages);
		keep = call.keep && may_keep(p, folio, priority);
	}
	rcu_read_unlock();
	return keep;
}

/*
 * Reclaim is about to swap out the folio, which is anonymous, locked, and not in the
 * swap cache. Does its policy keep it? @priority: of that reclaim; 0 if none is under
 * way. Waits for nobody.
 */
bool __prefetch_ext_swap_keeps(struct folio *folio, int priority)
{
	u32 pages = folio_nr_pages(folio);
	struct prefetch_ext_policy *p;
	bool keep = false;

	rcu_read_lock();
	p = policy_of(folio);
	if (p)
		policy_ext_get(&p->life);
	rcu_read_unlock();
	if (!p)
		return false;
	if (priority <= LAST_PRIORITY)
		pes_add(p, PES_OUT_OVERRULED, pages);
	else
		keep = run_program(p, folio, priority);
	if (!keep)
		went(p, pages);
	policy_ext_put(&p->life);
	return keep;
}
