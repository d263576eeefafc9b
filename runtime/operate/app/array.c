/* SPDX-License-Identifier: MIT */
/*
 * Arrays: versions in shared memory (cpol/array.h). Who writes puts its name into the header, fills the half that nobody reads, raises
 * the number of the version, and waits until no handler reads the other half. For the wait it stores the map into the array's sync map,
 * an array of maps: the kernel returns from that when all programs that ran have ended.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpol/array.h"
#include "internal.h"

_Static_assert((int)CPOL_UNSIGNED == (int)CPOL_ARRAY_UNSIGNED && (int)CPOL_BOOL == (int)CPOL_ARRAY_BOOL, "one numbering");

struct cpol_array {
	char name[CPOL_NAME_MAX + 1];
	char *path; /* NULL: not known */
	int map, sync;
	uint32_t id;
	struct cpol_array_info info; /* from the header, which others may change: looked at once */
	size_t bytes, half;
	struct cpol_array_header *header;
	uint64_t base; /* the version from which this one began; only if `writer` is not 0 */
	uint64_t writer; /* this process, while it writes */
};

/* Fields of the header that others change at any time. */
static _Atomic(u64) *shared(u64 *field)
{
	return (_Atomic(u64) *)field;
}

static unsigned char *half(const struct cpol_array *array, uint64_t version)
{
	return (unsigned char *)array->header + CPOL_ARRAY_PAGE + (version & 1) * array->half;
}

static uint64_t self(void)
{
	struct stat namespace = {};

	stat("/proc/self/ns/pid", &namespace); /* 0 if it is not there */
	return (uint64_t)namespace.st_ino << 32 | (uint32_t)getpid();
}

/* Whether who wrote that name has surely ended. */
static bool ended(uint64_t writer)
{
	pid_t pid = (pid_t)(writer & INT32_MAX);

	return writer >> 32 == self() >> 32 && pid > 0 && kill(pid, 0) && errno == ESRCH;
}

/* Believes the header only as far as the map has room. */
static int read_header(struct cpol_array *array)
{
	struct cpol_array_header header = *array->header;

	atomic_signal_fence(memory_order_seq_cst); /* from here on only the copy counts */
	array->info = (struct cpol_array_info){ header.size, header.width, header.bits, header.kind };
	if (header.magic != CPOL_ARRAY_MAGIC || !header.size || header.size > CPOL_MAX_TABLE || header.kind > CPOL_ARRAY_BOOL ||
	    (header.width != 1 && header.width != 2 && header.width != 4 && header.width != 8) || !header.bits ||
	    header.bits > 8 * header.width || CPOL_ARRAY_BYTES(header.size, header.width) > array->bytes)
		return cpol_fail(EINVAL, "the input %s is damaged: attach the policy again", array->name);
	array->half = CPOL_ARRAY_HALF(header.size, header.width);
	return 0;
}

int cpol_array_from(int map, int sync, const char *path, const char *name, struct cpol_array **result)
{
	struct cpol_array *array = calloc(1, sizeof(*array));
	struct cpol_map found;
	void *memory;
	int error;

	*result = NULL;
	if (!array) {
		close(map);
		if (sync >= 0)
			close(sync);
		return cpol_fail(ENOMEM, "out of memory");
	}
	array->map = map;
	array->sync = sync;
	snprintf(array->name, sizeof(array->name), "%s", name);
	array->path = path ? strdup(path) : NULL;
	error = path && !array->path ? cpol_fail(ENOMEM, "out of memory") : cpol_kernel_info(map, &found);
	if (!error && (found.type != BPF_MAP_TYPE_ARRAY || found.entries != 1 || !(found.flags & BPF_F_MMAPABLE)))
		error = cpol_fail(EINVAL, "the input %s is no array", name);
	if (!error && found.value_size < CPOL_ARRAY_BYTES(1, 1))
		error = cpol_fail(EINVAL, "the input %s is damaged: attach the policy again", name);
	if (!error) {
		array->id = found.id;
		array->bytes = ((size_t)found.value_size + CPOL_ARRAY_PAGE - 1) / CPOL_ARRAY_PAGE * CPOL_ARRAY_PAGE;
		memory = mmap(NULL, array->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
		if (memory == MAP_FAILED)
			error = cpol_fail(errno, "cannot map the input %s: %s", name, strerror(errno));
		else
			array->header = memory;
	}
	if (!error)
		error = read_header(array);
	if (error)
		cpol_array_close(array);
	else
		*result = array;
	return error;
}

void cpol_array_close(struct cpol_array *array)
{
	if (!array)
		return;
	if (array->writer)
		cpol_array_cancel(array);
	if (array->header)
		munmap(array->header, array->bytes);
	close(array->map);
	if (array->sync >= 0)
		close(array->sync);
	free(array->path);
	free(array);
}

void cpol_array_info(const struct cpol_array *array, struct cpol_array_info *info)
{
	*info = array->info;
}

uint64_t cpol_array_version(const struct cpol_array *array)
{
	return atomic_load(shared(&array->header->published));
}

const void *cpol_array_entries(const struct cpol_array *array)
{
	return half(array, cpol_array_version(array));
}

/* Whether the pin is still of this map. */
static int check_current(const struct cpol_array *array)
{
	struct cpol_map found = {};
	int fd = array->path ? cpol_kernel_open(array->path, true) : -1;

	if (!array->path)
		return 0;
	if (fd >= 0) {
		cpol_kernel_info(fd, &found);
		close(fd);
	}
	if (found.id == array->id)
		return 0;
	return cpol_fail(ESTALE, "the policy that had the input %s was replaced or detached: open it again", array->name);
}

/* Waits until no handler reads a version before `version`. */
static int settle(struct cpol_array *array, uint64_t version)
{
	uint32_t zero = 0;
	int error = array->sync < 0 ? 0 : cpol_kernel_update(array->sync, &zero, &array->map);

	if (error)
		return cpol_fail(-error, "cannot wait for the readers of the input %s: %s", array->name, strerror(-error));
	atomic_store(shared(&array->header->settled), version);
	return 0;
}

static int become_writer(struct cpol_array *array, bool take)
{
	uint64_t me = self(), other = 0;
	_Atomic(u64) *writer = shared(&array->header->writer);

	if (!atomic_compare_exchange_strong(writer, (u64 *)&other, me) &&
	    !((take || ended(other)) && atomic_compare_exchange_strong(writer, (u64 *)&other, me)))
		return cpol_fail(EBUSY, "process %u is writing the input %s", (unsigned int)(other & INT32_MAX), array->name);
	array->writer = me;
	return 0;
}

int cpol_array_begin(struct cpol_array *array, int flags, void **entries)
{
	int error;

	*entries = NULL;
	if (flags & ~(CPOL_ZERO | CPOL_TAKE))
		return cpol_fail(EINVAL, "unknown flags: %#x", flags);
	if (array->writer)
		return cpol_fail(EBUSY, "a version of the input %s was begun and not ended", array->name);
	error = check_current(array);
	if (!error)
		error = become_writer(array, flags & CPOL_TAKE);
	if (error)
		return error;
	array->base = cpol_array_version(array);
	if (atomic_load(shared(&array->header->settled)) != array->base)
		error = settle(array, array->base); /* who published it has ended before */
	if (error) {
		cpol_array_cancel(array);
		return error;
	}
	if (flags & CPOL_ZERO)
		memset(half(array, array->base + 1), 0, array->half);
	else
		memcpy(half(array, array->base + 1), half(array, array->base), array->half);
	*entries = half(array, array->base + 1);
	return 0;
}

int cpol_array_publish(struct cpol_array *array)
{
	uint64_t base = array->base;
	int error;

	if (!array->writer)
		return cpol_fail(EINVAL, "no version of the input %s was begun", array->name);
	if (array->writer != self()) {
		array->writer = 0;
		return cpol_fail(EINVAL, "the version of the input %s was begun before fork(): it is the parent's", array->name);
	}
	if (atomic_load(shared(&array->header->writer)) != array->writer ||
	    !atomic_compare_exchange_strong(shared(&array->header->published), (u64 *)&base, array->base + 1)) {
		cpol_array_cancel(array);
		return cpol_fail(EBUSY, "another program took the input %s; nothing is published", array->name);
	}
	error = settle(array, array->base + 1);
	cpol_array_cancel(array);
	return error;
}

void cpol_array_cancel(struct cpol_array *array)
{
	uint64_t me = array->writer;

	if (me && me == self()) /* in a child of fork() it is the parent's, who goes on */
		atomic_compare_exchange_strong(shared(&array->header->writer), (u64 *)&me, 0);
	array->writer = 0;
}
