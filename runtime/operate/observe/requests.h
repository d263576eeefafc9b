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
	uint64_t mapping;     /* 0: there is none */
	uint64_t next, last;  /* the pages that it wants and that were not counted yet; none: next > last */
	uint64_t first;
	struct observe_counts counts;
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
	__builtin_memset(&request->counts, 0, sizeof(request->counts));
	request->first = request->next = first;
	request->last = last;
	request->mapping = (uint64_t)mapping;
}

/* Wants the pages of some bytes, as far as the file goes. */
static void want_bytes(struct request *request, const struct address_space *mapping, uint64_t position, uint64_t bytes)
{
	uint64_t size = mapping->host->i_size, end = position + bytes;

	if (end > size)
		end = size;
	if (position < end)
		want(request, mapping, position >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT);
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

/* Counts the uses of the pages up to `last`. Those of one folio, so that they cannot leave meanwhile, or those of the end of a request. */
static void use_until(struct request *request, struct inode *inode, uint64_t last)
{
	struct walk walk = { .page = { .mapping = request->mapping, .index = request->next } };
	uint64_t pages;

	if (last > request->last)
		last = request->last;
	if (request->next > last)
		return;
	if (observe_options.heat)
		walk.file = (struct observe_file){ .inode = inode->i_ino, .device = inode->i_sb->s_dev };
	pages = last - request->next + 1;
	request->next = last + 1;
	if (pages == 1)
		use(&walk.file, &walk.page, &walk.counts);
	else
		bpf_loop(pages > UINT32_MAX ? UINT32_MAX : pages, use_one, &walk, 0);
	request->counts.hits += walk.counts.hits;
	request->counts.misses += walk.counts.misses;
	request->counts.ahead_used += walk.counts.ahead_used;
}

/* Counts what came, and ends the request. */
static void finish(struct request *request, struct inode *inode)
{
	struct observe_counts counts = request->counts;

	request->mapping = 0;
	if (counts.hits | counts.misses | counts.ahead | counts.ahead_used)
		count(inode, &counts);
}

#endif
