/* SPDX-License-Identifier: GPL-2.0-only */
/* Swap faults: the page, its slot, and whether the swap cache had it, by the kernel's own readahead or otherwise. */
#ifndef RECORD_SWAP_H
#define RECORD_SWAP_H

#include "ring.h"

#define MAX_AHEAD 65536
#define MAX_THREADS 16384
#define DEVICE_SHIFT 58 /* SWP_TYPE_SHIFT */
#define SLOT_MASK ((1UL << DEVICE_SHIFT) - 1)

/* Swap entries that were read ahead, and not used since. */
struct {
	int (*type)[BPF_MAP_TYPE_LRU_HASH];
	int (*max_entries)[MAX_AHEAD];
	uint64_t *key;
	uint8_t *value;
} record_ahead SEC(".maps");

/* The entry that each thread waits for. */
struct {
	int (*type)[BPF_MAP_TYPE_LRU_HASH];
	int (*max_entries)[MAX_THREADS];
	uint32_t *key;
	uint64_t *value;
} record_waits SEC(".maps");

static void tell_fault(uint64_t entry, struct vm_area_struct *area, uint64_t address, enum record_event event)
{
	struct record_fault *fault = bpf_ringbuf_reserve(&record_ring, sizeof(*fault), 0);

	if (!fault) {
		count_lost();
		return;
	}
	fill(&fault->record, event);
	fault->record.inode = entry & SLOT_MASK;
	fault->record.device = entry >> DEVICE_SHIFT;
	fault->record.page = address >> PAGE_SHIFT;
	fault->record.pages = 1;
	fault->first = area->vm_start >> PAGE_SHIFT;
	fault->last = (area->vm_end - 1) >> PAGE_SHIFT;
	submit(fault);
}

/* The look-up of a fault in the swap cache. Others come without an area, or for the memory of another process. */
SEC("fexit/swap_cache_get_folio")
int record_fault(uint64_t *args)
{
	uint64_t entry = args[0], task = bpf_get_current_pid_tgid();
	struct vm_area_struct *area = (struct vm_area_struct *)args[1];
	struct task_struct *current = bpf_get_current_task_btf();
	uint32_t thread = (uint32_t)task;
	enum record_event event = RECORD_FAULT;

	if (!area || area->vm_mm != current->mm)
		return 0;
	if (args[3])
		event = bpf_map_delete_elem(&record_ahead, &entry) ? RECORD_CACHED : RECORD_PREFETCHED;
	else
		bpf_map_update_elem(&record_waits, &thread, &entry, BPF_ANY);
	if (task >> 32 != record_options.recorder && is_by_recorded())
		tell_fault(entry, area, args[2], event);
	return 0;
}

/* A page gets a place in the swap cache: it is read, or goes out to a slot that may have been another page's. */
SEC("fentry/add_to_swap_cache")
int record_slot(uint64_t *args)
{
	uint64_t entry = args[1];

	bpf_map_delete_elem(&record_ahead, &entry);
	return 0;
}

/* A page is read from swap. */
SEC("fentry/swap_read_folio")
int record_swap_in(uint64_t *args)
{
	uint32_t thread = (uint32_t)bpf_get_current_pid_tgid();
	struct folio *folio = (struct folio *)args[0];
	uint64_t entry = folio->swap.val, *waits;
	uint8_t ahead = 1;

	waits = bpf_map_lookup_elem(&record_waits, &thread);
	if (waits && *waits != entry)
		bpf_map_update_elem(&record_ahead, &entry, &ahead, BPF_ANY);
	return 0;
}

#endif
