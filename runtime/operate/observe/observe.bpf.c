/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts how the tasks of a cgroup use the page cache. Tracing programs do, which decide nothing and need neither module nor patch. observe.c
 * loads them.
 *
 * A request says which pages it wants before the kernel looks for them. Pages that come while it runs are wanted or ahead of it, and stay
 * known as that until they are used or leave. So each page of a request is found to be a hit or a miss by itself.
 */
#include "requests.h"

#define VM_FAULT_ERROR 0x873 /* OOM, SIGBUS, HWPOISON, HWPOISON_LARGE, SIGSEGV, FALLBACK */
#define VM_FAULT_NOPAGE 0x100
#define VM_FAULT_RETRY 0x400

/* read(2), readv(2), AIO, io_uring, and what the kernel itself reads for the task. */
SEC("fentry/filemap_read")
int observe_read(uint64_t *args)
{
	const struct kiocb *kiocb = (const struct kiocb *)args[0];
	const struct iov_iter *iter = (const struct iov_iter *)args[1];
	const struct address_space *mapping = kiocb->ki_filp->f_mapping;
	uint64_t position = kiocb->ki_pos, bytes = iter->count;
	struct requests *requests;

	if (!bytes)
		return 0;
	requests = begin(mapping);
	if (requests)
		want_bytes(&requests->read, mapping, position, bytes);
	return 0;
}

static void end_read(struct address_space *mapping, uint64_t end, bool some)
{
	struct requests *requests = requests_of_task();
	struct request *request;

	if (!requests || !requests->read.mapping)
		return;
	request = &requests->read;
	/* The kernel told of no folio that it had told of last. */
	if (some)
		use_until(request, mapping->host, (end - 1) >> PAGE_SHIFT);
	finish(request, mapping->host);
}

SEC("fexit/filemap_read")
int observe_read_done(uint64_t *args)
{
	const struct kiocb *kiocb = (const struct kiocb *)args[0];

	end_read(kiocb->ki_filp->f_mapping, kiocb->ki_pos, (int64_t)args[3] > (int64_t)args[2]);
	return 0;
}

/* splice(2), sendfile(2) */
SEC("fentry/filemap_splice_read")
int observe_splice(uint64_t *args)
{
	const struct address_space *mapping = ((const struct file *)args[0])->f_mapping;
	const struct pipe_inode_info *pipe = (const struct pipe_inode_info *)args[2];
	uint32_t filled = pipe->head - pipe->tail, room = pipe->max_usage > filled ? pipe->max_usage - filled : 0;
	uint64_t bytes = args[3], most = (uint64_t)room << PAGE_SHIFT, position = 0;
	struct requests *requests;

	bpf_probe_read_kernel(&position, sizeof(position), (const void *)args[1]);
	if (bytes > most)
		bytes = most;
	requests = bytes ? begin(mapping) : NULL;
	if (requests)
		want_bytes(&requests->read, mapping, position, bytes);
	return 0;
}

SEC("fexit/filemap_splice_read")
int observe_splice_done(uint64_t *args)
{
	uint64_t position = 0;

	bpf_probe_read_kernel(&position, sizeof(position), (const void *)args[1]);
	end_read(((const struct file *)args[0])->f_mapping, position, (int64_t)args[5] > 0);
	return 0;
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

	if (requests && requests->read.mapping && requests->read.first > requests->read.last)
		finish(&requests->read, mapping->host);
	return 0;
}

/*
 * Counts a fault whose page is there, or will be. One that has to wait comes a second time, with or without FAULT_FLAG_TRIED, and was counted
 * then.
 */
static void use_by_fault(struct requests *requests, struct inode *inode, bool waits)
{
	struct request *request = &requests->fault;
	struct observe_page page = { .mapping = request->mapping, .index = request->first };

	if (requests->waited.mapping == page.mapping && requests->waited.index == page.index) {
		take_page(&page);
	} else {
		use_until(request, inode, request->last);
		request->counts.faults = 1;
	}
	requests->waited.mapping = waits ? page.mapping : 0;
	requests->waited.index = page.index;
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
	struct address_space *mapping;
	struct inode *inode;

	if (!requests || !requests->fault.mapping)
		return 0;
	/* The area may be gone, if the kernel dropped its lock to wait. */
	mapping = bpf_rdonly_cast((void *)requests->fault.mapping, TYPE_ID(struct address_space));
	inode = mapping->host;
	if (!(args[1] & VM_FAULT_ERROR))
		use_by_fault(requests, inode, args[1] & VM_FAULT_RETRY);
	finish(&requests->fault, inode);
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
		use_by_fault(requests, mapping->host, false);
		finish(&requests->fault, mapping->host);
	}
	bpf_loop(pages > MAX_FOLIO ? MAX_FOLIO : pages, map_one, &walk, 0);
	return 0;
}

/* A folio comes while a request runs. */
struct coming {
	struct observe_page page;
	uint64_t first, last; /* that are wanted */
	uint64_t ahead;
};

static long come_one(uint64_t number, struct coming *coming)
{
	struct observe_page page = { .mapping = coming->page.mapping, .index = coming->page.index + number };
	bool wanted = page.index >= coming->first && page.index <= coming->last;

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
	request->counts.ahead += coming.ahead;
	return 0;
}

/* A folio that came ahead leaves, or was used through a mapping. */
static long leave_one(uint64_t number, struct walk *walk)
{
	struct observe_page page = { .mapping = walk->page.mapping, .index = walk->page.index + number };
	uint8_t came = take_page(&page);

	walk->counts.ahead_unused += came == CAME_AHEAD;
	walk->counts.ahead_unknown += came == CAME_MAPPED;
	return 0;
}

static void leave(const struct folio *folio, struct walk *walk)
{
	uint32_t pages = folio_pages(folio);

	if (pages == 1) {
		leave_one(0, walk);
	} else {
		struct walk sums = { .page = walk->page };

		bpf_loop(pages > MAX_FOLIO ? MAX_FOLIO : pages, leave_one, &sums, 0);
		/* The verifier would follow each value of the sums through the loop, since callers branch on them. */
		bpf_probe_read_kernel(&walk->counts, sizeof(walk->counts), &sums.counts);
	}
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int observe_removed(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct walk walk = { .page = { .mapping = (uint64_t)folio->mapping, .index = folio->index } };

	leave(folio, &walk);
	if (walk.counts.ahead_unused | walk.counts.ahead_unknown)
		count_for_file(folio->mapping->host, &walk.counts);
	return 0;
}

/* A request uses a folio, or a mapping ends through which it was used. The folio may be anonymous. */
SEC("fentry/folio_mark_accessed")
int observe_accessed(uint64_t *args)
{
	const struct folio *folio = (const struct folio *)args[0];
	struct walk walk = { .page = { .index = folio->index } };
	struct requests *requests = requests_of_task();
	struct address_space *mapping;
	struct inode *inode;

	if (!requests)
		return 0;
	/* As a number: the verifier allows no arithmetic on the pointer. */
	bpf_probe_read_kernel(&walk.page.mapping, sizeof(walk.page.mapping), &folio->mapping);
	if (!walk.page.mapping || walk.page.mapping & MAPPING_FLAGS)
		return 0;
	mapping = bpf_rdonly_cast((void *)walk.page.mapping, TYPE_ID(struct address_space));
	inode = mapping->host;
	if (requests->read.mapping == walk.page.mapping && requests->read.first <= requests->read.last) {
		use_until(&requests->read, inode, walk.page.index + folio_pages(folio) - 1);
		return 0;
	}
	leave(folio, &walk);
	walk.counts.ahead_used = walk.counts.ahead_unused + walk.counts.ahead_unknown;
	walk.counts.ahead_unused = walk.counts.ahead_unknown = 0;
	if (walk.counts.ahead_used)
		count(inode, &walk.counts);
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
	if (is_observed())
		count(folio->mapping->host, &counts);
	else
		count_for_file(folio->mapping->host, &counts);
	return 0;
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
	if (is_observed())
		count(folio->mapping->host, &counts);
	else
		count_for_file(folio->mapping->host, &counts);
	return 0;
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
