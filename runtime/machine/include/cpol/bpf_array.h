/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arrays that user space fills, in BPF (array.h). Each has a section of its own with a variable that is not hidden, so libbpf makes a
 * map that user space can mmap, and programs address its one value directly. The object has one entry; the loader sets the size and
 * the map's.
 *
 * A handler keeps the number of the version in its context, and reads the half that this number chooses. Reads are global functions,
 * as those of tables are (bpf_table.h).
 */
#ifndef CPOL_BPF_ARRAY_H
#define CPOL_BPF_ARRAY_H

#include "cpol/array.h"

#define CPOL_BPF_ARRAY(NAME, TYPE)                                                                                             \
	__hidden const volatile u64 cpol_array_size__##NAME SEC(".rodata") = 0; /* the loader sets it */                       \
	TYPE cpol_array__##NAME[1] SEC(CPOL_ARRAY_SECTION_##NAME) __attribute__((aligned(8)));                                 \
	typedef TYPE cpol_entry__##NAME;                                                                                       \
	CPOL_PRIMITIVE u64 cpol_array_version__##NAME(void)                                                                    \
	{                                                                                                                      \
		const TYPE *base = cpol_array__##NAME;                                                                         \
                                                                                                                               \
		CPOL_OPAQUE(base);                                                                                             \
		return ((const volatile struct cpol_array_header *)base)->published;                                           \
	}                                                                                                                      \
	__noinline u64 cpol_array_get__##NAME(u64 version, u64 index)                                                          \
	{                                                                                                                      \
		u64 size = cpol_array_size__##NAME, half = CPOL_ARRAY_HALF(size, sizeof(TYPE)) / sizeof(TYPE), at;             \
		const TYPE *entries = cpol_array__##NAME;                                                                      \
                                                                                                                               \
		CPOL_OPAQUE(version);                                                                                          \
		CPOL_OPAQUE(index);                                                                                            \
		if (index >= size)                                                                                             \
			return 0;                                                                                              \
		at = CPOL_ARRAY_PAGE / sizeof(TYPE) + (version & 1) * half + index;                                            \
		CPOL_OPAQUE(at);                                                                                               \
		CPOL_OPAQUE(entries);                                                                                          \
		if (at >= CPOL_ARRAY_PAGE / sizeof(TYPE) + 2 * half) /* never; for the verifier */                             \
			return 0;                                                                                              \
		CPOL_OPAQUE(at);                                                                                               \
		return (u64)entries[at];                                                                                       \
	}
CPOL_ARRAYS(CPOL_BPF_ARRAY)

/* The versions that a handler reads. */
struct cpol_array_versions {
#define X(NAME, TYPE) u64 NAME;
	CPOL_ARRAYS(X)
#undef X
};

#define cpol_array_begin(c, NAME) ((void)((c)->arrays.NAME = cpol_array_version__##NAME()))
#define cpol_array_get(c, NAME, index) ((cpol_entry__##NAME)cpol_array_get__##NAME((c)->arrays.NAME, index))
#define cpol_array_size(c, NAME) ((void)(c), cpol_array_size__##NAME)

#endif
