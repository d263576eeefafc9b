// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a file in one of several ways and prints a hash (FNV-1a, 64 bits) of what it saw; or says what is cached of it.
 *
 *   pages read|pread|mmap|splice|direct FILE    hash of the whole file. pread: 512 bytes at a time
 *   pages cached FILE                           pages of the file in the page cache
 *   pages ahead FILE                            asks for readahead of the whole file, reads none of it
 *   pages dirty FILE                            maps it and writes to a byte of each page what is there already
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

static uint64_t hash = 0xcbf29ce484222325;

static void feed(const unsigned char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * 0x100000001b3;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void by_read(int fd, size_t chunk)
{
	unsigned char *buffer = aligned_alloc(4096, CHUNK);
	ssize_t got;

	if (!buffer)
		die("memory");
	while ((got = read(fd, buffer, chunk)) > 0)
		feed(buffer, got);
	if (got < 0)
		die("read");
	free(buffer);
}

static void by_splice(int fd)
{
	unsigned char *buffer = malloc(CHUNK);
	ssize_t moved, got;
	int ends[2];

	if (!buffer || pipe(ends))
		die("pipe");
	while ((moved = splice(fd, NULL, ends[1], NULL, CHUNK, 0)) > 0)
		for (; moved > 0; moved -= got) {
			got = read(ends[0], buffer, moved < CHUNK ? moved : CHUNK);
			if (got <= 0)
				die("pipe");
			feed(buffer, got);
		}
	if (moved < 0)
		die("splice");
	free(buffer);
}

int main(int argc, char **argv)
{
	unsigned char *map, *in;
	size_t size, pages, cached = 0;
	struct stat status;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: pages read|pread|mmap|splice|direct|cached|ahead|dirty FILE\n");
		return 2;
	}
	fd = open(argv[2], !strcmp(argv[1], "dirty") ? O_RDWR : !strcmp(argv[1], "direct") ? O_RDONLY | O_DIRECT : O_RDONLY);
	if (fd < 0 || fstat(fd, &status))
		die(argv[2]);
	size = status.st_size;
	pages = (size + 4095) / 4096;
	if (!strcmp(argv[1], "read") || !strcmp(argv[1], "direct")) {
		by_read(fd, CHUNK);
	} else if (!strcmp(argv[1], "pread")) {
		by_read(fd, 512);
	} else if (!strcmp(argv[1], "splice")) {
		by_splice(fd);
	} else if (!strcmp(argv[1], "ahead")) {
		errno = posix_fadvise(fd, 0, size, POSIX_FADV_WILLNEED);
		if (errno)
			die("posix_fadvise");
		return 0;
	} else {
		map = mmap(NULL, size, !strcmp(argv[1], "dirty") ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED)
			die("mmap");
		if (!strcmp(argv[1], "mmap")) {
			feed(map, size);
		} else if (!strcmp(argv[1], "dirty")) {
			for (size_t i = 0; i < size; i += 4096)
				*(volatile unsigned char *)(map + i) = map[i];
			return 0;
		} else {
			in = calloc(pages, 1);
			if (!in || mincore(map, size, in))
				die("mincore");
			for (size_t i = 0; i < pages; i++)
				cached += in[i] & 1;
			printf("%zu\n", cached);
			return 0;
		}
	}
	printf("%016llx\n", (unsigned long long)hash);
	return 0;
}
