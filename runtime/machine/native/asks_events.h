/* SPDX-License-Identifier: MIT */
/* Events of prefetching as rows of the log (runtime/machine/events): the surroundings come before the fault or the request. */
#ifndef CPOL_ASKS_EVENTS_H
#define CPOL_ASKS_EVENTS_H

#define CPOL_BELOW (1ULL << 62) /* of pages, slots and indices */

static int cpol_event_surroundings(struct cpol_sim *sim, const struct cpol_row *row)
{
	struct cpol_asks *asks = &sim->asks;

	switch (row->op) {
	case CPOL_OP_AREA:
		if (row->a > row->b || row->b >= CPOL_BELOW)
			return CPOL_BAD_ASK;
		asks->fault.area = row->file;
		asks->fault.first = row->a;
		asks->fault.last = row->b;
		return CPOL_OK;
	case CPOL_OP_SWAP:
		if (row->a >= CPOL_BELOW || row->b < 1 || row->b > CPOL_PREFETCH_TARGETS)
			return CPOL_BAD_ASK;
		asks->fault.device = row->file;
		asks->fault.slots = row->a;
		asks->fault.window = row->b;
		return CPOL_OK;
	default: /* window */
		if (row->index >= CPOL_BELOW || row->a >= CPOL_BELOW || row->b >= CPOL_BELOW)
			return CPOL_BAD_ASK;
		asks->request.device = row->file;
		asks->request.size = row->index;
		asks->request.start = row->a;
		asks->request.window = row->b;
		return CPOL_OK;
	}
}

/* Whether this fault can happen in its area and on its device. */
static bool cpol_can_fault(const struct cpol_fault *fault)
{
	return fault->page >= fault->first && fault->page <= fault->last && fault->slot > 0 && fault->slot < fault->slots &&
	       (fault->flags == 0 || fault->flags == CPOL_FAULT_CACHED ||
		fault->flags == (CPOL_FAULT_CACHED | CPOL_FAULT_PREFETCHED));
}

static bool cpol_can_request(const struct cpol_request *request)
{
	return request->wanted >= 1 && request->wanted < CPOL_BELOW && request->index < CPOL_BELOW &&
	       request->index + request->wanted < CPOL_BELOW && request->flags <= CPOL_REQUEST_FLAGS;
}

/* Whether it is an event of a file or a range; if so, whether of the file as a whole. */
static bool cpol_is_of_range(u64 op, bool *whole)
{
	switch (op) {
#define CPOL_IS_RANGE(NAME, is_whole)  \
	case CPOL_OP_##NAME:           \
		*whole = is_whole;     \
		return true;
		CPOL_RANGE_EVENTS(CPOL_IS_RANGE)
	default:
		return false;
	}
}

static bool cpol_can_happen(const struct cpol_request *range, bool whole)
{
	return whole ? range->index == 0 && range->wanted == 0 : cpol_can_request(range);
}

static int cpol_event_range(struct cpol_sim *sim, const struct cpol_row *row, bool whole)
{
	struct cpol_request range = sim->asks.request;

	range.file = row->file;
	range.index = row->index;
	range.wanted = row->a;
	range.flags = 0;
	if (!cpol_can_happen(&range, whole))
		return CPOL_BAD_ASK;
	cpol_log_row(sim, row->op, (struct cpol_name){ row->file, row->index }, row->a, 0);
	cpol_sim_happened(sim, row->op, &range);
	return CPOL_OK;
}

/* Pages that go out, in the area that was named last. */
static int cpol_event_out(struct cpol_sim *sim, const struct cpol_row *row)
{
	struct cpol_fault out = sim->asks.fault;

	if (row->index < out.first || row->index > out.last || row->a < 1 || row->a > out.last - row->index + 1 ||
	    row->b > CPOL_OUT_FLAGS)
		return CPOL_BAD_ASK;
	out.page = row->index;
	out.pages = row->a;
	out.flags = row->b;
	cpol_log_row(sim, row->op, (struct cpol_name){ row->file, row->index }, row->a, row->b);
	cpol_sim_swap(sim, &out);
	return CPOL_OK;
}

static int cpol_event_asks(struct cpol_sim *sim, const struct cpol_row *row)
{
	struct cpol_name name = { row->file, row->index };
	struct cpol_fault fault = sim->asks.fault;
	struct cpol_request request = sim->asks.request;
	bool whole = false;
	int error;

	if (row->op == CPOL_OP_OUT)
		return cpol_event_out(sim, row);
	if (cpol_is_of_range(row->op, &whole))
		return cpol_event_range(sim, row, whole);
	if (row->op == CPOL_OP_READAHEAD) {
		request.file = row->file;
		request.index = row->index;
		request.wanted = row->a;
		request.flags = row->b;
		if (!cpol_can_request(&request))
			return CPOL_BAD_ASK;
		cpol_log_row(sim, row->op, name, row->a, row->b);
		cpol_sim_readahead(sim, &request);
		return CPOL_OK;
	}
	if (row->op == CPOL_OP_FAULT || row->op == CPOL_OP_PREFETCH) {
		bool asks = row->op == CPOL_OP_PREFETCH;

		fault.page = row->index;
		fault.slot = row->a;
		fault.flags = asks ? 0 : row->b;
		if (!cpol_can_fault(&fault))
			return CPOL_BAD_ASK;
		cpol_log_row(sim, row->op, name, row->a, asks ? 0 : row->b);
		if (asks)
			cpol_sim_prefetch(sim, &fault);
		else
			cpol_sim_fault(sim, &fault);
		return CPOL_OK;
	}
	error = cpol_event_surroundings(sim, row);
	if (!error)
		cpol_log_row(sim, row->op, name, row->a, row->b);
	return error;
}

CPOL_EXPORT const struct cpol_decided *cpol_sim_decided(const struct cpol_sim *sim);

/* What the last event of prefetching decided. */
CPOL_EXPORT const struct cpol_decided *cpol_sim_decided(const struct cpol_sim *sim)
{
	return &sim->asks.decided;
}

#endif
