/* SPDX-License-Identifier: MIT */
/*
 * For libFuzzer: the loader computes a formula as exact arithmetic that saturates once (docs/semantics.md), and takes no formula that
 * has no value. The first 32 bytes are the capacity and three params, each byte after them is a token.
 */
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"

#define HEAD 32
#define ONE 65536 /* of fix */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value of the model. `raw` is exact, and in the type's range. */
struct model {
	enum { UNSIGNED, SIGNED, FIX } type;
	__int128 raw;
};

static const char *const operations[] = { "to_fix", "to_u64", "to_s64", "floor", "ceil", "add", "sub", "mul", "div", "mod", "min", "max" };
enum operation { MAKE_FIX, MAKE_U64, MAKE_S64, FLOOR, CEIL, ADD, SUB, MUL, DIV, MOD, MIN, MAX, OPERATIONS };

static struct model saturate(int type, __int128 raw)
{
	__int128 low = type == UNSIGNED ? 0 : INT64_MIN, high = type == UNSIGNED ? (__int128)UINT64_MAX : INT64_MAX;

	return (struct model){ type, raw < low ? low : raw > high ? high : raw };
}

static __int128 floor_of(__int128 a, __int128 b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static struct model convert(struct model value, int type)
{
	__int128 raw = value.raw;

	if (type == FIX && value.type != FIX)
		raw *= ONE;
	else if (type != FIX && value.type == FIX)
		raw = floor_of(raw, ONE);
	return saturate(type, raw);
}

static struct model ceiling(struct model value)
{
	return value.type == FIX ? saturate(UNSIGNED, -floor_of(-value.raw, ONE)) : convert(value, UNSIGNED);
}

static struct model compute(enum operation operation, struct model a, struct model b)
{
	int type = a.type == b.type ? a.type : a.type == FIX || b.type == FIX ? FIX : SIGNED;

	a = convert(a, type);
	b = convert(b, type);
	switch (operation) {
	case ADD:
		return saturate(type, a.raw + b.raw);
	case SUB:
		return saturate(type, a.raw - b.raw);
	case MUL:
		if (type == UNSIGNED && a.raw && b.raw > UINT64_MAX / a.raw) /* the product may be beyond 127 bits */
			return saturate(type, UINT64_MAX);
		return saturate(type, type == FIX ? floor_of(a.raw * b.raw, ONE) : a.raw * b.raw);
	case DIV:
		return saturate(type, b.raw ? floor_of(type == FIX ? a.raw * ONE : a.raw, b.raw) : 0);
	case MOD:
		return b.raw ? saturate(type, a.raw - b.raw * floor_of(a.raw, b.raw)) : a;
	case MIN:
		return a.raw < b.raw ? a : b;
	default:
		return a.raw > b.raw ? a : b;
	}
}

/* The operation on the stack's top. False: it lacks operands. */
static bool operate(enum operation operation, struct model *stack, int *depth)
{
	struct model *top = &stack[*depth - 1];

	if (*depth < (operation < ADD ? 1 : 2))
		return false;
	if (operation == CEIL)
		*top = ceiling(*top);
	else if (operation < ADD)
		*top = convert(*top, operation == MAKE_FIX ? FIX : operation == MAKE_S64 ? SIGNED : UNSIGNED);
	else
		top[-1] = compute(operation, top[-1], *top);
	*depth -= operation >= ADD;
	return true;
}

static uint64_t take(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;
	size_t n = (size_t)(end - *at) < 8 ? (size_t)(end - *at) : 8;

	memcpy(&value, *at, n);
	*at += n;
	return value;
}

/* Writes the formula, and computes it. False: it has no value. */
static bool make(FILE *out, const struct model *operands, const uint8_t *at, const uint8_t *end, struct model *value)
{
	static const char *const names[] = { "capacity", "param:u", "param:s", "param:x" };
	struct model stack[MAX_TOKENS + 1];
	int depth = 0, n;
	bool fine = at < end;

	for (n = 0; at < end; n++) {
		unsigned int kind = *at++ % (OPERATIONS + 6);

		fine = fine && n < MAX_TOKENS;
		fputs(n ? "," : "", out);
		if (kind < OPERATIONS) {
			fputs(operations[kind], out);
			fine = fine && operate(kind, stack, &depth);
			continue;
		}
		kind -= OPERATIONS;
		if (kind < 4) {
			fputs(names[kind], out);
			if (fine)
				stack[depth++] = operands[kind];
		} else {
			int64_t number = (int64_t)take(&at, end);

			fprintf(out, "%s:%lld", kind == 4 ? "int" : "fix", (long long)number);
			if (fine)
				stack[depth++] = (struct model){ kind == 5 ? FIX : number < 0 ? SIGNED : UNSIGNED, number };
		}
	}
	*value = stack[0];
	return fine && depth == 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *at = data, *end = data + size;
	struct model operands[4], value;
	struct manifest manifest;
	size_t length;
	char *text;
	FILE *out;
	bool fine;

	if (size < HEAD)
		return 0;
	for (int i = 0; i < 4; i++) {
		uint64_t number = take(&at, end);

		operands[i] = i < 2 ? (struct model){ UNSIGNED, number } : (struct model){ i == 2 ? SIGNED : FIX, (int64_t)number };
	}
	out = need(open_memstream(&text, &length));
	fputs("cpol 1 p\nparam u u64 0 0 18446744073709551615 0 8\nparam s s64 0 -9223372036854775808 9223372036854775807 8 8\n"
	      "param x fix 0 -9223372036854775808 9223372036854775807 16 8\nghost g ", out);
	fine = make(out, operands, at, end, &value);
	fputs("\nlists q\nmeta 0\n", out);
	fclose(out);
	if (manifest_parse(&manifest, (const byte *)text, length, "object")) {
		if (fine)
			abort();
	} else {
		if (!fine)
			abort();
		for (int i = 0; i < 3; i++)
			manifest.params[i].value = operands[i + 1].raw;
		if (formula_value(&manifest, &manifest.ghosts[0].capacity, (uint64_t)operands[0].raw) != (uint64_t)convert(value, UNSIGNED).raw)
			abort();
		manifest_free(&manifest);
	}
	free(text);
	return 0;
}
