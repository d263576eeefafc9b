/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the blocks of `every` in BPF. An event that brings the clock to a multiple of a period asks for a tick. The kernel runs
 * the program `tick` soon after, one at a time, and `tick` runs the blocks that are due.
 */
#ifndef CPOL_BPF_EVERY_H
#define CPOL_BPF_EVERY_H

/* Counts an event, before its handler. Returns the clock. */
CPOL_PRIMITIVE u64 cpol_clock_forward(void)
{
#if CPOL_USES_CLOCK
	return __sync_fetch_and_add(&cpol_clock, 1) + 1;
#else
	return 0;
#endif
}

/* Asks for a tick if a block is due; after the handler. */
CPOL_PRIMITIVE void cpol_clock_ask(cpol_ctx *c, u64 clock)
{
#define X(number)                                             \
	if (clock % cpol_every_period_##number(c) == 0) \
		bpf_cache_ext_tick(c->memcg);
	CPOL_EVERY_EVENTS(X)
#undef X
}

#if CPOL_N_EVERY
/* The number of full periods when each block last ran. Only `tick` uses this. */
__hidden u64 cpol_every_turns[CPOL_N_EVERY];

#if CPOL_HAS_EVERY_MS
__hidden u64 cpol_last_ms; /* from attach to the last tick */
#endif

CPOL_PRIMITIVE void cpol_every_due(cpol_ctx *c)
{
#if CPOL_HAS_EVERY_EVENTS
	u64 clock = cpol_cache_clock(c);
#endif
#if CPOL_HAS_EVERY_MS
	u64 ms = cpol_ms_since_attach(), before = cpol_last_ms;

	cpol_last_ms = ms;
#endif
#define X(number)                                                     \
	{                                                             \
		u64 turn = clock / cpol_every_period_##number(c);     \
		u64 last = cpol_every_turns[number];                  \
                                                                      \
		if (turn != last) {                                   \
			cpol_every_turns[number] = turn;              \
			/* Fewer than before if the period is longer now. */ \
			cpol_every_##number(c, turn > last ? turn - last : 1); \
		}                                                     \
	}
	CPOL_EVERY_EVENTS(X)
#undef X
#define X(number)                                                                    \
	{                                                                            \
		u64 period = cpol_every_period_##number(c);                          \
                                                                                     \
		if (ms / period > before / period)                                   \
			cpol_every_##number(c, ms / period - before / period);       \
	}
	CPOL_EVERY_MS(X)
#undef X
}
#endif

#endif
