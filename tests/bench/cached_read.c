// SPDX-License-Identifier: MIT
/*
 * Print the instructions of a cached 4 KiB pread, or pwrite.
 *
 * Usage: cached_read FILE PAGES READS [write]. The caller makes the file, which must fit in the cache.
 *
 * Under QEMU's -icount shift=0, the time stamp counter advances by one per instruction. The result is the median of
 * rounds of PAGES reads (or writes) each. Most rounds see no interrupt, so the median leaves out timer interrupts, which take some 6
 * instructions per read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

enum { PAGE = 4096 };

static int writes;

static void read_pages(int fd, unsigned long pages, unsigned long reads)
{
	static char buffer[PAGE] __attribute__((aligned(4096)));

	for (unsigned long i = 0; i < reads; i++) {
		/* Consecutive reads touch no neighbours, so there is no readahead. */
		off_t page = (off_t)((i * 37) % pages);

		if ((writes ? pwrite(fd, buffer, PAGE, page * PAGE) : pread(fd, buffer, PAGE, page * PAGE)) != PAGE) {
			perror(writes ? "cached_read: pwrite" : "cached_read: pread");
			exit(1);
		}
	}
}

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	writes = argc == 5 && !strcmp(argv[4], "write");
	if (argc != 4 && !writes) {
		fprintf(stderr, "usage: cached_read FILE PAGES READS [write]\n");
		return 2;
	}
	unsigned long pages = strtoul(argv[2], NULL, 10), reads = strtoul(argv[3], NULL, 10);
	int fd = open(argv[1], (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC);

	if (fd < 0 || !pages || reads < pages) {
		fprintf(stderr, "cached_read: %s: %s\n", argv[1], fd < 0 ? strerror(errno) : "PAGES is at least 1, READS at least PAGES");
		return 1;
	}

	size_t rounds = reads / pages;
	unsigned long long *took = calloc(rounds, sizeof(*took));

	if (!took) {
		perror("cached_read");
		return 1;
	}
	read_pages(fd, pages, 4 * pages); /* Now every page is cached and past its first access. */

	for (size_t i = 0; i < rounds; i++) {
		unsigned long long start = __rdtsc();

		read_pages(fd, pages, pages);
		took[i] = __rdtsc() - start;
	}
	qsort(took, rounds, sizeof(*took), compare);
	printf("%.1f\n", (double)took[rounds / 2] / (double)pages);
	free(took);
	return 0;
}
