/* SPDX-License-Identifier: MIT */
/* `record`: writes what happens to the page cache and the swapped memory of a cgroup to standard output. The programs are those of runtime/operate/record. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/record_room.h"
#include "command/record_text.h"
#include "command/tracer.h"
#include "system/cgroup.h"
#include "system/stat_read.h"
#include "system/stat_text.h"
#include "system/system.h"

#define POLL_MS 100
#define OUT_BYTES (1 << 20)
#define NS_A_SECOND 1000000000ULL

struct job {
	struct cgroup cgroup;
	struct tracer tracer;
	struct ring_buffer *ring;
	struct recording recording;
	struct record_room room;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_A_SECOND + (uint64_t)now.tv_nsec;
}

/* Once the programs are detached, it takes all that is left. */
static int take(void *context, void *data, size_t size)
{
	struct job *job = context;

	if (record_room_take(&job->room, data, size))
		recording_room(&job->recording, ((const struct record *)data)->ns, job->room.limit, job->room.room);
	recording_add(&job->recording, data, size);
	return job->tracer.n_links && (tracer_stopped || ferror(job->recording.out)) ? -EINTR : 0;
}

/* Opens the programs, tells them what to record, and loads them. -1: reported. */
static int load(struct job *job, const struct record_command *command)
{
	struct record_options *options = tracer_open(&job->tracer, "record_options", sizeof(*options));

	if (!options)
		return -1;
	*options = (struct record_options){ .cgroup = job->cgroup.id, .recorder = (uint32_t)getpid() };
	options->comm = command->comm;
	options->names = command->names;
	if (tracer_load(&job->tracer, "recorder"))
		return -1;
	job->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(job->tracer.object, RECORD_RING), take, job, NULL);
	return job->ring ? 0 : fail("cannot map the buffer of the events: %s", reason(errno));
}

/* Counts events that found no room in the buffer, or came while the same program ran on their processor. -1: reported. */
static int count_lost(const struct job *job, uint64_t *lost)
{
	struct record_lost counted;
	int map = bpf_object__find_map_fd_by_name(job->tracer.object, RECORD_LOST), key = 0;

	if (bpf_map_lookup_elem(map, &key, &counted))
		return fail("cannot read how many events were lost: %s", reason(errno));
	*lost = counted.events + tracer_missed(&job->tracer);
	return 0;
}

/* Writes until something ends it: what did; NULL: it failed, which is reported. */
static const char *write_events(struct job *job)
{
	for (;;) {
		int got = ring_buffer__poll(job->ring, POLL_MS);

		if (got >= 0 || got == -EINTR)
			got = ring_buffer__consume(job->ring); /* the programs wake nobody unless the buffer fills */
		if (ferror(job->recording.out)) {
			fail("cannot write the recording: %s", reason(errno));
			return NULL;
		}
		if (got < 0 && got != -EINTR) {
			fail("cannot read the events: %s", reason(got));
			return NULL;
		}
		if (tracer_stopped)
			return tracer_stopped == SIGALRM ? "its time was over" : "it was told to end";
		if (cgroup_is_gone(&job->cgroup))
			return "the cgroup was removed";
		if (record_room_look(&job->room, &job->cgroup))
			recording_room(&job->recording, now_ns(), job->room.limit, job->room.room);
	}
}

static void tell_summary(const struct job *job, const char *why, uint64_t lost)
{
	uint64_t ms = (now_ns() - job->recording.begun_ns) / 1000000;

	fprintf(stderr, "recorded %" PRIu64 " events in %" PRIu64 ".%" PRIu64 " s, until %s: ", recording_events(&job->recording), ms / 1000,
		ms % 1000 / 100, why);
	recording_summary(&job->recording, stderr);
	fprintf(stderr, lost ? "\n" : "; none was lost\n");
	if (lost)
		warn("%" PRIu64 " events were lost, since they came faster than they could be written; the recording lacks them", lost);
}

/* Tells which policy evicts folios of the cgroup: then the recording shows what that does, and not what the kernel's default does. */
static void tell_policy(struct job *job)
{
	char *text = stat_read(EVICTS, true);
	struct ending *policies = NULL;
	int n = text ? stat_policies(text, false, &policies) : 0;

	for (int i = 0; i < n; i++)
		if (cgroup_is_in(&job->cgroup, policies[i].cgroup)) {
			recording_governed(&job->recording, policies[i].name);
			warn("%s governs what is recorded: the recording shows what it does, and not what the kernel's default does",
			     policies[i].name);
		}
	free(policies);
	free(text);
}

static int run(struct job *job)
{
	const char *why;
	uint64_t lost;

	uint64_t now = now_ns();

	recording_begin(&job->recording);
	tell_policy(job);
	record_room_begin(&job->room, &job->cgroup, now);
	recording_room(&job->recording, now, job->room.limit, job->room.room);
	why = write_events(job);
	tracer_detach(&job->tracer);
	if (!why)
		return -1;
	ring_buffer__consume(job->ring);
	if (count_lost(job, &lost))
		return -1;
	recording_end(&job->recording, lost);
	if (fflush(job->recording.out) || ferror(job->recording.out))
		return fail("cannot write the recording: %s", reason(errno));
	tell_summary(job, why, lost);
	return 0;
}

static int record_cgroup(struct job *job, const struct record_command *command)
{
	char *buffer = need(malloc(OUT_BYTES));
	int status;

	job->recording.out = need(fdopen(dup(STDOUT_FILENO), "w"));
	setvbuf(job->recording.out, buffer, _IOFBF, OUT_BYTES);
	tracer_listen();
	status = load(job, command);
	if (!status) {
		job->recording.begun_ns = now_ns();
		status = tracer_attach(&job->tracer);
	}
	if (!status) {
		alarm((unsigned int)command->seconds);
		fprintf(stderr, "recording ");
		print_text(stderr, job->cgroup.path);
		fprintf(stderr, command->seconds ? "\n" : " until Ctrl-C\n");
		status = run(job);
	}
	tracer_detach(&job->tracer);
	ring_buffer__free(job->ring);
	tracer_close(&job->tracer);
	fclose(job->recording.out);
	free(buffer);
	return status;
}

int command_record(const struct record_command *command)
{
	struct job job = { .tracer = { .path = command->object, .command = "cpolc record" } };
	int status;

	if (cgroup_open(&job.cgroup, command->cgroup))
		return -1;
	status = check_privileges() || cgroup_check_memory(&job.cgroup, false) ? -1 : record_cgroup(&job, command);
	cgroup_close(&job.cgroup);
	return status;
}
