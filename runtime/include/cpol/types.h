/* SPDX-License-Identifier: MIT */
/* The integer types of generated C. */
#ifndef CPOL_TYPES_H
#define CPOL_TYPES_H

#if defined(__bpf__) && __has_include("cpol/bpf_types.h")
#include "cpol/bpf_types.h"
#else
#include <stdbool.h>
#include <stddef.h>
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef signed short s16;
typedef signed int s32;
typedef signed long long s64;
#endif

#include "cpol/contract.h"

#define CPOL_INLINE static inline __attribute__((always_inline, unused))

#define CPOL_U64_MAX 0xffffffffffffffffULL
#define CPOL_S64_MAX 0x7fffffffffffffffLL
#define CPOL_S64_MIN (-CPOL_S64_MAX - 1)

#endif
