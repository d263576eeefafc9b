// SPDX-License-Identifier: GPL-2.0
/*
 * Read a file in one of several ways and print a hash of the data; or change or count its page cache.
 *
 *   pages read|pread|mmap|splice|direct FILE    hash the whole file; pread: 512 bytes at a time
 *   pages single FILE                           hash it, as one that is read at random: each page is a folio of its own
 *   pages cached FILE                           print the number of cached pages
 *   pages ahead FILE                            request readahead of the whole file, read nothing
 *   pages dirty FILE                            map it and rewrite a byte of each page
 *   pages collapse FILE                         map it, collapse each 2 MiB into a huge page, print their number
 *   pages hold MIB                              write to anonymous memory, print "held", wait for the end of standard input
 *   pages lock FILE FIRST COUNT                 mlock these pages, print "held", wait to be killed
 *   pages keep FILE                             map it, read a byte of each page, print "held", wait for the end
 *                                               of standard input
 *   pages kernel MIB                            map charged kernel memory (a BPF map), write to it, unmap it
 *   pages write FILE TEXT                       write it while a handled signal comes each millisecond; print how that ended
 *   pages on NODE ...                           any of these, with memory of this NUMA node only
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define CHUNK 65536
#define HUGE (2UL << 20)
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define BIND 2 /* MPOL_BIND of linux/mempolicy.h */

static uint64_t hash = 0xcbf29ce484222325;

/*
 * As FNV-1a, but of eight bytes at a time: this runs in an emulated machine. Whichever way the file is read, each part but
 * the last has a multiple of eight bytes.
 */
static void feed(const unsigned char *data, size_t size)
{
	size_t at = 0;

	for (; at + 8 <= size; at += 8) {
		uint64_t word;

		memcpy(&word, data + at, 8);
		hash = (hash ^ word) * 0x100000001b3;
		/* A product's low bits know nothing of the factors' high ones. */
		hash ^= hash >> 32;
	}
	for (; at < size; at++)
		hash = (hash ^ data[at]) * 0x100000001b3;
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

/* Collapse part by part, so that the file may exceed the page cache. */
static void collapse(int fd, size_t size)
{
	unsigned char *map = mmap(NULL, size + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t done = 0;

	if (map == MAP_FAILED)
		die("mmap");
	map += -(uintptr_t)map % HUGE;
	for (size_t at = 0; at + HUGE <= size; at += HUGE, done++) {
		if (mmap(map, HUGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, at) == MAP_FAILED)
			die("mmap");
		if (madvise(map, HUGE, MADV_POPULATE_READ) || madvise(map, HUGE, MADV_COLLAPSE))
			die("madvise");
	}
	printf("%zu\n", done);
}

static void wait_for_end(void)
{
	char c;

	printf("held\n");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
}

/* Incompressible data, so that zram needs as much memory as is swapped out. */
static void hold(size_t size)
{
	uint64_t *memory = malloc(size), state = 88172645463325252;

	if (!memory)
		die("memory");
	for (size_t i = 0; i < size / 8; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memory[i] = state;
	}
	wait_for_end();
}

static int lock(const char *path, const char *first, const char *count)
{
	size_t size = strtoull(count, NULL, 10) * 4096;
	int fd = open(path, O_RDONLY);
	void *map;

	if (fd < 0)
		die(path);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, strtoull(first, NULL, 10) * 4096);
	if (map == MAP_FAILED || mlock(map, size))
		die("mlock");
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}

static void kernel_memory(size_t size)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4096,
		.max_entries = size / 4096,
		.map_flags = BPF_F_MMAPABLE,
	};
	int fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	unsigned char *memory;

	if (fd < 0)
		die("bpf");
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	for (size_t i = 0; i < size; i += 4096)
		*(volatile unsigned char *)(memory + i) = 1;
	if (munmap(memory, size))
		die("munmap");
}

static void on_signal(int number)
{
	(void)number;
}

static void write_with_signals(const char *path, const char *text)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = on_signal };
	int fd = open(path, O_WRONLY);

	if (fd < 0 || sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		die(path);
	printf("%s\n", write(fd, text, strlen(text)) < 0 ? strerror(errno) : "written");
}

int main(int argc, char **argv)
{
	unsigned char *map, *in;
	size_t size, pages, cached = 0;
	struct stat status;
	int fd;

	if (argc == 5 && !strcmp(argv[1], "on")) {
		unsigned long nodes = 1UL << atoi(argv[2]);

		if (syscall(SYS_set_mempolicy, BIND, &nodes, 8 * sizeof(nodes)))
			die("set_mempolicy");
		argv += 2;
		argc -= 2;
	}
	if (argc == 5 && !strcmp(argv[1], "lock"))
		return lock(argv[2], argv[3], argv[4]);
	if (argc == 4 && !strcmp(argv[1], "write")) {
		write_with_signals(argv[2], argv[3]);
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: pages [on NODE] read|pread|mmap|splice|direct|cached|ahead|dirty|collapse|keep FILE\n"
				"       pages [on NODE] hold|kernel MIB\n"
				"       pages lock FILE FIRST COUNT\n"
				"       pages write FILE TEXT\n");
		return 2;
	}
	if (!strcmp(argv[1], "hold")) {
		hold((size_t)atoi(argv[2]) << 20);
		return 0;
	}
	if (!strcmp(argv[1], "kernel")) {
		kernel_memory((size_t)atoi(argv[2]) << 20);
		return 0;
	}
	fd = open(argv[2], !strcmp(argv[1], "dirty") ? O_RDWR : !strcmp(argv[1], "direct") ? O_RDONLY | O_DIRECT : O_RDONLY);
	if (fd < 0 || fstat(fd, &status))
		die(argv[2]);
	size = status.st_size;
	pages = (size + 4095) / 4096;
	if (!strcmp(argv[1], "collapse")) {
		collapse(fd, size);
		return 0;
	}
	if (!strcmp(argv[1], "single")) {
		errno = posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		if (errno)
			die("posix_fadvise");
	}
	if (!strcmp(argv[1], "read") || !strcmp(argv[1], "direct") || !strcmp(argv[1], "single")) {
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
		if (!strcmp(argv[1], "keep")) {
			for (size_t i = 0; i < size; i += 4096)
				(void)*(volatile unsigned char *)(map + i);
			wait_for_end();
			return 0;
		}
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
