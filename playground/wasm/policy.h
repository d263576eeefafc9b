/* SPDX-License-Identifier: MIT */
/* What the page calls of a policy. Generated C includes it last, behind the native machine. */
#ifndef CPOL_WASM_POLICY_H
#define CPOL_WASM_POLICY_H

CPOL_EXPORT void *page_room(u32 bytes);
CPOL_EXPORT s32 page_misses(u32 capacity, const u64 *params, const u64 *ids, const u32 *numbers, u32 requests, u32 objects);

/* Zeros that the page may write over; NULL: no memory. */
CPOL_EXPORT void *page_room(u32 bytes)
{
	return cpol_alloc(bytes, 1);
}

/* The misses of a trace; -1: the policy does not attach with these params, or there is no memory. */
CPOL_EXPORT s32 page_misses(u32 capacity, const u64 *params, const u64 *ids, const u32 *numbers, u32 requests, u32 objects)
{
	const struct cpol_trace trace = {
		.ids = ids,
		.numbers = numbers,
		.requests = requests,
		.objects = objects,
		.comm = PAGE_COMM,
		.step = PAGE_STEP,
	};
	struct cpol_refusal why;
	struct cpol_sim *sim = cpol_sim_new(capacity, 1, params, PAGE_SEED, &why);

	if (!sim)
		return -1;
	cpol_sim_begin(sim);
	return cpol_sim_run(sim, &trace) ? -1 : (s32)(sim->requests - sim->hits);
}

#endif
