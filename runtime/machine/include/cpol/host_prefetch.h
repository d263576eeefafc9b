/* SPDX-License-Identifier: MIT */
/* Prefetching on the host (host.h): the fault or request, and what a handler records. docs/semantics.md has the rules. */
#ifndef CPOL_HOST_PREFETCH_H
#define CPOL_HOST_PREFETCH_H

#define cpol_fault_page(c) ((c)->asks.fault.page)
#define cpol_fault_slot(c) ((c)->asks.fault.slot)
#define cpol_fault_slots(c) ((c)->asks.fault.slots)
#define cpol_fault_device(c) ((c)->asks.fault.device)
#define cpol_fault_first(c) ((c)->asks.fault.first)
#define cpol_fault_last(c) ((c)->asks.fault.last)
#define cpol_fault_window(c) ((c)->asks.fault.window)
#define cpol_fault_cached(c) (((c)->asks.fault.flags & CPOL_FAULT_CACHED) != 0)
#define cpol_fault_prefetched(c) (((c)->asks.fault.flags & CPOL_FAULT_PREFETCHED) != 0)
/* Of pages that go out. */
#define cpol_fault_pages(c) ((c)->asks.fault.pages)
#define cpol_fault_process(c) ((c)->process)
#define cpol_fault_comm(c) ((c)->comm)
#define cpol_fault_shared(c) (((c)->asks.fault.flags & CPOL_OUT_SHARED) != 0)
#define cpol_fault_workingset(c) (((c)->asks.fault.flags & CPOL_OUT_WORKINGSET) != 0)
#define cpol_area_key(c) ((c)->asks.fault.area)

#define cpol_request_file(c) ((c)->asks.request.file)
#define cpol_request_index(c) ((c)->asks.request.index)
#define cpol_request_wanted(c) ((c)->asks.request.wanted)
#define cpol_request_pages(c) cpol_request_wanted(c)
#define cpol_request_start(c) ((c)->asks.request.start)
#define cpol_request_window(c) ((c)->asks.request.window)
#define cpol_request_size(c) ((c)->asks.request.size)
#define cpol_request_device(c) ((c)->asks.request.device)
#define cpol_request_sequential(c) (((c)->asks.request.flags & CPOL_REQUEST_SEQUENTIAL) != 0)
#define cpol_request_marker(c) (((c)->asks.request.flags & CPOL_REQUEST_MARKER) != 0)
#define cpol_request_mapped(c) (((c)->asks.request.flags & CPOL_REQUEST_MAPPED) != 0)
#define cpol_request_key(c) cpol_request_file(c)
#define cpol_hash_request(c, salt) cpol_hash_name(cpol_request_file(c), cpol_request_index(c), salt)

#if CPOL_N_INPUTS
#define CPOL_INPUT_REQUEST(c, name) \
	cpol_input_find_page(&(c)->inputs[INPUT_##name], cpol_request_file(c), cpol_request_index(c))
#define cpol_input_has_request(c, name) (CPOL_INPUT_REQUEST(c, name) != NULL)
#define cpol_input_get_request(c, name) CPOL_INPUT_VALUE(CPOL_INPUT_REQUEST(c, name), name)
#endif

CPOL_INLINE bool cpol_in_range(const struct cpol_asks *asks, u32 space, s64 target)
{
	const struct cpol_fault *fault = &asks->fault;
	const struct cpol_request *request = &asks->request;
	u64 number = (u64)target;

	if (target < 0)
		return false;
	if (space == CPOL_SLOT)
		return number != 0 && number < fault->slots && number != fault->slot;
	if (space == CPOL_PAGE)
		return number >= fault->first && number <= fault->last && number != fault->page;
	return number < request->size && (number < request->index || number - request->index >= request->wanted);
}

/* Records a target, or counts why not. */
static __attribute__((unused)) void cpol_aim(cpol_ctx *c, u32 space, s64 target)
{
	struct cpol_decided *decided = &c->asks.decided;

	if (!cpol_in_range(&c->asks, space, target)) {
		decided->out_of_range++;
		return;
	}
	for (u64 at = 0; at < decided->n_targets; at++) {
		if (decided->targets[at].space == space && decided->targets[at].number == (u64)target) {
			decided->duplicates++;
			return;
		}
	}
	if (decided->n_targets == CPOL_PREFETCH_TARGETS) {
		decided->over_limit = cpol_add_u64(decided->over_limit, 1);
		return;
	}
	decided->targets[decided->n_targets++] = (struct cpol_target){ space, (u64)target };
	CPOL_IF_EVENTS(cpol_log_row(c, CPOL_OP_SLOT + space,
				    (struct cpol_name){ space == CPOL_INDEX ? c->asks.request.file : 0, (u64)target }, 0, 0);)
}

CPOL_INLINE void cpol_prefetch_slot(cpol_ctx *c, s64 target)
{
	cpol_aim(c, CPOL_SLOT, target);
}

CPOL_INLINE void cpol_prefetch_page(cpol_ctx *c, s64 target)
{
	cpol_aim(c, CPOL_PAGE, target);
}

/* A target that saturates is out of range, and so are those that follow. */
CPOL_INLINE void cpol_prefetch_index(cpol_ctx *c, s64 target, u64 count, s64 stride)
{
	u64 some = count < CPOL_PREFETCH_TARGETS ? count : CPOL_PREFETCH_TARGETS;

	c->asks.decided.over_limit = cpol_add_u64(c->asks.decided.over_limit, count - some);
	do {
		cpol_aim(c, CPOL_INDEX, target);
		target = cpol_add_s64(target, stride);
	} while (some-- > 1);
}

CPOL_INLINE void cpol_default(cpol_ctx *c)
{
	CPOL_IF_EVENTS(if (!c->asks.decided.defaulted) cpol_log_row(c, CPOL_OP_DEFAULT, (struct cpol_name){ 0, 0 }, 0, 0);)
	c->asks.decided.defaulted = true;
}

#if CPOL_USES_KEEPS
/* The first of a call counts. */
CPOL_INLINE void cpol_hold(cpol_ctx *c)
{
	struct cpol_decided *decided = &c->asks.decided;
	u64 second = c->ms / 1000, pages = c->asks.fault.pages, kept = c->keep_second == second ? c->keep_pages : 0;

	if (decided->asked)
		return;
	decided->asked = true;
	if (pages > c->keep_quota || kept > c->keep_quota - pages) {
		c->keeps_refused += pages;
		return;
	}
	decided->kept = true;
	c->keep_second = second;
	c->keep_pages = kept + pages;
	c->keeps_kept += pages;
	CPOL_IF_EVENTS(cpol_log_row(c, CPOL_OP_HOLD, (struct cpol_name){ 0, 0 }, 0, 0);)
}
#endif

CPOL_INLINE void cpol_drop(cpol_ctx *c)
{
	CPOL_IF_EVENTS(if (!c->asks.decided.dropped) cpol_log_row(c, CPOL_OP_DROP, (struct cpol_name){ 0, 0 }, 0, 0);)
	c->asks.decided.dropped = true;
}

CPOL_INLINE void cpol_flush(cpol_ctx *c, bool wait)
{
	struct cpol_decided *decided = &c->asks.decided;

	CPOL_IF_EVENTS(if (!decided->flushed || (wait && !decided->waited))
			       cpol_log_row(c, CPOL_OP_FLUSH, (struct cpol_name){ 0, 0 }, wait, 0);)
	decided->flushed = true;
	decided->waited |= wait;
}

CPOL_INLINE void cpol_leave_file(cpol_ctx *c)
{
	CPOL_IF_EVENTS(if (!c->asks.decided.left) cpol_log_row(c, CPOL_OP_LEAVE_FILE, (struct cpol_name){ 0, 0 }, 0, 0);)
	c->asks.decided.left = true;
}

CPOL_INLINE void cpol_ahead(cpol_ctx *c, u64 pages)
{
	struct cpol_decided *decided = &c->asks.decided;

	CPOL_IF_EVENTS(if (!decided->has_window || decided->window != pages)
			       cpol_log_row(c, CPOL_OP_AHEAD, (struct cpol_name){ 0, 0 }, pages, 0);)
	decided->has_window = true;
	decided->window = pages;
}

#endif
