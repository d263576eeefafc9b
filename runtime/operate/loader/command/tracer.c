/* SPDX-License-Identifier: MIT */
#include "command/tracer.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "object/libbpf_said.h"
#include "object/object_memory.h"

#define MAX_OBJECT (16 << 20)

volatile sig_atomic_t tracer_stopped;

static void stop(int number)
{
	tracer_stopped = number;
}

void *tracer_open(struct tracer *tracer, const char *options, size_t size)
{
	size_t bytes;
	byte *content = (byte *)read_file_at(AT_FDCWD, tracer->path, MAX_OBJECT, &bytes);
	void *found;
	int error;

	if (!content) {
		fail("cannot read %s: %s", tracer->path, reason(errno));
		return NULL;
	}
	libbpf_listen();
	tracer->object = bpf_object__open_mem(content, bytes, NULL);
	error = tracer->object ? 0 : -errno;
	free(content);
	if (error) {
		fail_with_libbpf(tracer->path, "libbpf cannot open it", error);
		return NULL;
	}
	found = variable_in(tracer->object, ".rodata", options, (uint32_t)size);
	if (!found)
		fail("%s is not the object of `%s`", tracer->path, tracer->command);
	return found;
}

void tracer_keep(struct tracer *tracer, const char *const *names)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, tracer->object) {
		bool keep = false;

		for (const char *const *name = names; *name; name++)
			keep |= !strcmp(*name, bpf_program__name(program));
		bpf_program__set_autoload(program, keep);
	}
}

int tracer_load(struct tracer *tracer, const char *name)
{
	char what[128];
	int error = bpf_object__load(tracer->object);

	if (!error)
		return 0;
	snprintf(what, sizeof(what), "this kernel did not load the %s, which needs BTF, folios as in Linux 6.12 and a BPF JIT", name);
	return fail_with_libbpf(tracer->path, what, error);
}

int tracer_attach(struct tracer *tracer)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, tracer->object) {
		struct bpf_link *link;

		if (!bpf_program__autoload(program))
			continue;
		link = tracer->n_links < MAX_PROGRAMS ? bpf_program__attach(program) : NULL;
		if (!link)
			return fail_with_libbpf(tracer->path, bpf_program__section_name(program), errno);
		tracer->links[tracer->n_links++] = link;
	}
	return 0;
}

void tracer_detach(struct tracer *tracer)
{
	while (tracer->n_links)
		bpf_link__destroy(tracer->links[--tracer->n_links]);
}

void tracer_close(struct tracer *tracer)
{
	tracer_detach(tracer);
	bpf_object__close(tracer->object);
}

uint64_t tracer_missed(const struct tracer *tracer)
{
	struct bpf_program *program;
	uint64_t missed = 0;

	bpf_object__for_each_program(program, tracer->object) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_program__autoload(program) && !bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}

void tracer_listen(void)
{
	const int numbers[] = { SIGALRM, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = stop }, hangup;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}
