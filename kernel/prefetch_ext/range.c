// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of files: a task of the policy's cgroup has opened a file, read a range of
 * it, written one through the page cache, or closed it. The program says what is to be done,
 * and the core does it when the program has ended: first flush, then wait, then drop.
 *
 * The task that opens, reads or writes may sleep by then, and acts itself. A task that
 * must not sleep (IOCB_NOWAIT), or that holds locks under which the file system may not
 * flush (the module), leaves a flush and what follows it to a worker (range_late.c). A policy does
 * not wait for the flushes that it had started: it can end meanwhile. What is left of it
 * then is its counters.
 *
 * A read is told of the pages that it has come to the end of, which is the file's, too: who
 * has read half of a page is not done with it. A write is told of all its pages, since
 * they are to be flushed; the last one is not dropped before its end was written. A task
 * that goes elsewhere, or closes the file, is done with the page that it had begun. The
 * policy is told of that page then (range_part.c).
 *
 * Open files may be left to the kernel (range_left.c).
 *
 * Left alone: what is not a regular file, O_DIRECT, DAX, file systems without
 * writeback (tmpfs, proc; overlayfs, but not the files below it), and kernel threads.
 */
#include <linux/backing-dev.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "range.h"
#include "targets.h"

/* The pages are the inode's own: Coda has those of a file of its cache instead. */
static bool is_told(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && !IS_DAX(inode) &&
	       !(file->f_flags & O_DIRECT) &&
	       file->f_mapping == inode->i_mapping &&
	       file->f_mapping->host == inode &&
	       mapping_can_writeback(file->f_mapping) &&
	       !(current->flags & (PF_KTHREAD | PF_MEMALLOC));
}

static u64 pages_of(struct address_space *mapping)
{
	return DIV_ROUND_UP_ULL(i_size_read(mapping->host), PAGE_SIZE);
}

/* The program asks for it. Caller: rcu_read_lock(). */
static void leave(struct prefetch_ext_policy *p, const struct file *file)
{
	prefetch_ext_leave(p, file);
	pes_inc(p, PES_FILES_LEFT);
}

/*
 * Returns whether there is something to do. Then it keeps the policy's counters; its
 * programs may end. Caller: rcu_read_lock().
 */
static bool run_program(struct prefetch_ext_policy *p, const struct file *file,
			struct prefetch_ext_file_range *r, bool written)
{
	struct prefetch_ext_range_call call = {
		.range.mapping = r->mapping,
		.range.index = r->first,
		.range.pages = r->last - r->first + 1,
		.range.size = pages_of(r->mapping),
	};

	if (written)
		prefetch_ext_run(p, PREFETCH_EXT_FILE_WRITTEN, file_written,
				 &call.range);
	else
		prefetch_ext_run(p, PREFETCH_EXT_FILE_READ, file_read,
				 &call.range);
	pes_inc(p, PES_RANGES);
	if (call.leave)
		leave(p, file);
	r->flush = call.flush;
	r->wait = call.wait;
	r->drop = call.drop;
	if (!r->flush && !r->drop)
		return false;
	policy_ext_get(&p->life);
	return true;
}

/*
 * The policy whose programs run for ranges of the current task, or NULL.
 * Caller: rcu_read_lock().
 */
static struct prefetch_ext_policy *policy_of_ranges(bool written)
{
	struct prefetch_ext_policy *p = prefetch_ext_of_current();

	return p && (written ? p->ops->file_written : p->ops->file_read) ?
	       p : NULL;
}

/*
 * Runs the program of @p for @r, a range of @file that @p has not left. @nowait:
 * the caller must not wait, for a flush. Caller: rcu_read_lock(), which this ends.
 */
static noinline void handle_range(struct prefetch_ext_policy *p, struct file *file,
				  struct prefetch_ext_file_range *r, bool written,
				  bool nowait)
	__releases(RCU)
{
	bool acts;

	r->mapping = file->f_mapping;
	r->nr = 1;
	acts = run_program(p, file, r, written);
	rcu_read_unlock();
	if (!acts)
		return;
	if (r->flush && nowait)
		prefetch_ext_defer(p, file->f_path.mnt, r);
	else
		prefetch_ext_act(p, file->f_path.mnt, r);
	policy_ext_put(&p->life);
}

/*
 * The same for a page that was read or written in part, when its task is done
 * with it.
 */
static noinline void handle_part(struct file *file,
				 const struct prefetch_ext_part *part,
				 bool nowait)
{
	struct prefetch_ext_file_range r = {
		.first = part->index,
		.last = part->index,
	};
	struct prefetch_ext_policy *p;

	rcu_read_lock();
	p = policy_of_ranges(part->written);
	if (p && !prefetch_ext_has_left(p, file) && is_told(file))
		handle_range(p, file, &r, part->written, nowait);
	else
		rcu_read_unlock();
}

/*
 * @count bytes from @pos on are read, into memory of a user. @behind: pages that are
 * used until after the read, because they went into a pipe.
 */
void __prefetch_ext_file_read(struct file *file, loff_t pos, size_t count,
			      unsigned long behind)
{
	struct prefetch_ext_file_range r = {
		.first = pos >> PAGE_SHIFT,
		.last = (pos + count - 1) >> PAGE_SHIFT,
		.behind = behind,
	};
	struct prefetch_ext_policy *p;
	struct prefetch_ext_part left;
	bool stops;

	if (!count)
		return;
	rcu_read_lock();
	/* First: it is what spares most. */
	p = policy_of_ranges(false);
	if (!p || prefetch_ext_has_left(p, file) || !is_told(file))
		goto out;
	stops = offset_in_page(pos + count) &&
		pos + count < i_size_read(file_inode(file));
	if (unlikely(prefetch_ext_part_goes_on(file, r.first, r.last, stops,
					       false, &left))) {
		rcu_read_unlock();
		/* A worker does what has to be flushed: a reader does not wait for that. */
		handle_part(file, &left, true);
		rcu_read_lock();
		p = policy_of_ranges(false);
	}
	if (!p || (stops && r.last-- == r.first))
		goto out;
	handle_range(p, file, &r, false, false);
	return;
out:
	rcu_read_unlock();
}

/*
 * @count bytes up to the position of @iocb are written, unless it is an error.
 * @nowait: the caller must not wait, whatever @iocb says.
 */
void __prefetch_ext_file_written(struct kiocb *iocb, ssize_t count, bool nowait)
{
	struct prefetch_ext_file_range r = {};
	struct prefetch_ext_policy *p;
	struct prefetch_ext_part left;
	struct file *file;

	/* A request that is under way (-EIOCBQUEUED) may be gone already. */
	if (count <= 0 || iocb->ki_flags & IOCB_DIRECT)
		return;
	file = iocb->ki_filp;
	nowait |= iocb->ki_flags & IOCB_NOWAIT;
	rcu_read_lock();
	p = policy_of_ranges(true);
	if (!p || prefetch_ext_has_left(p, file) || !is_told(file))
		goto out;
	r.first = (iocb->ki_pos - count) >> PAGE_SHIFT;
	r.last = (iocb->ki_pos - 1) >> PAGE_SHIFT;
	/* A writer at the end of the file goes on there as a rule. */
	r.part = offset_in_page(iocb->ki_pos);
	if (unlikely(prefetch_ext_part_goes_on(file, r.first, r.last, r.part,
					       true, &left))) {
		rcu_read_unlock();
		handle_part(file, &left, nowait);
		rcu_read_lock();
		p = policy_of_ranges(true);
	}
	if (!p)
		goto out;
	handle_range(p, file, &r, true, nowait);
	return;
out:
	rcu_read_unlock();
}
#ifndef MODULE
EXPORT_SYMBOL(__prefetch_ext_file_written);
#endif

/* As posix_fadvise() sets it, but to any size that the device has use for. */
static void set_window(struct file *file, u64 pages)
{
	const struct backing_dev_info *bdi;
	u64 most;

	bdi = inode_to_bdi(file->f_mapping->host);
	most = max(bdi->ra_pages * 2, bdi->io_pages);
	/* 0: the administrator has switched it off. */
	if (pages && bdi->ra_pages)
		file->f_ra.ra_pages = min(pages, most);
	spin_lock(&file->f_lock);
	if (pages)
		file->f_mode &= ~FMODE_RANDOM;
	else
		file->f_mode |= FMODE_RANDOM;
	spin_unlock(&file->f_lock);
}

/* @file is being opened: nobody else has it yet. */
void prefetch_ext_file_is_new(const struct file *file)
{
	struct prefetch_ext_part none;

	prefetch_ext_not_left(file);
	/* It was closed when nobody told of it. */
	prefetch_ext_part_ends(file, &none);
}

/* @file is closed: its last user goes, and may sleep. */
void __prefetch_ext_file_closed(struct file *file)
{
	struct prefetch_ext_part left;

	if (unlikely(prefetch_ext_part_ends(file, &left)))
		handle_part(file, &left, false);
}

/* @file is open, and nobody else has it yet. */
void __prefetch_ext_file_opened(struct file *file)
{
	struct prefetch_ext_policy *p;

	prefetch_ext_file_is_new(file);
	if (!(file->f_mode & (FMODE_READ | FMODE_WRITE)))
		return;
	rcu_read_lock();
	p = prefetch_ext_of_current();
	if (p && p->ops->file_opened && is_told(file)) {
		struct prefetch_ext_range_call call = {
			.range.mapping = file->f_mapping,
			.range.size = pages_of(file->f_mapping),
		};

		prefetch_ext_run(p, PREFETCH_EXT_FILE_OPENED, file_opened,
				 &call.range);
		pes_inc(p, PES_OPENED);
		if (call.has_window)
			set_window(file, call.window);
		if (call.leave)
			leave(p, file);
	}
	rcu_read_unlock();
}
