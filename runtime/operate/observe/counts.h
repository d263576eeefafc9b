/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of an observation: of all, by file, and by process and command. What finds no room counts among the others. */
#ifndef OBSERVE_COUNTS_H
#define OBSERVE_COUNTS_H

#include "cpol/observe.h"
#include "tracing/cgroups.h"
#include "tracing/paths.h"

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	int (*max_entries)[N_OBSERVE_TOTALS];
	uint32_t *key;
	struct observe_counts *value;
} observe_totals SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_HASH];
	int (*max_entries)[OBSERVE_MAX_FILES];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	struct observe_file *key;
	struct observe_counts *value;
} observe_files SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_HASH];
	int (*max_entries)[OBSERVE_MAX_TASKS];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	struct observe_task *key;
	struct observe_counts *value;
} observe_tasks SEC(".maps");

struct path {
	uint32_t bytes;
	char parts[TRACED_PATH];
};

struct {
	int (*type)[BPF_MAP_TYPE_HASH];
	int (*max_entries)[OBSERVE_MAX_FILES];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	struct observe_file *key;
	struct path *value;
} observe_names SEC(".maps");

/* A path is larger than a program's stack. */
struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	int (*max_entries)[1];
	uint32_t *key;
	struct path *value;
} observe_path SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[1];
	uint32_t *key;
	struct observe_full *value;
} observe_full SEC(".maps");

const volatile struct observe_options observe_options = {};

static void add(struct observe_counts *to, const struct observe_counts *counts)
{
#define ADD(field) to->field += counts->field;
	OBSERVE_COUNTS(ADD)
#undef ADD
}

static void add_total(uint32_t which, const struct observe_counts *counts)
{
	struct observe_counts *to = bpf_map_lookup_elem(&observe_totals, &which);

	if (to)
		add(to, counts);
}

/* A file, and its inode as a number, since functions that are verified by themselves take no pointers into the kernel. */
struct inode_of_file {
	struct observe_file file;
	uint64_t inode;
};

/* The functions that are not static are verified once, and not at each call. */
int tell_path(const struct inode_of_file *of)
{
	uint32_t key = 0;
	struct path *path = bpf_map_lookup_elem(&observe_path, &key);

	if (!path || !of)
		return 0;
	path->bytes = read_path(path->parts, (struct inode *)of->inode);
	if (path->bytes)
		bpf_map_update_elem(&observe_names, &of->file, path, BPF_ANY);
	return 0;
}

int count_file(const struct inode_of_file *of, const struct observe_counts *counts)
{
	const struct observe_file *file;
	struct observe_counts *to;

	if (!of || !counts)
		return 0;
	file = &of->file;
	to = bpf_map_lookup_elem(&observe_files, file);
	if (to) {
		add(to, counts);
		return 0;
	}
	if (!bpf_map_update_elem(&observe_files, file, counts, BPF_NOEXIST)) {
		tell_path(of);
		return 0;
	}
	to = bpf_map_lookup_elem(&observe_files, file); /* another processor made it meanwhile, or there is no room */
	if (to)
		add(to, counts);
	else
		add_total(OBSERVE_OTHER_FILES, counts);
	return 0;
}

int count_task(const struct observe_counts *counts)
{
	struct observe_task key = { .process = bpf_get_current_pid_tgid() >> 32 };
	struct observe_counts *to;

	if (!counts)
		return 0;
	bpf_get_current_comm(key.comm, sizeof(key.comm));
	to = bpf_map_lookup_elem(&observe_tasks, &key);
	if (to) {
		add(to, counts);
		return 0;
	}
	if (!bpf_map_update_elem(&observe_tasks, &key, counts, BPF_NOEXIST))
		return 0;
	to = bpf_map_lookup_elem(&observe_tasks, &key);
	if (to)
		add(to, counts);
	else
		add_total(OBSERVE_OTHER_TASKS, counts);
	return 0;
}

/* What happened to a file, whichever task runs. */
static void count_for_file(struct inode *inode, const struct observe_counts *counts)
{
	struct inode_of_file of = { .file = { .inode = inode->i_ino, .device = inode->i_sb->s_dev }, .inode = (uint64_t)inode };

	add_total(OBSERVE_ALL, counts);
	count_file(&of, counts);
}

/* What a task of the cgroup did. */
static void count(struct inode *inode, const struct observe_counts *counts)
{
	count_for_file(inode, counts);
	count_task(counts);
}

#endif
