/* SPDX-License-Identifier: MIT */
/* The optimum, called as a policy is: policy.h. */
#include "cpol/types.h"
#include "belady.h"

EXPORT void *page_room(u32 bytes);
EXPORT s32 page_misses(u32 capacity, const u64 *params, const u64 *ids, const u32 *numbers, u32 requests, u32 objects);

EXPORT void *page_room(u32 bytes)
{
	return calloc(bytes, 1);
}

EXPORT s32 page_misses(u32 capacity, const u64 *params, const u64 *ids, const u32 *numbers, u32 requests, u32 objects)
{
	(void)params, (void)ids;
	return (s32)belady_misses(numbers, requests, objects, capacity, 0);
}
