/* SPDX-License-Identifier: MIT */
/* The counts of an observation, as JSON, which runtime/operate/observe/look.py reads. */
#ifndef LOADER_OBSERVE_TEXT_H
#define LOADER_OBSERVE_TEXT_H

#include <bpf/libbpf.h>

#include "cpol/observe.h"
#include "system/util.h"

struct observed {
	struct bpf_object *object;
	uint64_t *used;	 /* both sets of bits (observe.h), mapped */
	uint32_t *fills; /* which one the programs set */
	uint64_t *values; /* of a per-CPU map, for all processors */
	int cpus;
};

/* Maps what the loaded programs share. -1: reported. */
int observed_open(struct observed *observed, struct bpf_object *object);

void observed_close(struct observed *observed);

/* Writes a line with all counts since the begin, and how many bits of used pages are set since the last one. -1: reported. */
int observed_write(struct observed *observed, FILE *out, uint64_t missed, bool gone);

#endif
