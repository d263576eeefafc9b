/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the blocks of `every` in BPF. An event that brings the clock to a multiple of a period asks for a tick. The kernel runs
 * the program `tick` soon after, one at a time, and `tick` runs the blocks that are due.
 */
#ifndef CPOL_BPF_EVERY_H
#define CPOL_BPF_EVERY_H

#if CPOL_HAS_EVERY_EVENTS
/* The clock at the end of the last full period of each block that counts events. Only `tick` writes this. */
__hidden u64 cpol_every_last[CPOL_N_EVERY];
#endif

/* Counts an event, before its handler. Returns the clock. */
CPOL_PRIMITIVE u64 cpol_clock_forward(void)
{
#if CPOL_USES_CLOCK
	return __sync_fetch_and_add(&cpol_clock, 1) + 1;
#else
	return 0;
#endif
}

/*
 * Asks for a tick if a block is due; after the handler. Where the period stays as it is, one event alone asks, and reads nothing that
 * `tick` writes.
 */
CPOL_PRIMITIVE void cpol_clock_ask(cpol_ctx *c, u64 clock)
{
#define X(number)                                                                                                    \
	if (CPOL_EVERY_MOVES_##number ?                                                                              \
		    clock >= *(volatile u64 *)&cpol_every_last[number] + cpol_every_period_##number(c) :             \
		    clock % cpol_every_period_##number(c) == 0)                                                      \
		bpf_cache_ext_tick(c->memcg);
	CPOL_EVERY_EVENTS(X)
#undef X
}

#if CPOL_N_EVERY
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
#define X(number)                                                               \
	{                                                                       \
		u64 period = cpol_every_period_##number(c);                     \
		u64 passed = clock - cpol_every_last[number];                   \
                                                                                \
		if (passed >= period) {                                         \
			*(volatile u64 *)&cpol_every_last[number] = clock - passed % period; \
			cpol_every_##number(c, passed / period);                \
		}                                                               \
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
