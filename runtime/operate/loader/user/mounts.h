/* SPDX-License-Identifier: MIT */
/* Which mounts a local file system has: by its device, as the kernel's tracing programs tell it. */
#ifndef LOADER_MOUNTS_H
#define LOADER_MOUNTS_H

#include "system/util.h"

struct mount {
	uint64_t id, device; /* of the superblock, in the kernel's form */
	char *root, *place;  /* the folder of the file system, and where it is mounted */
};

struct mounts {
	struct mount *all;
	size_t n;
	uint64_t read_ms; /* of CLOCK_MONOTONIC; 0: not yet */
};

/* Reads the mounts anew if what is known of them is older than a second. */
void mounts_refresh(struct mounts *mounts);

void mounts_free(struct mounts *mounts);

/* The mount with this id; NULL: there is none. */
const struct mount *mount_of_id(const struct mounts *mounts, uint64_t id);

/* The path below a mount of a file that has this path in its file system; NULL: the mount does not show it. */
const char *path_below(const struct mount *mount, const char *path);

/* Opens the folder where it is mounted; -1: another mount hides it, or it has gone. */
int mount_open(const struct mount *mount);

#endif
