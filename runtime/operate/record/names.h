/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files: the path in the file system, read from the dentries when the file is first seen. */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include "ring.h"

#define MAX_NAMED 16384
#define MAX_PARTS 32
#define PART_BYTES 256 /* NAME_MAX and a NUL */
#define FIELD_OFFSET 0 /* of __builtin_preserve_field_info */

struct file_key {
	uint64_t inode;
	uint64_t device;
};

/* Files whose names were told. One that was forgotten is told again. */
struct {
	int (*type)[BPF_MAP_TYPE_LRU_HASH];
	int (*max_entries)[MAX_NAMED];
	struct file_key *key;
	uint8_t *value;
} record_named SEC(".maps");

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
		if (!parent || length > RECORD_PATH - PART_BYTES)
			return 0;
		size = bpf_probe_read_kernel_str(parts + length, PART_BYTES, name);
		if (size <= 1)
			return 0;
		length += size;
		dentry = parent;
	}
	return 0;
}

static void tell_name(struct inode *inode)
{
	struct file_key key = { .inode = inode->i_ino, .device = inode->i_sb->s_dev };
	struct record_name *name;
	uint8_t told = 1;
	uint32_t length;

	if (!record_options.names || bpf_map_lookup_elem(&record_named, &key))
		return;
	name = bpf_ringbuf_reserve(&record_ring, sizeof(*name), 0);
	if (!name)
		return; /* the next event tries again */
	bpf_map_update_elem(&record_named, &key, &told, BPF_ANY);
	length = read_path(name->parts, inode);
	if (!length) {
		bpf_ringbuf_discard(name, BPF_RB_NO_WAKEUP);
		return;
	}
	fill(&name->record, RECORD_FILE_NAME);
	name->record.inode = key.inode;
	name->record.device = key.device;
	name->record.page = 0;
	name->record.pages = length;
	submit(name);
}

#endif
