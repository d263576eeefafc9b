/* SPDX-License-Identifier: GPL-2.0-only */
/* The recorder's options, and the buffer through which its programs tell the loader. */
#ifndef RECORD_RING_H
#define RECORD_RING_H

#include "cpol/record.h"
#include "tracing/cgroups.h"

#define RING_BYTES (16 << 20) /* 230,000 events; the loader reads ten times a second */
#define WAKE_BYTES (RING_BYTES / 4)

struct {
	int (*type)[BPF_MAP_TYPE_RINGBUF];
	int (*max_entries)[RING_BYTES];
} record_ring SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[1];
	uint32_t *key;
	struct record_lost *value;
} record_lost SEC(".maps");

const volatile struct record_options record_options = {};

/* Whether the current task belongs to the recorded cgroup. */
static bool is_by_recorded(void)
{
	return task_is_of(record_options.cgroup);
}

static void count_lost(void)
{
	uint32_t key = 0;
	struct record_lost *lost = bpf_map_lookup_elem(&record_lost, &key);

	if (lost)
		__sync_fetch_and_add(&lost->events, 1);
}

/* What is the same in each record. The caller sets place and pages. */
static void fill(struct record *record, uint32_t event)
{
	uint64_t task = bpf_get_current_pid_tgid();

	record->ns = bpf_ktime_get_ns();
	record->thread = (uint32_t)task;
	record->process = task >> 32;
	record->event = event;
	record->used = 0;
	__builtin_memset(record->comm, 0, sizeof(record->comm));
	if (record_options.comm)
		bpf_get_current_comm(record->comm, sizeof(record->comm));
}

/* Wakes the loader only if the buffer fills. */
static void submit(void *record)
{
	bool full = bpf_ringbuf_query(&record_ring, BPF_RB_AVAIL_DATA) > WAKE_BYTES;

	bpf_ringbuf_submit(record, full ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

#endif
