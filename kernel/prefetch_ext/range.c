// SPDX-License-Identifier: GPL-2.0
/*
 * Ranges of files: a task of the policy's cgroup has opened a file, read a range of
 * it, or written one through the page cache. The program says what is to be done,
 * and the core does it when the program has ended: first flush, then wait, then drop.
 *
 * Whoever opens, reads or writes may sleep by then, and acts himself. Who must not
 * (IOCB_NOWAIT), or holds locks under which the file system may not flush (the
 * module), leaves a flush and what follows it to a worker. Dropping takes folios that
 * nobody locks or uses. Who waited for a flush tries the others once more, one tick
 * later, after the CPUs' batches for the LRU lists are drained. Nobody else waits for
 * other CPUs: a read of cached data is too short for that, and may be IOCB_NOWAIT.
 *
 * A policy does not wait for the flushes that it had started: it can end meanwhile.
 * What is left of it then is its counters.
 *
 * Left alone: what is not a regular file, O_DIRECT, DAX, file systems without
 * writeback (tmpfs, proc; overlayfs, but not the files below it), and kernel threads.
 */
#include <linux/backing-dev.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/pagemap.h>
#include <linux/pagevec.h>
#include <linux/path.h>
#include <linux/slab.h>
#include <linux/writeback.h>
#include "prefetch_ext.h"
#include "glue.h"
#include "targets.h"

#define MAX_DEFERRED	64	/* of a policy at once */

struct file_range {
	struct address_space *mapping;
	pgoff_t first;
	pgoff_t last;
	pgoff_t behind;	/* pages before @first that are dropped, too */
	bool flush;
	bool wait;
	bool drop;
};

struct deferred {
	struct llist_node link;
	struct path path;	/* holds the file system and the inode */
	ktime_t since;	/* the end of the write */
	struct file_range range;
};

static struct workqueue_struct *workers;

int prefetch_ext_ranges_init(void)
{
	workers = alloc_workqueue("prefetch_ext", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return workers ? 0 : -ENOMEM;
}

/*
 * Of a module that goes: nobody tells of ranges any more, and a worker has but its last
 * steps to do.
 */
void prefetch_ext_ranges_exit(void)
{
	if (workers)
		destroy_workqueue(workers);
}

static bool is_told(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return S_ISREG(inode->i_mode) && !IS_DAX(inode) &&
	       !(file->f_flags & O_DIRECT) &&
	       file->f_mapping == inode->i_mapping &&
	       mapping_can_writeback(file->f_mapping) &&
	       !(current->flags & (PF_KTHREAD | PF_MEMALLOC));
}

static u64 pages_of(struct address_space *mapping)
{
	return DIV_ROUND_UP_ULL(i_size_read(mapping->host), PAGE_SIZE);
}

static void flush(struct prefetch_ext_policy *p, const struct file_range *r)
{
	loff_t start = (loff_t)r->first << PAGE_SHIFT;
	loff_t end = ((loff_t)r->last << PAGE_SHIFT) + PAGE_SIZE - 1;
	struct writeback_control wbc = {
		.sync_mode = r->wait ? WB_SYNC_ALL : WB_SYNC_NONE,
		.nr_to_write = LONG_MAX,
		.range_start = start,
		.range_end = end,
	};

	/* Errors stay with the mapping, for fsync(). */
	filemap_fdatawrite_wbc(r->mapping, &wbc);
	pes_inc(p, PES_FLUSHED);
	if (!r->wait)
		return;
	filemap_fdatawait_range_keep_errors(r->mapping, start, end);
	pes_inc(p, PES_WAITED);
}

struct drop_result {
	unsigned long dropped;	/* pages */
	unsigned long left;	/* pages */
	bool passing;	/* some of those left are in use for a moment only */
};

/* Nobody maps it, or has written to it: who uses it will soon let go of it. */
static bool is_passing(struct folio *folio)
{
	return !folio_mapped(folio) && !folio_test_dirty(folio) &&
	       !folio_test_writeback(folio);
}

/*
 * A folio goes if its last page is in the range. So a large folio that was read
 * ahead goes when the reader has come to its end.
 */
static unsigned long drop_folio(const struct file_range *r, struct folio *folio,
				struct drop_result *result)
{
	unsigned long went = 0;

	if (folio_next_index(folio) - 1 > r->last)
		return 0;
	if (folio_trylock(folio)) {
		if (folio->mapping == r->mapping)
			went = mapping_evict_folio(r->mapping, folio);
		folio_unlock(folio);
	}
	if (!went && is_passing(folio))
		result->passing = true;
	return went;
}

static unsigned long overlap(struct folio *folio, const struct file_range *r)
{
	pgoff_t first = max(folio->index, r->first);
	pgoff_t end = min(folio_next_index(folio), r->last + 1);

	return end > first ? end - first : 0;
}

static struct drop_result drop_once(const struct file_range *r)
{
	pgoff_t index = r->first - min(r->first, r->behind);
	struct drop_result result = {};
	struct folio_batch folios;
	unsigned long went;
	unsigned int i;

	folio_batch_init(&folios);
	while (filemap_get_folios(r->mapping, &index, r->last, &folios)) {
		for (i = 0; i < folio_batch_count(&folios); i++) {
			struct folio *folio = folios.folios[i];

			went = drop_folio(r, folio, &result);
			result.dropped += went;
			if (!went)
				result.left += overlap(folio, r);
		}
		folio_batch_release(&folios);
		cond_resched();
	}
	return result;
}

/*
 * Who waited for a flush may have moved to another CPU: then the folios are in a batch
 * of the first one. And the worker that ends writeback wakes who waits for it before it
 * lets go of the folio. Who has waited for the disk can wait for both, but not long:
 * another user of the folio may keep it.
 */
static void drop(struct prefetch_ext_policy *p, const struct file_range *r)
{
	struct drop_result result = drop_once(r);

	pes_add(p, PES_DROPPED, result.dropped);
	if (result.passing && r->flush && r->wait) {
		lru_add_drain_all();
		schedule_timeout_uninterruptible(1);
		result = drop_once(r);
		pes_add(p, PES_DROPPED, result.dropped);
	}
	pes_add(p, PES_LEFT, result.left);
}

static void act(struct prefetch_ext_policy *p, const struct file_range *r)
{
	/*
	 * What waits to be put on an LRU list is in use until it is. A flush may
	 * sleep, and end on another CPU.
	 */
	if (r->drop)
		lru_add_drain();
	if (r->flush)
		flush(p, r);
	if (r->drop)
		drop(p, r);
}

/* The policy's worker: all that was left to it until now, in that order. */
void prefetch_ext_act_late(struct work_struct *work)
{
	struct prefetch_ext_policy *p = container_of(work,
						     struct prefetch_ext_policy,
						     late_work);
	struct llist_node *late = llist_reverse_order(llist_del_all(&p->late));
	struct deferred *d, *next;

	llist_for_each_entry_safe(d, next, late, link) {
		act(p, &d->range);
		pes_add(p, PES_DEFERRED_US,
			ktime_us_delta(ktime_get(), d->since));
		path_put(&d->path);
		atomic_dec(&p->nr_deferred);
		kfree(d);
	}
	prefetch_ext_forget(p);
	prefetch_ext_glue_release();
}

/*
 * To the policy's worker, unless much waits for it. A flush takes as long as an
 * io.max or a server likes, so each policy has one worker, and none waits for
 * another's. A reference on the file instead would keep it from being executed, and
 * its locks from going, when the writer has closed it.
 */
static void defer(struct prefetch_ext_policy *p, const struct file *file,
		  const struct file_range *r)
{
	struct deferred *d = NULL;

	if (atomic_inc_return(&p->nr_deferred) <= MAX_DEFERRED)
		d = kmalloc(sizeof(*d), GFP_NOWAIT | __GFP_NOWARN |
					__GFP_ACCOUNT);
	if (!d) {
		atomic_dec(&p->nr_deferred);
		pes_inc(p, PES_SKIPPED);
		return;
	}
	d->path = file->f_path;
	path_get(&d->path);
	d->range = *r;
	d->since = ktime_get();
	pes_inc(p, PES_DEFERRED);
	llist_add(&d->link, &p->late);
	/*
	 * It has one reference, queued or running; if both, then two. And it may wait
	 * for the device longer than the policy lasts, or whoever unloads the module
	 * would like to.
	 */
	prefetch_ext_keep(p);
	prefetch_ext_glue_hold();
	if (!queue_work(workers, &p->late_work)) {
		prefetch_ext_glue_release();
		prefetch_ext_forget(p);
	}
}

/*
 * Returns whether there is something to do. Then it keeps the policy's counters; its
 * programs may end. Caller: rcu_read_lock().
 */
static bool ask(struct prefetch_ext_policy *p, struct file_range *r,
		bool written)
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
	r->flush = call.flush;
	r->wait = call.wait;
	r->drop = call.drop;
	if (!r->flush && !r->drop)
		return false;
	prefetch_ext_keep(p);
	return true;
}

/* Whom the current task tells of ranges, or NULL. Caller: rcu_read_lock(). */
static struct prefetch_ext_policy *whom_to_tell(bool written)
{
	struct prefetch_ext_policy *p = prefetch_ext_of_current();

	return p && (written ? p->ops->file_written : p->ops->file_read) ?
	       p : NULL;
}

/*
 * Tells @p, which is told of ranges of @file. @nowait: the caller must not wait, for a
 * flush. Caller: rcu_read_lock(), which this ends.
 */
static noinline void tell(struct prefetch_ext_policy *p, struct file *file,
			  loff_t pos, size_t count, unsigned long behind,
			  bool written, bool nowait)
	__releases(RCU)
{
	struct file_range r = {
		.mapping = file->f_mapping,
		.first = pos >> PAGE_SHIFT,
		.last = (pos + count - 1) >> PAGE_SHIFT,
		.behind = behind,
	};
	bool acts = ask(p, &r, written);

	rcu_read_unlock();
	if (!acts)
		return;
	if (r.flush && nowait)
		defer(p, file, &r);
	else
		act(p, &r);
	prefetch_ext_forget(p);
}

/*
 * @count bytes from @pos on are read, into memory of a user. @behind: pages that are
 * used until after the read, because they went into a pipe.
 */
void __prefetch_ext_file_read(struct file *file, loff_t pos, size_t count,
			      unsigned long behind)
{
	struct prefetch_ext_policy *p;

	if (!count)
		return;
	rcu_read_lock();
	/* First: it is what spares most. */
	p = whom_to_tell(false);
	if (p && is_told(file))
		tell(p, file, pos, count, behind, false, false);
	else
		rcu_read_unlock();
}

/*
 * @count bytes up to the position of @iocb are written, unless it is an error.
 * @nowait: the caller must not wait, whatever @iocb says.
 */
void __prefetch_ext_file_written(struct kiocb *iocb, ssize_t count, bool nowait)
{
	struct prefetch_ext_policy *p;

	/* A request that is under way (-EIOCBQUEUED) may be gone already. */
	if (count <= 0 || iocb->ki_flags & IOCB_DIRECT)
		return;
	rcu_read_lock();
	p = whom_to_tell(true);
	if (p && is_told(iocb->ki_filp))
		tell(p, iocb->ki_filp, iocb->ki_pos - count, count, 0, true,
		     nowait || iocb->ki_flags & IOCB_NOWAIT);
	else
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

/* @file is open, and nobody else has it yet. */
void __prefetch_ext_file_opened(struct file *file)
{
	struct prefetch_ext_policy *p;

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
	}
	rcu_read_unlock();
}
