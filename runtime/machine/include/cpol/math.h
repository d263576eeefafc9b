/* SPDX-License-Identifier: MIT */
/*
 * Hashing, logarithm, power (docs/semantics.md, Numbers) and ranges of loops, the same on the host and on BPF. Loops have no
 * branches: on BPF each branch would double the verifier's paths.
 */
#ifndef CPOL_MATH_H
#define CPOL_MATH_H

#include "cpol/arith.h"

/* The finaliser of splitmix64 (Steele, Lea, Flood: OOPSLA '14), a bijection. */
CPOL_INLINE u64 cpol_mix64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* `task.comm`: the number of a name, whose 16 bytes are two little-endian words. */
CPOL_INLINE u64 cpol_comm_number(u64 first, u64 second)
{
	return cpol_mix64(first + cpol_mix64(second));
}

/* `hash(f, salt)` of the folio (file, index). */
CPOL_INLINE u64 cpol_hash_name(u64 file, u64 index, u64 salt)
{
	return cpol_mix64(index ^ cpol_mix64(file + cpol_mix64(salt + 1)));
}

/* `random(bound)`: each call adds CPOL_RANDOM_STEP to the state, and cpol_random_below maps the state to a number below `bound`. */
#define CPOL_RANDOM_STEP 0x9e3779b97f4a7c15ULL

CPOL_INLINE u64 cpol_random_below(u64 state, u64 bound)
{
	if (bound > 1ULL << 32)
		bound = 1ULL << 32;
	return ((cpol_mix64(state) >> 32) * bound) >> 32;
}

/* The number of the highest set bit; `x` must not be 0. */
CPOL_INLINE u32 cpol_highest_bit(u64 x)
{
#if CPOL_WIDE
	return 63 - (u32)__builtin_clzll(x);
#else
	u32 bit = 0;

#pragma clang loop unroll(full)
	for (u32 step = 32; step != 0; step >>= 1) {
		u32 shift = (u32)(x >> step != 0) * step;

		bit += shift;
		x >>= shift;
	}
	return bit;
#endif
}

/* Each of the 16 digits comes from squaring a number in [1, 2), in Q1.31. */
CPOL_INLINE s64 cpol_log2_digits(s64 a)
{
	u64 m = (u64)a, digits = 0;
	u32 n;

	if (a <= 0)
		return -16 * (1 << CPOL_FIX_BITS);
	n = cpol_highest_bit(m);
	m = n > 31 ? m >> (n - 31) : m << (31 - n);
#pragma clang loop unroll(full)
	for (u32 digit = 0; digit < CPOL_FIX_BITS; digit++) {
		u64 bit;

		m = (m * m) >> 31;
		bit = m >> 32;
		m >>= bit;
		digits = digits << 1 | bit;
	}
	return ((s64)n - CPOL_FIX_BITS) * (1 << CPOL_FIX_BITS) + (s64)digits;
}

/* Binary logarithm of a raw fix, as a raw fix. The host keeps those of whole numbers below CPOL_LOGARITHMS: policies ask for few others. */
CPOL_INLINE s64 cpol_log2_fix(s64 a)
{
#if CPOL_WIDE
#define CPOL_LOGARITHMS 8192
	static u32 kept[CPOL_LOGARITHMS]; /* plus 1; 0: not computed yet. Two threads would compute the same */
	u64 whole = (u64)a >> CPOL_FIX_BITS;

	if (whole - 1 < CPOL_LOGARITHMS - 1 && whole << CPOL_FIX_BITS == (u64)a) {
		u32 found = __atomic_load_n(&kept[whole], __ATOMIC_RELAXED);

		if (!found) {
			found = (u32)cpol_log2_digits(a) + 1;
			__atomic_store_n(&kept[whole], found, __ATOMIC_RELAXED);
		}
		return (s64)found - 1;
	}
#endif
	return cpol_log2_digits(a);
}

/* 2 to the power of a raw fix, as a raw fix: a product of roots of 2, one for each set fraction bit (2^31 * 2^(2^-k), rounded). */
CPOL_INLINE s64 cpol_exp2_fix(s64 a)
{
	static const u32 roots[CPOL_FIX_BITS] = {
		3037000500U, 2553802834U, 2341847524U, 2242560872U, 2194507417U, 2170868212U, 2159144272U, 2153306067U,
		2150392887U, 2148937775U, 2148210589U, 2147847087U, 2147665360U, 2147574502U, 2147529075U, 2147506361U,
	};
	s64 shift = (a >> CPOL_FIX_BITS) - (31 - CPOL_FIX_BITS);
	u64 r = 1ULL << 31;

#pragma clang loop unroll(full)
	for (u32 k = 0; k < CPOL_FIX_BITS; k++) {
		u64 bit = ((u64)a >> (CPOL_FIX_BITS - 1 - k)) & 1;

		r = (r * ((1ULL << 31) + bit * (roots[k] - (1ULL << 31)))) >> 31;
	}
	if (shift > 31)
		return CPOL_S64_MAX;
	if (shift >= 0)
		return (s64)(r << shift);
	return shift < -63 ? 0 : (s64)(r >> -shift);
}

/* `for i in low..high`: its first number, and how many rounds it has. */
struct cpol_range {
	u64 low, rounds;
};

CPOL_INLINE struct cpol_range cpol_range(u64 low, u64 high)
{
	u64 more = high - low;

	if (low > high)
		return (struct cpol_range){ low, 0 };
	return (struct cpol_range){ low, more < CPOL_MAX_ROUNDS ? more + 1 : CPOL_MAX_ROUNDS };
}

#endif
