/* SPDX-License-Identifier: MIT */
/*
 * Numbers the objects of a trace: the first one is 0, the next that is another 1, and so on. So whoever runs the trace finds what it knows of
 * an object in an array, and hashes nothing.
 *
 * The ids are in a hash table. A bucket is a cache line with five ids and their numbers; the ids are compared at once. An id is in its
 * bucket or, if that is full, in the next one with room. Memory costs more time than look-ups: the first touch of a page takes longer than
 * all look-ups in it.
 */
#ifndef CPOL_NUMBERS_H
#define CPOL_NUMBERS_H

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

#define NUMBERS_BUCKET 5
#define NUMBERS_FULL 4 /* ids in a bucket, on average, at most */
#define NUMBERS_LEAST 128
#define NUMBERS_AT_ONCE (1 << 18) /* 16 MiB */
#define NUMBERS_AHEAD 32 /* buckets are prefetched so many ids before they are read */
#define NUMBERS_MAX (1ULL << 32)

struct numbers_bucket {
	u64 ids[NUMBERS_BUCKET];
	u32 numbers[NUMBERS_BUCKET];
	u32 used;
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct numbers_bucket) == 64, "a bucket is a cache line");

struct numbers {
	struct numbers_bucket *buckets;
	u64 mask, count; /* mask: buckets - 1 */
};

EXPORT struct numbers *numbers_new(u64 requests);
EXPORT s64 numbers_add(struct numbers *known, const u64 *ids, u64 count, u32 *numbers);
EXPORT void numbers_free(struct numbers *known);

/* Zeroed buckets, in huge pages where possible: ids are spread over all of them, so each page costs a fault. */
static struct numbers_bucket *numbers_buckets(u64 count)
{
	u64 bytes = count * sizeof(struct numbers_bucket);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	if (bytes >= 1 << 21)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static void numbers_release(struct numbers *known)
{
	munmap(known->buckets, (known->mask + 1) * sizeof(struct numbers_bucket));
}

/*
 * `requests`: so many will come; 0: nobody knows. The table then has room for an object in eight of them from the start, as far as that is little
 * memory: to grow takes time, for which whoever runs the trace has to wait. NULL: no memory.
 */
EXPORT struct numbers *numbers_new(u64 requests)
{
	struct numbers *known = calloc(1, sizeof(*known));
	u64 buckets = NUMBERS_LEAST;

	while (buckets < NUMBERS_AT_ONCE && buckets * NUMBERS_FULL < requests / 8)
		buckets *= 2;
	if (!known)
		return NULL;
	known->buckets = numbers_buckets(buckets);
	known->mask = buckets - 1;
	if (known->buckets)
		return known;
	free(known);
	return NULL;
}

EXPORT void numbers_free(struct numbers *known)
{
	numbers_release(known);
	free(known);
}

typedef u64 numbers_line __attribute__((ext_vector_type(8)));
typedef bool numbers_equal __attribute__((ext_vector_type(8)));

/* The ids of a bucket that are `id`, as a bit mask. */
static u32 numbers_matches(const struct numbers_bucket *bucket, u64 id)
{
	numbers_equal equal = __builtin_convertvector(*(const numbers_line *)(const void *)bucket == id, numbers_equal);
	u8 bits;

	memcpy(&bits, &equal, 1);
	return bits & ((1U << bucket->used) - 1);
}

/* The number of an id. If it has none yet, it gets `number`, and counts. There is room. */
static u32 numbers_of(struct numbers *known, u64 id, u32 number)
{
	struct numbers_bucket *bucket;
	u32 same;

	for (u64 at = mix(id) & known->mask;; at = (at + 1) & known->mask) {
		bucket = &known->buckets[at];
		same = numbers_matches(bucket, id);
		if (__builtin_expect(same != 0, 1))
			return bucket->numbers[__builtin_ctz(same)];
		if (__builtin_expect(bucket->used < NUMBERS_BUCKET, 1))
			break;
	}
	bucket->ids[bucket->used] = id;
	bucket->numbers[bucket->used++] = number;
	known->count++;
	return number;
}

/* Makes room for more ids: four times as many while that is little memory. False: no memory. */
static bool numbers_grow(struct numbers *known)
{
	u64 buckets = known->mask + 1;
	struct numbers grown = { .mask = (buckets < 1 << 15 ? 4 : 2) * buckets - 1 };

	grown.buckets = numbers_buckets(grown.mask + 1);
	if (!grown.buckets)
		return false;
	for (u64 at = 0; at < buckets; at++)
		for (u32 cell = 0; cell < known->buckets[at].used; cell++)
			numbers_of(&grown, known->buckets[at].ids[cell], known->buckets[at].numbers[cell]);
	numbers_release(known);
	*known = grown;
	return true;
}

/*
 * Writes the number of each id to `numbers`. Returns how many objects have a number so far; -1: no memory, or there are more than 2^32 objects.
 */
EXPORT s64 numbers_add(struct numbers *known, const u64 *ids, u64 count, u32 *numbers)
{
	for (u64 at = 0; at < count; at++) {
		if (known->count >= (known->mask + 1) * NUMBERS_FULL)
			if (known->count >= NUMBERS_MAX || !numbers_grow(known))
				return -1;
		if (at + NUMBERS_AHEAD < count)
			__builtin_prefetch(&known->buckets[mix(ids[at + NUMBERS_AHEAD]) & known->mask]);
		numbers[at] = numbers_of(known, ids[at], (u32)known->count);
	}
	return (s64)known->count;
}

#endif
