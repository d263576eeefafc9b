/* SPDX-License-Identifier: GPL-2.0-only */
/* Files, and their paths in their file systems, read from the dentries. */
#ifndef TRACING_PATHS_H
#define TRACING_PATHS_H

#include "cpol/traced.h"
#include "tracing/kernel.h"

#define MAX_PARTS 32
#define PART_BYTES 256 /* NAME_MAX and a NUL */
#define FIELD_OFFSET 0 /* of __builtin_preserve_field_info */

struct file_key {
	uint64_t inode;
	uint64_t device;
};

/* The bytes that the path takes; 0: it cannot be had whole. Renames meanwhile may give a path that never was. */
static uint32_t read_path(char *parts, struct inode *inode)
{
	unsigned long alias = 0;
	struct dentry *dentry;
	uint32_t length = 0;

	bpf_probe_read_kernel(&alias, sizeof(alias), &inode->i_dentry.first);
	if (!alias)
		return 0;
	dentry = (void *)(alias - __builtin_preserve_field_info(((struct dentry *)0)->d_u.d_alias, FIELD_OFFSET));
	for (int depth = 0; depth < MAX_PARTS; depth++) {
		const unsigned char *name = NULL;
		struct dentry *parent = NULL;
		long size;

		bpf_probe_read_kernel(&parent, sizeof(parent), &dentry->d_parent);
		if (parent == dentry)
			return length;
		bpf_probe_read_kernel(&name, sizeof(name), &dentry->d_name.name);
		if (!parent || length > TRACED_PATH - PART_BYTES)
			return 0;
		size = bpf_probe_read_kernel_str(parts + length, PART_BYTES, name);
		if (size <= 1)
			return 0;
		length += size;
		dentry = parent;
	}
	return 0;
}

#endif
