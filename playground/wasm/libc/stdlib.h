/* SPDX-License-Identifier: MIT */
/* What the simulator's C wants of a C library, where there is none. */
#ifndef CPOL_WASM_STDLIB_H
#define CPOL_WASM_STDLIB_H

#include <sys/mman.h>

void *aligned_alloc(size_t alignment, size_t size); /* only under a sanitizer */

static inline void free(void *memory)
{
	(void)memory;
}

static inline void *calloc(unsigned long long items, unsigned long long size)
{
	void *memory = items > (1ull << 32) / size ? MAP_FAILED : mmap(NULL, items * size, 0, 0, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

#endif
