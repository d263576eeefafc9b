/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files: the path in the file system, told when the file is first seen. */
#ifndef RECORD_NAMES_H
#define RECORD_NAMES_H

#include "ring.h"
#include "tracing/paths.h"

#define MAX_NAMED 16384

/* Files whose names were told. One that was forgotten is told again. */
struct {
	int (*type)[BPF_MAP_TYPE_LRU_HASH];
	int (*max_entries)[MAX_NAMED];
	struct file_key *key;
	uint32_t *value; /* the generation of the inode: another file may have its number later */
} record_named SEC(".maps");

static void tell_name(struct inode *inode)
{
	struct file_key key = { .inode = inode->i_ino, .device = inode->i_sb->s_dev };
	struct record_name *name;
	uint32_t generation = inode->i_generation, length, *told;

	if (!record_options.names)
		return;
	told = bpf_map_lookup_elem(&record_named, &key);
	if (told && *told == generation)
		return;
	name = bpf_ringbuf_reserve(&record_ring, sizeof(*name), 0);
	if (!name)
		return; /* the next event tries again */
	bpf_map_update_elem(&record_named, &key, &generation, BPF_ANY);
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
	name->record.used = generation;
	submit(name);
}

#endif
