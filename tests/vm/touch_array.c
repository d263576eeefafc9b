// SPDX-License-Identifier: MIT
/*
 * touch_array PAGES FILLED READ [for-ever]: fill an array of PAGES pages with noise, then read it; with for-ever, until killed.
 *
 * The files FILLED and READ have page numbers, u32 in the machine's byte order, in the order of the accesses. Noise cannot be
 * compressed, and no page is all zeros, which the kernel would not read from swap. Before it reads, the program prints "filled" and
 * waits for a line. Then it checks each page that it reads, and prints major faults, minor faults and seconds of the reads alone.
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

static void read_all(const volatile uint64_t *array, struct order order)
{
	for (size_t i = 0; i < order.n; i++) {
		uint64_t word = (uint64_t)order.page[i] * WORDS;

		if (array[word] != noise(word + 1)) {
			errno = EILSEQ;
			die("a page is not what was written");
		}
	}
}

int main(int argc, char **argv)
{
	bool for_ever = argc == 5 && !strcmp(argv[4], "for-ever");
	uint32_t pages = argc == 4 || for_ever ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
	struct rusage before, after;
	struct order filled, read;
	uint64_t *array;
	double begun;

	if (!pages) {
		fputs("usage: touch_array PAGES FILLED READ [for-ever]\n", stderr);
		return 2;
	}
	filled = read_order(argv[2], pages);
	read = read_order(argv[3], pages);
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
		read_all(array, read);
	while (for_ever);
	begun = now() - begun;
	getrusage(RUSAGE_SELF, &after);
	printf("%ld %ld %.3f\n", after.ru_majflt - before.ru_majflt, after.ru_minflt - before.ru_minflt, begun);
	return 0;
}
