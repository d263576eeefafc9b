/* SPDX-License-Identifier: MIT */
/* What the parts of libcpol share. cpol-loader is linked with some of them. */
#ifndef CPOL_APP_INTERNAL_H
#define CPOL_APP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "libcpol.h"

#ifndef CPOL_PINS
#define CPOL_PINS "/sys/fs/bpf/cpol" /* the loader's folder of pins; tests have another */
#endif
#ifndef CPOL_CGROUPS
#define CPOL_CGROUPS "/sys/fs/cgroup"
#endif

#ifndef CPOL_OWN_CGROUP
#define CPOL_OWN_CGROUP "/proc/self/cgroup"
#endif

#define CPOL_NAME_MAX 64
#define CPOL_PATH_MAX 512 /* more than any pin's */
#define CPOL_INPUT_PIN "cpol_input_" /* and the input's name */
#define CPOL_SYNC_PIN "cpol_sync_" /* and the name of an array */

/* Keeps words for cpol_error(). Returns -error. */
int cpol_fail(int error, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct cpol {
	uint64_t cgroup;
};

/* The system call bpf(2). Tests have these over plain files. All return a negative errno value if they fail. */
struct cpol_map {
	uint32_t type, id, key_size, value_size, entries, flags;
};

int cpol_kernel_open(const char *path, bool write); /* a descriptor */
int cpol_kernel_info(int fd, struct cpol_map *map);
int cpol_kernel_update(int fd, const void *key, const void *value);
int cpol_kernel_delete(int fd, const void *key);

/* Opens the pin of an input, `prefix` and its name, whose path becomes known. */
int cpol_input_open(const struct cpol *policy, const char *prefix, const char *name, char path[CPOL_PATH_MAX]);

/*
 * An array from descriptors of its map and of its sync map, which it then owns. `path` is the pin of the map, and kept; NULL: begin does
 * not ask whether the policy is still there.
 */
int cpol_array_from(int map, int sync, const char *path, const char *name, struct cpol_array **array);

#endif
