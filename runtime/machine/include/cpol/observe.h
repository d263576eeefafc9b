/* SPDX-License-Identifier: MIT */
/* What the programs of observe.bpf.c count, in maps that the loader reads. docs/observing.md defines each count. */
#ifndef CPOL_OBSERVE_H
#define CPOL_OBSERVE_H

#include <stdint.h>

#include "cpol/traced.h"

/* X(FIELD): counts of pages, in the order in which the loader tells them. */
#define OBSERVE_COUNTS(X) \
	X(hits) \
	X(misses) \
	X(faults) /* of the hits and misses, those of page faults */ \
	X(refaults) \
	X(ahead) /* read ahead */ \
	X(ahead_used) \
	X(ahead_unused) \
	X(ahead_unknown) \
	X(dirtied) \
	X(written_back)

#define OBSERVE_FIELD(field) uint64_t field;
struct observe_counts { OBSERVE_COUNTS(OBSERVE_FIELD) };
#undef OBSERVE_FIELD
#define N_OBSERVE_COUNTS (sizeof(struct observe_counts) / sizeof(uint64_t))

struct observe_file {
	uint64_t inode;
	uint64_t device; /* major << 20 | minor */
};

struct observe_task {
	uint32_t process; /* its thread group, numbered as in the initial PID namespace */
	char comm[TRACED_COMM];
};

/* A run of pages of a file. */
struct observe_cell {
	struct observe_file file;
	uint64_t run; /* its first page, shifted by `heat_shift` */
};

struct observe_heat {
	uint64_t hits, misses;
};

/* A key of the map of pages. */
struct observe_page {
	uint64_t mapping; /* the address of the address_space */
	uint64_t index;
};

/* Elements of OBSERVE_TOTALS. */
enum observe_total { OBSERVE_ALL, OBSERVE_OTHER_FILES, OBSERVE_OTHER_TASKS, N_OBSERVE_TOTALS };

/* What had no room: the value of OBSERVE_FULL. */
struct observe_full {
	uint64_t pages; /* whose state is not known, so their use is told wrongly */
	uint64_t cells;
};

#define OBSERVE_TOTALS "observe_totals"	  /* per-CPU array */
#define OBSERVE_FILES "observe_files"	  /* per-CPU hash, by observe_file */
#define OBSERVE_TASKS "observe_tasks"	  /* per-CPU hash, by observe_task */
#define OBSERVE_NAMES "observe_names"	  /* hash, by observe_file: parts as in record_name; the loader takes them out */
#define OBSERVE_CELLS "observe_cells"	  /* hash, by observe_cell */
#define OBSERVE_FULL "observe_full"	  /* array */
#define OBSERVE_USED "observe_used"	  /* array: two sets of bits, of pages by their hashes */
#define OBSERVE_USED_WORDS (1 << 14)	  /* words of a set: 2^20 bits */
#define OBSERVE_MAX_FILES 16384
#define OBSERVE_MAX_TASKS 16384
#define OBSERVE_MAX_CELLS 65536

/* Set before the programs are loaded. */
struct observe_options {
	uint64_t cgroup; /* its id: observed are its tasks and folios, and those of the cgroups below */
	uint32_t observer; /* the process that is left out */
	uint32_t heat; /* 1: cells are counted */
	uint32_t heat_shift; /* 2 to this power: pages of a cell */
	uint32_t unused;
};

#endif
