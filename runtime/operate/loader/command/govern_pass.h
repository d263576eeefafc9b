/* SPDX-License-Identifier: MIT */
/* One pass of `govern`: takes the events, and evicts if the cgroup is above its mark. */
#ifndef LOADER_GOVERN_PASS_H
#define LOADER_GOVERN_PASS_H

#include "command/tracer.h"
#include "cpol/record.h"
#include "user/dropping.h"
#include "user/marks.h"
#include "user/stayed.h"

#define MAX_AT_ONCE 1024 /* folios that one eviction drops */

struct govern {
	const struct govern_command *command;
	struct cgroup cgroup;
	struct tracer tracer;
	struct ring_buffer *ring;
	int named, lost_map; /* maps of the recorder */
	struct executor executor;
	struct known_files files;
	struct marks marks;
	struct stayed stayed;
	uint64_t begun_ms, begun_used_ms, looked_ms, wait_ms, memory; /* memory: bytes that it may take */
	uint64_t cached;      /* pages when it began */
	double pace;	       /* pages that come in a millisecond: the most of late */
	uint64_t came, events; /* pages of this pass; events that were taken at once */
	uint64_t taken, window_taken; /* events; when the window of processor time began */
	uint64_t unreachable; /* pages that came of files that cannot be opened */
	uint64_t lost, lost_ms; /* events; when the last of them were counted */
	uint64_t calls, evictions, room;
	uint64_t vain, vain_ms; /* folios that may still stay, in thousandths; as of when */
	struct user_folio folios[MAX_AT_ONCE];
};

/* For ring_buffer__new(); `context` is a struct govern. */
int govern_take(void *context, void *data, size_t size);

/* -1: reported. */
int govern_pass(struct govern *job);

/* Takes the events that are left, once the programs are detached. -1: reported. */
int govern_rest(struct govern *job);

/* One line of pairs key=value. */
void govern_statistics(struct govern *job, FILE *out);

#endif
