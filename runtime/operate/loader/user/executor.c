/* SPDX-License-Identifier: MIT */
#include "user/executor.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long number;

/* The exports of runtime/machine/native/driver.h. */
struct executor_calls {
	struct cpol_sim *(*new)(number capacity, uint32_t batch, const number *params, number seed, struct cpol_refusal *why);
	number (*n_params)(void);
	void (*begin)(struct cpol_sim *sim);
	void (*free)(struct cpol_sim *sim);
	int (*event)(struct cpol_sim *sim, const struct cpol_row *row);
	number (*pages)(struct cpol_sim *sim, number file, number index);
	const struct cpol_row *(*log)(const struct cpol_sim *sim, number *rows);
	void (*log_clear)(struct cpol_sim *sim);
	void (*counts)(const struct cpol_sim *sim, struct cpol_counts *counts);
};

static struct executor_calls calls;

static const struct {
	const char *name;
	void *to;
} symbols[] = {
	{ "cpol_sim_new", &calls.new },	    { "cpol_sim_begin", &calls.begin }, { "cpol_sim_free", &calls.free },
	{ "cpol_sim_event", &calls.event }, { "cpol_sim_pages", &calls.pages }, { "cpol_sim_log", &calls.log },
	{ "cpol_sim_log_clear", &calls.log_clear }, { "cpol_sim_counts", &calls.counts },
	{ "cpol_sim_n_params", &calls.n_params },
};

static int find_calls(void *library, const char *path)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found)
			return fail("%s is no policy compiled for this machine: it has no %s; `cpolc attach --glue user` makes one", path,
				    symbols[i].name);
		memcpy(symbols[i].to, &found, sizeof(found));
	}
	return 0;
}

static int refused(const struct cpol_refusal *why, uint64_t capacity)
{
	if (why->kind == CPOL_LACKS_MEMORY)
		return fail("out of memory for a policy with a cache of %llu pages", (number)capacity);
	return fail("the policy does not attach with these params at %llu pages: %s number %llu (from 0) would have %llu x %llu entries; lower "
		    "the params in its size, or the limit of the cgroup", (number)capacity,
		    why->kind == CPOL_BAD_LENGTH ? "the array of lists" :
		    why->kind == CPOL_BAD_TABLE	 ? "the table" :
						   "the array",
		    why->number, why->rows, why->kind == CPOL_BAD_TABLE ? why->columns : 1);
}

int executor_open(struct executor *executor, const char *path, uint64_t capacity, const number *params, uint64_t n_params, uint64_t most)
{
	struct cpol_refusal why;

	*executor = (struct executor){ .calls = &calls, .most = most };
	executor->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!executor->library)
		return fail("cannot load the policy: %s", dlerror());
	if (find_calls(executor->library, path))
		return -1;
	if (n_params && n_params != calls.n_params())
		return fail("the policy has %llu params, and %llu values are given; give all, in the order of declaration, or none",
			    calls.n_params(), (number)n_params);
	executor->sim = calls.new(capacity, CPOL_MAX_BATCH, n_params ? params : NULL, 1, &why);
	if (!executor->sim)
		return refused(&why, capacity);
	calls.begin(executor->sim);
	return 0;
}

void executor_close(struct executor *executor)
{
	if (executor->sim)
		executor->calls->free(executor->sim);
	if (executor->library)
		dlclose(executor->library);
	executor->sim = executor->library = NULL;
}

/* Sends an event, and forgets what the policy decided on it. What can never be is reported once. */
static enum cpol_error send_row(struct executor *executor, uint64_t op, uint64_t file, uint64_t index, uint64_t a, uint64_t b)
{
	struct cpol_row row = { op, file, index, a, b };
	enum cpol_error error;

	if (executor->failed)
		return CPOL_NO_MEMORY;
	error = (enum cpol_error)executor->calls->event(executor->sim, &row);
	if (op != CPOL_OP_EVICT)
		executor->calls->log_clear(executor->sim);
	if (error == CPOL_NO_MEMORY || error == CPOL_NOT_PLACED) {
		executor->failed = true;
		fail(error == CPOL_NO_MEMORY ? "ended: the policy needs more memory than it may have; give it smaller params, or attach on a "
					       "kernel with cache_ext; the kernel's own reclaim goes on" :
					       "the policy placed a folio on no list; this is a defect of cpol");
	}
	return error;
}

void executor_task(struct executor *executor, uint64_t thread, uint64_t process, const char *comm)
{
	uint64_t name[2];

	memcpy(name, comm, sizeof(name));
	if (thread == executor->thread && process == executor->process && !memcmp(name, executor->comm, sizeof(name)))
		return;
	memcpy(executor->comm, name, sizeof(name));
	executor->thread = thread;
	executor->process = process;
	send_row(executor, CPOL_OP_TASK, name[0], name[1], thread, process);
}

/* A folio that is not cached comes in. */
static uint64_t come(struct executor *executor, uint64_t file, uint64_t index, uint64_t pages, uint64_t *count)
{
	if (executor->folios >= executor->most) {
		executor->tally.left_out += pages;
		return 0;
	}
	if (send_row(executor, CPOL_OP_ADDED, file, index, pages, 0) != CPOL_OK)
		return 0;
	executor->folios++;
	*count += pages;
	return pages;
}

uint64_t executor_added(struct executor *executor, uint64_t file, uint64_t index, uint64_t pages)
{
	return come(executor, file, index, pages, &executor->tally.added);
}

uint64_t executor_accessed(struct executor *executor, uint64_t file, uint64_t index, uint64_t pages)
{
	enum cpol_error error = send_row(executor, CPOL_OP_ACCESSED, file, index, 0, 0);
	uint64_t came = 0;

	executor->tally.accessed++;
	if (error == CPOL_NOT_CACHED) {
		came = come(executor, file, index, pages, &executor->tally.adopted);
		error = came ? CPOL_NOT_READ : CPOL_OK;
	}
	if (error == CPOL_NOT_READ)
		send_row(executor, CPOL_OP_FIRST_ACCESSED, file, index, 0, 0);
	return came;
}

uint64_t executor_removed(struct executor *executor, uint64_t file, uint64_t index)
{
	uint64_t pages = executor->failed ? 0 : executor->calls->pages(executor->sim, file, index);

	if (!pages)
		return 0;
	switch (send_row(executor, CPOL_OP_FALLBACK, file, index, 0, 0)) {
	case CPOL_OK:
		executor->tally.fallback += pages;
		break;
	case CPOL_IS_PROPOSED:
		if (send_row(executor, CPOL_OP_REMOVED, file, index, 0, 0) != CPOL_OK)
			return 0;
		executor->tally.evicted += pages;
		break;
	default:
		return 0;
	}
	executor->folios--;
	return pages;
}

void executor_tick(struct executor *executor, uint64_t ms)
{
	send_row(executor, CPOL_OP_TICK, 0, 0, ms, 0);
}

void executor_room(struct executor *executor, uint64_t pages)
{
	send_row(executor, CPOL_OP_ROOM, 0, 0, pages ? pages : 1, 0);
}

uint64_t executor_pages(const struct executor *executor)
{
	struct cpol_counts counts;

	executor->calls->counts(executor->sim, &counts);
	return counts.size;
}

/* One call of the handler. Its proposals are in the log, in their order. */
static size_t propose_batch(struct executor *executor, uint64_t wanted, struct user_folio *folios, uint64_t *pages)
{
	const struct cpol_row *log;
	number rows = 0;
	size_t n = 0;

	if (send_row(executor, CPOL_OP_EVICT, 0, 0, wanted, 0) != CPOL_OK)
		return 0;
	log = executor->calls->log(executor->sim, &rows);
	for (number i = 0; i < rows && n < CPOL_MAX_BATCH; i++) {
		if (log[i].op != CPOL_OP_PROPOSE)
			continue;
		folios[n] = (struct user_folio){ .file = log[i].file, .index = log[i].index };
		folios[n].pages = executor->calls->pages(executor->sim, log[i].file, log[i].index);
		*pages += folios[n++].pages;
	}
	executor->calls->log_clear(executor->sim);
	return n;
}

size_t executor_propose(struct executor *executor, uint64_t wanted, struct user_folio *folios, size_t most)
{
	uint64_t pages = 0;
	size_t n = 0;

	while (pages < wanted && n + CPOL_MAX_BATCH <= most) {
		uint64_t left = wanted - pages;
		size_t more = propose_batch(executor, left < CPOL_MAX_BATCH ? left : CPOL_MAX_BATCH, folios + n, &pages);

		if (!more)
			break;
		n += more;
	}
	executor->tally.proposed += pages;
	return n;
}

bool executor_stayed(struct executor *executor, const struct user_folio *folio)
{
	if (send_row(executor, CPOL_OP_REFUSED, folio->file, folio->index, 0, 0) != CPOL_OK)
		return false;
	executor->tally.stayed += folio->pages;
	return true;
}

uint64_t executor_forget(struct executor *executor, const struct user_folio *folio)
{
	if (send_row(executor, CPOL_OP_REMOVED, folio->file, folio->index, 0, 0) != CPOL_OK)
		return 0;
	executor->tally.stayed -= folio->pages;
	executor->tally.forgotten += folio->pages;
	executor->folios--;
	return folio->pages;
}
