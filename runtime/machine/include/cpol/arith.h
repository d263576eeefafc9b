/* SPDX-License-Identifier: MIT */
/*
 * Saturating arithmetic (docs/semantics.md, Numbers), with the same results on the host and on BPF. On BPF it uses no 128-bit type, no
 * signed overflow and no signed division: it multiplies by 32-bit parts and divides magnitudes. On the host (CPOL_WIDE) it is quicker.
 * `fix` is an s64 with 16 fraction bits.
 *
 * The compiler refuses a divisor that may be zero. A concurrent store may still make one zero after its test. The quotient is then
 * 0 and the remainder the dividend, as in BPF.
 */
#ifndef CPOL_ARITH_H
#define CPOL_ARITH_H

#include "cpol/types.h"

#define CPOL_FIX_BITS 16

/* Whether the target has 128-bit products, tells overflow and counts leading zeros. The tests build both forms for the host. */
#ifndef CPOL_WIDE
#ifdef __bpf__
#define CPOL_WIDE 0
#else
#define CPOL_WIDE 1
#endif
#endif

/* Magnitude and sign: every s64 has a magnitude that fits into u64. */

CPOL_INLINE u64 cpol_magnitude(s64 a)
{
	return a < 0 ? 0 - (u64)a : (u64)a;
}

CPOL_INLINE s64 cpol_signed_of(u64 magnitude, bool negative)
{
	if (negative)
		return magnitude > (u64)CPOL_S64_MAX ? CPOL_S64_MIN : -(s64)magnitude;
	return magnitude > (u64)CPOL_S64_MAX ? CPOL_S64_MAX : (s64)magnitude;
}

/* The upper 64 bits of a * b. */
CPOL_INLINE u64 cpol_mul_high(u64 a, u64 b)
{
#if CPOL_WIDE
	return (u64)(((unsigned __int128)a * b) >> 64);
#else
	u64 al = (u32)a, ah = a >> 32, bl = (u32)b, bh = b >> 32;
	u64 low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	u64 carry = ((low >> 32) + (u32)mid1 + (u32)mid2) >> 32;

	return ah * bh + (mid1 >> 32) + (mid2 >> 32) + carry;
#endif
}

CPOL_INLINE u64 cpol_add_u64(u64 a, u64 b)
{
	u64 sum = a + b;

	return sum < a ? CPOL_U64_MAX : sum;
}

CPOL_INLINE u64 cpol_sub_u64(u64 a, u64 b)
{
	return a < b ? 0 : a - b;
}

CPOL_INLINE u64 cpol_mul_u64(u64 a, u64 b)
{
	if (((a | b) >> 32) != 0 && cpol_mul_high(a, b) != 0)
		return CPOL_U64_MAX;
	return a * b;
}

CPOL_INLINE u64 cpol_div_u64(u64 a, u64 b)
{
	return b == 0 ? 0 : a / b;
}

CPOL_INLINE u64 cpol_mod_u64(u64 a, u64 b)
{
	return b == 0 ? a : a % b;
}

CPOL_INLINE u64 cpol_min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

CPOL_INLINE u64 cpol_max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* Operations on bits. C leaves shifts by 64 or more undefined; here no bit remains. */

CPOL_INLINE u64 cpol_and_u64(u64 a, u64 b)
{
	return a & b;
}

CPOL_INLINE u64 cpol_or_u64(u64 a, u64 b)
{
	return a | b;
}

CPOL_INLINE u64 cpol_xor_u64(u64 a, u64 b)
{
	return a ^ b;
}

CPOL_INLINE u64 cpol_shl_u64(u64 a, u64 b)
{
	return b < 64 ? a << b : 0;
}

CPOL_INLINE u64 cpol_shr_u64(u64 a, u64 b)
{
	return b < 64 ? a >> b : 0;
}

/* An index of an array in a record. It saturates at the last element. */
CPOL_INLINE u64 cpol_index_up_to(u64 last, u64 index)
{
#ifdef __bpf__
	/*
	 * The verifier follows comparisons, but no remainders. So clang must not leave out this one because it knows a bound of the index,
	 * nor scale the index before it; nor may it take a bool for the index, of which the verifier knows no bound, where that
	 * chooses between two constants.
	 */
	if (!__builtin_constant_p(index))
		__asm__("" : "+r"(index));
	index = index < last ? index : last;
	__asm__("" : "+r"(index));
	return index;
#else
	return index < last ? index : last;
#endif
}

#define cpol_within(array, index) cpol_index_up_to(sizeof(array) / sizeof((array)[0]) - 1, index)

CPOL_INLINE s64 cpol_add_s64(s64 a, s64 b)
{
	s64 sum;

#if CPOL_WIDE
	if (__builtin_add_overflow(a, b, &sum))
#else
	sum = (s64)((u64)a + (u64)b);
	if (((a ^ sum) & (b ^ sum)) < 0)
#endif
		return a < 0 ? CPOL_S64_MIN : CPOL_S64_MAX;
	return sum;
}

CPOL_INLINE s64 cpol_sub_s64(s64 a, s64 b)
{
	s64 difference;

#if CPOL_WIDE
	if (__builtin_sub_overflow(a, b, &difference))
#else
	difference = (s64)((u64)a - (u64)b);
	if (((a ^ b) & (a ^ difference)) < 0)
#endif
		return a < 0 ? CPOL_S64_MIN : CPOL_S64_MAX;
	return difference;
}

CPOL_INLINE s64 cpol_mul_s64(s64 a, s64 b)
{
	return cpol_signed_of(cpol_mul_u64(cpol_magnitude(a), cpol_magnitude(b)), (a ^ b) < 0);
}

/* Rounds towards negative infinity. */
CPOL_INLINE s64 cpol_div_s64(s64 a, s64 b)
{
	u64 ua = cpol_magnitude(a), ub = cpol_magnitude(b), quotient;
	bool negative = (a ^ b) < 0;

	if (ub == 0)
		return 0;
	quotient = ua / ub;
	if (negative && quotient * ub != ua)
		quotient++;
	return cpol_signed_of(quotient, negative);
}

/* Has the sign of the divisor: a == b * (a / b) + a % b. */
CPOL_INLINE s64 cpol_mod_s64(s64 a, s64 b)
{
	u64 ub = cpol_magnitude(b), rest;

	if (ub == 0)
		return a;
	rest = cpol_magnitude(a) % ub;
	if (rest != 0 && (a ^ b) < 0)
		rest = ub - rest;
	return cpol_signed_of(rest, b < 0);
}

CPOL_INLINE s64 cpol_min_s64(s64 a, s64 b)
{
	return a < b ? a : b;
}

CPOL_INLINE s64 cpol_max_s64(s64 a, s64 b)
{
	return a > b ? a : b;
}

/* For fix, linear operations and comparisons are those of s64. */

CPOL_INLINE s64 cpol_add_fix(s64 a, s64 b)
{
	return cpol_add_s64(a, b);
}

CPOL_INLINE s64 cpol_sub_fix(s64 a, s64 b)
{
	return cpol_sub_s64(a, b);
}

CPOL_INLINE s64 cpol_min_fix(s64 a, s64 b)
{
	return cpol_min_s64(a, b);
}

CPOL_INLINE s64 cpol_max_fix(s64 a, s64 b)
{
	return cpol_max_s64(a, b);
}

CPOL_INLINE s64 cpol_mod_fix(s64 a, s64 b)
{
	return cpol_mod_s64(a, b);
}

/* floor(a * b), in fix: the 128-bit product of the magnitudes, shifted. */
CPOL_INLINE s64 cpol_mul_fix(s64 a, s64 b)
{
#if CPOL_WIDE
	__int128 exact;
	s64 product;

	if (__builtin_expect(!__builtin_mul_overflow(a, b, &product), 1)) /* then 64 bits do */
		return product >> CPOL_FIX_BITS; /* rounds down */
	exact = ((__int128)a * b) >> CPOL_FIX_BITS;
	if (exact == (s64)exact)
		return (s64)exact;
	return (a ^ b) < 0 ? CPOL_S64_MIN : CPOL_S64_MAX;
#else
	u64 ua = cpol_magnitude(a), ub = cpol_magnitude(b);
	u64 high = cpol_mul_high(ua, ub), low = ua * ub, product;
	bool negative = (a ^ b) < 0;

	if (high >> (CPOL_FIX_BITS - 1) != 0)
		return negative ? CPOL_S64_MIN : CPOL_S64_MAX;
	product = (high << (64 - CPOL_FIX_BITS)) | (low >> CPOL_FIX_BITS);
	if (negative && (low & ((1ULL << CPOL_FIX_BITS) - 1)) != 0)
		product++;
	return cpol_signed_of(product, negative);
#endif
}

#ifdef __bpf__
/*
 * Keeps clang from turning a computed bit into a branch, since it knows that the bit is 0 or 1. A mask (all ones or 0) would not do:
 * where one meets a constant, the verifier follows both cases.
 */
#define CPOL_KEEP_BIT(bit) __asm__ volatile("" : "+r"(bit))
#else
#define CPOL_KEEP_BIT(bit) ((void)0)
#endif

/* floor(a / b), in fix: the integer quotient, then 16 more digits. */
CPOL_INLINE s64 cpol_div_fix(s64 a, s64 b)
{
	u64 ua = cpol_magnitude(a), ub = cpol_magnitude(b), quotient, rest;
	bool negative = (a ^ b) < 0;

	if (ub == 0)
		return 0;
#if CPOL_WIDE
	if (__builtin_expect((u64)a >> (63 - CPOL_FIX_BITS) == 0 && b > 0, 1)) /* then one division does, and nothing has a sign */
		return (s64)(((u64)a << CPOL_FIX_BITS) / (u64)b);
	if (ua >> (63 - CPOL_FIX_BITS) == 0) { /* then one division does */
		quotient = (ua << CPOL_FIX_BITS) / ub;
		rest = (ua << CPOL_FIX_BITS) % ub;
		return cpol_signed_of(quotient + (negative && rest != 0), negative);
	}
#endif
	quotient = ua / ub;
	rest = ua - quotient * ub;
	if (quotient >> (63 - CPOL_FIX_BITS) != 0)
		return negative ? CPOL_S64_MIN : CPOL_S64_MAX;
	quotient <<= CPOL_FIX_BITS;
	if (ub >> (64 - CPOL_FIX_BITS) == 0) {
		rest <<= CPOL_FIX_BITS;
		quotient += rest / ub;
		rest %= ub;
	} else { /* rest < ub <= 2^63, so doubling it does not overflow */
#pragma clang loop unroll(full)
		for (u32 bit = CPOL_FIX_BITS; bit-- != 0;) {
			u64 left, fits; /* 1 if ub fits, else 0: no branch, which BPF's verifier would follow twice */

			rest <<= 1;
			left = rest - ub;
			fits = (((~rest & ub) | ((~rest | ub) & left)) >> 63) ^ 1;
			CPOL_KEEP_BIT(fits);
			rest -= ub * fits;
			quotient += fits << bit;
		}
	}
	if (negative && rest != 0)
		quotient++;
	return cpol_signed_of(quotient, negative);
}

/* Conversions. */

CPOL_INLINE u64 cpol_u64_from_s64(s64 a)
{
	return a < 0 ? 0 : (u64)a;
}

CPOL_INLINE s64 cpol_s64_from_u64(u64 a)
{
	return a > (u64)CPOL_S64_MAX ? CPOL_S64_MAX : (s64)a;
}

CPOL_INLINE s64 cpol_fix_from_u64(u64 a)
{
	return a > ((u64)CPOL_S64_MAX >> CPOL_FIX_BITS) ? CPOL_S64_MAX : (s64)(a << CPOL_FIX_BITS);
}

CPOL_INLINE s64 cpol_fix_from_s64(s64 a)
{
	u64 magnitude = cpol_magnitude(a);

	if (magnitude >> (63 - CPOL_FIX_BITS) != 0)
		return a < 0 ? CPOL_S64_MIN : CPOL_S64_MAX;
	return cpol_signed_of(magnitude << CPOL_FIX_BITS, a < 0);
}

/* An arithmetic shift rounds down. In clang, `>>` of a signed number is an arithmetic shift. */

CPOL_INLINE s64 cpol_s64_floor_fix(s64 a)
{
	return a >> CPOL_FIX_BITS;
}

CPOL_INLINE s64 cpol_s64_ceil_fix(s64 a)
{
	return (a >> CPOL_FIX_BITS) + ((a & ((1LL << CPOL_FIX_BITS) - 1)) != 0);
}

CPOL_INLINE u64 cpol_u64_floor_fix(s64 a)
{
	return cpol_u64_from_s64(cpol_s64_floor_fix(a));
}

CPOL_INLINE u64 cpol_u64_ceil_fix(s64 a)
{
	return cpol_u64_from_s64(cpol_s64_ceil_fix(a));
}

/* Saturation at a narrower width; `bits` is a constant from 1 to 63. */

CPOL_INLINE u64 cpol_clamp_u(u64 a, u32 bits)
{
	u64 top = (1ULL << bits) - 1;

#ifdef __bpf__
	/* Keeps clang from narrowing the arithmetic, which doubles the branches. */
	__asm__("" : "+r"(a));
#endif
	return a > top ? top : a;
}

CPOL_INLINE s64 cpol_clamp_s(s64 a, u32 bits)
{
	s64 top = (s64)((1ULL << (bits - 1)) - 1);

	if (a > top)
		return top;
	return a < -top - 1 ? -top - 1 : a;
}

/* Converts a score to a key that compares unsigned: a signed score gets its top bit flipped. */

CPOL_INLINE u64 cpol_key_u64(u64 score)
{
	return score;
}

CPOL_INLINE u64 cpol_key_s64(s64 score)
{
	return (u64)score ^ (1ULL << 63);
}

CPOL_INLINE u64 cpol_key_fix(s64 score)
{
	return cpol_key_s64(score);
}

#endif
