// SPDX-License-Identifier: MIT
/*
 * What a cached 4 KiB pread costs, in instructions.
 *
 * Under QEMU's -icount shift=0 the time stamp counter advances by one for each instruction executed, so the
 * difference over many reads, divided by their number, is instructions a read; it repeats to about 0.01 %.
 * Usage: cached_read FILE PAGES READS.  The file is made by the caller and must fit the cache.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

enum { PAGE = 4096 };

static void read_pages(int fd, unsigned long pages, unsigned long reads)
{
	static char buffer[PAGE] __attribute__((aligned(4096)));

	for (unsigned long i = 0; i < reads; i++) {
		/* A stride that is odd and not small: no two reads in a row touch neighbours, readahead stays out of it. */
		off_t page = (off_t)((i * 37) % pages);

		if (pread(fd, buffer, PAGE, page * PAGE) != PAGE) {
			perror("cached_read: pread");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: cached_read FILE PAGES READS\n");
		return 2;
	}
	unsigned long pages = strtoul(argv[2], NULL, 10), reads = strtoul(argv[3], NULL, 10);
	int fd = open(argv[1], O_RDONLY | O_CLOEXEC);

	if (fd < 0 || !pages || !reads) {
		fprintf(stderr, "cached_read: %s: %s\n", argv[1], fd < 0 ? strerror(errno) : "PAGES and READS are at least 1");
		return 1;
	}
	read_pages(fd, pages, 4 * pages); /* every page cached, and past its first access */

	unsigned long long start = __rdtsc();

	read_pages(fd, pages, reads);
	printf("%.1f\n", (double)(__rdtsc() - start) / (double)reads);
	return 0;
}
