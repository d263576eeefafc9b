/* SPDX-License-Identifier: MIT */
/*
 * The fewest misses of any policy that admits every page: on a miss, evict the page whose next use is farthest away
 * (Belady, IBM Systems Journal 5(2), 1966: MIN).
 *
 * A cached page is known by the time of its next use, which is unique. The heap holds these times, the farthest first.
 * A hit at time t leaves t in the heap. Times that have passed are smaller than all others, so they are never evicted.
 * They are removed when the heap is full. Pages without a next use are only counted: they go first.
 */
#ifndef CPOL_BELADY_H
#define CPOL_BELADY_H

#include "numbers.h"

#define NEVER CPOL_U64_MAX

struct heap {
	u64 *times, size;
};

EXPORT s64 belady_misses(const u32 *numbers, u64 count, u64 objects, u64 capacity, u64 warmup);

/* Set next[t] to the time of the next request for the object of numbers[t], or NEVER. False: no memory. */
static bool find_next_uses(const u32 *numbers, u64 count, u64 objects, u64 *next)
{
	u64 *found = calloc(objects + 1, sizeof(u64)); /* by object: 1 + the time of its request found last; 0: none */

	if (!found)
		return false;
	for (u64 time = count; time-- > 0;) {
		u64 *last = &found[numbers[time]];

		next[time] = *last ? *last - 1 : NEVER;
		*last = time + 1;
	}
	free(found);
	return true;
}

/* Move the time at `at` down to its place. */
static void sift_down(struct heap *heap, u64 at)
{
	u64 time = heap->times[at], child;

	for (; (child = 2 * at + 1) < heap->size; at = child) {
		if (child + 1 < heap->size && heap->times[child + 1] > heap->times[child])
			child++;
		if (heap->times[child] <= time)
			break;
		heap->times[at] = heap->times[child];
	}
	heap->times[at] = time;
}

static void push_time(struct heap *heap, u64 time)
{
	u64 at = heap->size++;

	for (; at && heap->times[(at - 1) / 2] < time; at = (at - 1) / 2)
		heap->times[at] = heap->times[(at - 1) / 2];
	heap->times[at] = time;
}

static u64 pop_farthest(struct heap *heap)
{
	u64 farthest = heap->times[0];

	heap->times[0] = heap->times[--heap->size];
	sift_down(heap, 0);
	return farthest;
}

/* Keep only the times after `now`. */
static void drop_passed(struct heap *heap, u64 now)
{
	u64 kept = 0;

	for (u64 at = 0; at < heap->size; at++)
		if (heap->times[at] > now)
			heap->times[kept++] = heap->times[at];
	heap->size = kept;
	for (u64 at = kept / 2; at-- > 0;)
		sift_down(heap, at);
}

static s64 count_misses(const u64 *next, u64 count, u64 capacity, u64 warmup, struct heap *heap, bool *cached)
{
	u64 misses = 0, used = 0, unneeded = 0; /* pages in the cache; those without a next use */

	for (u64 now = 0; now < count; now++) {
		if (!cached[now]) {
			misses += now >= warmup;
			if (used < capacity)
				used++;
			else if (unneeded)
				unneeded--;
			else
				cached[pop_farthest(heap)] = false;
		}
		if (next[now] == NEVER) {
			unneeded++;
			continue;
		}
		if (heap->size == 2 * capacity)
			drop_passed(heap, now);
		cached[next[now]] = true;
		push_time(heap, next[now]);
	}
	return (s64)misses;
}

/* The misses of a cache of `capacity` pages, at least 1, that starts empty, after `warmup` requests; -1: no memory. Each number is below `objects`. */
EXPORT s64 belady_misses(const u32 *numbers, u64 count, u64 objects, u64 capacity, u64 warmup)
{
	struct heap heap = { 0 };
	bool *cached = calloc(count + 1, sizeof(*cached)); /* by the time of next use */
	u64 *next = calloc(count + 1, sizeof(u64));
	s64 misses = -1;

	if (capacity > objects)
		capacity = objects; /* more is never used */
	heap.times = calloc(2 * capacity + 1, sizeof(u64));
	if (heap.times && cached && next && find_next_uses(numbers, count, objects, next))
		misses = count_misses(next, count, capacity, warmup, &heap, cached);
	free(heap.times);
	free(cached);
	free(next);
	return misses;
}

#endif
