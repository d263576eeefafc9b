/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of tasks: a read of some pages of a file, a page fault, or advice that reads ahead. A task has at most two at a time: a fault may
 * come within a read.
 */
#ifndef OBSERVE_REQUESTS_H
#define OBSERVE_REQUESTS_H

#include "pages.h"

#define TMPFS_MAGIC 0x01021994

struct request {
	uint64_t mapping;	     /* 0: there is none */
	uint64_t first, last;	     /* the pages that it wants; none: first > last */
	struct observe_counts counts; /* misses: pages that it wants, and that came */
};

struct requests {
	struct request read, fault;
	struct observe_page waited; /* of a fault that was counted, and comes again since it had to wait */
};

struct {
	int (*type)[BPF_MAP_TYPE_TASK_STORAGE];
	int (*map_flags)[BPF_F_NO_PREALLOC];
	uint32_t *key;
	struct requests *value;
} observe_requests SEC(".maps");

/* Those of the current task; NULL: it made none yet. */
static struct requests *requests_of_task(void)
{
	return bpf_task_storage_get(&observe_requests, bpf_get_current_task_btf(), NULL, 0);
}

int is_observed(void)
{
	return bpf_get_current_pid_tgid() >> 32 != observe_options.observer && task_is_of(observe_options.cgroup);
}

/* The requests of the current task, if it and the file are observed; else NULL. */
static struct requests *begin(const struct address_space *mapping)
{
	if (!is_observed() || mapping->host->i_sb->s_magic == TMPFS_MAGIC)
		return NULL;
	return bpf_task_storage_get(&observe_requests, bpf_get_current_task_btf(), NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

static void want(struct request *request, const struct address_space *mapping, uint64_t first, uint64_t last)
{
	if (request->mapping != (uint64_t)mapping)
		__builtin_memset(&request->counts, 0, sizeof(request->counts));
	request->first = first;
	request->last = last;
	request->mapping = (uint64_t)mapping;
}

/* Counts the use of a page. */
int use(const struct observe_file *file, const struct observe_page *page, struct observe_counts *counts)
{
	uint8_t came;

	if (!page || !counts)
		return 0;
	came = take_page(page);
	if (came == CAME_WANTED)
		counts->misses++;
	else
		counts->hits++;
	if (came > CAME_WANTED)
		counts->ahead_used++;
	note_used(page);
	if (observe_options.heat)
		heat(file, page->index, came != CAME_WANTED);
	return 0;
}

struct walk {
	struct observe_page page;
	struct observe_counts counts;
	struct observe_file file;
};

static long use_one(uint64_t number, struct walk *walk)
{
	struct observe_page page = { .mapping = walk->page.mapping, .index = walk->page.index + number };

	use(&walk->file, &page, &walk->counts);
	return 0;
}

/* Copies the sums of a loop as if they were the kernel's: the verifier would follow each value through the loop, for branches on them. */
static void take_sums(struct observe_counts *to, const struct observe_counts *sums)
{
	bpf_probe_read_kernel(to, sizeof(*to), sums);
}

/*
 * Counts the uses of some pages of a request. Pages that came for it are misses, also if they left again before this: a read may be larger
 * than the memory.
 */
static void use_pages(struct observe_counts *counts, const struct address_space *mapping, uint64_t first, uint64_t last)
{
	struct walk walk = { .page = { .mapping = (uint64_t)mapping, .index = first } };
	uint64_t pages = last - first + 1, misses = counts->misses;
	struct observe_counts found = {};

	if (observe_options.heat)
		walk.file = (struct observe_file){ .inode = mapping->host->i_ino, .device = mapping->host->i_sb->s_dev };
	if (pages == 1) {
		use(&walk.file, &walk.page, &found);
	} else {
		bpf_loop(pages > UINT32_MAX ? UINT32_MAX : pages, use_one, &walk, 0);
		take_sums(&found, &walk.counts);
	}
	if (misses < found.misses)
		misses = found.misses;
	counts->misses = misses < pages ? misses : pages;
	counts->hits = pages - counts->misses;
	counts->ahead_used = found.ahead_used;
}

#endif
