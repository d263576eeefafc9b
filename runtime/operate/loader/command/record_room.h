/* SPDX-License-Identifier: MIT */
/* The room of file pages while a cgroup is recorded, from its events: the limit, less what else it uses. */
#ifndef LOADER_RECORD_ROOM_H
#define LOADER_RECORD_ROOM_H

#include "cpol/record.h"
#include "object/capacity.h"

struct record_room {
	uint64_t since_ns;    /* what happened before is in `files` */
	uint64_t limit, room; /* pages; the last ones told */
	int64_t files;	      /* pages of files now */
	int64_t sum;	      /* of the rooms at `n` folios that were added */
	unsigned int n;
	bool added; /* a folio, since record_room_look() */
};

/* Begins. What happened until `ns` may be told to record_room_take(), too. */
void record_room_begin(struct record_room *room, const struct cgroup *cgroup, uint64_t ns);

/* Takes a record. True: the room is another one from here on. */
bool record_room_take(struct record_room *room, const struct record *record, size_t size);

/* Looks at the cgroup, once all records are taken. True: the limit or the room is another one. */
bool record_room_look(struct record_room *room, const struct cgroup *cgroup);

#endif
