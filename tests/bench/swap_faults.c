// SPDX-License-Identifier: MIT
/*
 * swap_faults PAGES in-order|at-random: fill an array of PAGES pages, wait for a line, and read it from swap.
 *
 * Before it waits, it prints "filled"; all else that it has is locked. At the end it prints, of the reads alone, instructions for
 * each page, major faults and minor faults. Under QEMU's -icount shift=0, a nanosecond of CPU time is one instruction.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { PAGE = 4096 };

static void die(const char *what)
{
	fprintf(stderr, "swap_faults: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A permutation by Fisher and Yates, with Knuth's MMIX generator (upper half) and a fixed seed: the same in every run. */
static uint32_t *order_of(uint32_t pages, int at_random)
{
	uint32_t *order = malloc(pages * sizeof(*order));
	uint64_t state = 7;

	if (!order)
		die("malloc");
	for (uint32_t i = 0; i < pages; i++)
		order[i] = i;
	for (uint32_t i = pages; at_random && i > 1; i--) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		uint32_t other = (uint32_t)(state >> 32) % i, page = order[i - 1];

		order[i - 1] = order[other];
		order[other] = page;
	}
	return order;
}

static double cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	uint32_t pages = argc == 3 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	struct rusage before, after;

	if (!pages) {
		fputs("usage: swap_faults PAGES in-order|at-random\n", stderr);
		return 2;
	}
	uint32_t *order = order_of(pages, !strcmp(argv[2], "at-random"));

	if (mlockall(MCL_CURRENT))
		die("mlockall");
	volatile uint64_t *array = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED || madvise((void *)array, (size_t)pages * PAGE, MADV_NOHUGEPAGE))
		die("mmap");
	/* Pages of zeros would not be read from swap. */
	for (uint32_t i = 0; i < pages; i++)
		array[(size_t)i * PAGE / sizeof(*array)] = i + 1;
	puts("filled");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	getrusage(RUSAGE_SELF, &before);
	double took = cpu_time();

	for (uint32_t i = 0; i < pages; i++) {
		if (array[(size_t)order[i] * PAGE / sizeof(*array)] != order[i] + 1) {
			errno = EILSEQ;
			die("a page is not what was written");
		}
	}
	took = cpu_time() - took;
	getrusage(RUSAGE_SELF, &after);
	printf("%.1f %ld %ld\n", took / pages, after.ru_majflt - before.ru_majflt, after.ru_minflt - before.ru_minflt);
	return 0;
}
