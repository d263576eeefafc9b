/* SPDX-License-Identifier: MIT */
/* `record`: writes what happens to the page cache and the swapped memory of a cgroup to standard output. The programs are those of runtime/operate/record. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "command/commands.h"
#include "command/record_room.h"
#include "command/record_text.h"
#include "object/libbpf_said.h"
#include "object/object_memory.h"
#include "system/cgroup.h"
#include "system/system.h"

#define MAX_OBJECT (16 << 20)
#define MAX_PROGRAMS 16
#define POLL_MS 100
#define OUT_BYTES (1 << 20)
#define NS_A_SECOND 1000000000ULL

struct job {
	struct cgroup cgroup;
	struct bpf_object *object;
	struct bpf_link *links[MAX_PROGRAMS];
	int n_links;
	struct ring_buffer *ring;
	struct recording recording;
	struct record_room room;
};

static volatile sig_atomic_t stopped; /* the signal; 0: none */

static void stop(int number)
{
	stopped = number;
}

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
	return job->n_links && (stopped || ferror(job->recording.out)) ? -EINTR : 0;
}

/* Opens the programs, tells them what to record, and loads them. -1: reported. */
static int load(struct job *job, const struct record_command *command)
{
	const char *path = command->object;
	size_t size;
	byte *content = (byte *)read_file_at(AT_FDCWD, path, MAX_OBJECT, &size);
	struct record_options *options;
	int error;

	if (!content)
		return fail("cannot read %s: %s", path, reason(errno));
	libbpf_listen();
	job->object = bpf_object__open_mem(content, size, NULL);
	error = job->object ? 0 : -errno;
	free(content);
	if (error)
		return fail_with_libbpf(path, "libbpf cannot open it", error);
	options = (void *)variable_in(job->object, ".rodata", "record_options", sizeof(*options));
	if (!options)
		return fail("%s is not the object of `cpolc record`", path);
	*options = (struct record_options){ .cgroup = job->cgroup.id, .recorder = (uint32_t)getpid() };
	options->comm = command->comm;
	options->names = command->names;
	error = bpf_object__load(job->object);
	if (error)
		return fail_with_libbpf(path, "this kernel did not load the recorder, which needs BTF, folios as in Linux 6.12 and a "
					      "BPF JIT", error);
	job->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(job->object, RECORD_RING), take, job, NULL);
	return job->ring ? 0 : fail("cannot map the buffer of the events: %s", reason(errno));
}

static int attach(struct job *job, const char *path)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, job->object) {
		struct bpf_link *link = job->n_links < MAX_PROGRAMS ? bpf_program__attach(program) : NULL;

		if (!link)
			return fail_with_libbpf(path, bpf_program__section_name(program), errno);
		job->links[job->n_links++] = link;
	}
	return 0;
}

static void detach(struct job *job)
{
	while (job->n_links)
		bpf_link__destroy(job->links[--job->n_links]);
}

/* Counts events that found no room in the buffer, or came while the same program ran on their processor. -1: reported. */
static int count_lost(const struct job *job, uint64_t *lost)
{
	struct record_lost counted;
	int map = bpf_object__find_map_fd_by_name(job->object, RECORD_LOST), key = 0;
	struct bpf_program *program;

	if (bpf_map_lookup_elem(map, &key, &counted))
		return fail("cannot read how many events were lost: %s", reason(errno));
	*lost = counted.events;
	bpf_object__for_each_program(program, job->object) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (!bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &size))
			*lost += info.recursion_misses;
	}
	return 0;
}

static bool cgroup_is_gone(const struct job *job)
{
	return faccessat(job->cgroup.fd, "cgroup.procs", F_OK, 0) && (errno == ENOENT || errno == ENODEV);
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
		if (stopped)
			return stopped == SIGALRM ? "its time was over" : "it was told to end";
		if (cgroup_is_gone(job))
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

static int run(struct job *job)
{
	const char *why;
	uint64_t lost;

	uint64_t now = now_ns();

	recording_begin(&job->recording);
	record_room_begin(&job->room, &job->cgroup, now);
	recording_room(&job->recording, now, job->room.limit, job->room.room);
	why = write_events(job);
	detach(job);
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

/* Ends cleanly on a signal, and if the parent dies, which may be a process that nobody sees. Under nohup, a hangup is no end. */
static void listen_to_signals(void)
{
	const int numbers[] = { SIGALRM, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = stop }, hangup;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static int record_cgroup(struct job *job, const struct record_command *command)
{
	char *buffer = need(malloc(OUT_BYTES));
	int status;

	job->recording.out = need(fdopen(dup(STDOUT_FILENO), "w"));
	setvbuf(job->recording.out, buffer, _IOFBF, OUT_BYTES);
	listen_to_signals();
	status = load(job, command);
	if (!status) {
		job->recording.begun_ns = now_ns();
		status = attach(job, command->object);
	}
	if (!status) {
		alarm((unsigned int)command->seconds);
		fprintf(stderr, "recording ");
		print_text(stderr, job->cgroup.path);
		fprintf(stderr, command->seconds ? "\n" : " until Ctrl-C\n");
		status = run(job);
	}
	detach(job);
	ring_buffer__free(job->ring);
	bpf_object__close(job->object);
	fclose(job->recording.out);
	free(buffer);
	return status;
}

int command_record(const struct record_command *command)
{
	struct job job = {};
	int status;

	if (cgroup_open(&job.cgroup, command->cgroup))
		return -1;
	status = check_privileges() || cgroup_check_memory(&job.cgroup, false) ? -1 : record_cgroup(&job, command);
	cgroup_close(&job.cgroup);
	return status;
}
