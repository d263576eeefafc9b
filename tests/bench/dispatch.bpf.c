/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells user space of each event of the page cache, and decides nothing: the dispatch of cachebpf's Table 1 (section 4.1). dispatch.c
 * drains the buffer.
 */
#include "tracing/kernel.h"

enum event { ADDED, ACCESSED, REMOVED };

struct told {
	uint64_t folio;
	uint32_t event;
	uint32_t thread;
};

struct {
	int (*type)[BPF_MAP_TYPE_RINGBUF];
	int (*max_entries)[16 << 20];
} ring SEC(".maps");

uint64_t lost;

static int tell(uint64_t folio, enum event event)
{
	struct told *told = bpf_ringbuf_reserve(&ring, sizeof(*told), 0);

	if (!told) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	told->folio = folio;
	told->event = event;
	told->thread = (uint32_t)bpf_get_current_pid_tgid();
	bpf_ringbuf_submit(told, 0);
	return 0;
}

SEC("tp_btf/mm_filemap_add_to_page_cache")
int added(uint64_t *args)
{
	return tell(args[0], ADDED);
}

SEC("fentry/folio_mark_accessed")
int accessed(uint64_t *args)
{
	return tell(args[0], ACCESSED);
}

SEC("tp_btf/mm_filemap_delete_from_page_cache")
int removed(uint64_t *args)
{
	return tell(args[0], REMOVED);
}

char _license[] SEC("license") = "GPL";
