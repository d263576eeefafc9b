/* SPDX-License-Identifier: MIT */
/*
 * libcpol: an application tells the policy of its cgroup what it knows: data in bulk through shared memory, and elements of sets and maps.
 * libcpol(3) explains it. Functions that return an int return 0, or a negative errno value; then cpol_error() says in words what failed.
 * One thread at a time uses an object; different threads may use different objects.
 */
#ifndef LIBCPOL_H
#define LIBCPOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The policy that governs a cgroup. */
struct cpol;

/* An input of it that is an array. */
struct cpol_array;

enum cpol_type {
	CPOL_UNSIGNED,
	CPOL_SIGNED,
	CPOL_FIX,  /* signed, in units of 1/65536 */
	CPOL_BOOL, /* 0 is false, all else is true */
};

struct cpol_array_info {
	uint64_t size;  /* entries */
	unsigned width; /* bytes of an entry: 1, 2, 4 or 8 */
	unsigned bits;  /* of a value: the policy reads a larger one as the largest of so many bits */
	enum cpol_type type;
};

/* What a new version begins with. */
enum {
	CPOL_COPY = 0, /* the version that the policy reads */
	CPOL_ZERO = 1, /* zeros */
	CPOL_TAKE = 2, /* or-ed to it: also if another program has begun a version and not ended it */
};

/*
 * Opens the policy of a cgroup, or of the nearest one above it that has one. `cgroup` is its folder; NULL: that of the calling process.
 * -ENOENT: no policy governs it. -EACCES: the caller may not look.
 */
int cpol_open(struct cpol **policy, const char *cgroup);
void cpol_close(struct cpol *policy);

/* The id of the cgroup that the policy is attached to. */
uint64_t cpol_cgroup(const struct cpol *policy);

/* What failed last in this thread. */
const char *cpol_error(void);

/* Opens an array. The policy may be closed before it. -ENOENT: there is no such input; -EACCES: no right to write it. */
int cpol_array_open(const struct cpol *policy, const char *name, struct cpol_array **array);

/* Ends a version that was begun, too, and does not publish it. */
void cpol_array_close(struct cpol_array *array);

void cpol_array_info(const struct cpol_array *array, struct cpol_array_info *info);

/* The number of the version that the policy reads; 0 at first. */
uint64_t cpol_array_version(const struct cpol_array *array);

/* The entries that the policy reads. They are for reading, and another program may replace them. */
const void *cpol_array_entries(const struct cpol_array *array);

/*
 * Begins a new version. `entries` become its entries, which the caller writes without system calls; no policy sees them yet. -EBUSY: a
 * version was begun and not ended. -ESTALE: the policy was replaced or detached: open it again.
 */
int cpol_array_begin(struct cpol_array *array, int flags, void **entries);

/*
 * Ends the version: from here on the policy reads it, whole. Returns when no handler reads the one before any more, some milliseconds
 * later. -EBUSY: another program took the array, and nothing is published.
 */
int cpol_array_publish(struct cpol_array *array);

/* Ends the version, and the policy never sees it. */
void cpol_array_cancel(struct cpol_array *array);

/*
 * Elements of an input that is a set or a map of numbers: threads, processes, files, devices, cgroups. Adding an element again replaces
 * its value. -ENOENT from cpol_remove: it was not there, or there is no such input.
 */
int cpol_set_add(const struct cpol *policy, const char *name, uint64_t key);
int cpol_map_add(const struct cpol *policy, const char *name, uint64_t key, int64_t value);
int cpol_remove(const struct cpol *policy, const char *name, uint64_t key);

/*
 * The key of the calling thread in an input of threads, and of its process in one of processes. -ENOTSUP: in a pid namespace, where the
 * numbers that policies know cannot be learned.
 */
int cpol_thread(uint64_t *key);
int cpol_process(uint64_t *key);

#ifdef __cplusplus
}
#endif

#endif
