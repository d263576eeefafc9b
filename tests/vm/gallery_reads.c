// SPDX-License-Identifier: MIT
/*
 * Play the requests of a problem of the gallery, for gallery_checks.py.
 *
 *   gallery_reads TRACE COMMAND FILE [COMMAND FILE…]
 *
 * Each COMMAND FILE is a reader: a thread with that name, and the file that it reads or writes. The trace is an array of
 * pairs of 32-bit numbers: the reader, with bit 31 set if it writes, and the page. There is one request at a time, in the
 * order of the trace, whichever thread does it. Readahead is left as it is. Who writes waits for the disk after each
 * SYNC pages: the kernel makes those wait longer who fill a small cgroup with dirty pages.
 *
 * It first prints the ids of the threads. All memory is allocated and locked by then, so if a caller moves this process
 * to a cgroup now, only page cache is charged there. After a line of input it plays, and then prints how many requests
 * there were.
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
#include <sys/prctl.h>
#include <unistd.h>

#include "trace_file.h"

enum { PAGE = 4096, MOST = 32, SYNC = 32 };
#define WRITES 0x80000000u

struct request {
	uint32_t who, page;
};

static const struct request *trace;
static size_t length, next; /* only the thread whose turn it is touches `next` */
static struct reader {
	const char *name;
	int file;
	sem_t turn, named;
	pid_t id;
	unsigned int dirty;
	char buffer[PAGE];
} readers[MOST];
static int number;

static void die(const char *what)
{
	fprintf(stderr, "gallery_reads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct reader *reader_of(size_t at)
{
	return &readers[trace[at].who & ~WRITES];
}

static void play(struct reader *me, const struct request *one)
{
	off_t at = (off_t)one->page * PAGE;
	ssize_t done = one->who & WRITES ? pwrite(me->file, me->buffer, PAGE, at) : pread(me->file, me->buffer, PAGE, at);

	if (done != PAGE)
		die(me->name);
	if (one->who & WRITES && ++me->dirty % SYNC == 0 && fdatasync(me->file))
		die("fdatasync");
}

/* Plays while it is this thread's turn, then wakes the one that comes next. At the end of the trace it wakes all. */
static void *work(void *argument)
{
	struct reader *me = argument;

	if (prctl(PR_SET_NAME, me->name))
		die("prctl");
	me->id = gettid();
	sem_post(&me->named);
	for (;;) {
		while (sem_wait(&me->turn))
			;
		while (next < length && reader_of(next) == me)
			play(me, &trace[next++]);
		if (next == length)
			break;
		sem_post(&reader_of(next)->turn);
	}
	for (int each = 0; each < number; each++)
		sem_post(&readers[each].turn);
	return NULL;
}

static void load_trace(const char *name)
{
	size_t bytes;

	trace = read_file(name, &bytes);
	length = bytes / sizeof(*trace);
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	number = (argc - 2) / 2;
	if (argc < 4 || argc % 2 || number > MOST) {
		fprintf(stderr, "usage: gallery_reads TRACE COMMAND FILE [COMMAND FILE...]\n");
		return 2;
	}
	load_trace(argv[1]);
	for (size_t at = 0; at < length; at++)
		if ((trace[at].who & ~WRITES) >= (uint32_t)number) {
			fprintf(stderr, "gallery_reads: the trace has a reader that is not given\n");
			return 2;
		}
	if (!length || mlockall(MCL_CURRENT | MCL_FUTURE))
		die("no trace, or mlockall");
	for (int each = 0; each < number; each++) {
		struct reader *one = &readers[each];

		one->name = argv[2 + 2 * each];
		one->file = open(argv[3 + 2 * each], O_RDWR | O_CLOEXEC);
		if (one->file < 0 || sem_init(&one->turn, 0, 0) || sem_init(&one->named, 0, 0))
			die(argv[3 + 2 * each]);
		if (pthread_create(&threads[each], NULL, work, one))
			die("pthread_create");
		while (sem_wait(&one->named))
			;
		printf("%d%c", one->id, each == number - 1 ? '\n' : ' ');
	}
	fflush(stdout);
	wait_for_line();
	sem_post(&reader_of(0)->turn);
	for (int each = 0; each < number; each++)
		if (pthread_join(threads[each], NULL))
			die("pthread_join");
	printf("%zu\n", length);
	return 0;
}
