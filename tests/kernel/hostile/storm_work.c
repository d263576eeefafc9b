// SPDX-License-Identifier: GPL-2.0
/*
 * What processes in cgroups do to files. FILE is e or x for the file system (ext4, XFS; b: btrfs), and a number, or b for the big
 * one that nobody changes. Each page of a file begins and ends with a word that depends on where it is in the file; pages of scratch
 * files may also be holes. FIRST and COUNT are pages:
 *
 *   read, willneed, dontneed, map, dirty, pageout, cold, lock, splice, direct, hard, soft FILE FIRST COUNT
 *   write, punch FILE FIRST COUNT
 *   points FILE TOTAL N     N pages, most of them near the start
 *   swap KIB ORDER HOW      uses memory that was swapped out (storm_swap.c)
 *   truncate FILE BYTES; fsync, unlink, collapse FILE; rename FILE FILE; anon KIB; nap MS
 */
#define _GNU_SOURCE
#include "storm.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 16
#ifndef MADV_COLD
#define MADV_COLD 20
#define MADV_PAGEOUT 21
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#ifndef MADV_SOFT_OFFLINE
#define MADV_SOFT_OFFLINE 101
#endif

static char *buffer;

const char *file_path(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "/run/storm/%c/%s", name[0], name);
	return path;
}

int file_open(const char *name, int flags)
{
	return open(file_path(name), flags | O_CLOEXEC, 0644);
}

static uint64_t mark(size_t page)
{
	return (page + 1) * 0x9e3779b97f4a7c15;
}

static void fill(char *page, size_t number)
{
	uint64_t word = mark(number);

	memcpy(page, &word, 8);
	memcpy(page + PAGE - 8, &word, 8);
}

/* Ends the process if a page has another page's data. */
static void look(const char *name, const char *page, size_t number, size_t size)
{
	bool hole = name[1] != 'b';
	uint64_t word;

	for (size_t at = 0; at < PAGE; at += PAGE - 8) {
		if (at + 8 > size)
			return;
		memcpy(&word, page + at, 8);
		if (word == mark(number) || (hole && !word))
			continue;
		say("not ok round %d: page %zu of %s has %016llx at %zu", round_number, number, name, (unsigned long long)word, at);
		_exit(WRONG_DATA);
	}
}

static void do_read(const char *name, size_t first, size_t count, int flags)
{
	int fd = file_open(name, O_RDONLY | flags);
	ssize_t got;

	for (size_t page = first; page < first + count; page += CHUNK) {
		got = pread(fd, buffer, CHUNK * PAGE, page * PAGE);
		/* A truncation may go on meanwhile, whose end is not a page's. */
		for (ssize_t at = 0; at + (ssize_t)PAGE <= got; at += PAGE)
			look(name, buffer + at, page + at / PAGE, PAGE);
		if (got < (ssize_t)(CHUNK * PAGE))
			break;
	}
	close(fd);
}

static void do_points(const char *name, size_t total, size_t count)
{
	int fd = file_open(name, O_RDONLY);
	size_t page;

	for (size_t i = 0; i < count; i++) {
		page = rand() % total;
		page = page * page / total;
		if (pread(fd, buffer, 64, page * PAGE) == 64)
			look(name, buffer, page, 64);
	}
	close(fd);
}

static void do_write(const char *name, size_t first, size_t count)
{
	int fd = file_open(name, O_WRONLY | O_CREAT);

	memset(buffer, 0, PAGE);
	for (size_t page = first; page < first + count; page++) {
		fill(buffer, page);
		if (pwrite(fd, buffer, PAGE, page * PAGE) != (ssize_t)PAGE)
			break;
	}
	close(fd);
}

/* Maps a part of a file and does something to it. A page may go away under it: then SIGBUS ends the process. */
static void do_map(const char *word, const char *name, size_t first, size_t count)
{
	bool dirty = !strcmp(word, "dirty");
	int fd = file_open(name, dirty ? O_RDWR : O_RDONLY);
	char *map = mmap(NULL, count * PAGE, PROT_READ | (dirty ? PROT_WRITE : 0), MAP_SHARED, fd, first * PAGE);

	close(fd);
	if (map == MAP_FAILED)
		return;
	for (size_t i = 0; i < count; i += 1 + (i & 3)) {
		look(name, map + i * PAGE, first + i, PAGE);
		if (dirty)
			fill(map + i * PAGE, first + i);
	}
	if (!strcmp(word, "pageout"))
		madvise(map, count * PAGE, MADV_PAGEOUT);
	else if (!strcmp(word, "cold"))
		madvise(map, count * PAGE, MADV_COLD);
	else if (!strcmp(word, "lock"))
		mlock(map, count * PAGE);
	munmap(map, count * PAGE);
}

void poison(const char *name, bool hard, size_t first, size_t count)
{
	int fd = file_open(name, O_RDONLY);
	char *map = mmap(NULL, count * PAGE, PROT_READ, MAP_SHARED, fd, first * PAGE);

	close(fd);
	if (map == MAP_FAILED)
		return;
	/* madvise() brings pages in by itself. One page each time: memory is lost. */
	madvise(map, PAGE, hard ? MADV_HWPOISON : MADV_SOFT_OFFLINE);
	munmap(map, count * PAGE);
}

static void do_splice(const char *name, size_t first, size_t count)
{
	int fd = file_open(name, O_RDONLY), ends[2];
	off_t at = first * PAGE;
	ssize_t moved;

	if (pipe2(ends, O_CLOEXEC))
		return;
	while (count && (moved = splice(fd, &at, ends[1], NULL, CHUNK * PAGE, SPLICE_F_NONBLOCK)) > 0) {
		for (ssize_t got; moved > 0; moved -= got)
			if ((got = read(ends[0], buffer, moved)) <= 0)
				break;
		count = count > CHUNK ? count - CHUNK : 0;
	}
	close(ends[0]);
	close(ends[1]);
	close(fd);
}

/* The first 2 MiB become one folio, if the file system and the cgroup let them. */
static void do_collapse(const char *name)
{
	size_t size = PAGES * PAGE;
	int fd = file_open(name, O_RDONLY);
	char *map = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = map + -(uintptr_t)map % size;

	if (map == MAP_FAILED || mmap(at, size, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		return;
	close(fd);
	look(name, at, 0, PAGE);
	madvise(at, size, MADV_COLLAPSE);
	look(name, at + size - PAGE, PAGES - 1, PAGE);
	munmap(map, 2 * size);
}

static void do_anon(size_t kib)
{
	char *map = mmap(NULL, kib << 10, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return;
	for (size_t at = 0; at < kib << 10; at += PAGE)
		*(volatile char *)(map + at) = 1;
	munmap(map, kib << 10);
}

static void do_part(const struct op *op)
{
	size_t first = atol(op->word[2]), count = atol(op->word[3]);
	const char *word = op->word[0], *name = op->word[1];
	int fd;

	if (!strcmp(word, "read") || !strcmp(word, "direct")) {
		do_read(name, first, count, word[0] == 'd' ? O_DIRECT : 0);
	} else if (!strcmp(word, "points")) {
		do_points(name, first, count);
	} else if (!strcmp(word, "write")) {
		do_write(name, first, count);
	} else if (!strcmp(word, "splice")) {
		do_splice(name, first, count);
	} else if (!strcmp(word, "hard") || !strcmp(word, "soft")) {
		poison(name, word[0] == 'h', first, count);
	} else if (!strcmp(word, "willneed") || !strcmp(word, "dontneed") || !strcmp(word, "punch")) {
		fd = file_open(name, word[0] == 'p' ? O_RDWR : O_RDONLY);
		if (word[0] == 'p')
			fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first * PAGE, count * PAGE);
		else
			posix_fadvise(fd, first * PAGE, count * PAGE, word[0] == 'w' ? POSIX_FADV_WILLNEED : POSIX_FADV_DONTNEED);
		close(fd);
	} else {
		do_map(word, name, first, count);
	}
}

static void do_step(const char *group, const struct op *op)
{
	const char *word = op->word[0];
	char other[64];
	int fd;

	if (!strcmp(word, "swap")) {
		swap_use(group, atol(op->word[1]), op->word[2], op->word[3]);
	} else if (op->nr == 4) {
		do_part(op);
	} else if (!strcmp(word, "truncate")) {
		truncate(file_path(op->word[1]), atol(op->word[2]));
	} else if (!strcmp(word, "fsync")) {
		fd = file_open(op->word[1], O_RDONLY);
		fsync(fd);
		close(fd);
	} else if (!strcmp(word, "unlink")) {
		unlink(file_path(op->word[1]));
	} else if (!strcmp(word, "rename")) {
		snprintf(other, sizeof(other), "%s", file_path(op->word[2]));
		rename(file_path(op->word[1]), other);
	} else if (!strcmp(word, "collapse")) {
		do_collapse(op->word[1]);
	} else if (!strcmp(word, "anon")) {
		do_anon(atol(op->word[1]));
	} else if (!strcmp(word, "nap")) {
		nap_ms(atoi(op->word[1]));
	} else {
		say("not ok round %d: unknown word %s", round_number, word);
	}
}

pid_t work_start(const char *group, int cpu, const struct ops *ops)
{
	pid_t pid = fork();
	cpu_set_t cpus;
	char text[16];

	if (pid)
		return pid;
	policies_forget();
	snprintf(text, sizeof(text), "%d", getpid());
	write_group(group, "cgroup.procs", text);
	CPU_ZERO(&cpus);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	buffer = aligned_alloc(PAGE, CHUNK * PAGE);
	if (!buffer)
		_exit(2);
	srand(round_number * 31 + cpu);
	faults_join(true);
	for (int i = 0; i < ops->nr; i++)
		do_step(group, &ops->op[i]);
	_exit(0);
}
