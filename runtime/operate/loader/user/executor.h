/* SPDX-License-Identifier: MIT */
/* A policy in this process: the shared object of the native executor (runtime/machine/native), fed with the events of a cgroup. */
#ifndef LOADER_EXECUTOR_H
#define LOADER_EXECUTOR_H

#include "cpol/contract.h"
#include "cpol/driven.h"
#include "system/util.h"

/* A folio, by the number of its file. */
struct user_folio {
	uint64_t file, index, pages;
	bool unreachable; /* its file cannot be opened any more */
	bool waits;	  /* it stayed a while ago, and is not to be tried yet */
};

/* Pages, but for `accessed`, which counts events. */
struct user_tally {
	uint64_t added, accessed;
	uint64_t adopted;  /* cached before the attach, or their event was lost; taken at their next access */
	uint64_t proposed; /* by the policy */
	uint64_t evicted;  /* of these, gone */
	uint64_t stayed;   /* of these, still cached: mapped, dirty or in use */
	uint64_t forgotten; /* of these, not reachable, or not known to be there since events were lost, or stayed often */
	uint64_t fallback; /* that left without a proposal: the kernel took them, or the file was cut or deleted */
	uint64_t left_out; /* that the policy is not told of, since it has as many folios as it may */
};

struct executor {
	void *library;
	struct cpol_sim *sim;
	const struct executor_calls *calls;
	uint64_t folios, most; /* now, and at most */
	uint64_t thread, process, comm[2]; /* that were told last */
	struct user_tally tally;
	bool failed; /* reported: the policy can take no more events */
};

/*
 * Loads the policy, and attaches it to a cache of so many pages. `params` are raw, in the order of declaration: all that the
 * policy has, or none, for the defaults. It may have `most` folios. -1: reported.
 */
int executor_open(struct executor *executor, const char *path, uint64_t capacity, const unsigned long long *params, uint64_t n_params,
		  uint64_t most);

void executor_close(struct executor *executor);

/* The task of the events from now on. `comm`: 16 bytes. */
void executor_task(struct executor *executor, uint64_t thread, uint64_t process, const char *comm);

/* Each returns the pages that the policy has more, or less, than before. */
uint64_t executor_added(struct executor *executor, uint64_t file, uint64_t index, uint64_t pages);
uint64_t executor_accessed(struct executor *executor, uint64_t file, uint64_t index, uint64_t pages);
uint64_t executor_removed(struct executor *executor, uint64_t file, uint64_t index);

void executor_tick(struct executor *executor, uint64_t ms);

/* The cache may hold so many pages from now on. */
void executor_room(struct executor *executor, uint64_t pages);

/* Pages that it has. */
uint64_t executor_pages(const struct executor *executor);

/* Asks for `wanted` pages, and writes what the policy proposes, `most` folios at most. Returns how many folios. */
size_t executor_propose(struct executor *executor, uint64_t wanted, struct user_folio *folios, size_t most);

/* Ends the request of a folio, once all removals have been told: whether it stayed. */
bool executor_stayed(struct executor *executor, const struct user_folio *folio);

/* Forgets a folio that stayed: it is adopted at its next access. Returns the pages that left the policy. */
uint64_t executor_forget(struct executor *executor, const struct user_folio *folio);

#endif
