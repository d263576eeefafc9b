// SPDX-License-Identifier: GPL-2.0
/*
 * Opened and closed files, and ranges of files that are read or written, on a stock kernel.
 *
 *   opened	do_dentry_open() is redirected to a function that calls the kernel's
 *		own and then tells of it
 *   closed	locks_remove_file(), the same: __fput() calls it for each file, and nobody
 *		else; no lock is held there
 *   read	filemap_read(), filemap_splice_read(), the same
 *   written	generic_perform_write(), iomap_file_buffered_write(), the same
 *
 * What a write calls when it has let go of its locks is inlined into each file
 * system (generic_write_sync()). Here it still has the inode's lock (i_rwsem,
 * exclusively). A flush takes folio locks, and file systems' own locks below that
 * one. ext4 and XFS flush and wait under it themselves, before they punch holes; so
 * a flush by the writer is safe there, and holds up other writers of the file
 * meanwhile, on XFS readers, too. On other file systems a worker flushes.
 *
 * Not seen: writes of file systems that have a loop of their own (btrfs, and FUSE
 * without writeback cache).
 */
#include <linux/filelock.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/iomap.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/pipe_fs_i.h>
#include <linux/uio.h>
#include <linux/prefetch_ext.h>
#include "module.h"
#include "redirect.h"
#include "use.h"
#include "prefetch_ext/prefetch_ext.h"

/* fs/xfs/libxfs/xfs_format.h */
#define STOCK_XFS_MAGIC	0x58465342

static noinline int opened(struct file *file,
			   int (*open)(struct inode *, struct file *))
{
	int err = do_dentry_open(file, open);

	if (!err)
		__prefetch_ext_file_opened(file);
	cache_ext_leave();
	return err;
}

static noinline void closed(struct file *file)
{
	__prefetch_ext_file_closed(file);
	locks_remove_file(file);
	cache_ext_leave();
}

static noinline ssize_t read(struct kiocb *iocb, struct iov_iter *iter,
			     ssize_t already_read)
{
	struct file *file = iocb->ki_filp;
	loff_t pos = iocb->ki_pos;
	ssize_t ret;

	ret = filemap_read(iocb, iter, already_read);
	/* Not what the kernel reads for itself. */
	if (iocb->ki_pos > pos && !iov_iter_is_kvec(iter))
		__prefetch_ext_file_read(file, pos, iocb->ki_pos - pos, 0);
	cache_ext_leave();
	return ret;
}

static noinline ssize_t splice_read(struct file *in, loff_t *ppos,
				    struct pipe_inode_info *pipe, size_t len,
				    unsigned int flags)
{
	loff_t pos = *ppos;
	ssize_t ret = filemap_splice_read(in, ppos, pipe, len, flags);

	if (ret > 0)
		__prefetch_ext_file_read(in, pos, ret, pipe->max_usage);
	cache_ext_leave();
	return ret;
}

static void handle_written(struct kiocb *iocb, ssize_t count)
{
	unsigned long magic = file_inode(iocb->ki_filp)->i_sb->s_magic;
	bool may_flush = magic == EXT4_SUPER_MAGIC || magic == STOCK_XFS_MAGIC;

	__prefetch_ext_file_written(iocb, count, !may_flush);
}

static noinline ssize_t perform_write(struct kiocb *iocb, struct iov_iter *iter)
{
	ssize_t ret = generic_perform_write(iocb, iter);

	handle_written(iocb, ret);
	cache_ext_leave();
	return ret;
}

static noinline ssize_t iomap_write(struct kiocb *iocb, struct iov_iter *iter,
				    const struct iomap_ops *ops, void *private)
{
	ssize_t ret = iomap_file_buffered_write(iocb, iter, ops, private);

	handle_written(iocb, ret);
	cache_ext_leave();
	return ret;
}

#define OPEN	0
#define CLOSE	1

static struct cache_ext_redirected redirected[] = {
	[OPEN] = { "do_dentry_open", opened },
	[CLOSE] = { "locks_remove_file", closed },
	{ "filemap_read", read },
	{ "filemap_splice_read", splice_read },
	{ "generic_perform_write", perform_write },
	{ "iomap_file_buffered_write", iomap_write },
};

static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct file *file = (void *)ftrace_regs_get_argument(fregs, 0);

	if (ip - redirected[OPEN].address < 16) {
		/* The opener, which may hand the file to others. */
		prefetch_ext_file_is_new(file);
		/* Opening a pipe waits for the other end, maybe for ever. */
		if (!d_is_reg(file->f_path.dentry))
			return;
	} else if (ip - redirected[CLOSE].address < 16 &&
		   !prefetch_ext_in_part(file)) {
		return;
	}
	cache_ext_redirect(redirected, ARRAY_SIZE(redirected), ip, parent_ip,
			   fregs);
}

/*
 * Without FTRACE_OPS_FL_RECURSION, which takes 50 instructions of a read: redirect()
 * calls none of these functions, and may be preempted.
 */
static struct ftrace_ops hook = {
	.func = redirect,
	.flags = FTRACE_OPS_FL_PERMANENT | FTRACE_OPS_FL_IPMODIFY,
};

int cache_ext_ranges_on(void)
{
	return register_ftrace_function(&hook);
}

void cache_ext_ranges_off(void)
{
	cache_ext_untrace(&hook);
}

int __init cache_ext_ranges_init(void)
{
	return cache_ext_redirect_init(&hook, redirected,
				       ARRAY_SIZE(redirected));
}
