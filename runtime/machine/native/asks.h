/* SPDX-License-Identifier: MIT */
/* The events without a folio, in both builds: each runs its handler and leaves the answer in `decided`. */
#ifndef CPOL_ASKS_H
#define CPOL_ASKS_H

CPOL_EXPORT void cpol_sim_fault(struct cpol_sim *sim, const struct cpol_fault *fault);
CPOL_EXPORT const struct cpol_decided *cpol_sim_prefetch(struct cpol_sim *sim, const struct cpol_fault *fault);
CPOL_EXPORT const struct cpol_decided *cpol_sim_readahead(struct cpol_sim *sim, const struct cpol_request *request);
CPOL_EXPORT const struct cpol_decided *cpol_sim_happened(struct cpol_sim *sim, u64 op, const struct cpol_request *range);
CPOL_EXPORT const struct cpol_decided *cpol_sim_swap(struct cpol_sim *sim, const struct cpol_fault *out);
CPOL_EXPORT void cpol_sim_now(struct cpol_sim *sim, u64 ms, u64 thread, u64 process, u64 comm);

CPOL_INLINE struct cpol_decided *cpol_ask(struct cpol_sim *sim, bool handles)
{
	struct cpol_decided *decided = &sim->asks.decided;

	decided->n_targets = decided->out_of_range = decided->duplicates = decided->over_limit = 0;
	decided->defaulted = !handles;
	decided->dropped = decided->flushed = decided->waited = decided->left = decided->has_window = decided->window = 0;
	decided->asked = decided->kept = 0;
	return decided;
}

/* A swap fault. One that must read is followed by cpol_sim_prefetch. */
CPOL_EXPORT void cpol_sim_fault(struct cpol_sim *sim, const struct cpol_fault *fault)
{
	cpol_ask(sim, true);
	sim->asks.fault = *fault;
#if CPOL_HAS_FAULT
	cpol_on_fault(sim);
#endif
}

/* What the policy prefetches at a fault that must read. It is valid until the next event. */
CPOL_EXPORT const struct cpol_decided *cpol_sim_prefetch(struct cpol_sim *sim, const struct cpol_fault *fault)
{
	sim->asks.fault = *fault;
	cpol_ask(sim, CPOL_HAS_PREFETCH);
#if CPOL_HAS_PREFETCH
	cpol_on_prefetch(sim);
#endif
	return &sim->asks.decided;
}

/* What the policy prefetches at a request. It is valid until the next event. */
CPOL_EXPORT const struct cpol_decided *cpol_sim_readahead(struct cpol_sim *sim, const struct cpol_request *request)
{
	sim->asks.request = *request;
	cpol_ask(sim, CPOL_HAS_READAHEAD);
#if CPOL_HAS_READAHEAD
	cpol_on_readahead(sim);
#endif
	return &sim->asks.decided;
}

/*
 * What the policy does about a file that was opened, or a range of one that was read or written, by its number in the log. If
 * it says nothing, the kernel does what it does by itself. It is valid until the next event.
 */
CPOL_EXPORT const struct cpol_decided *cpol_sim_happened(struct cpol_sim *sim, u64 op, const struct cpol_request *range)
{
	struct cpol_decided *decided = cpol_ask(sim, true);

	sim->asks.request = *range;
	switch (op) {
#if CPOL_RANGES
#define CPOL_CASE(NAME, name)          \
	case CPOL_OP_##NAME:           \
		cpol_on_##name(sim);   \
		break;
		CPOL_ON_RANGES(CPOL_CASE)
#endif
	default:
		break;
	}
	decided->defaulted = !decided->dropped && !decided->flushed && !decided->has_window;
	return decided;
}

/* Whether the policy keeps pages that are about to go out to swap. It is valid until the next event. */
CPOL_EXPORT const struct cpol_decided *cpol_sim_swap(struct cpol_sim *sim, const struct cpol_fault *out)
{
	sim->asks.fault = *out;
	cpol_ask(sim, CPOL_HAS_SWAP);
#if CPOL_HAS_SWAP
	cpol_on_swap(sim);
#endif
	sim->asks.decided.defaulted = !sim->asks.decided.kept;
	return &sim->asks.decided;
}

/* Sets the time since attach and the task of the events from now on. No block of `every` runs. */
CPOL_EXPORT void cpol_sim_now(struct cpol_sim *sim, u64 ms, u64 thread, u64 process, u64 comm)
{
	sim->ms = ms;
	(void)thread, (void)process, (void)comm;
#if CPOL_USES_TASK
	sim->thread = thread;
	sim->process = process;
	sim->comm = comm;
#endif
}

#endif
