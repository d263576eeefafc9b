/* SPDX-License-Identifier: MIT */
/*
 * Loads policies as cpol-loader does for an attach, and attaches none.
 *
 *   load_objects CGROUP OBJECT...
 *
 * Each object is loaded in a process of its own. What the loader says against it comes first, or for each program
 *   -- PROGRAM: INSTRUCTIONS
 * then a line:
 *   == OBJECT: loaded, INSTRUCTIONS in MILLISECONDS ms       the instructions that the verifier looked at, those of all paths
 *   == OBJECT: refused
 * The exit code is 1 if one was refused.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "object/object.h"
#include "system/cgroup.h"

#define MAX_OBJECT (16 << 20)

static uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* What the verifier looked at in all programs. -1: the kernel did not tell. */
static int64_t verified(const struct bpf_object *object)
{
	struct bpf_program *program;
	int64_t sum = 0;

	bpf_object__for_each_program(program, object) {
		struct bpf_prog_info info = {};
		uint32_t size = sizeof(info);

		if (bpf_prog_get_info_by_fd(bpf_program__fd(program), &info, &size))
			return -1;
		printf("-- %s: %u\n", bpf_program__name(program), info.verified_insns);
		sum += info.verified_insns;
	}
	return sum;
}

/* 0, or -1: reported. */
static int load(const char *path, const char *folder)
{
	uint64_t start = milliseconds();
	struct bpf_map *ops[POLICY_KINDS];
	struct manifest manifest = {};
	struct bpf_object *object;
	struct cgroup cgroup;
	size_t size;
	byte *content = (byte *)read_file_at(AT_FDCWD, path, MAX_OBJECT, &size);
	int64_t instructions;

	if (!content)
		return fail("cannot read %s", path);
	if (cgroup_open(&cgroup, folder) || manifest_read(&manifest, content, size, path))
		return -1;
	object = object_load(content, size, &manifest, &cgroup, path, ops);
	if (!object)
		return -1;
	instructions = verified(object);
	if (instructions <= 0)
		return fail("%s: the kernel verified none of its programs", path);
	printf("== %s: loaded, %lld in %llu ms\n", path, (long long)instructions, (unsigned long long)(milliseconds() - start));
	fflush(stdout);
	return 0;
}

int main(int argc, char **argv)
{
	int worst = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: load_objects CGROUP OBJECT...\n");
		return 2;
	}
	/* One stream, so that messages stand before the line that they belong to. */
	if (dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		return 2;
	for (int i = 2; i < argc; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			_exit(load(argv[i], argv[1]) ? 1 : 0);
		if (child < 0 || waitpid(child, &status, 0) != child) {
			perror("load_objects");
			return 2;
		}
		if (status) {
			worst = 1;
			if (WIFSIGNALED(status))
				printf("the loader died of signal %d\n", WTERMSIG(status));
			printf("== %s: refused\n", argv[i]);
			fflush(stdout);
		}
	}
	return worst;
}
