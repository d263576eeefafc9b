// SPDX-License-Identifier: GPL-2.0
/*
 * Read and write ranges of a file. What is written at a place follows from the place and the round, so it can be checked.
 *
 *   ranges write FILE FIRST COUNT BLOCK [nowait|insist|uring|uring-fixed|append]    COUNT blocks of BLOCK bytes, from block FIRST on
 *   ranges read FILE FIRST COUNT BLOCK [nowait|uring|uring-fixed|readv|sendfile|map|moving]    the same, checked
 *   ranges check FILE FIRST COUNT BLOCK               the same with O_DIRECT, of what the disk has
 *   ranges stripe FILE WHO OF COUNT BLOCK ROUNDS      write each OFth block from block WHO on, read each back; a new round, again
 *   ranges cut FILE KEEP ROUNDS                       truncate FILE to KEEP bytes and extend it, in turn
 *   ranges drop FILE                                  have its pages leave the cache, over and over, until it is removed
 *
 * nowait: what cannot be had at once is done in the usual way. insist: it is tried until it can be had at once. moving: a
 * block is begun to be read on one processor, and read on another.
 *
 * Prints how many blocks were transferred. Wrong data, and errors, are told, with exit code 1.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "ranges: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t word_at(uint64_t place, uint64_t round)
{
	uint64_t x = (place / 8 + 1) * 0x9e3779b97f4a7c15 ^ round * 0xbf58476d1ce4e5b9;

	return (x ^ (x >> 29)) * 0x94d049bb133111eb;
}

static void fill(uint64_t *data, uint64_t place, size_t size, uint64_t round)
{
	for (size_t i = 0; i < size / 8; i++)
		data[i] = word_at(place + 8 * i, round);
}

static void verify(const uint64_t *data, uint64_t place, size_t size, uint64_t round)
{
	for (size_t i = 0; i < size / 8; i++) {
		if (data[i] == word_at(place + 8 * i, round))
			continue;
		fprintf(stderr, "ranges: wrong data at %llu\n", (unsigned long long)(place + 8 * i));
		exit(1);
	}
}

/* ---- io_uring: one request at a time ------------------------------------------------------------------------------- */

static struct {
	int fd;
	unsigned char *sq, *cq;
	struct io_uring_sqe *sqes;
	struct io_uring_params p;
} ring;

static void ring_open(void *data, size_t size)
{
	struct iovec buffer = { data, size };

	ring.fd = syscall(SYS_io_uring_setup, 4, &ring.p);
	if (ring.fd < 0)
		die("io_uring_setup");
	ring.sq = mmap(NULL, ring.p.sq_off.array + ring.p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	ring.cq = mmap(NULL, ring.p.cq_off.cqes + ring.p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED,
		       ring.fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, ring.p.sq_entries * sizeof(*ring.sqes), PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (ring.sq == MAP_FAILED || ring.cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		die("mmap");
	if (syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &buffer, 1))
		die("io_uring_register");
}

static ssize_t ring_do(int opcode, int fd, void *data, size_t size, uint64_t place)
{
	_Atomic unsigned int *tail = (void *)(ring.sq + ring.p.sq_off.tail), *head = (void *)(ring.cq + ring.p.cq_off.head);
	unsigned int slot = *tail & (ring.p.sq_entries - 1);
	struct io_uring_cqe *cqes = (void *)(ring.cq + ring.p.cq_off.cqes);
	ssize_t result;

	ring.sqes[slot] = (struct io_uring_sqe){ .opcode = opcode, .fd = fd, .addr = (uintptr_t)data, .len = size, .off = place };
	((unsigned int *)(ring.sq + ring.p.sq_off.array))[slot] = slot;
	atomic_store(tail, *tail + 1);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		die("io_uring_enter");
	result = cqes[*head & (ring.p.cq_entries - 1)].res;
	atomic_store(head, *head + 1);
	if (result < 0)
		errno = -result;
	return result < 0 ? -1 : result;
}

/* ---- One block ----------------------------------------------------------------------------------------------------- */

static ssize_t write_block(int fd, void *data, size_t size, uint64_t place, const char *how)
{
	struct iovec part = { data, size };

	if (!strcmp(how, "nowait")) {
		ssize_t done = pwritev2(fd, &part, 1, place, RWF_NOWAIT);

		return done == (ssize_t)size ? done : pwrite(fd, data, size, place);
	}
	if (!strcmp(how, "insist")) {
		ssize_t done;

		/* Without a time of change that has to be written, too. */
		do {
			if (futimens(fd, NULL))
				die("futimens");
			done = pwritev2(fd, &part, 1, place, RWF_NOWAIT);
		} while (done < 0 && errno == EAGAIN);
		return done;
	}
	if (!strcmp(how, "uring"))
		return ring_do(IORING_OP_WRITE, fd, data, size, place);
	if (!strcmp(how, "uring-fixed"))
		return ring_do(IORING_OP_WRITE_FIXED, fd, data, size, place);
	if (!strcmp(how, "append"))
		return write(fd, data, size);
	return pwrite(fd, data, size, place);
}

static ssize_t by_sendfile(int fd, void *data, size_t size, uint64_t place)
{
	static int out = -1;
	off_t at = place;
	ssize_t sent;

	if (out < 0)
		out = memfd_create("out", 0);
	if (out < 0 || lseek(out, 0, SEEK_SET))
		die("memfd");
	sent = sendfile(out, fd, &at, size);
	return sent < 0 ? sent : pread(out, data, sent, 0);
}

static ssize_t by_map(int fd, void *data, size_t size, uint64_t place)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, place);

	if (map == MAP_FAILED)
		return -1;
	memcpy(data, map, size);
	munmap(map, size);
	return size;
}

static void go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static ssize_t by_moving(int fd, void *data, size_t size, uint64_t place)
{
	go_to(0);
	if (readahead(fd, place, size))
		die("readahead");
	go_to(1);
	return pread(fd, data, size, place);
}

static ssize_t read_block(int fd, char *data, size_t size, uint64_t place, const char *how)
{
	struct iovec parts[2] = { { data, size / 2 }, { data + size / 2, size - size / 2 } };

	if (!strcmp(how, "nowait")) {
		ssize_t done = preadv2(fd, parts, 2, place, RWF_NOWAIT);

		return done == (ssize_t)size ? done : pread(fd, data, size, place);
	}
	if (!strcmp(how, "uring"))
		return ring_do(IORING_OP_READ, fd, data, size, place);
	if (!strcmp(how, "uring-fixed"))
		return ring_do(IORING_OP_READ_FIXED, fd, data, size, place);
	if (!strcmp(how, "readv"))
		return preadv(fd, parts, 2, place);
	if (!strcmp(how, "sendfile"))
		return by_sendfile(fd, data, size, place);
	if (!strcmp(how, "map"))
		return by_map(fd, data, size, place);
	if (!strcmp(how, "moving"))
		return by_moving(fd, data, size, place);
	return pread(fd, data, size, place);
}

static void blocks(bool writes, int fd, uint64_t first, uint64_t count, size_t size, const char *how)
{
	void *data = aligned_alloc(4096, (size + 4095) & -4096UL);
	uint64_t moved = 0;
	ssize_t got;

	if (!data)
		die("memory");
	if (!strncmp(how, "uring", 5))
		ring_open(data, size);
	for (uint64_t i = first; i < first + count; i++) {
		if (writes)
			fill(data, i * size, size, 0);
		got = writes ? write_block(fd, data, size, i * size, how) : read_block(fd, data, size, i * size, how);
		if (got != (ssize_t)size)
			die(got < 0 ? how : "short");
		if (!writes)
			verify(data, i * size, size, 0);
		moved++;
	}
	printf("%llu\n", (unsigned long long)moved);
}

static void stripe(int fd, uint64_t who, uint64_t of, uint64_t count, size_t size, uint64_t rounds)
{
	void *data = aligned_alloc(4096, size);

	if (!data)
		die("memory");
	for (uint64_t round = rounds; round--;)
		for (uint64_t i = who; i < count; i += of) {
			fill(data, i * size, size, round);
			if (pwrite(fd, data, size, i * size) != (ssize_t)size)
				die("pwrite");
			memset(data, 0, size);
			if (pread(fd, data, size, i * size) != (ssize_t)size)
				die("pread");
			verify(data, i * size, size, round);
		}
	printf("%llu\n", (unsigned long long)((count - who + of - 1) / of * rounds));
}

static void cut(int fd, off_t keep, unsigned long rounds)
{
	while (rounds--)
		if (ftruncate(fd, keep) || ftruncate(fd, keep + (4 << 20)))
			die("ftruncate");
}

static void drop(int fd)
{
	struct stat status;

	do {
		if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) || fstat(fd, &status))
			die("drop");
	} while (status.st_nlink);
}

int main(int argc, char **argv)
{
	uint64_t number[5] = {};
	const char *how = "";
	int flags = O_RDWR, fd;

	if (argc < 3) {
		fprintf(stderr, "usage: see the beginning of ranges.c\n");
		return 2;
	}
	for (int i = 3; i < argc && i < 8; i++)
		number[i - 3] = strtoull(argv[i], NULL, 10);
	if (argc == 7)
		how = argv[6];
	if (!strcmp(argv[1], "write"))
		flags |= O_CREAT | (strcmp(how, "append") ? 0 : O_APPEND);
	else if (!strcmp(argv[1], "check"))
		flags = O_RDONLY | O_DIRECT;
	else if (!strcmp(argv[1], "read"))
		flags = O_RDONLY;
	fd = open(argv[2], flags, 0644);
	if (fd < 0)
		die(argv[2]);
	if (!strcmp(argv[1], "write"))
		blocks(true, fd, number[0], number[1], number[2], how);
	else if (!strcmp(argv[1], "read") || !strcmp(argv[1], "check"))
		blocks(false, fd, number[0], number[1], number[2], how);
	else if (!strcmp(argv[1], "stripe"))
		stripe(fd, number[0], number[1], number[2], number[3], number[4]);
	else if (!strcmp(argv[1], "cut"))
		cut(fd, number[0], number[1]);
	else if (!strcmp(argv[1], "drop"))
		drop(fd);
	else
		return 2;
	return 0;
}
