/* SPDX-License-Identifier: MIT */
#include "command/observe_text.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "command/traced_path.h"
#include "object/object_memory.h"

#define USED_BYTES (2 * OBSERVE_USED_WORDS * sizeof(uint64_t))

/* A value of the map of names. */
struct path {
	uint32_t bytes;
	char parts[TRACED_PATH];
};

static int map_of(const struct observed *observed, const char *name)
{
	return bpf_object__find_map_fd_by_name(observed->object, name);
}

int observed_open(struct observed *observed, struct bpf_object *object)
{
	observed->object = object;
	observed->cpus = libbpf_num_possible_cpus();
	if (observed->cpus < 0)
		return fail("cannot count the processors: %s", reason(observed->cpus));
	observed->values = need(calloc((size_t)observed->cpus, sizeof(struct observe_counts)));
	observed->fills = (void *)variable_in(object, ".bss", "observe_fills", sizeof(*observed->fills));
	observed->used = mmap(NULL, USED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, map_of(observed, OBSERVE_USED), 0);
	if (observed->used == MAP_FAILED || !observed->fills) {
		observed->used = NULL;
		return fail("cannot map the counts: %s", reason(errno));
	}
	return 0;
}

void observed_close(struct observed *observed)
{
	if (observed->used)
		munmap(observed->used, USED_BYTES);
	free(observed->values);
}

/* Adds up what all processors counted. */
static void write_counts(const struct observed *observed, FILE *out)
{
	for (size_t field = 0; field < N_OBSERVE_COUNTS; field++) {
		uint64_t sum = 0;

		for (int cpu = 0; cpu < observed->cpus; cpu++)
			sum += observed->values[(size_t)cpu * N_OBSERVE_COUNTS + field];
		fprintf(out, "%s%" PRIu64, field ? "," : "", sum);
	}
}

static int write_total(const struct observed *observed, FILE *out, const char *name, uint32_t which)
{
	if (bpf_map_lookup_elem(map_of(observed, OBSERVE_TOTALS), &which, observed->values))
		return fail("cannot read the counts: %s", reason(errno));
	fprintf(out, "\"%s\":[", name);
	write_counts(observed, out);
	fputs("],", out);
	return 0;
}

static void write_file(FILE *out, const struct observe_file *file)
{
	fprintf(out, "\"%" PRIu64 ":%" PRIu64 ":%" PRIu64 "\"", file->device >> 20, file->device & 0xfffff, file->inode);
}

static void write_files(const struct observed *observed, FILE *out)
{
	int map = map_of(observed, OBSERVE_FILES);
	struct observe_file key, *before = NULL;
	const char *comma = "";

	fputs("\"files\":[", out);
	for (; !bpf_map_get_next_key(map, before, &key); before = &key) {
		if (bpf_map_lookup_elem(map, &key, observed->values))
			continue;
		fprintf(out, "%s[", comma);
		write_file(out, &key);
		fputs(",[", out);
		write_counts(observed, out);
		fputs("]]", out);
		comma = ",";
	}
	fputs("],", out);
}

static void write_tasks(const struct observed *observed, FILE *out)
{
	int map = map_of(observed, OBSERVE_TASKS);
	struct observe_task key, *before = NULL;
	const char *comma = "";

	fputs("\"tasks\":[", out);
	for (; !bpf_map_get_next_key(map, before, &key); before = &key) {
		char comm[TRACED_COMM + 1] = "";

		if (bpf_map_lookup_elem(map, &key, observed->values))
			continue;
		memcpy(comm, key.comm, TRACED_COMM);
		fprintf(out, "%s[%u,", comma, key.process);
		json_string(out, comm);
		fputs(",[", out);
		write_counts(observed, out);
		fputs("]]", out);
		comma = ",";
	}
	fputs("],", out);
}

static void write_cells(const struct observed *observed, FILE *out)
{
	int map = map_of(observed, OBSERVE_CELLS);
	struct observe_cell key, *before = NULL;
	const char *comma = "";
	struct observe_heat heat;

	fputs("\"cells\":[", out);
	for (; !bpf_map_get_next_key(map, before, &key); before = &key) {
		if (bpf_map_lookup_elem(map, &key, &heat))
			continue;
		fprintf(out, "%s[", comma);
		write_file(out, &key.file);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", key.run, heat.hits, heat.misses);
		comma = ",";
	}
	fputs("],", out);
}

/* Each name once: it is taken out of the map. */
static void write_names(const struct observed *observed, FILE *out)
{
	int map = map_of(observed, OBSERVE_NAMES);
	const char *comma = "";
	struct observe_file key;

	fputs("\"names\":{", out);
	while (!bpf_map_get_next_key(map, NULL, &key)) {
		char path[TRACED_PATH + 1];
		struct path told;

		if (bpf_map_lookup_elem(map, &key, &told) || bpf_map_delete_elem(map, &key))
			break;
		path[traced_path(path, told.parts, told.bytes)] = 0;
		fputs(comma, out);
		write_file(out, &key);
		putc(':', out);
		json_string(out, path);
		comma = ",";
	}
	fputs("},", out);
}

/* The programs go on with the other set. What they set meanwhile in this one is lost. */
static uint64_t take_used(const struct observed *observed)
{
	uint32_t filled = __atomic_load_n(observed->fills, __ATOMIC_RELAXED);
	uint64_t *set = observed->used + (filled ? OBSERVE_USED_WORDS : 0), bits = 0;

	__atomic_store_n(observed->fills, !filled, __ATOMIC_RELAXED);
	for (size_t word = 0; word < OBSERVE_USED_WORDS; word++)
		bits += (uint64_t)__builtin_popcountll(__atomic_exchange_n(set + word, 0, __ATOMIC_RELAXED));
	return bits;
}

int observed_write(struct observed *observed, FILE *out, uint64_t missed, bool gone)
{
	struct observe_full full;
	struct timespec now;
	uint32_t zero = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (bpf_map_lookup_elem(map_of(observed, OBSERVE_FULL), &zero, &full))
		return fail("cannot read the counts: %s", reason(errno));
	fprintf(out, "{\"ns\":%" PRIu64 ",\"gone\":%s,\"missed\":%" PRIu64 ",\"untold_pages\":%" PRIu64 ",\"untold_cells\":%" PRIu64 ",",
		(uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, gone ? "true" : "false", missed, full.pages, full.cells);
	if (write_total(observed, out, "all", OBSERVE_ALL) || write_total(observed, out, "other_files", OBSERVE_OTHER_FILES) ||
	    write_total(observed, out, "other_tasks", OBSERVE_OTHER_TASKS))
		return -1;
	write_files(observed, out);
	write_tasks(observed, out);
	write_names(observed, out);
	write_cells(observed, out);
	fprintf(out, "\"used_bits\":%" PRIu64 "}\n", take_used(observed));
	return fflush(out) ? fail("cannot write the counts: %s", reason(errno)) : 0;
}
