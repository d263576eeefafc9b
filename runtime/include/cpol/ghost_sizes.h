/* SPDX-License-Identifier: MIT */
/*
 * How large the parts of a ghost in BPF are (bpf_ghost.h): the loader, which makes the map, and the programs agree by this.
 *
 * A take leaves a hole in the FIFO, so there are more slots than entries: by 2 * S, S being CPOL_GHOST_SLACK. When no more than
 * S slots are free, a pass begins that takes the holes out; each `add` goes over CPOL_GHOST_STEPS entries of it, so it is over
 * with the S-th. It begins with S free slots and S - 1 further adds, so there is always one; and it ends with more than S free
 * ones, since between the ends there are then the entries that it went over, at most the capacity, and those of S - 1 adds.
 * Adds at the same time may all come before their steps: then, if ever, the oldest entry goes though the ghost is not full.
 *
 * That is 9.6 bytes for each entry of the capacity, and 15/14 of the record: more steps would make fewer slots do, and longer
 * chains fewer heads.
 */
#ifndef CPOL_GHOST_SIZES_H
#define CPOL_GHOST_SIZES_H

#include "cpol/types.h"

#define CPOL_GHOST_STEPS 28
#define CPOL_GHOST_CHAIN 4 /* entries a chain, when the ghost is full */
#define CPOL_GHOST_SLACK(capacity) ((capacity) / CPOL_GHOST_STEPS + 1)

/* Offsets and lengths are in bytes from the blank slot on; `stride` is those from one slot to the next. */
struct cpol_ghost_sizes {
	u64 capacity; /* entries */
	u64 last;     /* the last slot's offset */
	u64 crowded;  /* when there are so many bytes from the oldest to the newest, a pass begins */
	u64 buckets;
};

/* `capacity`: at most what cpol_ghost_most() gives. */
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

/* How many elements of `stride` bytes the blank slot, the slots, and the buckets' heads after them take. */
CPOL_INLINE u64 cpol_ghost_elements(struct cpol_ghost_sizes sizes, u64 stride)
{
	return (sizes.last + stride + sizes.buckets * sizeof(u32) + stride - 1) / stride;
}

/* A capacity whose elements fit into `room` bytes, less than 2^32. A few more may fit, since each part is rounded up here. */
CPOL_INLINE u64 cpol_ghost_most(u64 room, u64 stride)
{
	u64 rounded = 4 * stride + sizeof(u32);

	return room > rounded ? (room - rounded) * 14 / (15 * stride + 14) : 0; /* stride * 15/14 + 1 bytes an entry */
}

#endif
