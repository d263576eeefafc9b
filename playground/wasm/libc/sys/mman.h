/* SPDX-License-Identifier: MIT */
/*
 * Memory of WebAssembly, which only grows. Nothing is given back: each run has an instance of its own, and all its
 * memory goes with that.
 */
#ifndef CPOL_WASM_MMAN_H
#define CPOL_WASM_MMAN_H

#include <stddef.h>

#define PROT_READ 0
#define PROT_WRITE 0
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_NORESERVE 0
#define MAP_FAILED ((void *)-1)
#define MADV_HUGEPAGE 0

#define CPOL_WASM_PAGE 65536ull
#define CPOL_WASM_LINE 64ull /* a cache line: buckets are aligned to it */

extern unsigned char __heap_base; /* the linker's: the end of what the module itself has */
static unsigned long long cpol_wasm_used;

/* `bytes` of zeros, or MAP_FAILED. */
static inline void *mmap(void *at, unsigned long long bytes, int protection, int flags, int file, int offset)
{
	unsigned long long first = cpol_wasm_used ? cpol_wasm_used : (size_t)&__heap_base;
	unsigned long long have = __builtin_wasm_memory_size(0) * CPOL_WASM_PAGE, end;

	(void)at, (void)protection, (void)flags, (void)file, (void)offset;
	first = (first + CPOL_WASM_LINE - 1) / CPOL_WASM_LINE * CPOL_WASM_LINE;
	if (bytes > (1ull << 32) - CPOL_WASM_PAGE - first)
		return MAP_FAILED;
	end = first + bytes;
	if (end > have && __builtin_wasm_memory_grow(0, (size_t)((end - have + CPOL_WASM_PAGE - 1) / CPOL_WASM_PAGE)) == (size_t)-1)
		return MAP_FAILED;
	cpol_wasm_used = end;
	return (void *)(size_t)first;
}

static inline int munmap(void *memory, unsigned long long bytes)
{
	(void)memory, (void)bytes;
	return 0;
}

static inline int madvise(void *memory, unsigned long long bytes, int advice)
{
	(void)memory, (void)bytes, (void)advice;
	return 0;
}

#endif
