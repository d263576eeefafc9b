/* SPDX-License-Identifier: MIT */
/* The text of a recording, which `cpolc sim` reads (runtime/simulate/traces/formats/record.py). */
#ifndef LOADER_RECORD_TEXT_H
#define LOADER_RECORD_TEXT_H

#include "cpol/record.h"
#include "system/util.h"

struct recording {
	FILE *out;
	uint64_t begun_ns;
	uint64_t counts[N_RECORD_EVENTS];
	uint64_t limit, room; /* the last ones told */
};

void recording_begin(struct recording *recording);

/* Tells that a policy evicts what is recorded. */
void recording_governed(struct recording *recording, const char *policy);

/* Takes what the programs told: `size` bytes that begin with a record. */
void recording_add(struct recording *recording, const struct record *record, size_t size);

/* Tells the limit and the room of file pages, in pages, if they are others than before. */
void recording_room(struct recording *recording, uint64_t ns, uint64_t limit, uint64_t room);

/* The last line says that the recording is whole, and how many events are not in it. */
void recording_end(const struct recording *recording, uint64_t lost);

uint64_t recording_events(const struct recording *recording);

/* How many events of each kind, as a clause. */
void recording_summary(const struct recording *recording, FILE *out);

#endif
