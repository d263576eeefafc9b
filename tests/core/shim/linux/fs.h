/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_FS_H
#define _LINUX_FS_H

#include <linux/list.h>
#include <linux/spinlock.h>

#define SHIM_FILE_PAGES 256	/* that a file can have at most */

struct super_block {
	u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned int i_mode;
	loff_t i_size;
	struct hlist_head i_dentry;	/* its names; one at most */
	/* For generated programs. */
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	struct {
		int counter;
	} i_readcount;
	void *i_private;
};

/* Mappings of a file: those of lib/folio.c, one for each folio that is PG_code. */
struct rb_root_cached {
	unsigned int readers;
	bool changes;	/* somebody has i_mmap_rwsem for writing, or waits for it */
};

struct address_space {
	struct inode *host;
	spinlock_t i_pages;
	struct folio *pages[SHIM_FILE_PAGES];
	bool unevictable;
	struct rb_root_cached i_mmap;
};

#define S_ISREG(mode) ((mode) & 1)

static inline loff_t i_size_read(const struct inode *inode)
{
	return READ_ONCE(inode->i_size);
}

static inline bool mapping_unevictable(struct address_space *mapping)
{
	return mapping->unevictable;
}

#endif
