// SPDX-License-Identifier: MIT
/*
 * The load of tests/vm/beside_checks.py, in the cgroup with the policy: it does what any handler of a policy is called for.
 *
 *   load FOLDER SHARED UNUSED
 *
 * One pass: read every 65th page of FOLDER/sparse, so that who reads 64 pages ahead has UNUSED pages lying there that nobody
 * read; read the whole file SHARED; read FOLDER/own twice, beyond the limit; write and read FOLDER/mine; read the same pages
 * from two processors; fault a mapping; and change an array beyond the limit, which is kept. Then it prints "ready" and waits
 * for a line, and after that makes passes until it is killed, on the first processor only.
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
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, STRIDE = 65, OWN = 3072, MINE = 256, BOTH = 64, BOTH_READS = 4000, ARRAY = 3072 };
#define SPARSE (1UL << 24) /* pages */

static char buffer[PAGE];

static void die(const char *what)
{
	fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int file_of(const char *folder, const char *name, unsigned long pages)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	/* What the last one has cached is charged to a cgroup that is gone. */
	if (fd < 0 || ftruncate(fd, (off_t)(pages * PAGE)) || fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		die(path);
	return fd;
}

/*
 * A policy that drops each page when it was read also frees the nodes of the file's tree, by RCU, and the cgroup is charged
 * for them until then. The device answers at once, so nobody waits here as for a disk: 8 MiB of nodes may come together.
 */
static void let_rcu_go_on(void)
{
	static unsigned int reads;

	if (++reads % 512 == 0)
		usleep(2000);
}

static void read_page(int fd, unsigned long page)
{
	let_rcu_go_on();
	if (pread(fd, buffer, PAGE, (off_t)page * PAGE) != PAGE)
		die("pread");
}

static void read_some(int fd, unsigned long pages)
{
	for (unsigned long page = 0; page < pages; page++)
		read_page(fd, page);
}

static void on_processor(int processor)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

static void read_on(int processor, int fd)
{
	on_processor(processor);
	for (unsigned long i = 0; i < BOTH_READS; i++)
		read_page(fd, i * 37 % BOTH);
}

static void read_on_both(int fd)
{
	pid_t child[2];
	int status;

	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (child[i] < 0)
			die("fork");
		if (child[i] == 0) {
			read_on(i, fd);
			_exit(0);
		}
	}
	for (int i = 0; i < 2; i++)
		if (waitpid(child[i], &status, 0) < 0 || status)
			die("a reader failed");
}

static void map_and_look(int fd, unsigned long pages)
{
	const volatile char *at = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		die("mmap");
	for (unsigned long page = 0; page < pages; page++)
		(void)at[page * PAGE];
	munmap((void *)at, pages * PAGE);
}

/*
 * Change each page of the array, and read a page of the file beside every eighth. Where all that a cgroup has are anonymous
 * pages in use, reclaim may find none in all its rounds, with any policy or none, and the process is killed.
 */
static void change(volatile char *array, int fd)
{
	for (unsigned long page = 0; page < ARRAY; page++) {
		array[page * PAGE] += 1;
		if (page % 8 == 0)
			read_page(fd, page / 8);
	}
}

int main(int argc, char **argv)
{
	unsigned long unused = argc == 4 ? strtoul(argv[3], NULL, 10) : 0, sparse_page = 0;
	int sparse, shared, own, mine;
	volatile char *array;

	if (argc != 4) {
		fprintf(stderr, "usage: load FOLDER SHARED UNUSED\n");
		return 2;
	}
	on_processor(0);
	sparse = file_of(argv[1], "sparse", SPARSE);
	own = file_of(argv[1], "own", OWN);
	mine = file_of(argv[1], "mine", MINE);
	shared = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (shared < 0)
		die(argv[2]);
	array = mmap(NULL, (size_t)ARRAY * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (array == MAP_FAILED || madvise((void *)array, (size_t)ARRAY * PAGE, MADV_NOHUGEPAGE))
		die("mmap");
	for (unsigned long pass = 0;; pass++) {
		for (unsigned long i = 0; i < unused / (STRIDE - 1); i++) {
			read_page(sparse, sparse_page);
			sparse_page = (sparse_page + STRIDE) % SPARSE;
		}
		lseek(shared, 0, SEEK_SET);
		while (read(shared, buffer, PAGE) > 0)
			;
		read_some(own, OWN);
		read_some(own, OWN);
		for (unsigned long page = 0; page < MINE; page++)
			if (pwrite(mine, buffer, PAGE, (off_t)page * PAGE) != PAGE)
				die("pwrite");
		read_some(mine, MINE);
		if (!pass)
			read_on_both(own);
		map_and_look(own, OWN / 4);
		for (int i = 0; i < 2; i++)
			change(array, own);
		if (!pass) {
			puts("ready");
			fflush(stdout);
			if (getchar() == EOF)
				return 1;
		}
	}
}
