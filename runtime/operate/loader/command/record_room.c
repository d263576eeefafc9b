/* SPDX-License-Identifier: MIT */
#include "command/record_room.h"

#define TOGETHER 64	 /* folios that were added: their mean room evens out what goes in batches */
#define SHARE_TOLD 100	 /* a room is told if it differs by more than one of so many */
#define FEW 256		 /* the kernel sums its statistics now and then */
#define SHARE_DRIFTED 16 /* what is lost makes `files` wrong; it is put right from so much on */

static uint64_t not_negative(int64_t pages)
{
	return pages < 0 ? 0 : (uint64_t)pages;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

static bool tells(struct record_room *room, uint64_t pages)
{
	if (apart(pages, room->room) * SHARE_TOLD <= room->room)
		return false;
	room->room = pages;
	return true;
}

void record_room_begin(struct record_room *room, const struct cgroup *cgroup, uint64_t ns)
{
	struct memory_use use = memory_use(cgroup);

	*room = (struct record_room){ .since_ns = ns, .limit = use.limit, .files = (int64_t)use.files };
	room->room = not_negative((int64_t)(use.limit + use.files - use.used));
}

bool record_room_take(struct record_room *room, const struct record *record, size_t size)
{
	int64_t sum;

	if (size < sizeof(*record) || record->ns <= room->since_ns)
		return false;
	if (record->event == RECORD_REMOVED)
		room->files -= record->pages;
	if (record->event != RECORD_ADDED)
		return false;
	room->files += record->pages;
	room->added = true;
	room->sum += (int64_t)room->limit + room->files - record->used;
	if (++room->n < TOGETHER)
		return false;
	sum = room->sum;
	room->sum = room->n = 0;
	return tells(room, not_negative(sum / TOGETHER));
}

bool record_room_look(struct record_room *room, const struct cgroup *cgroup)
{
	struct memory_use use = memory_use(cgroup);
	bool another = use.limit != room->limit;
	bool added = room->added;

	if (apart(not_negative(room->files), use.files) > FEW + use.files / SHARE_DRIFTED)
		room->files = (int64_t)use.files;
	if (another)
		room->sum = room->n = 0;
	room->limit = use.limit;
	room->added = false;
	if (another || !added)
		another |= tells(room, not_negative((int64_t)(use.limit - use.used) + room->files));
	return another;
}
