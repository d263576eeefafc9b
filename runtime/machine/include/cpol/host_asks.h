/* SPDX-License-Identifier: MIT */
/* What asks a policy on the host (host.h) about no folio, and its answer. runtime/machine/native/prefetch.py mirrors the structs. */
#ifndef CPOL_HOST_ASKS_H
#define CPOL_HOST_ASKS_H

/* A fault, or pages that go out to swap, which have neither a slot nor a device. */
struct cpol_fault {
	u64 page, slot, slots, first, last, area, device, flags, window;
	u64 pages; /* that go out */
};

/* A request, or a range of a file (opened, read, written), which has `wanted` pages and neither a window nor flags. */
struct cpol_request {
	u64 file, index, wanted, start, window, size, flags, device;
};

enum cpol_space { CPOL_SLOT, CPOL_PAGE, CPOL_INDEX };

struct cpol_target {
	u64 space, number;
};

struct cpol_decided {
	u64 n_targets, defaulted, out_of_range, duplicates, over_limit;
	u64 dropped, flushed, waited, left, has_window, window; /* of a range */
	u64 asked, kept; /* of pages that go out: `keep` ran, they stay */
	struct cpol_target targets[CPOL_PREFETCH_TARGETS];
};

struct cpol_asks {
	struct cpol_fault fault;
	struct cpol_request request;
	struct cpol_decided decided;
};

enum cpol_fault_flag { CPOL_FAULT_CACHED = 1, CPOL_FAULT_PREFETCHED = 2 };
enum cpol_request_flag { CPOL_REQUEST_SEQUENTIAL = 1, CPOL_REQUEST_MARKER = 2, CPOL_REQUEST_MAPPED = 4 };
#define CPOL_REQUEST_FLAGS 7
enum cpol_out_flag { CPOL_OUT_SHARED = 1, CPOL_OUT_WORKINGSET = 2 };
#define CPOL_OUT_FLAGS 3

#endif
