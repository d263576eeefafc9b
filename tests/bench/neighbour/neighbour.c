// SPDX-License-Identifier: MIT
/*
 * The neighbour of tests/vm/beside_checks.py: a process in a cgroup without a policy.
 *
 *   neighbour make FOLDER              make the files
 *   neighbour measure FOLDER ROUNDS    print instructions of each operation: OPERATION NUMBER
 *   neighbour hold FOLDER              read FOLDER/shared
 *   neighbour cached FOLDER            print how many pages of FOLDER/shared are cached
 *   neighbour work FOLDER READS        read FOLDER/big at random, then an array; print pages read from disk and major faults
 *
 * Under QEMU's -icount shift=0, the time stamp counter advances by one per instruction. A figure is the mean of the
 * middle half of the rounds, so it leaves out what interrupts and other tasks take in some of them. All of it runs on the last
 * processor only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	PAGE = 4096,
	ROUND = 64,	    /* pages, files and arrays of a round */
	SHARED = 1024,	    /* pages */
	BIG = 8192,	    /* pages; more than the cgroup's limit */
	ARRAY = 2048,	    /* pages of `work`; more than its limit */
	FILL = 1728,	    /* pages of `big` after which the cgroup is full */
	BALLAST = 512,
	WARM = 4,	    /* rounds before those that count */
	MISSES = 96,	    /* rounds of misses, as many as BIG has: reclaim goes in larger steps */
	MOST_ROUNDS = 96,
};

static char buffer[PAGE] __attribute__((aligned(4096)));
static int hot, written, holes, big;
static unsigned long next_fresh;
static volatile char *anonymous, *fresh;
static unsigned long long *told; /* by a child, before it exits */

static void die(const char *what)
{
	fprintf(stderr, "neighbour: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_page_file(const char *folder, const char *name, int flags)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		die(path);
	return fd;
}

static void read_page(int fd, unsigned long page)
{
	if (pread(fd, buffer, PAGE, (off_t)page * PAGE) != PAGE)
		die("pread");
}

static void write_page(int fd, unsigned long page)
{
	if (pwrite(fd, buffer, PAGE, (off_t)page * PAGE) != PAGE)
		die("pwrite");
}

static void *map(int fd, size_t pages)
{
	int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	void *at = mmap(NULL, pages * PAGE, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);

	if (at == MAP_FAILED || (fd < 0 && madvise(at, pages * PAGE, MADV_NOHUGEPAGE)))
		die("mmap");
	return at;
}

static void look_at(const volatile char *at)
{
	for (size_t i = 0; i < ROUND; i++)
		(void)at[i * PAGE];
}

static void change(volatile char *at)
{
	for (size_t i = 0; i < ROUND; i++)
		at[i * PAGE] += 1;
}

static void nothing(void)
{
}

static void read_hot(void)
{
	/* Consecutive reads touch no neighbours. */
	for (unsigned long i = 0; i < ROUND; i++)
		read_page(hot, i * 37 % ROUND);
}

static void fill_up(void)
{
	while (next_fresh < FILL)
		read_page(big, next_fresh++);
}

static void read_fresh(void)
{
	for (unsigned long i = 0; i < ROUND; i++)
		read_page(big, next_fresh++ % BIG);
}

static void write_hot(void)
{
	for (unsigned long i = 0; i < ROUND; i++)
		write_page(written, i * 37 % ROUND);
}

static void map_hot(void)
{
	void *at = map(hot, ROUND);

	look_at(at);
	munmap(at, (size_t)ROUND * PAGE);
}

static void fault(void)
{
	change(fresh);
	if (madvise((void *)fresh, (size_t)ROUND * PAGE, MADV_DONTNEED))
		die("MADV_DONTNEED");
}

static void fill_holes(void)
{
	if (ftruncate(holes, (off_t)ROUND * PAGE))
		die("ftruncate");
	for (unsigned long i = 0; i < ROUND; i++)
		read_page(holes, i);
}

static void truncate_holes(void)
{
	if (ftruncate(holes, 0))
		die("ftruncate");
}

static void change_array(void)
{
	change(anonymous);
}

static void swap_out(void)
{
	if (madvise((void *)anonymous, (size_t)ROUND * PAGE, MADV_PAGEOUT))
		die("MADV_PAGEOUT");
}

/* From the exit of a process with mapped pages of a file and memory of its own, until its parent knows. */
static unsigned long long instructions_of_exit(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("fork");
	if (child == 0) {
		look_at(map(hot, ROUND));
		change(map(-1, ROUND));
		*told = __rdtsc();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		die("a child failed");
	return __rdtsc() - *told;
}

static const struct operation {
	const char *name;
	void (*prepare)(void);
	void (*run)(void);
} operations[] = {
	{ "read", nothing, read_hot },
	{ "write", nothing, write_hot },
	{ "map", nothing, map_hot },
	{ "fault", nothing, fault },
	{ "miss", fill_up, read_fresh },
	{ "truncate", fill_holes, truncate_holes },
	{ "swap out", change_array, swap_out },
	{ "swap in", swap_out, change_array },
};

static int compare(const void *a, const void *b)
{
	unsigned long long x = *(const unsigned long long *)a, y = *(const unsigned long long *)b;

	return (x > y) - (x < y);
}

static double middle(unsigned long long *took, unsigned int rounds)
{
	unsigned int quarter = rounds / 4, i;
	double sum = 0;

	qsort(took, rounds, sizeof(*took), compare);
	for (i = quarter; i < rounds - quarter; i++)
		sum += (double)took[i];
	return sum / (rounds - 2 * quarter);
}

static void measure(const char *folder, unsigned int rounds)
{
	static unsigned long long took[MOST_ROUNDS];
	volatile char *ballast = map(-1, BALLAST);

	/* The processor's list of free pages must not be full, or it would be emptied and filled in each round. */
	if (mlock((void *)ballast, (size_t)BALLAST * PAGE) || madvise((void *)ballast, (size_t)BALLAST * PAGE, MADV_DONTFORK))
		die("mlock");
	hot = open_page_file(folder, "hot", O_RDONLY);
	written = open_page_file(folder, "written", O_RDWR);
	holes = open_page_file(folder, "holes", O_RDWR | O_CREAT);
	big = open_page_file(folder, "big", O_RDONLY);
	if (posix_fadvise(big, 0, 0, POSIX_FADV_DONTNEED))
		die("POSIX_FADV_DONTNEED");
	anonymous = map(-1, ROUND);
	fresh = map(-1, ROUND);
	told = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		die("mmap");
	for (const struct operation *op = operations; op < operations + sizeof(operations) / sizeof(*operations); op++) {
		unsigned int n = op->run == read_fresh ? MISSES : rounds;

		for (unsigned int i = 0; i < n + WARM; i++) {
			op->prepare();
			unsigned long long start = __rdtsc();

			op->run();
			took[i < WARM ? 0 : i - WARM] = __rdtsc() - start;
		}
		printf("%s\t%.1f\n", op->name, middle(took, n) / ROUND);
	}
	read_hot();
	for (unsigned int i = 0; i < rounds; i++)
		took[i] = instructions_of_exit();
	printf("exit\t%.1f\n", middle(took, rounds));
}

static void make(const char *folder)
{
	const struct {
		const char *name;
		unsigned long pages;
	} files[] = { { "hot", ROUND }, { "written", ROUND }, { "shared", SHARED }, { "big", BIG } };

	memset(buffer, 1, sizeof(buffer));
	for (int i = 0; i < 4; i++) {
		int fd = open_page_file(folder, files[i].name, O_RDWR | O_CREAT | O_TRUNC);

		for (unsigned long page = 0; page < files[i].pages; page++)
			write_page(fd, page);
		if (fsync(fd) || close(fd))
			die(files[i].name);
	}
}

static unsigned int cached(const char *folder)
{
	static unsigned char in_core[SHARED];
	void *at = map(open_page_file(folder, "shared", O_RDONLY), SHARED);
	unsigned int n = 0;

	if (mincore(at, (size_t)SHARED * PAGE, in_core))
		die("mincore");
	for (int i = 0; i < SHARED; i++)
		n += in_core[i] & 1;
	return n;
}

static unsigned long pages_read(void)
{
	FILE *file = fopen("/proc/self/io", "re");
	unsigned long bytes = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "read_bytes: %lu", &bytes) == 1)
			break;
	if (!file || fclose(file))
		die("/proc/self/io");
	return bytes / PAGE;
}

/* Knuth's MMIX generator (upper half) with a fixed seed: the same numbers in every run; from 0 on, below 1. */
static double at_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*state >> 32) / 4294967296.0;
}

static void work(const char *folder, unsigned long reads)
{
	struct rusage before, after;
	unsigned long was = pages_read();
	uint64_t state = 7;

	big = open_page_file(folder, "big", O_RDONLY);
	if (posix_fadvise(big, 0, 0, POSIX_FADV_DONTNEED))
		die("POSIX_FADV_DONTNEED");
	for (unsigned long i = 0; i < reads; i++) {
		double x = at_random(&state);

		read_page(big, (unsigned long)(x * x * x * BIG)); /* Low numbers come more often. */
	}
	printf("pages read\t%lu\n", pages_read() - was);
	anonymous = map(-1, ARRAY);
	getrusage(RUSAGE_SELF, &before);
	/* All as often: the processor's accessed bits, which emulation tells late, then make no difference. */
	for (unsigned long i = 0; i < reads; i++)
		anonymous[(unsigned long)(at_random(&state) * ARRAY) * PAGE] += 1;
	getrusage(RUSAGE_SELF, &after);
	printf("major faults\t%ld\n", after.ru_majflt - before.ru_majflt);
}

static void on_the_last_processor(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((int)sysconf(_SC_NPROCESSORS_ONLN) - 1, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	unsigned long number = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	on_the_last_processor();
	if (!strcmp(what, "make")) {
		make(argv[2]);
	} else if (!strcmp(what, "measure") && number >= 8 && number <= MOST_ROUNDS) {
		measure(argv[2], (unsigned int)number);
	} else if (!strcmp(what, "hold")) {
		int fd = open_page_file(argv[2], "shared", O_RDONLY);

		for (unsigned long page = 0; page < SHARED; page++)
			read_page(fd, page);
	} else if (!strcmp(what, "cached")) {
		printf("%u\n", cached(argv[2]));
	} else if (!strcmp(what, "work") && number) {
		work(argv[2], number);
	} else {
		fprintf(stderr, "usage: neighbour make|hold|cached FOLDER, or measure|work FOLDER NUMBER\n");
		return 2;
	}
	return 0;
}
