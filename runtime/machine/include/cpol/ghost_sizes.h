/* SPDX-License-Identifier: MIT */
/*
 * The sizes of a ghost's parts in BPF (bpf_ghost.h). The loader makes the map by them, and the programs use them.
 *
 * A take leaves a hole in the FIFO, so a ghost has 2 * S more slots than entries, S = CPOL_GHOST_SLACK. When only S slots are free, a
 * pass begins that removes the holes. Each add moves the pass over CPOL_GHOST_STEPS entries, so the S-th add ends it.
 *
 * - During a pass a slot is always free: it begins with S free slots, and S - 1 more adds follow.
 * - After a pass more than S slots are free: the ring then holds the entries that the pass went over, at most the capacity, and those
 *   of S - 1 adds.
 * - Concurrent adds may all come before their steps. Only then can the oldest entry go although the ghost is not full.
 *
 * This takes 9.6 bytes per entry of the capacity, and 15/14 of the record. More steps would need fewer slots, longer chains fewer heads.
 */
#ifndef CPOL_GHOST_SIZES_H
#define CPOL_GHOST_SIZES_H

#include "cpol/types.h"

#define CPOL_GHOST_STEPS 28
#define CPOL_GHOST_CHAIN 4 /* average entries per chain in a full ghost */
#define CPOL_GHOST_SLACK(capacity) ((capacity) / CPOL_GHOST_STEPS + 1)

#define CPOL_GHOST_COUNT 4 /* where a ghost's map has the number of its entries, a u32 */

/* Offsets count bytes from the blank slot. `stride` is the bytes from one slot to the next. */
struct cpol_ghost_sizes {
	u64 capacity; /* entries */
	u64 last;     /* the last slot's offset */
	u64 crowded;  /* bytes from the oldest to the newest at which a pass begins */
	u64 buckets;
};

/* `capacity` is at most cpol_ghost_most(). */
CPOL_INLINE struct cpol_ghost_sizes cpol_ghost_sizes_of(u64 capacity, u64 stride)
{
	struct cpol_ghost_sizes sizes = { 0, 0, 0, 0 };

	if (capacity) {
		sizes.capacity = capacity;
		sizes.crowded = (capacity + CPOL_GHOST_SLACK(capacity)) * stride;
		sizes.last = sizes.crowded + CPOL_GHOST_SLACK(capacity) * stride;
		sizes.buckets = capacity / CPOL_GHOST_CHAIN + 1;
	}
	return sizes;
}

/* The elements of `stride` bytes that hold the blank slot, the slots and the chains' heads. */
CPOL_INLINE u64 cpol_ghost_elements(struct cpol_ghost_sizes sizes, u64 stride)
{
	return (sizes.last + stride + sizes.buckets * sizeof(u32) + stride - 1) / stride;
}

/* The largest capacity for `room` bytes, which are less than 2^32. A few more entries may fit, since this rounds up each part. */
CPOL_INLINE u64 cpol_ghost_most(u64 room, u64 stride)
{
	u64 rounded = 4 * stride + sizeof(u32);

	return room > rounded ? (room - rounded) * 14 / (15 * stride + 14) : 0; /* stride * 15/14 + 1 bytes an entry */
}

#endif
