// SPDX-License-Identifier: GPL-2.0
/* BPF's helpers and iterators over numbers; maps, as a loader makes them. */
#include <stdlib.h>
#include "bpf_kernel.h"

#define MAX_GROWN 16
#define MAX_ENTRIES 64

u64 agree_task, agree_now;

/* What is larger than in the object. */
static struct {
	u64 here, there;
} grown[MAX_GROWN];
static unsigned int nr_grown;

/* What user space put into maps. */
static struct {
	const void *map;
	bool pages;	/* keys are ranges: file, first and last index */
	u64 key[3];
	s64 value;
} entries[MAX_ENTRIES];
static unsigned int nr_entries;

u64 agree_place(u64 address)
{
	unsigned int i;

	for (i = 0; i < nr_grown; i++)
		if (grown[i].here == address)
			return grown[i].there;
	return address;
}

void agree_grow(const volatile void *at, size_t bytes)
{
	if (nr_grown == MAX_GROWN)
		abort();
	grown[nr_grown].here = (u64)at;
	grown[nr_grown++].there = (u64)calloc(1, bytes);
}

void agree_put(const void *map, bool pages, const u64 key[3], s64 value)
{
	if (nr_entries == MAX_ENTRIES)
		abort();
	entries[nr_entries].map = map;
	entries[nr_entries].pages = pages;
	memcpy(entries[nr_entries].key, key, sizeof(entries[0].key));
	entries[nr_entries++].value = value;
}

static u64 big_endian(const u32 words[2])
{
	return (u64)__builtin_bswap32(words[0]) << 32 |
	       __builtin_bswap32(words[1]);
}

/* @key: a number, or struct cpol_page_key. */
static bool matches(unsigned int entry, const void *key)
{
	const u64 *held = entries[entry].key;
	const u32 *words = key;
	u64 index;

	if (!entries[entry].pages)
		return held[0] == *(const u64 *)key;
	index = big_endian(words + 3);
	return held[0] == big_endian(words + 1) && held[1] <= index &&
	       index <= held[2];
}

void *bpf_map_lookup_elem(void *map, const void *key)
{
	unsigned int i;

	for (i = 0; i < nr_entries; i++)
		if (entries[i].map == map && matches(i, key))
			return &entries[i].value;
	return NULL;
}

u64 bpf_ktime_get_ns(void)
{
	return agree_now;
}

u64 bpf_get_current_pid_tgid(void)
{
	return agree_task;
}

/* All threads started at once. */
struct task_struct *bpf_get_current_task_btf(void)
{
	return shim_current();
}

void bpf_spin_lock(struct bpf_spin_lock *lock)
{
	if (lock->val++)
		abort();
}

void bpf_spin_unlock(struct bpf_spin_lock *lock)
{
	if (lock->val-- != 1)
		abort();
}

struct numbers {
	int at, end;
};

int bpf_iter_num_new(struct bpf_iter_num *it, int start, int end)
{
	struct numbers *numbers = (struct numbers *)it;

	numbers->at = start - 1;
	numbers->end = end;
	return 0;
}

int *bpf_iter_num_next(struct bpf_iter_num *it)
{
	struct numbers *numbers = (struct numbers *)it;

	return ++numbers->at < numbers->end ? &numbers->at : NULL;
}

void bpf_iter_num_destroy(struct bpf_iter_num *it __maybe_unused)
{
}
