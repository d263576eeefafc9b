/* SPDX-License-Identifier: MIT */
/*
 * kernel.c over plain files. An array is a file that begins with a header (cpol/array.h). A sync map, a file `cpol_sync_…`, counts by its
 * size how often somebody waited; waiting ends when all handlers have. Any other file is a hash: records of a key and a value.
 */
#include "fake.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpol/array.h"
#include "internal.h"

static pthread_rwlock_t handlers = PTHREAD_RWLOCK_INITIALIZER;

const char *fake_pins(void)
{
	return getenv("FAKE_PINS");
}

const char *fake_own_cgroup(void)
{
	return getenv("FAKE_OWN_CGROUP") ?: "/proc/self/cgroup";
}

const char *fake_cgroups(void)
{
	return getenv("FAKE_CGROUPS");
}

void fake_handler_begin(void)
{
	pthread_rwlock_rdlock(&handlers);
}

void fake_handler_end(void)
{
	pthread_rwlock_unlock(&handlers);
}

int cpol_kernel_open(const char *path, bool write)
{
	int fd = open(path, write ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int cpol_kernel_info(int fd, struct cpol_map *map)
{
	struct stat found;
	u64 magic = 0;

	if (fstat(fd, &found))
		return -errno;
	if (pread(fd, &magic, sizeof(magic), 0) == sizeof(magic) && (magic & 0xffffffff) == (CPOL_ARRAY_MAGIC & 0xffffffff))
		*map = (struct cpol_map){ BPF_MAP_TYPE_ARRAY, (uint32_t)found.st_ino, 4, (uint32_t)found.st_size, 1, BPF_F_MMAPABLE };
	else
		*map = (struct cpol_map){ BPF_MAP_TYPE_HASH, (uint32_t)found.st_ino, 8, 8, 16, 0 };
	return 0;
}

static bool is_sync(int fd)
{
	char link[64], path[512];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return strstr(path, "/cpol_sync_") != NULL;
}

/* Where the record of the key begins, or the end. */
static off_t find(int fd, uint64_t key, bool *there)
{
	uint64_t record[2];
	off_t at = 0;

	for (*there = false; pread(fd, record, sizeof(record), at) == sizeof(record); at += sizeof(record)) {
		*there = record[0] == key;
		if (*there)
			break;
	}
	return at;
}

int cpol_kernel_update(int fd, const void *key, const void *value)
{
	uint64_t record[2];
	bool there;
	off_t at;

	if (is_sync(fd)) {
		if (getenv("FAKE_NO_SYNC"))
			return -EPERM;
		pthread_rwlock_wrlock(&handlers);
		pthread_rwlock_unlock(&handlers);
		return write(fd, "w", 1) == 1 ? 0 : -errno;
	}
	memcpy(&record[0], key, sizeof(record[0]));
	memcpy(&record[1], value, sizeof(record[1]));
	at = find(fd, record[0], &there);
	if (!there && at >= (off_t)(16 * sizeof(record)))
		return -E2BIG;
	return pwrite(fd, record, sizeof(record), at) == sizeof(record) ? 0 : -errno;
}

int cpol_kernel_delete(int fd, const void *key)
{
	uint64_t number, last[2];
	struct stat found;
	bool there;
	off_t at, end;

	memcpy(&number, key, sizeof(number));
	at = find(fd, number, &there);
	if (!there)
		return -ENOENT;
	fstat(fd, &found);
	end = found.st_size - (off_t)sizeof(last);
	if (pread(fd, last, sizeof(last), end) != sizeof(last) || pwrite(fd, last, sizeof(last), at) != sizeof(last))
		return -errno;
	return ftruncate(fd, end) ? -errno : 0;
}
