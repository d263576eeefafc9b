// SPDX-License-Identifier: GPL-2.0
/*
 * Fill anonymous memory with noise, have it all swapped out, and use it in one of several orders.
 *
 *   swapper MIB ORDER [huge] [shmem] [fork] [again]      print "major=N minor=N" of the accesses
 *   swapper MIB hold                                     print "held" when all is swapped out, wait for the end of standard input
 *
 * ORDER: seq, back, stride3, random (of each page once, seeded). huge: in huge pages. shmem: shared memory. fork: a child does the same at
 * once. again: for ever.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#define HUGE (2UL << 20)

static unsigned char *memory, *in;
static size_t pages, page_size, *shuffled;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void fill(void)
{
	unsigned long long noise = 88172645463325252ULL, *word = (void *)memory;

	for (size_t i = 0; i < pages * page_size / sizeof(*word); i++) {
		noise ^= noise << 13;
		noise ^= noise >> 7;
		noise ^= noise << 17;
		word[i] = noise;
	}
}

static size_t resident(void)
{
	size_t n = 0;

	if (mincore(memory, pages * page_size, in))
		die("mincore");
	for (size_t i = 0; i < pages; i++)
		n += in[i] & 1;
	return n;
}

/* A file of its own cgroup. */
static FILE *of_cgroup(const char *name, const char *mode)
{
	char line[512], path[600];
	FILE *file = fopen("/proc/self/cgroup", "r");

	if (!file || !fgets(line, sizeof(line), file))
		die("/proc/self/cgroup");
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", line + strlen("0::"), name);
	file = fopen(path, mode);
	if (!file)
		die(path);
	return file;
}

/*
 * Have the kernel sum up the statistics of the cgroup, which it does every two to four seconds by itself. By them the classic LRU decides
 * whether pages must become inactive: after all has been taken, it sees an empty list of active ones, until then takes nothing, and kills.
 */
static void sum_up(void)
{
	FILE *file = of_cgroup("memory.stat", "r");

	while (fread(in, 1, pages, file) > 0)
		;
	fclose(file);
}

/* What is written stays in the swap cache until somebody reclaims it. */
static void reclaim(size_t bytes)
{
	FILE *file = of_cgroup("memory.reclaim", "w");

	/* It fails if there is less to have. */
	fprintf(file, "%zu", bytes);
	fclose(file);
}

static void page_out(void)
{
	for (int i = 0; i < 100 && resident(); i++) {
		if (madvise(memory, pages * page_size, MADV_PAGEOUT))
			die("madvise");
		usleep(20000);
		reclaim(resident() * page_size);
	}
	if (resident())
		printf("%zu pages stay\n", resident());
}

static size_t nth(size_t i, const char *order)
{
	size_t third = (pages + 2) / 3;

	if (!strcmp(order, "back"))
		return pages - 1 - i;
	if (!strcmp(order, "stride3"))
		return i % third * 3 + i / third < pages ? i % third * 3 + i / third : 0;
	return strcmp(order, "random") ? i : shuffled[i];
}

static void shuffle(void)
{
	size_t other, t;

	srandom(7);
	for (size_t i = 0; i < pages; i++)
		shuffled[i] = i;
	for (size_t i = pages - 1; i; i--) {
		other = random() % (i + 1);
		t = shuffled[i];
		shuffled[i] = shuffled[other];
		shuffled[other] = t;
	}
}

static void use(const char *order)
{
	volatile unsigned char *at = memory;
	struct rusage before, after;
	size_t i;

	getrusage(RUSAGE_SELF, &before);
	for (i = 0; i < pages; i++) {
		if (i % 512 == 511)
			sum_up();
		(void)at[nth(i, order) * page_size];
	}
	getrusage(RUSAGE_SELF, &after);
	printf("major=%ld minor=%ld\n", after.ru_majflt - before.ru_majflt, after.ru_minflt - before.ru_minflt);
}

static int has(char **words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	size_t size;
	char c;

	if (argc < 3) {
		fprintf(stderr, "usage: swapper MIB ORDER [huge] [shmem] [fork] [again] | swapper MIB hold\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	page_size = sysconf(_SC_PAGESIZE);
	size = strtoul(argv[1], NULL, 0) << 20;
	pages = size / page_size;
	in = malloc(pages);
	shuffled = malloc(pages * sizeof(*shuffled));
	if (!in || !shuffled)
		die("malloc");
	shuffle();
	/* All that there is by now stays; what comes is swapped out. */
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	memory = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (has(argv, "shmem") ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	memory += HUGE - (size_t)memory % HUGE;
	if (madvise(memory, size, has(argv, "huge") ? MADV_HUGEPAGE : MADV_NOHUGEPAGE))
		die("madvise");
	fill();
	do {
		page_out();
		if (has(argv, "hold")) {
			printf("held\n");
			return read(0, &c, 1) < 0;
		}
		if (has(argv, "fork") && !fork()) {
			use(argv[2]);
			return 0;
		}
		use(argv[2]);
		while (wait(NULL) > 0)
			;
	} while (has(argv, "again"));
	return 0;
}
