// SPDX-License-Identifier: MIT
/*
 * Read a file in a known way, and print what the page cache had of each request: HITS MISSES CACHED, in pages. CACHED: of the file, at the end.
 *
 * Usage: known_reads HOW FILE PAGES. HOW: small (4 KiB a read), large (256 KiB), random (4 KiB, in no order), mapping, uring, splice, direct.
 * Before each request, mincore(2) tells which of its pages are cached, once all reads ahead have ended. A fault tells by getrusage(2).
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PAGE = 4096, LARGE = 64, WAIT_US = 200, STRIDE = 37 };

static unsigned long hits, misses, file_pages;
static char in_flight[64]; /* the file that tells how many requests the disk works on */
static unsigned char *resident;
static char *file_map;

static unsigned long cached(void)
{
	unsigned long sum = 0;

	if (mincore(file_map, file_pages * PAGE, resident))
		err(1, "mincore");
	for (unsigned long i = 0; i < file_pages; i++)
		sum += resident[i] & 1;
	return sum;
}

/* Whether the disk still reads: mincore() does not tell of pages on their way, which a request finds. */
static int reads(void)
{
	unsigned int reading = 0, writing;
	FILE *file = fopen(in_flight, "r");

	if (!file || fscanf(file, "%u %u", &reading, &writing) != 2)
		err(1, "%s", in_flight);
	fclose(file);
	return reading > 0;
}

/* Counts what is cached of the pages of the next request. */
static void expect(unsigned long first, unsigned long pages)
{
	while (reads())
		usleep(WAIT_US);
	cached();
	for (unsigned long i = first; i < first + pages && i < file_pages; i++)
		*(resident[i] & 1 ? &hits : &misses) += 1;
}

static void read_pages(int fd, unsigned long pages, unsigned long step, unsigned long stride)
{
	static char buffer[LARGE * PAGE] __attribute__((aligned(PAGE)));

	for (unsigned long i = 0; i < pages; i += step) {
		unsigned long first = i * stride % file_pages;

		expect(first, step);
		if (pread(fd, buffer, step * PAGE, (off_t)first * PAGE) < 0)
			err(1, "pread");
	}
}

static void read_direct(int fd, unsigned long pages)
{
	static char buffer[PAGE] __attribute__((aligned(PAGE)));

	for (unsigned long i = 0; i < pages; i++)
		if (pread(fd, buffer, PAGE, (off_t)i * PAGE) != PAGE)
			err(1, "pread");
}

static void touch(int fd, unsigned long pages)
{
	volatile char *map = mmap(NULL, file_pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		err(1, "mmap");
	for (unsigned long i = 0; i < pages; i++) {
		struct rusage before, after;

		getrusage(RUSAGE_SELF, &before);
		(void)map[i * PAGE];
		getrusage(RUSAGE_SELF, &after);
		misses += (unsigned long)(after.ru_majflt - before.ru_majflt);
		hits += (unsigned long)(after.ru_minflt - before.ru_minflt);
	}
}

static void splice_pages(int fd, unsigned long pages)
{
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (pipe2(ends, O_CLOEXEC) || null < 0)
		err(1, "pipe");
	for (unsigned long i = 0; i < pages;) {
		loff_t from = (loff_t)i * PAGE;
		ssize_t got;

		expect(i, 8);
		got = splice(fd, &from, ends[1], NULL, 8 * PAGE, 0);
		if (got != 8 * PAGE || splice(ends[0], NULL, null, NULL, (size_t)got, 0) != got)
			err(1, "splice");
		i += (unsigned long)got / PAGE;
	}
}

/* One read at a time, so that mincore tells of each. */
static void read_by_uring(int fd, unsigned long pages)
{
	static char buffer[4 * PAGE] __attribute__((aligned(PAGE)));
	struct io_uring_params params = {};
	int ring = (int)syscall(__NR_io_uring_setup, 4, &params);
	size_t bytes = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	char *queue, *done;
	struct io_uring_sqe *entries;

	if (ring < 0)
		err(1, "io_uring_setup");
	queue = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQ_RING);
	bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	done = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_CQ_RING);
	bytes = params.sq_entries * sizeof(*entries);
	entries = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, IORING_OFF_SQES);
	if (queue == MAP_FAILED || done == MAP_FAILED || (void *)entries == MAP_FAILED)
		err(1, "mmap");
	for (unsigned long i = 0; i < pages; i += 4) {
		uint32_t *tail = (uint32_t *)(queue + params.sq_off.tail), *head = (uint32_t *)(done + params.cq_off.head);
		uint32_t at = *tail & (params.sq_entries - 1);
		struct io_uring_cqe *result = (struct io_uring_cqe *)(done + params.cq_off.cqes) + (*head & (params.cq_entries - 1));

		expect(i, 4);
		entries[at] = (struct io_uring_sqe){ .opcode = IORING_OP_READ, .fd = fd, .off = i * PAGE, .len = 4 * PAGE };
		entries[at].addr = (uint64_t)buffer;
		((uint32_t *)(queue + params.sq_off.array))[at] = at;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1 || result->res != 4 * PAGE)
			err(1, "io_uring_enter");
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	}
}

int main(int argc, char **argv)
{
	struct stat status;
	unsigned long pages;
	int fd;

	if (argc != 4)
		errx(2, "usage: known_reads HOW FILE PAGES");
	fd = open(argv[2], O_RDONLY | O_CLOEXEC | (strcmp(argv[1], "direct") ? 0 : O_DIRECT));
	if (fd < 0 || fstat(fd, &status))
		err(1, "%s", argv[2]);
	snprintf(in_flight, sizeof(in_flight), "/sys/dev/block/%u:%u/inflight", major(status.st_dev), minor(status.st_dev));
	pages = strtoul(argv[3], NULL, 10);
	file_pages = (unsigned long)status.st_size / PAGE;
	resident = malloc(file_pages);
	file_map = mmap(NULL, file_pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (!resident || file_map == MAP_FAILED)
		err(1, "mmap");
	if (!strcmp(argv[1], "small"))
		read_pages(fd, pages, 1, 1);
	else if (!strcmp(argv[1], "large"))
		read_pages(fd, pages, LARGE, 1);
	else if (!strcmp(argv[1], "random"))
		read_pages(fd, pages, 1, STRIDE);
	else if (!strcmp(argv[1], "mapping"))
		touch(fd, pages);
	else if (!strcmp(argv[1], "uring"))
		read_by_uring(fd, pages);
	else if (!strcmp(argv[1], "splice"))
		splice_pages(fd, pages);
	else if (!strcmp(argv[1], "direct"))
		read_direct(fd, pages);
	else
		errx(2, "unknown: %s", argv[1]);
	printf("%lu %lu %lu\n", hits, misses, cached());
	return 0;
}
