/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The integer types on BPF. Only their sizes must match the kernel's BTF, not their names. Functions from here to the `pop` in
 * bpf_policy.h, those of arith.h among them, are compiled without debug information (bpf_policy.h says why).
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
