/* SPDX-License-Identifier: MIT */
/* What the programs of record.bpf.c tell the loader, through a ring buffer. */
#ifndef CPOL_RECORD_H
#define CPOL_RECORD_H

#include <stdint.h>

#include "cpol/traced.h"

#define RECORD_RING "record_ring"
#define RECORD_LOST "record_lost"
#define RECORD_NAMED "record_named" /* files whose names were told, by inode and device */

/* X(ENUMERATOR, name): what happened to a folio; then three of readahead; then swap faults. `cpolc record` writes the names. */
#define RECORD_EVENTS(X) \
	X(RECORD_ADDED, "added") \
	X(RECORD_REMOVED, "removed") \
	X(RECORD_ACCESSED, "accessed") \
	X(RECORD_DIRTIED, "dirtied") \
	X(RECORD_MISSED, "missed") \
	X(RECORD_MARKED, "marked") \
	X(RECORD_WINDOW, "window") \
	X(RECORD_FAULT, "fault") \
	X(RECORD_CACHED, "cached") \
	X(RECORD_PREFETCHED, "prefetched")

#define RECORD_ENUMERATOR(enumerator, name) enumerator,
enum record_event { RECORD_EVENTS(RECORD_ENUMERATOR) N_RECORD_EVENTS };
#undef RECORD_ENUMERATOR

#define RECORD_FILE_NAME N_RECORD_EVENTS /* no event, but the name of a file: struct record_name */

struct record {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint64_t inode; /* a swap fault: the slot */
	uint64_t page; /* of the file; a swap fault: the virtual page */
	uint32_t device; /* major << 20 | minor; a swap fault: the number of the swap device */
	uint32_t pages; /* of the folio; readahead: that the read asks for, or that the kernel reads; a swap fault: 1 */
	uint32_t thread, process; /* who caused it, numbered as in the initial PID namespace */
	uint32_t event;
	uint32_t used; /* a folio is added: pages that the recorded cgroup uses; a name: the generation of the inode */
	char comm[TRACED_COMM]; /* ends with a NUL; empty: left out */
};

/* A swap fault: the kernel reads the page, or finds it in the swap cache, where readahead may have brought it. */
struct record_fault {
	struct record record;
	uint64_t first, last; /* pages of the area (VMA) */
};

/* The name of a file, before its first event. */
struct record_name {
	struct record record; /* pages: bytes of `parts` */
	char parts[TRACED_PATH]; /* of the path in its file system, the last one first, each with its NUL */
};

/* Set before the programs are loaded. */
struct record_options {
	uint64_t cgroup; /* its id: recorded are its folios and those of the cgroups below */
	uint32_t recorder; /* the process that is left out */
	uint32_t comm; /* 1: names of commands are recorded */
	uint32_t names; /* 1: names of files are */
	uint32_t unused;
};

/* The value of the map RECORD_LOST. */
struct record_lost {
	uint64_t events; /* for which the ring buffer had no room */
};

#endif
