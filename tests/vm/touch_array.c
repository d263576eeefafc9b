// SPDX-License-Identifier: MIT
/*
 * touch_array PAGES FILLED READ [for-ever|latencies]: fill an array of PAGES pages with noise, then read it; with for-ever, until
 * killed.
 *
 * The files FILLED and READ have page numbers, u32 in the machine's byte order, in the order of the accesses. Noise cannot be
 * compressed, and no page is all zeros, which the kernel would not read from swap. Before it reads, the program prints "filled" and
 * waits for a line. Then it checks each page that it reads, and prints major faults, minor faults and seconds of the reads alone.
 *
 * With `latencies`, it takes the time of each access as well, and prints the mean of those of the faults, and percentiles: 10, 25, 50,
 * 75, 90, 95, 99 and 99.9, all in ns. The longest accesses are the faults, as many as there were.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, WORDS = PAGE / sizeof(uint64_t) };

struct order {
	const uint32_t *page;
	size_t n;
};

static void die(const char *what)
{
	fprintf(stderr, "touch_array: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* It is mapped and locked, so that reading it causes no faults later. */
static struct order read_order(const char *path, uint32_t pages)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	struct order order;
	uint32_t *page;

	if (fd < 0 || fstat(fd, &status) || !status.st_size)
		die(path);
	order.n = (size_t)status.st_size / sizeof(*page);
	page = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (page == MAP_FAILED || mlock(page, (size_t)status.st_size))
		die("mmap");
	close(fd);
	for (size_t i = 0; i < order.n; i++) {
		if (page[i] >= pages) {
			errno = ERANGE;
			die(path);
		}
	}
	order.page = page;
	return order;
}

/* SplitMix64's finaliser. */
static uint64_t noise(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static void fill(uint64_t *words, uint32_t page)
{
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = noise((uint64_t)page * WORDS + i + 1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint32_t nanoseconds_since(const struct timespec *begun)
{
	struct timespec time;
	uint64_t took;

	clock_gettime(CLOCK_MONOTONIC, &time);
	took = (uint64_t)(time.tv_sec - begun->tv_sec) * 1000000000 + (uint64_t)time.tv_nsec - (uint64_t)begun->tv_nsec;
	return took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

/* Room for the time of each access, locked, so that it causes no faults later. */
static uint32_t *times_of(uint32_t pages)
{
	uint32_t *took = calloc(pages, sizeof(*took));

	if (!took || mlock(took, pages * sizeof(*took)))
		die("mlock");
	return took;
}

static int longer_first(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one < other) - (one > other);
}

/* Print the mean and percentiles of the longest `faults` of the `n` times. */
static void print_latencies(uint32_t *took, size_t n, size_t faults)
{
	static const unsigned int per_mille[] = { 100, 250, 500, 750, 900, 950, 990, 999 };
	double sum = 0;

	qsort(took, n, sizeof(*took), longer_first);
	faults = faults < n ? faults : n;
	for (size_t i = 0; i < faults; i++)
		sum += took[i];
	printf("%.0f", faults ? sum / (double)faults : 0);
	for (size_t i = 0; i < sizeof(per_mille) / sizeof(*per_mille); i++)
		printf(" %" PRIu32, faults ? took[faults * (1000 - per_mille[i]) / 1000] : 0);
	putchar('\n');
}

static void read_all(const volatile uint64_t *array, struct order order, uint32_t *took)
{
	struct timespec begun = { 0 };

	for (size_t i = 0; i < order.n; i++) {
		uint64_t word = (uint64_t)order.page[i] * WORDS, found;

		if (took)
			clock_gettime(CLOCK_MONOTONIC, &begun);
		found = array[word];
		if (took)
			took[i] = nanoseconds_since(&begun);
		if (found != noise(word + 1)) {
			errno = EILSEQ;
			die("a page is not what was written");
		}
	}
}

int main(int argc, char **argv)
{
	bool for_ever = argc == 5 && !strcmp(argv[4], "for-ever"), timed = argc == 5 && !strcmp(argv[4], "latencies");
	uint32_t pages = argc == 4 || for_ever || timed ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	uint32_t *took = NULL;
	struct rusage before, after;
	struct order filled, read;
	uint64_t *array;
	double begun;

	if (!pages) {
		fputs("usage: touch_array PAGES FILLED READ [for-ever|latencies]\n", stderr);
		return 2;
	}
	filled = read_order(argv[2], pages);
	read = read_order(argv[3], pages);
	if (timed && read.n > pages) {
		errno = ERANGE;
		die(argv[3]);
	}
	took = timed ? times_of(pages) : NULL;
	array = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED || madvise(array, (size_t)pages * PAGE, MADV_NOHUGEPAGE))
		die("mmap");
	for (size_t i = 0; i < filled.n; i++)
		fill(array + (size_t)filled.page[i] * WORDS, filled.page[i]);
	puts("filled");
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	getrusage(RUSAGE_SELF, &before);
	begun = now();
	do
		read_all(array, read, took);
	while (for_ever);
	begun = now() - begun;
	getrusage(RUSAGE_SELF, &after);
	printf("%ld %ld %.3f\n", after.ru_majflt - before.ru_majflt, after.ru_minflt - before.ru_minflt, begun);
	if (took)
		print_latencies(took, read.n, (size_t)(after.ru_majflt - before.ru_majflt + after.ru_minflt - before.ru_minflt));
	return 0;
}
