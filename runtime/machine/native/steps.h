/* SPDX-License-Identifier: MIT */
/*
 * Scan steps of evict requests: how many folios the scans visit, from the request until its folios are removed. Only the build with
 * CPOL_STEPS counts them; in the others these functions are empty.
 *
 * Requests are counted by their steps. Counts up to CPOL_EXACT are exact. From there on, each power of two has CPOL_EXACT / 2 counters, so
 * a percentile is at most 1/1024 too high.
 */
#ifndef CPOL_NATIVE_STEPS_H
#define CPOL_NATIVE_STEPS_H

#if CPOL_STEPS
#define CPOL_EXACT 2048 /* a power of two, 2^11 */
#define CPOL_STEP_COUNTERS (CPOL_EXACT + (64 - 11) * (CPOL_EXACT / 2))

struct cpol_step_counts {
	u64 requests, sum, max;
	u64 of[CPOL_STEP_COUNTERS]; /* requests, by steps */
};

/* Of all evict requests; `Steps` in simulator.py mirrors it. `p99`: 99 % of the requests, or more, took at most so many. */
struct cpol_steps {
	u64 requests, sum, p99, max;
};

CPOL_EXPORT void cpol_sim_steps(const struct cpol_sim *sim, struct cpol_steps *steps);

CPOL_INLINE u32 cpol_step_counter(u64 steps)
{
	u32 shift;

	if (steps < CPOL_EXACT)
		return (u32)steps;
	shift = 53 - (u32)__builtin_clzll(steps); /* leaves the upper 11 bits */
	return shift * (CPOL_EXACT / 2) + (u32)(steps >> shift);
}

/* The largest number of steps that a counter counts. */
static u64 cpol_steps_of(u32 counter)
{
	u32 shift = counter / (CPOL_EXACT / 2);

	if (counter < CPOL_EXACT)
		return counter;
	shift--;
	return ((u64)(counter - shift * (CPOL_EXACT / 2)) << shift) + ((1ULL << shift) - 1);
}

CPOL_INLINE void cpol_steps_begin(struct cpol_sim *sim)
{
	sim->steps = 0;
}

CPOL_INLINE void cpol_steps_end(struct cpol_sim *sim)
{
	struct cpol_step_counts *counts = sim->step_counts;

	counts->requests++;
	counts->sum += sim->steps;
	if (sim->steps > counts->max)
		counts->max = sim->steps;
	counts->of[cpol_step_counter(sim->steps)]++;
}

CPOL_EXPORT void cpol_sim_steps(const struct cpol_sim *sim, struct cpol_steps *steps)
{
	const struct cpol_step_counts *counts = sim->step_counts;
	u64 wanted = counts->requests - counts->requests / 100, seen = 0;

	*steps = (struct cpol_steps){ .requests = counts->requests, .sum = counts->sum, .max = counts->max };
	for (u32 counter = 0; counter < CPOL_STEP_COUNTERS && seen < wanted; counter++) {
		seen += counts->of[counter];
		steps->p99 = cpol_steps_of(counter);
	}
	if (steps->p99 > counts->max)
		steps->p99 = counts->max;
}

#else
CPOL_INLINE void cpol_steps_begin(struct cpol_sim *sim)
{
	(void)sim;
}

CPOL_INLINE void cpol_steps_end(struct cpol_sim *sim)
{
	(void)sim;
}
#endif

#endif
