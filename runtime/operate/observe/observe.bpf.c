/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how the tasks of a cgroup use the page cache. Tracing programs do, which decide nothing and need neither module nor patch. observe.c
 * loads them.
 *
 * A request that misses says which pages it wants before the kernel reads them. Pages that come while it runs are wanted or ahead of it, and
 * stay known as that until they are used or leave. So each page of a request is found to be a hit or a miss by itself. A read that finds all
 * its pages runs one program, at its end.
 */
#include "requests.h"

#define VM_FAULT_ERROR 0x873 /* OOM, SIGBUS, HWPOISON, HWPOISON_LARGE, SIGSEGV, FALLBACK */
#define VM_FAULT_NOPAGE 0x100
#define VM_FAULT_RETRY 0x400

/*
 * A read misses, or comes to the marker of earlier readahead, and wants so many pages from there. Directories have the pages of their device
 * read so, which is no read of the device.
 */
static int want_read(const struct readahead_control *control, uint64_t pages)
{
	const struct address_space *mapping = control->mapping;
	struct requests *requests;

	if (!control->file || control->file->f_mapping != mapping)
		return 0;
	requests = begin(mapping);
	if (requests && !requests->fault.mapping)
		want(&requests->read, mapping, control->_index, control->_index + pages - 1);
	return 0;
}

SEC("fentry/page_cache_sync_ra")
int observe_sync(uint64_t *args)
{
	return want_read((const struct readahead_control *)args[0], args[1]);
}

SEC("fentry/page_cache_async_ra")
int observe_async(uint64_t *args)
{
	return want_read((const struct readahead_control *)args[0], args[2]);
}

/* A read ends, after it copied some bytes or none. What came for it and was not copied stays wanted: io_uring tries again. */
static int end_read(struct address_space *mapping, uint64_t end, int64_t bytes)
{
	struct observe_counts counts = {};
	struct requests *requests;

	if (!is_observed())
		return 0;
	requests = requests_of_task();
	if (requests && requests->read.mapping) {
		if (requests->read.mapping == (uint64_t)mapping)
			counts = requests->read.counts;
		requests->read.mapping = 0;
	}
	if (bytes > 0 && mapping->host->i_sb->s_magic != TMPFS_MAGIC)
		use_pages(&counts, mapping, (end - bytes) >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT);
	else
		counts.misses = 0;
	if (counts.hits | counts.misses | counts.ahead)
		count(mapping->host, &counts);
	return 0;
}

/* read(2), readv(2), AIO, io_uring, and what the kernel itself reads for the task. */
SEC("fexit/filemap_read")
int observe_read(uint64_t *args)
{
	const struct kiocb *kiocb = (const struct kiocb *)args[0];

	return end_read(kiocb->ki_filp->f_mapping, kiocb->ki_pos, (int64_t)args[3] - (int64_t)args[2]);
}

/* splice(2), sendfile(2) */
SEC("fexit/filemap_splice_read")
int observe_splice(uint64_t *args)
{
	uint64_t position = 0;

	bpf_probe_read_kernel(&position, sizeof(position), (const void *)args[1]);
	return end_read(((const struct file *)args[0])->f_mapping, position, args[5]);
}

/* readahead(2), and advice that pages will be needed: no request for a page. */
SEC("fentry/force_page_cache_ra")
int observe_advice(uint64_t *args)
{
	const struct address_space *mapping = ((const struct readahead_control *)args[0])->mapping;
	struct requests *requests = begin(mapping);

	if (requests && !requests->read.mapping && !requests->fault.mapping)
		want(&requests->read, mapping, 1, 0);
	return 0;
}

SEC("fexit/force_page_cache_ra")
int observe_advice_done(uint64_t *args)
{
	struct address_space *mapping = ((const struct readahead_control *)args[0])->mapping;
	struct requests *requests = requests_of_task();
	struct observe_counts counts;

	if (!requests || !requests->read.mapping || requests->read.first <= requests->read.last)
		return 0;
	counts = requests->read.counts;
	requests->read.mapping = 0;
	if (counts.ahead)
		count(mapping->host, &counts);
	return 0;
}

/*
 * Ends a fault, and counts it if its page is there, or will be. One that has to wait comes a second time, with or without FAULT_FLAG_TRIED, and
 * was counted then.
 */
static void end_fault(struct requests *requests, struct address_space *mapping, bool failed, bool waits)
{
	struct observe_page page = { .mapping = requests->fault.mapping, .index = requests->fault.first };
	struct observe_counts counts = requests->fault.counts;

	requests->fault.mapping = 0;
	if (failed) {
		counts.misses = 0;
	} else if (requests->waited.mapping == page.mapping && requests->waited.index == page.index) {
		take_page(&page);
		counts.misses = 0;
	} else {
		use_pages(&counts, mapping, page.index, page.index);
		counts.faults = 1;
	}
	requests->waited.mapping = waits ? page.mapping : 0;
	requests->waited.index = page.index;
	if (counts.faults | counts.ahead)
		count(mapping->host, &counts);
}

SEC("fentry/filemap_fault")
int observe_fault(uint64_t *args)
{
	const struct vm_fault *fault = (const struct vm_fault *)args[0];
	const struct address_space *mapping = fault->vma->vm_file->f_mapping;
	struct requests *requests = begin(mapping);

	if (requests)
		want(&requests->fault, mapping, fault->pgoff, fault->pgoff);
	return 0;
}

SEC("fexit/filemap_fault")
int observe_fault_done(uint64_t *args)
{
	struct requests *requests = requests_of_task();

	if (!requests || !requests->fault.mapping)
		return 0;
	/* The area may be gone, if the kernel dropped its lock to wait. */
	end_fault(requests, bpf_rdonly_cast((void *)requests->fault.mapping, TYPE_ID(struct address_space)), args[1] & VM_FAULT_ERROR,
		  args[1] & VM_FAULT_RETRY);
	return 0;
}

static long map_one(uint64_t number, struct walk *walk)
{
	struct observe_page page = { .mapping = walk->page.mapping, .index = walk->page.index + number };
	uint8_t *came = bpf_map_lookup_elem(&observe_pages, &page);

	if (came && *came == CAME_AHEAD)
		*came = CAME_MAPPED;
	return 0;
}

/* A read fault maps what is in the cache around it. If its own page is, that was all. */
SEC("fexit/filemap_map_pages")
int observe_map(uint64_t *args)
{
	const struct vm_fault *fault = (const struct vm_fault *)args[0];
	struct address_space *mapping = fault->vma->vm_file->f_mapping;
	struct walk walk = { .page = { .mapping = (uint64_t)mapping, .index = args[1] } };
	uint64_t pages = args[2] - args[1] + 1;
	struct requests *requests = begin(mapping);

	if (!requests)
		return 0;
	if (args[3] & VM_FAULT_NOPAGE) {
		want(&requests->fault, mapping, fault->pgoff, fault->pgoff);
		end_fault(requests, mapping, false, false);
	}
	bpf_loop(pages > MAX_FOLIO ? MAX_FOLIO : pages, map_one, &walk, 0);
	return 0;
}

/* A folio comes while a request runs. */
struct coming {
	struct observe_page page;
	uint64_t first, last; /* that are wanted */
	uint64_t wanted, ahead;
};

static long come_one(uint64_t number, struct coming *coming)
{
	struct observe_page page = { .mapping = coming->page.mapping, .index = coming->page.index + number };
	bool wanted = page.index >= coming->first && page.index <= coming->last;

	coming->wanted += wanted;
	coming->ahead += !wanted;
	note_page(&page, wanted ? CAME_WANTED : CAME_AHEAD);
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int observe_added(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct requests *requests = requests_of_task();
	struct coming coming = { .page = { .mapping = (uint64_t)folio->mapping, .index = folio->index } };
	struct request *request;
	uint32_t pages;

	if (!requests)
		return 0;
	request = requests->fault.mapping ? &requests->fault : &requests->read;
	if (!request->mapping || request->mapping != coming.page.mapping)
		return 0;
	coming.first = request->first;
	coming.last = request->last;
	pages = folio_pages(folio);
	if (pages == 1)
		come_one(0, &coming);
	else
		bpf_loop(pages > MAX_FOLIO ? MAX_FOLIO : pages, come_one, &coming, 0);
	request->counts.misses += coming.wanted;
	request->counts.ahead += coming.ahead;
	return 0;
}

/* A folio leaves whose pages may have come ahead. */
static long leave_one(uint64_t number, struct walk *walk)
{
	struct observe_page page = { .mapping = walk->page.mapping, .index = walk->page.index + number };
	uint8_t came = take_page(&page);

	walk->counts.ahead_unused += came == CAME_AHEAD;
	walk->counts.ahead_unknown += came == CAME_MAPPED;
	return 0;
}

/*
 * Whether it was marked accessed. Of a folio that was only mapped, the end of a mapping does so. Refaults make folios active, too, and part of
 * the working set.
 */
static bool was_accessed(const struct folio *folio)
{
	unsigned long flags = folio->flags;

	return flags & FLAG(PG_referenced) || (flags & FLAG(PG_active) && !(flags & FLAG(PG_workingset)));
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int observe_removed(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct walk walk = { .page = { .mapping = (uint64_t)folio->mapping, .index = folio->index } };
	struct observe_counts counts = {};
	uint32_t pages = folio_pages(folio);

	if (pages == 1) {
		leave_one(0, &walk);
		counts = walk.counts;
	} else {
		bpf_loop(pages > MAX_FOLIO ? MAX_FOLIO : pages, leave_one, &walk, 0);
		take_sums(&counts, &walk.counts);
	}
	if (counts.ahead_unknown && was_accessed(folio)) {
		counts.ahead_used = counts.ahead_unknown;
		counts.ahead_unknown = 0;
	}
	if (counts.ahead_unused | counts.ahead_unknown | counts.ahead_used)
		count_for_file(folio->mapping->host, &counts);
	return 0;
}

/* What happens to a folio of the cgroup, by whichever task. */
static int count_folio(const struct folio *folio, const struct observe_counts *counts)
{
	if (is_observed())
		count(folio->mapping->host, counts);
	else
		count_for_file(folio->mapping->host, counts);
	return 0;
}

/* A folio comes of which the kernel knows that it was evicted. */
SEC("fentry/workingset_refault")
int observe_refault(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct observe_counts counts = {};

	if (!folio_is_of(folio, observe_options.cgroup))
		return 0;
	counts.refaults = folio_pages(folio);
	return count_folio(folio, &counts);
}

/* A clean folio became dirty. */
SEC("tp_btf/writeback_dirty_folio")
int observe_dirtied(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct observe_counts counts = {};

	if (!folio_is_of(folio, observe_options.cgroup))
		return 0;
	counts.dirtied = folio_pages(folio);
	return count_folio(folio, &counts);
}

SEC("fentry/__folio_start_writeback")
int observe_written_back(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct observe_counts counts = {};

	if (!folio_is_of(folio, observe_options.cgroup))
		return 0;
	counts.written_back = folio_pages(folio);
	count_for_file(folio->mapping->host, &counts);
	return 0;
}

char _license[] SEC("license") = "GPL";
