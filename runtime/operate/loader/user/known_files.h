/* SPDX-License-Identifier: MIT */
/* The files whose pages a policy has, and how to open each: by its handle, so that nothing is held open and no rename matters. */
#ifndef LOADER_KNOWN_FILES_H
#define LOADER_KNOWN_FILES_H

#include "user/mounts.h"

struct file_handle;

struct known_file {
	uint64_t number; /* for the policy; 0: this cell is free */
	uint64_t inode, device;
	uint32_t generation;
	uint64_t mount;
	struct file_handle *handle; /* NULL: it cannot be opened */
	uint64_t ask_ms, wait_ms;   /* when its name may be asked for again; the last wait */
	uint64_t pages; /* of it that the policy has */
};

struct known_files {
	struct known_file *cells;
	size_t mask, n, most, idle; /* idle: files without a page */
	struct mounts mounts;
	/* Called for a file that is forgotten, so that its name is told again. */
	void (*forgets)(void *context, uint64_t inode, uint64_t device);
	void *context;
};

/* Room for so many files. */
void known_files_begin(struct known_files *files, size_t most);

void known_files_end(struct known_files *files);

/* The number of a file for the policy. */
uint64_t file_number(uint64_t inode, uint64_t device);

/*
 * The file told by its path in its file system: looked for under each mount of that. It may be one that cannot be opened: it was renamed
 * since, or it is on no local file system. A handle that is known stays until a better one is found.
 */
void known_files_named(struct known_files *files, uint64_t inode, uint64_t device, uint32_t generation, const char *path);

/* Whether its handle is known. If not, its name is asked for again, at most once a second, and less and less often. */
bool known_file_opens(struct known_files *files, struct known_file *file);

/* NULL: nothing is known of it. */
struct known_file *known_files_find(struct known_files *files, uint64_t number);

/* Pages of a file came to the policy, or left it. */
void known_files_count(struct known_files *files, uint64_t number, uint64_t more, uint64_t less);

/* Opens it for reading, below its mount, of which `mount` is a descriptor. -1 and errno; ESTALE, ENOENT: it has gone. */
int known_file_open(const struct known_file *file, int mount);

/* It cannot be opened any more. Its name is to be told again. */
void known_files_lost(struct known_files *files, struct known_file *file);

#endif
