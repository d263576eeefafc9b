// SPDX-License-Identifier: MIT
/*
 * Read a file in units of 4 KiB, without readahead, for tests/bench/kernel-cost.
 *
 *   page_reads fresh FILE FIRST READS            read READS pages from FIRST on; print instructions per miss
 *   page_reads fill FILE FIRST READS             the same, without measuring
 *   page_reads mix FILE PAGES READS              read at random from the first PAGES, without measuring
 *   page_reads crowd FILE PAGES READS READERS    cache PAGES pages, then READERS processes do READS reads each; print reads
 *                                                per second of all processes
 *
 * Under QEMU's -icount shift=0, a nanosecond of CPU time is one instruction. Idle time does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_READERS = 64 };

static void die(const char *what)
{
	fprintf(stderr, "page_reads: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void read_page(int fd, unsigned long page)
{
	static char buffer[PAGE] __attribute__((aligned(4096)));

	if (pread(fd, buffer, PAGE, (off_t)page * PAGE) != PAGE)
		die("pread");
}

/* Consecutive reads touch no neighbours. */
static void read_some(int fd, unsigned long pages, unsigned long reads, unsigned long first)
{
	for (unsigned long i = 0; i < reads; i++)
		read_page(fd, (first + i * 37) % pages);
}

/* Knuth's MMIX generator (upper half) with a fixed seed, so that every run reads the same pages. */
static void read_at_random(int fd, unsigned long pages, unsigned long reads)
{
	unsigned long long state = 7;

	for (unsigned long i = 0; i < reads; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		read_page(fd, (unsigned long)(state >> 32) % pages);
	}
}

static double seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void crowd(int fd, unsigned long pages, unsigned long reads, unsigned long readers)
{
	int go[2];
	char byte;

	read_some(fd, pages, 4 * pages, 0);
	if (pipe(go))
		die("pipe");
	for (unsigned long i = 0; i < readers; i++) {
		pid_t child = fork();

		if (child < 0)
			die("fork");
		if (child == 0) {
			close(go[1]);
			if (read(go[0], &byte, 1) != 0) /* blocks until the parent closes the pipe */
				die("read");
			read_some(fd, pages, reads, i * 7);
			exit(0);
		}
	}
	double start = seconds(CLOCK_MONOTONIC);

	close(go[1]);
	for (unsigned long i = 0; i < readers; i++) {
		int status;

		if (wait(&status) < 0 || status)
			die("a reader failed");
	}
	printf("%.0f\n", (double)(reads * readers) / (seconds(CLOCK_MONOTONIC) - start));
}

int main(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: page_reads fresh|fill FILE FIRST READS, mix FILE PAGES READS, or crowd FILE PAGES READS READERS\n");
		return 2;
	}
	unsigned long number = strtoul(argv[3], NULL, 10), reads = strtoul(argv[4], NULL, 10);
	unsigned long readers = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
	int fd = open(argv[2], O_RDONLY | O_CLOEXEC);

	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		die(argv[2]);
	bool is_crowd = strcmp(argv[1], "crowd") == 0, is_mix = strcmp(argv[1], "mix") == 0;

	if (!reads || ((is_crowd || is_mix) && !number) || (is_crowd && (!readers || readers > MOST_READERS))) {
		fprintf(stderr, "page_reads: counts are at least 1, readers at most %d\n", MOST_READERS);
		return 2;
	}
	if (is_crowd)
		crowd(fd, number, reads, readers);
	if (is_mix)
		read_at_random(fd, number, reads);
	if (is_crowd || is_mix)
		return 0;
	double start = seconds(CLOCK_PROCESS_CPUTIME_ID);

	for (unsigned long i = 0; i < reads; i++)
		read_page(fd, number + i);
	if (strcmp(argv[1], "fresh") == 0)
		printf("%.1f\n", (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e9 / (double)reads);
	return 0;
}
