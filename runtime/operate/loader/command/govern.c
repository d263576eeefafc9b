/* SPDX-License-Identifier: MIT */
/*
 * `govern`: a policy without any part in the kernel. The recorder's programs tell the events of a cgroup, the policy decides in this process, and
 * posix_fadvise() evicts. docs/user-glue.md tells what that cannot do.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "command/commands.h"
#include "command/govern_alone.h"
#include "command/govern_pass.h"
#include "object/capacity.h"
#include "system/contract.h"
#include "system/system.h"
#include "user/confine.h"

#define MAX_FILES 65536
#define WINDOW_MS 10000
#define MEMORY_SHARE 8		  /* of the limit, that the policy may take at most, beside the next line */
#define LEAST_MEMORY (64ULL << 20) /* bytes */
#define FEW_FOLIOS 1024

static const char *const kept[] = { "record_added", "record_removed", "record_accessed", NULL };

static volatile sig_atomic_t asked; /* for the statistics */

static void ask(int number)
{
	(void)number;
	asked = 1;
}

static void listen_to_signals(void)
{
	struct sigaction action = { .sa_handler = ask };

	tracer_listen();
	prctl(PR_SET_PDEATHSIG, 0); /* it may outlive the shell that began it */
	sigaction(SIGUSR1, &action, NULL);
}

/* The recorder shall tell the name of a file again, of which this process forgot the handle. */
static void tell_again(void *context, uint64_t inode, uint64_t device)
{
	const struct govern *job = context;
	uint64_t key[] = { inode, device };

	bpf_map_delete_elem(job->named, key);
}

/* Opens the recorder's programs, and loads those that are needed. -1: reported. */
static int load_programs(struct govern *job)
{
	struct record_options *options = tracer_open(&job->tracer, "record_options", sizeof(*options));

	if (!options)
		return -1;
	/* Its own removals are to be told, too: they say what has gone. So no process is left out. */
	*options = (struct record_options){ .cgroup = job->cgroup.id, .comm = 1, .names = 1 };
	tracer_keep(&job->tracer, kept);
	if (tracer_load(&job->tracer, "recorder"))
		return -1;
	job->named = bpf_object__find_map_fd_by_name(job->tracer.object, RECORD_NAMED);
	job->lost_map = bpf_object__find_map_fd_by_name(job->tracer.object, RECORD_LOST);
	job->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(job->tracer.object, RECORD_RING), govern_take, job, NULL);
	return job->ring ? 0 : fail("cannot map the buffer of the events: %s", reason(errno));
}

/* The policy's params. -1: reported. */
static int read_params(const struct govern_command *command, unsigned long long params[MAX_PARAMS])
{
	for (int i = 0; i < command->n_params; i++) {
		uint64_t value;

		if (i == MAX_PARAMS || !parse_u64(command->params[i], &value))
			return fail("wrong param %s: raw numbers are wanted, at most %d", command->params[i], MAX_PARAMS);
		params[i] = value;
	}
	return 0;
}

/* Loads the policy, once this process can do hardly anything else. -1: reported. */
static int open_policy(struct govern *job, const struct govern_command *command)
{
	unsigned long long params[MAX_PARAMS] = {};
	struct memory_use use = memory_use(&job->cgroup);
	uint64_t most = job->marks.limit + job->marks.limit / MEMORY_SHARE + FEW_FOLIOS;

	job->cached = use.files;
	job->memory = LEAST_MEMORY + job->marks.limit * job->marks.page / MEMORY_SHARE;
	if (read_params(command, params) || confine_rights() || confine_memory(job->memory))
		return -1;
	return executor_open(&job->executor, command->policy, marks_room(&job->marks, use.used, use.files), params, (uint64_t)command->n_params, most);
}

static void tell_begin(const struct govern *job)
{
	fprintf(stderr, "governing ");
	print_text(stderr, job->cgroup.path);
	fprintf(stderr, " by ");
	print_text(stderr, job->command->name);
	fprintf(stderr, ": evicts above %" PRIu64 " of %" PRIu64 " pages, takes at most %" PRIu64 " MiB and %" PRIu64
			" %% of a processor; ends at Ctrl-C\n",
		job->marks.high, job->marks.limit, job->memory >> 20, job->command->percent);
	if (job->cached)
		warn("%" PRIu64 " pages were cached before: the policy gets each at its next access, and the rest stays until the kernel takes it",
		     job->cached);
}

/* Until something ends it: what did; NULL: it failed, which is reported. */
static const char *govern(struct govern *job)
{
	uint64_t window = now_ms();
	uint64_t allowed = WINDOW_MS * job->command->percent / 100;

	confine_time(allowed);
	for (;;) {
		if (govern_pass(job))
			return NULL;
		if (asked) {
			asked = 0;
			govern_statistics(job, stdout);
		}
		if (tracer_stopped)
			return "it was told to end";
		if (cgroup_is_gone(&job->cgroup))
			return "the cgroup was removed";
		if (confine_exceeded()) {
			fail("ended: it used more than %" PRIu64 " %% of a processor in %d s, for %" PRIu64 " events; each page that the cgroup "
			     "reads is one, also of the cache; allow more by --cpu, or leave this cgroup to the kernel, whose own reclaim "
			     "goes on", job->command->percent, WINDOW_MS / 1000, job->taken - job->window_taken);
			return NULL;
		}
		if (now_ms() - window >= WINDOW_MS) {
			window = now_ms();
			job->window_taken = job->taken;
			confine_time(allowed);
		}
	}
}

static int run(struct govern *job)
{
	const char *why;

	job->begun_ms = now_ms();
	if (tracer_attach(&job->tracer))
		return -1;
	tell_begin(job);
	job->begun_used_ms = used_ms();
	why = govern(job);
	tracer_detach(&job->tracer);
	if (why && govern_rest(job))
		why = NULL;
	govern_statistics(job, stdout);
	if (!why)
		return -1;
	fprintf(stderr, "governed until %s\n", why);
	return 0;
}

static int prepare(struct govern *job)
{
	if (check_privileges() || confine_check() || cgroup_check_memory(&job->cgroup, false) || govern_alone(&job->cgroup) ||
	    marks_begin(&job->marks, &job->cgroup, job->command->margin))
		return -1;
	return load_programs(job) || open_policy(job, job->command) ? -1 : 0;
}

int command_govern(const struct govern_command *command)
{
	struct govern job = { .command = command, .tracer = { .path = command->object, .command = "cpolc record" }, .marks.current = -1 };
	int status;

	if (cgroup_open(&job.cgroup, command->cgroup))
		return -1;
	listen_to_signals();
	known_files_begin(&job.files, MAX_FILES);
	stayed_begin(&job.stayed);
	job.files.forgets = tell_again;
	job.files.context = &job;
	status = prepare(&job) || run(&job) ? -1 : 0;
	tracer_detach(&job.tracer);
	ring_buffer__free(job.ring);
	tracer_close(&job.tracer);
	executor_close(&job.executor);
	known_files_end(&job.files);
	stayed_end(&job.stayed);
	marks_end(&job.marks);
	cgroup_close(&job.cgroup);
	return status;
}
