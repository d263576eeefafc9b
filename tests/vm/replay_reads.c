// SPDX-License-Identifier: MIT
/*
 * Read pages of a file in the order of a trace, without readahead, for glue_checks.py.
 *
 *   replay_reads FILE TRACE
 *
 * The trace is an array of 32-bit numbers: a page of the file, and in bit 31 the thread that reads it. There is one read
 * at a time, in the order of the trace, whichever thread does it.
 *
 * It first prints the id of the second thread. All memory is allocated and locked by then, so if a caller moves this
 * process to a cgroup now, only page cache is charged there. After a line of input it reads, and prints how many pages
 * the disk had to read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace_file.h"

enum { PAGE = 4096 };
#define OF_SECOND 0x80000000u

static int file;
static const uint32_t *trace;
static size_t length, next; /* only the thread whose turn it is touches `next` */
static sem_t turn[2];
static _Atomic pid_t id_of_second;

static void die(const char *what)
{
	fprintf(stderr, "replay_reads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int reader_of(size_t at)
{
	return trace[at] & OF_SECOND ? 1 : 0;
}

/* Reads while it is this thread's turn, then wakes the other. At the end of the trace both end. */
static void *work(void *argument)
{
	static char buffers[2][PAGE];
	const int me = *(const int *)argument;

	if (me)
		id_of_second = gettid();
	for (;;) {
		while (sem_wait(&turn[me]))
			;
		while (next < length && reader_of(next) == me) {
			off_t page = trace[next++] & ~OF_SECOND;

			if (pread(file, buffers[me], PAGE, page * PAGE) != PAGE)
				die("pread");
		}
		sem_post(&turn[!me]);
		if (next == length)
			return NULL;
	}
}

/* The bytes that this process has made the disk read. */
static unsigned long long disk_bytes(void)
{
	static char text[1024];
	int fd = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *found;

	if (got < 0)
		die("/proc/self/io");
	close(fd);
	text[got] = 0;
	found = strstr(text, "\nread_bytes: ");
	if (!found)
		die("/proc/self/io has no read_bytes");
	return strtoull(found + strlen("\nread_bytes: "), NULL, 10);
}

static void load_trace(const char *name)
{
	size_t bytes;

	trace = read_file(name, &bytes);
	length = bytes / sizeof(*trace);
}

int main(int argc, char **argv)
{
	static int threads[] = { 0, 1 };
	pthread_t other;
	unsigned long long before;

	if (argc != 3) {
		fprintf(stderr, "usage: replay_reads FILE TRACE\n");
		return 2;
	}
	file = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (file < 0 || posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM))
		die(argv[1]);
	load_trace(argv[2]);
	if (!length || sem_init(&turn[0], 0, 0) || sem_init(&turn[1], 0, 0))
		die("no trace, or no semaphore");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	if (pthread_create(&other, NULL, work, &threads[1]))
		die("pthread_create");
	while (!id_of_second)
		usleep(1000);
	disk_bytes();
	printf("%d\n", id_of_second);
	fflush(stdout);
	wait_for_line();
	before = disk_bytes();
	sem_post(&turn[reader_of(0)]);
	work(&threads[0]);
	if (pthread_join(other, NULL))
		die("pthread_join");
	printf("%llu\n", (disk_bytes() - before) / PAGE);
	return 0;
}
