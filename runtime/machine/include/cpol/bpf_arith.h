/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic with many cases (arith.h) as global functions. The verifier checks each once, and takes any result for possible. If they
 * were inlined, each case of each operation would be a path of its own through all that follows, loops included. The arguments are
 * opaque, since the compiler would specialise the functions for constants.
 */
#ifndef CPOL_BPF_ARITH_H
#define CPOL_BPF_ARITH_H

#define CPOL_ONCE(name)                                        \
	__noinline s64 name##__once(s64 a, s64 b)              \
	{                                                      \
		CPOL_OPAQUE(a);                                \
		CPOL_OPAQUE(b);                                \
		return name(a, b);                             \
	}

CPOL_ONCE(cpol_add_s64)
CPOL_ONCE(cpol_sub_s64)
CPOL_ONCE(cpol_mul_s64)
CPOL_ONCE(cpol_div_s64)
CPOL_ONCE(cpol_mod_s64)
CPOL_ONCE(cpol_min_s64)
CPOL_ONCE(cpol_max_s64)
CPOL_ONCE(cpol_mul_fix)
CPOL_ONCE(cpol_div_fix)

#define cpol_add_s64(a, b) cpol_add_s64__once(a, b)
#define cpol_sub_s64(a, b) cpol_sub_s64__once(a, b)
#define cpol_mul_s64(a, b) cpol_mul_s64__once(a, b)
#define cpol_div_s64(a, b) cpol_div_s64__once(a, b)
#define cpol_mod_s64(a, b) cpol_mod_s64__once(a, b)
#define cpol_min_s64(a, b) cpol_min_s64__once(a, b)
#define cpol_max_s64(a, b) cpol_max_s64__once(a, b)
#define cpol_add_fix(a, b) cpol_add_s64__once(a, b)
#define cpol_sub_fix(a, b) cpol_sub_s64__once(a, b)
#define cpol_mul_fix(a, b) cpol_mul_fix__once(a, b)
#define cpol_div_fix(a, b) cpol_div_fix__once(a, b)
#define cpol_mod_fix(a, b) cpol_mod_s64__once(a, b)
#define cpol_min_fix(a, b) cpol_min_s64__once(a, b)
#define cpol_max_fix(a, b) cpol_max_s64__once(a, b)

/*
 * These are too short for that. Their results are hidden, or the verifier would know of each which of two cases it is, and follow a loop
 * for each combination of those (compiler/ir/walk.py: _OF_TWO_CASES).
 */
#ifdef CPOL_VARIABLE
#define cpol_add_u64(a, b) CPOL_VARIABLE(u64, cpol_add_u64(a, b))
#define cpol_sub_u64(a, b) CPOL_VARIABLE(u64, cpol_sub_u64(a, b))
#define cpol_mul_u64(a, b) CPOL_VARIABLE(u64, cpol_mul_u64(a, b))
#define cpol_min_u64(a, b) CPOL_VARIABLE(u64, cpol_min_u64(a, b))
#define cpol_max_u64(a, b) CPOL_VARIABLE(u64, cpol_max_u64(a, b))
#endif

#define CPOL_ONCE_OF_ONE(name)                                 \
	__noinline s64 name##__once(s64 a)                     \
	{                                                      \
		CPOL_OPAQUE(a);                                \
		return name(a);                                \
	}

CPOL_ONCE_OF_ONE(cpol_log2_fix)
CPOL_ONCE_OF_ONE(cpol_exp2_fix)

#define cpol_log2_fix(a) cpol_log2_fix__once(a)
#define cpol_exp2_fix(a) cpol_exp2_fix__once(a)

#endif
