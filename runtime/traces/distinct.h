/* SPDX-License-Identifier: MIT */
/* Mixes ids, and counts different ones. */
#ifndef CPOL_DISTINCT_H
#define CPOL_DISTINCT_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpol/types.h"

#define EXPORT __attribute__((visibility("default")))

static u64 mix(u64 x)
{
	x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
	x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

#define DISTINCT_BUCKET 8 /* cells of a cache line, which are compared at once */

/*
 * The ids seen so far: a hash table of buckets, at most seven eighths full. An id is in its bucket or, if that is full, in the next one with
 * room. The id 0 has no cell. Memory costs more time than look-ups: the first touch of a page takes longer than all look-ups in it.
 */
struct distinct {
	u64 *cells, mask, count; /* mask: buckets - 1 */
	bool zero;
};

#define DISTINCT_AHEAD 16 /* cells are prefetched so many ids before they are read */

EXPORT struct distinct *distinct_new(void);
EXPORT s64 distinct_add(struct distinct *seen, const u64 *ids, u64 count);
EXPORT void distinct_free(struct distinct *seen);

EXPORT struct distinct *distinct_new(void)
{
	return calloc(1, sizeof(struct distinct));
}

/* Zeroed cells, in huge pages where possible: ids are spread over all of them, so each page costs a fault. */
static u64 *distinct_cells(u64 count)
{
	u64 bytes = count * sizeof(u64);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (bytes >= 1 << 21)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void distinct_release(struct distinct *seen)
{
	if (seen->cells)
		munmap(seen->cells, (seen->mask + 1) * DISTINCT_BUCKET * sizeof(u64));
}

EXPORT void distinct_free(struct distinct *seen)
{
	distinct_release(seen);
	free(seen);
}

typedef u64 distinct_bucket __attribute__((ext_vector_type(DISTINCT_BUCKET)));
typedef bool distinct_equal __attribute__((ext_vector_type(DISTINCT_BUCKET)));

/* The cells of a bucket that hold `value`, as a bit mask. */
static u32 distinct_matches(const u64 *bucket, u64 value)
{
	distinct_equal equal = __builtin_convertvector(*(const distinct_bucket *)bucket == value, distinct_equal);
	u8 bits;

	memcpy(&bits, &equal, 1);
	return bits;
}

/* Adds an id other than 0. There is room. No branch depends on whether it is new, since that is hard to foretell. */
static void distinct_add_one(struct distinct *seen, u64 id)
{
	u64 at = mix(id) & seen->mask, *bucket;
	u32 same, cell;

	for (;; at = (at + 1) & seen->mask) {
		bucket = &seen->cells[at * DISTINCT_BUCKET];
		same = distinct_matches(bucket, id);
		cell = distinct_matches(bucket, 0) | same << DISTINCT_BUCKET;
		if (__builtin_expect(cell != 0, 1))
			break;
	}
	cell = (u32)__builtin_ctz(cell) % DISTINCT_BUCKET;
	seen->count += !same;
	bucket[same ? (u32)__builtin_ctz(same) : cell] = id;
}

/* Makes room for more ids: four times as many while that is little memory. False: no memory. */
static bool distinct_grow(struct distinct *seen)
{
	u64 buckets = seen->mask + 1;
	struct distinct grown = { .mask = !seen->cells ? 127 : (buckets < 1 << 15 ? 4 : 2) * buckets - 1 };

	grown.cells = distinct_cells((grown.mask + 1) * DISTINCT_BUCKET);
	if (!grown.cells)
		return false;
	for (u64 at = 0; seen->cells && at < buckets * DISTINCT_BUCKET; at++)
		if (seen->cells[at])
			distinct_add_one(&grown, seen->cells[at]);
	distinct_release(seen);
	seen->cells = grown.cells;
	seen->mask = grown.mask;
	return true;
}

/* Adds ids. Returns the number of different ones so far; -1: no memory. */
EXPORT s64 distinct_add(struct distinct *seen, const u64 *ids, u64 count)
{
	for (u64 number = 0; number < count; number++) {
		if (seen->count >= (seen->mask + 1) * (DISTINCT_BUCKET - 1) || !seen->cells)
			if (!distinct_grow(seen))
				return -1;
		if (number + DISTINCT_AHEAD < count)
			__builtin_prefetch(&seen->cells[(mix(ids[number + DISTINCT_AHEAD]) & seen->mask) * DISTINCT_BUCKET]);
		if (ids[number] == 0)
			seen->zero = true;
		else
			distinct_add_one(seen, ids[number]);
	}
	return (s64)(seen->count + seen->zero);
}

#endif
