// SPDX-License-Identifier: GPL-2.0
/*
 * Swap: a device that goes and comes, and memory that is swapped out and used again. Each page of it begins with a word that depends
 * on its place.
 *
 *   ORDER: seq, back, stride, random     HOW: own, shared (shmem), huge (in huge pages), fork (a child uses it at once),
 *   reclaimed (not by MADV_PAGEOUT, for which no policy is asked)
 */
#define _GNU_SOURCE
#include "storm.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif
#define HUGE (2UL << 20)
#define STRIDE 7

/* How it rotates decides whether the kernel's own reads slots that follow, or pages. */
bool swap_on(bool rotates)
{
	write_to("/sys/block/vdc/queue/rotational", rotates ? "1" : "0");
	return !swapon(SWAP_DISK, 0) || errno == EBUSY;
}

void swap_off_and_on(bool rotates)
{
	swapoff(SWAP_DISK);
	nap_ms(rand() % 5);
	swap_on(rotates);
}

static uint64_t word_of(size_t page)
{
	return (page + 1) * 0x9e3779b97f4a7c15;
}

static size_t nth(size_t n, size_t pages, const char *order)
{
	size_t rows = (pages + STRIDE - 1) / STRIDE;

	if (!strcmp(order, "back"))
		return pages - 1 - n;
	if (!strcmp(order, "stride"))
		return (n % rows * STRIDE + n / rows) % pages;
	return strcmp(order, "random") ? n : (size_t)rand() % pages;
}

/* Ends the process if a page has not what was written. */
static void use(char *memory, size_t pages, const char *order)
{
	for (size_t n = 0; n < pages; n++) {
		size_t page = nth(n, pages, order);
		uint64_t word;

		memcpy(&word, memory + page * PAGE, 8);
		if (word != word_of(page)) {
			say("not ok round %d: swapped page %zu has %016llx", round_number, page, (unsigned long long)word);
			_exit(WRONG_DATA);
		}
		/* Some are dirty again. */
		if (n % 3 == 0)
			memcpy(memory + page * PAGE, &word, 8);
	}
}

static void use_in_both(char *memory, size_t pages, const char *order)
{
	pid_t pid = fork();
	int status;

	use(memory, pages, order);
	if (!pid)
		_exit(0);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == WRONG_DATA)
		_exit(WRONG_DATA);
}

/* What is written stays in the swap cache until somebody reclaims it. */
static void swap_out(char *memory, size_t kib, const char *group, bool by_advice)
{
	char text[24];

	if (by_advice)
		madvise(memory, kib << 10, MADV_PAGEOUT);
	nap_ms(2);
	snprintf(text, sizeof(text), "%zuK", kib);
	write_group(group, "memory.reclaim", text);
}

void swap_use(const char *group, size_t kib, const char *order, const char *how)
{
	size_t pages = (kib << 10) / PAGE, room = (kib << 10) + HUGE;
	bool shared = !strcmp(how, "shared");
	char *map = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	char *memory = map + -(uintptr_t)map % HUGE;

	if (map == MAP_FAILED)
		return;
	if (!strcmp(how, "huge"))
		madvise(memory, kib << 10, MADV_HUGEPAGE);
	for (size_t page = 0; page < pages; page++) {
		uint64_t word = word_of(page);

		memcpy(memory + page * PAGE, &word, 8);
	}
	swap_out(memory, kib, group, strcmp(how, "reclaimed"));
	if (!strcmp(how, "fork"))
		use_in_both(memory, pages, order);
	else
		use(memory, pages, order);
	munmap(map, room);
}
