/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The integer types on BPF: what the kernel's BTF calls them does not matter, only their sizes. And from here to bpf.h, which is
 * over arith.h and the like, functions are compiled without debug information (bpf.h says why).
 */
#ifndef CPOL_BPF_TYPES_H
#define CPOL_BPF_TYPES_H

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

#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

#endif
