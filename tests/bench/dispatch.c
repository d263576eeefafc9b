/* SPDX-License-Identifier: MIT */
/* Drains what dispatch.bpf.c tells, without looking at it: dispatch OBJECT. On SIGTERM it prints JSON: events, and those lost. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static volatile sig_atomic_t ended;

static void end(int signal)
{
	(void)signal;
	ended = 1;
}

static int count(void *events, void *data, size_t size)
{
	(void)data;
	(void)size;
	++*(uint64_t *)events;
	return 0;
}

static int failed(const char *what)
{
	fprintf(stderr, "dispatch: %s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	struct bpf_object *object;
	struct bpf_program *program;
	struct ring_buffer *ring;
	const struct bpf_map *map;
	const uint64_t *lost;
	uint64_t events = 0;
	size_t size;

	if (argc != 2) {
		fputs("usage: dispatch OBJECT\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		return failed(argv[1]);
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return failed(bpf_program__name(program));
	ring = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "ring"), count, &events, NULL);
	map = bpf_object__find_map_by_name(object, ".bss");
	lost = map ? bpf_map__initial_value(map, &size) : NULL;
	if (!ring || !lost)
		return failed("ring");
	puts("attached");
	fflush(stdout);
	while (!ended)
		if (ring_buffer__poll(ring, 100) < 0 && errno != EINTR)
			return failed("poll");
	printf("{\"events\": %" PRIu64 ", \"lost\": %" PRIu64 "}\n", events, *lost);
	return 0;
}
