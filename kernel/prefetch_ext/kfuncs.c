// SPDX-License-Identifier: GPL-2.0
/*
 * What programs may call. Which program may call what is decided when it is
 * loaded (kfunc_filter()), by the member of prefetch_ext_ops that it is for; no
 * other struct_ops type gets any.
 *
 * Programs run under rcu_read_lock(), in a fault, an open, a read, a write or reclaim,
 * and record in the call that their argument is part of what the core does afterwards.
 * Targets out of range, recorded already, or too many are dropped and counted, in
 * this order.
 */
#include <linux/btf_ids.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "kfunc_sets.h"
#include "targets.h"

static struct prefetch_ext_targets *targets_of(struct prefetch_ext_fault *f)
{
	return &container_of(f, struct prefetch_ext_swap_call, fault)->targets;
}

static struct prefetch_ext_range_call *call_of(struct prefetch_ext_range *r)
{
	return container_of(r, struct prefetch_ext_range_call, range);
}

static s32 out_of_range(struct prefetch_ext_targets *t, u64 nr)
{
	t->out_of_range += nr;
	return -ERANGE;
}

static s32 record(struct prefetch_ext_targets *t, u64 index, bool page)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (t->index[i] == index && test_bit(i, t->page) == page) {
			t->duplicates++;
			return -EEXIST;
		}
	}
	if (t->nr == PREFETCH_EXT_MAX_TARGETS) {
		t->over_limit++;
		return -E2BIG;
	}
	__assign_bit(t->nr, t->page, page);
	t->index[t->nr++] = index;
	return 0;
}

/*
 * Steps of @stride from @from until [@low, @high) is reached or left, whichever
 * comes first; at most @most. All the pages on the way are on one side.
 */
static u64 steps_to(s64 from, s64 stride, s64 to, u64 most)
{
	u64 far = stride > 0 ? (u64)to - (u64)from : (u64)from - (u64)to;
	u64 step = stride > 0 ? (u64)stride : 0 - (u64)stride;

	return min(most, far / step + !!(far % step));
}

/* How many of @nr pages, @stride apart, from @at on are not to be recorded? */
static u64 steps_outside(const struct prefetch_ext_readahead *r, s64 at,
			 s64 stride, u64 nr)
{
	s64 size = r->size, first = r->index, end = r->index + r->wanted;

	if (at < 0)
		return stride > 0 ? steps_to(at, stride, 0, nr) : nr;
	if (at >= size)
		return stride < 0 ? steps_to(at, stride, size - 1, nr) : nr;
	if (at >= first && at < end)
		return steps_to(at, stride, stride > 0 ? end : first - 1, nr);
	return 0;
}

__bpf_kfunc_start_defs();

/**
 * bpf_prefetch_ext_slot - have a slot of the swap device read
 * @f: the argument of swap_prefetch
 * @slot: its number on the device of @f
 *
 * The slot is read after the program. If it is of a cgroup that the policy does not
 * govern, if it is free, or if it is in the swap cache by then, it is not.
 *
 * Context: only from swap_prefetch.
 * Return: 0; -ERANGE if @slot is 0, beyond the device, or that of the fault; -EEXIST
 * if it is recorded already; -E2BIG if there are 64 targets.
 */
__bpf_kfunc s32 bpf_prefetch_ext_slot(struct prefetch_ext_fault *f, u64 slot)
{
	struct prefetch_ext_targets *t = targets_of(f);

	if (!slot || slot >= f->slots || slot == f->slot)
		return out_of_range(t, 1);
	return record(t, slot, false);
}

/**
 * bpf_prefetch_ext_page - have a virtual page read
 * @f: the argument of swap_prefetch
 * @page: virtual page number, in the area of @f
 *
 * As bpf_prefetch_ext_slot(), for the slot that the page table has for @page after
 * the program, on whatever device.
 *
 * Context: only from swap_prefetch.
 * Return: 0; -ERANGE if @page is outside the area, or that of the fault; -EEXIST if
 * it is recorded already; -E2BIG if there are 64 targets.
 */
__bpf_kfunc s32 bpf_prefetch_ext_page(struct prefetch_ext_fault *f, u64 page)
{
	struct prefetch_ext_targets *t = targets_of(f);

	if (page < f->first || page > f->last || page == f->page)
		return out_of_range(t, 1);
	return record(t, page, true);
}

/**
 * bpf_prefetch_ext_default - have the kernel's own swap readahead run, too
 * @f: the argument of swap_prefetch
 *
 * It runs after the policy's targets are read.
 *
 * Context: only from swap_prefetch.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_default(struct prefetch_ext_fault *f)
{
	targets_of(f)->by_default = true;
	return 0;
}

/**
 * bpf_prefetch_ext_file - have pages of the file read
 * @ra: the argument of file_readahead
 * @index: the first of them; a number with the top bit set is negative
 * @nr: how many
 * @stride: from one to the next; may be negative; 0: @nr is 1
 *
 * Context: only from file_readahead.
 * Return: how many were recorded; or if none was, why the last one was not:
 * -ERANGE if it is outside the file, or among the pages of the request; -EEXIST if
 * it is recorded already; -E2BIG if there are 64 targets. 0 if @nr is 0.
 */
__bpf_kfunc s32 bpf_prefetch_ext_file(struct prefetch_ext_readahead *ra,
				      u64 index, u64 nr, s64 stride)
{
	struct prefetch_ext_targets *t =
		&container_of(ra, struct prefetch_ext_file_call, ra)->targets;
	s32 err = 0, recorded = 0;
	s64 next, at = index;
	u64 outside;

	if (!stride) {
		nr = min(nr, 1ULL);
		stride = 1;
	}
	while (nr) {
		outside = steps_outside(ra, at, stride, nr);
		if (outside) {
			err = out_of_range(t, outside);
			nr -= outside;
			/* From within the request it may lead beyond all numbers. */
			next = (u64)at + outside * stride;
			if (nr && (stride > 0 ? next < at : next > at)) {
				err = out_of_range(t, nr);
				break;
			}
			at = next;
			continue;
		}
		err = record(t, at, true);
		recorded += !err;
		nr--;
		if (err == -E2BIG) {
			t->over_limit += nr;
			break;
		}
		if (nr && check_add_overflow(at, stride, &at)) {
			err = out_of_range(t, nr);
			break;
		}
	}
	return recorded ?: err;
}

/**
 * bpf_prefetch_ext_default_file - have the kernel's own readahead run, too
 * @ra: the argument of file_readahead
 *
 * It runs after the policy's targets are read.
 *
 * Context: only from file_readahead.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_default_file(struct prefetch_ext_readahead *ra)
{
	container_of(ra, struct prefetch_ext_file_call, ra)->targets.by_default =
		true;
	return 0;
}

/**
 * bpf_prefetch_ext_window - set the window of readahead of an open file
 * @range: the argument of file_opened
 * @pages: most pages to read ahead; 0: none, as for POSIX_FADV_RANDOM
 *
 * It holds for this open file until the application sets another. It is set after
 * the program, at most to what the device allows. The last call counts.
 *
 * Context: only from file_opened.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_window(struct prefetch_ext_range *range,
					u64 pages)
{
	struct prefetch_ext_range_call *call = call_of(range);

	call->window = pages;
	call->has_window = true;
	return 0;
}

/**
 * bpf_prefetch_ext_leave - be told no more of what is read and written
 * @range: the argument of file_opened, file_read or file_written
 *
 * It holds for this open file until it is closed, and for this policy. It is a hint: the
 * policy may be told all the same. Readahead is another matter.
 *
 * Context: from file_opened, file_read and file_written.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_leave(struct prefetch_ext_range *range)
{
	call_of(range)->leave = true;
	return 0;
}

/**
 * bpf_prefetch_ext_drop - have the pages of the range leave the page cache
 * @range: the argument of file_read or file_written
 *
 * They are dropped after the program, and after the flush that it asks for. Pages
 * that are dirty, written back, mapped, locked or in use by then stay. So does the
 * last page of what was written, unless it was written to its end: its writer goes on
 * there. The program is told of that page again when he is done with it.
 *
 * Context: from file_read and file_written.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_drop(struct prefetch_ext_range *range)
{
	call_of(range)->drop = true;
	return 0;
}

/**
 * bpf_prefetch_ext_flush - have the dirty pages of the range written to the device
 * @range: the argument of file_written
 * @wait: the writer waits until they are
 *
 * As sync_file_range() does: data, but neither metadata nor the device's own cache.
 * Writeback starts after the program. Errors are left for fsync() to tell.
 *
 * Context: only from file_written.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_flush(struct prefetch_ext_range *range,
				       bool wait)
{
	struct prefetch_ext_range_call *call = call_of(range);

	call->flush = true;
	call->wait |= wait;
	return 0;
}

/**
 * bpf_prefetch_ext_keep - keep the folio in memory this time
 * @out: the argument of swap_out
 *
 * After the program it is activated, unless the policy has kept as much in this
 * second as it may, or reclaim is near OOM or finds nothing else.
 *
 * Context: only from swap_out.
 * Return: 0
 */
__bpf_kfunc s32 bpf_prefetch_ext_keep(struct prefetch_ext_swap_out *out)
{
	container_of(out, struct prefetch_ext_swap_out_call, out)->keep = true;
	return 0;
}

/**
 * bpf_prefetch_ext_error - end the policy: its program cannot go on
 * @memcg: the policy's cgroup
 * @code: the program's own number
 * @message__str: for people; 95 characters of it are kept
 *
 * The policy is detached soon. Statistics and log tell code and message.
 *
 * Context: any program but init and exit.
 */
__bpf_kfunc void bpf_prefetch_ext_error(struct mem_cgroup *memcg, s32 code,
					const char *message__str)
{
	struct prefetch_ext_policy *p = this_cpu_read(prefetch_ext_running);

	/* The policy of the program; another one may govern @memcg by now. */
	if (p && p->life.memcg == memcg)
		policy_ext_exit(&p->life, POLICY_EXT_EXIT_ERROR, code, message__str);
}

__bpf_kfunc_end_defs();

/* Called for every kfunc that a struct_ops program names, of any type. */
static int kfunc_filter(const struct bpf_prog *prog, u32 id)
{
	u32 member;

	if (!btf_id_set8_contains(&prefetch_ext_kfuncs, id))
		return 0;
	if (!prefetch_ext_is_ours(prog))
		return -EACCES;
	/* The expected_attach_type of user space, which BPF has not checked yet. */
	member = prog->expected_attach_type;
	return member < PREFETCH_EXT_MEMBERS &&
	       prefetch_ext_kfunc_members(id) >> member & 1 ? 0 : -EACCES;
}

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &prefetch_ext_kfuncs,
	.filter = kfunc_filter,
};

int __init prefetch_ext_kfuncs_init(void)
{
	return prefetch_ext_glue_kfuncs(&kfunc_set);
}
