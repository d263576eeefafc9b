/* SPDX-License-Identifier: MIT */
/*
 * The memory of an array that user space fills: a page with this header, and two halves with an entry for each index. It is one value
 * of a BPF map, which programs address directly and user space maps (libcpol(3), the loader). `published` is the number of the version
 * that handlers read; its lowest bit says which half that is. Whoever writes fills the other half, then raises `published` by one, and
 * waits until no handler reads the half before it writes again. User space may store anything in all of it, so nobody believes it
 * without a look: handlers take from it the lowest bit of `published` and nothing else.
 */
#ifndef CPOL_ARRAY_H
#define CPOL_ARRAY_H

#include "cpol/types.h"

#define CPOL_ARRAY_PAGE 4096 /* bytes of the header; halves begin at multiples of it */
#define CPOL_ARRAY_MAGIC 0x316172726c6f7063ULL /* cpolrra1 */

enum cpol_array_kind { CPOL_ARRAY_UNSIGNED, CPOL_ARRAY_SIGNED, CPOL_ARRAY_FIX, CPOL_ARRAY_BOOL };

struct cpol_array_header {
	u64 magic;     /* CPOL_ARRAY_MAGIC */
	u64 size;      /* entries */
	u32 width;     /* bytes of an entry: 1, 2, 4 or 8 */
	u32 bits;      /* of a value, 1 to 64: more cannot be read */
	u32 kind;      /* enum cpol_array_kind */
	u32 unused;
	u64 published; /* number of the version */
	u64 settled;   /* number of the version which no handler any more reads an older one than */
	u64 writer;    /* who writes: the pid namespace's inode << 32 | pid; 0: nobody */
};

/* Bytes of a half. The arguments are within their limits: 2^24 entries of at most 8 bytes. */
#define CPOL_ARRAY_HALF(size, width) (((u64)(size) * (width) + CPOL_ARRAY_PAGE - 1) / CPOL_ARRAY_PAGE * CPOL_ARRAY_PAGE)

/* Bytes of the whole. */
#define CPOL_ARRAY_BYTES(size, width) (CPOL_ARRAY_PAGE + 2 * CPOL_ARRAY_HALF(size, width))

#endif
