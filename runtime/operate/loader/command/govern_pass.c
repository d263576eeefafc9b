/* SPDX-License-Identifier: MIT */
#include "command/govern_pass.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>

#include "command/commands.h"
#include "command/traced_path.h"
#include "object/capacity.h"
#include "user/confine.h"

#define LOOK_MS 1000    /* between two looks at the limit and at what was lost */
#define MIN_WAIT_MS 1
#define MAX_WAIT_MS 100
#define RING_EVENTS 250000 /* more than the buffer holds: those of this process' own removals are among them */
#define HALVED_MS 5000.0
#define LEAST_PACE 0.01
#define DOUBT_MS 10000	/* after events were lost, what stays is taken as gone */
#define VAIN_A_SECOND 256 /* folios that may stay: each costs a call in vain */
#define MOST_VAIN 4	/* evictions in a row of which nothing went, until the next pass: what stayed is at the far end */
#define SHARE_TOLD 100	/* a room is told if it differs by more than one of so many */

static void take_name(struct govern *job, const struct record *record, size_t size)
{
	char path[TRACED_PATH + 1];
	const struct record_name *name = (const struct record_name *)record;

	if (size < sizeof(*name))
		return;
	path[traced_path(path, name->parts, record->pages)] = '\0';
	known_files_named(&job->files, record->inode, record->device, record->used, path);
}

/* A folio that came, or that somebody used. */
static void take_use(struct govern *job, const struct record *record, uint64_t number)
{
	struct known_file *file = known_files_find(&job->files, number);
	struct executor *executor = &job->executor;
	uint64_t more;

	if (!file || file->inode != record->inode || file->device != record->device || !known_file_opens(&job->files, file)) {
		job->unreachable += record->event == RECORD_ADDED ? record->pages : 0;
		return;
	}
	executor_task(executor, record->thread, record->process, record->comm);
	if (record->event == RECORD_ADDED)
		more = executor_added(executor, number, record->page, record->pages);
	else
		more = executor_accessed(executor, number, record->page, record->pages);
	known_files_count(&job->files, number, more, 0);
}

int govern_take(void *context, void *data, size_t size)
{
	struct govern *job = context;
	const struct record *record = data;
	uint64_t number;

	if (size < sizeof(*record))
		return 0;
	number = file_number(record->inode, record->device);
	job->events++;
	job->taken++;
	switch (record->event) {
	case RECORD_FILE_NAME:
		take_name(job, record, size);
		break;
	case RECORD_ADDED:
		job->came += record->pages;
		take_use(job, record, number);
		break;
	case RECORD_ACCESSED:
		take_use(job, record, number);
		break;
	case RECORD_REMOVED:
		known_files_count(&job->files, number, 0, executor_removed(&job->executor, number, record->page));
		break;
	default:
		break;
	}
	if (job->tracer.n_links && (tracer_stopped || confine_exceeded()))
		return -EINTR;
	return job->executor.failed || job->events > RING_EVENTS ? -EINTR : 0;
}

/* Takes all events that are there, but does not go on for ever if they come as fast as they are taken. -1: reported. */
static int drain(struct govern *job, uint64_t wait_ms)
{
	int got;

	job->events = 0;
	got = wait_ms ? ring_buffer__poll(job->ring, (int)wait_ms) : 0;
	if (got >= 0 || got == -EINTR)
		got = ring_buffer__consume(job->ring); /* the programs wake nobody unless the buffer fills */
	if (job->executor.failed)
		return -1;
	return got < 0 && got != -EINTR ? fail("cannot read the events: %s", reason(got)) : 0;
}

int govern_rest(struct govern *job)
{
	return drain(job, 0);
}

/* Events that found no room in the buffer, or came while the same program ran on their processor. */
static void count_lost(struct govern *job)
{
	struct record_lost counted = {};
	int key = 0;

	if (bpf_map_lookup_elem(job->lost_map, &key, &counted))
		return;
	counted.events += tracer_missed(&job->tracer);
	if (counted.events != job->lost)
		job->lost_ms = now_ms();
	job->lost = counted.events;
}

static void tell_room(struct govern *job)
{
	uint64_t owned = executor_pages(&job->executor);
	uint64_t room = marks_room(&job->marks, marks_used(&job->marks), owned);
	uint64_t apart = room < job->room ? job->room - room : room - job->room;

	if (apart * SHARE_TOLD <= job->room)
		return;
	job->room = room;
	executor_room(&job->executor, room);
}

static void look(struct govern *job, uint64_t now)
{
	if (now - job->looked_ms < LOOK_MS)
		return;
	job->looked_ms = now;
	marks_look(&job->marks, &job->cgroup);
	count_lost(job);
	tell_room(job);
}

/* How many folios may be tried: as many as may stay. */
static size_t most_tries(struct govern *job, uint64_t now)
{
	job->vain += (now - job->vain_ms) * VAIN_A_SECOND;
	job->vain_ms = now;
	if (job->vain > MAX_AT_ONCE * 1000)
		job->vain = MAX_AT_ONCE * 1000;
	return job->vain / 1000;
}

/* What the policy is told of those that stayed. */
static void settle(struct govern *job, size_t n, uint64_t now)
{
	bool doubt = job->lost && now - job->lost_ms < DOUBT_MS;

	for (size_t i = 0; i < n; i++) {
		const struct user_folio *folio = &job->folios[i];

		if (!executor_stayed(&job->executor, folio))
			continue;
		if (!folio->waits)
			job->vain -= job->vain < 1000 ? job->vain : 1000;
		if (folio->unreachable || doubt || (!folio->waits && stayed_again(&job->stayed, folio, now) == STAYED_TRIES))
			known_files_count(&job->files, folio->file, 0, executor_forget(&job->executor, folio));
	}
}

/* Evicts so many pages, as far as the policy proposes them. Returns how many went. -1: reported. */
static int64_t evict(struct govern *job, uint64_t wanted)
{
	uint64_t before = job->executor.tally.evicted, now = now_ms();
	size_t n = executor_propose(&job->executor, wanted, job->folios, most_tries(job, now));

	if (!n)
		return job->executor.failed ? -1 : 0;
	job->evictions++;
	for (size_t i = 0; i < n; i++)
		job->folios[i].waits = stayed_waits(&job->stayed, &job->folios[i], now);
	job->calls += drop_folios(&job->files, job->folios, n);
	if (drain(job, 0))
		return -1;
	count_lost(job);
	settle(job, n, now);
	return job->executor.failed ? -1 : (int64_t)(job->executor.tally.evicted - before);
}

/*
 * Milliseconds until half of what is free is used, at the pace of late. A pass without a new page, as when a reader comes to what is cached,
 * says little of the next: the pace is halved only once in HALVED_MS.
 */
static uint64_t next_wait(struct govern *job, uint64_t used, uint64_t passed_ms)
{
	double left = job->marks.limit > used ? (double)(job->marks.limit - used) : 0, passed = passed_ms ? (double)passed_ms : 1;
	double now = (double)job->came / passed, wait;

	job->pace *= passed < HALVED_MS ? 1 - passed / (2 * HALVED_MS) : 0.5;
	job->pace = now > job->pace ? now : job->pace;
	wait = left / 2 / (job->pace + LEAST_PACE);
	return wait < MIN_WAIT_MS ? MIN_WAIT_MS : wait > MAX_WAIT_MS ? MAX_WAIT_MS : (uint64_t)wait;
}

int govern_pass(struct govern *job)
{
	uint64_t begun = now_ms(), waited = job->wait_ms, used, over, now;
	int64_t gone = 1;
	int vain = 0;
	bool idle;

	job->came = 0;
	if (drain(job, job->wait_ms))
		return -1;
	idle = !job->events;
	now = now_ms();
	executor_tick(&job->executor, now - job->begun_ms);
	look(job, now);
	while ((over = marks_over(&job->marks, used = marks_used(&job->marks))) && vain < MOST_VAIN && !tracer_stopped && !confine_exceeded()) {
		gone = evict(job, over);
		if (gone < 0)
			return -1;
		vain = gone ? 0 : vain + 1;
	}
	job->wait_ms = gone ? next_wait(job, used, now - begun) : MAX_WAIT_MS; /* nothing can go now */
	if (idle && job->wait_ms < 2 * waited)
		job->wait_ms = 2 * waited < MAX_WAIT_MS ? 2 * waited : MAX_WAIT_MS;
	return job->executor.failed ? -1 : 0;
}

void govern_statistics(struct govern *job, FILE *out)
{
	const struct user_tally *tally = &job->executor.tally;

	count_lost(job);
	fprintf(out, "policy=\"");
	print_text(out, job->command->name);
	fprintf(out, "\" cgroup=%" PRIu64 " ms=%" PRIu64 " cpu_ms=%" PRIu64 " limit=%" PRIu64 " mark=%" PRIu64 " capacity=%" PRIu64 " owned=%" PRIu64,
		job->cgroup.id, now_ms() - job->begun_ms, used_ms() - job->begun_used_ms, job->marks.limit, job->marks.high, job->room, executor_pages(&job->executor));
	fprintf(out, " added=%" PRIu64 " accessed=%" PRIu64 " adopted=%" PRIu64 " proposed=%" PRIu64 " evicted=%" PRIu64 " stayed=%" PRIu64
		     " forgotten=%" PRIu64 " fallback=%" PRIu64,
		tally->added, tally->accessed, tally->adopted, tally->proposed, tally->evicted, tally->stayed, tally->forgotten,
		tally->fallback);
	fprintf(out, " unreachable=%" PRIu64 " left_out=%" PRIu64 " lost=%" PRIu64 " files=%zu evictions=%" PRIu64 " calls=%" PRIu64 "\n",
		job->unreachable, tally->left_out, job->lost, job->files.n, job->evictions, job->calls);
	fflush(out);
}
