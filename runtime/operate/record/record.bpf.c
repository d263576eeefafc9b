/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens to the page cache and the swapped memory of a cgroup, told by tracing programs: they decide nothing and need neither module
 * nor patch. record.c loads them.
 */
#include "names.h"
#include "ring.h"
#include "swap.h"

static uint32_t used(const struct cgroup_subsys_state *css)
{
	const struct mem_cgroup *memcg = bpf_rdonly_cast(css, TYPE_ID(struct mem_cgroup));
	int64_t pages = memcg->memory.usage.counter;

	return pages < 0 ? 0 : pages > UINT32_MAX ? UINT32_MAX : pages;
}

static void tell(struct address_space *mapping, uint64_t page, uint32_t pages, enum record_event event, uint32_t used)
{
	struct inode *inode = mapping->host;
	struct record *record;

	if (bpf_get_current_pid_tgid() >> 32 == record_options.recorder)
		return;
	tell_name(inode);
	record = bpf_ringbuf_reserve(&record_ring, sizeof(*record), 0);
	if (!record) {
		count_lost();
		return;
	}
	fill(record, event);
	record->inode = inode->i_ino;
	record->device = inode->i_sb->s_dev;
	record->page = page;
	record->pages = pages;
	record->used = used;
	submit(record);
}

static int tell_folio(struct folio *folio, enum record_event event)
{
	const struct cgroup_subsys_state *css = folio_is_of(folio, record_options.cgroup);

	if (css)
		tell(folio->mapping, folio->index, folio_pages(folio), event,
		     event == RECORD_ADDED ? used(css) : 0);
	return 0;
}

/* Readahead is charged to the cgroup of the task that reads. */
static int tell_readahead(struct readahead_control *control, uint64_t pages, enum record_event event)
{
	if (is_by_recorded())
		tell(control->mapping, control->_index, pages > UINT32_MAX ? UINT32_MAX : pages, event, 0);
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int record_added(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_ADDED);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int record_removed(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_REMOVED);
}

SEC("fentry/folio_mark_accessed")
int record_accessed(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_ACCESSED);
}

/* A clean folio became dirty. */
SEC("tp_btf/writeback_dirty_folio")
int record_dirtied(uint64_t *args)
{
	return tell_folio((struct folio *)args[0], RECORD_DIRTIED);
}

/* A read misses, and asks for so many pages. */
SEC("fentry/page_cache_sync_ra")
int record_sync(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], args[1], RECORD_MISSED);
}

/* A read comes to the marker that earlier readahead left. */
SEC("fentry/page_cache_async_ra")
int record_async(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], args[2], RECORD_MARKED);
}

/* What the kernel reads then, or around a fault. */
SEC("fentry/page_cache_ra_order")
int record_window(uint64_t *args)
{
	return tell_readahead((struct readahead_control *)args[0], ((struct file_ra_state *)args[1])->size, RECORD_WINDOW);
}

char _license[] SEC("license") = "GPL";
