/* SPDX-License-Identifier: MIT */
/* The values of params, and what ghosts' capacities become with them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpol/arith.h"
#include "manifest.h"

#define FIX_ONE (1 << CPOL_FIX_BITS)
#define MAX_FRACTION_DIGITS 18

static void print_wide(FILE *out, wide value)
{
	if (value < 0)
		fprintf(out, "%" PRId64, (int64_t)value);
	else
		fprintf(out, "%" PRIu64, (uint64_t)value);
}

/* A fix with at most four digits after the point, and no zero at the end. */
static void print_fix(FILE *out, int64_t raw)
{
	uint64_t magnitude = raw < 0 ? 0 - (uint64_t)raw : (uint64_t)raw, whole = magnitude >> CPOL_FIX_BITS;
	uint64_t fraction = ((magnitude & (FIX_ONE - 1)) * 10000 + FIX_ONE / 2) >> CPOL_FIX_BITS;
	int digits = 4;

	whole += fraction / 10000;
	fraction %= 10000;
	for (; digits > 0 && fraction % 10 == 0; digits--)
		fraction /= 10;
	fprintf(out, "%s%" PRIu64, raw < 0 ? "-" : "", whole);
	if (digits)
		fprintf(out, ".%0*" PRIu64, digits, fraction);
}

void param_print(FILE *out, const struct param *param, wide value)
{
	if (param->kind == KIND_FIX)
		print_fix(out, (int64_t)value);
	else if (param->kind == KIND_BOOL)
		fputs(value ? "true" : "false", out);
	else if (param->kind == KIND_ENUM)
		fputs(param->members[value], out);
	else
		print_wide(out, value);
}

/* A decimal number as a fix: rounded to the nearest, ties to even, as the compiler rounds literals. */
static bool parse_fix(const char *text, wide *value)
{
	bool negative = *text == '-';
	wide whole = 0, fraction = 0, scale = 1, raw;
	int digits = 0;

	text += negative;
	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		whole = whole * 10 + (*text - '0');
		if (whole > INT64_MAX)
			return false;
	}
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++) {
			if (++digits > MAX_FRACTION_DIGITS)
				return false;
			fraction = fraction * 10 + (*text - '0');
			scale *= 10;
		}
		if (!digits)
			return false;
	}
	if (*text)
		return false;
	raw = whole * FIX_ONE + fraction * FIX_ONE / scale;
	fraction = 2 * (fraction * FIX_ONE % scale);
	if (fraction > scale || (fraction == scale && raw % 2))
		raw++;
	*value = negative ? -raw : raw;
	return true;
}

static bool parse_integer(const char *text, wide *value)
{
	bool negative = *text == '-';
	uint64_t magnitude;

	if (!parse_u64(text + negative, &magnitude))
		return false;
	*value = negative ? -(wide)magnitude : (wide)magnitude;
	return true;
}

static bool parse_bool(const char *text, wide *value)
{
	*value = !strcmp(text, "true");
	return *value || !strcmp(text, "false");
}

static bool parse_member(const struct param *param, const char *text, wide *value)
{
	for (int i = 0; i < param->n_members; i++) {
		if (!strcmp(param->members[i], text)) {
			*value = i;
			return true;
		}
	}
	return false;
}

/* What a param may be: "a whole number from 1 to 65536". To be freed. */
static char *describe(const struct param *param)
{
	char *text = NULL;
	size_t size;
	FILE *out = need(open_memstream(&text, &size));

	if (param->kind == KIND_BOOL) {
		fputs("true or false", out);
	} else if (param->kind == KIND_ENUM) {
		fputs("one of", out);
		for (wide i = param->low; i <= param->high; i++)
			fprintf(out, "%s %s", i == param->low ? "" : ",", param->members[i]);
	} else {
		fprintf(out, "a%s number from ", param->kind == KIND_FIX ? "" : " whole");
		param_print(out, param, param->low);
		fputs(" to ", out);
		param_print(out, param, param->high);
	}
	fclose(out);
	return need(text);
}

/* `all` names every param, for the message. */
static int unknown_param(const struct manifest *manifest, const char *name, int length)
{
	char *all = NULL;
	size_t size;
	FILE *out = need(open_memstream(&all, &size));

	for (int i = 0; i < manifest->n_params; i++)
		fprintf(out, "%s %s", i ? "," : "", manifest->params[i].name);
	fclose(out);
	if (manifest->n_params)
		fail("--set: the policy %s has no param %.*s; it has:%s", manifest->policy, length, name, all);
	else
		fail("--set: the policy %s has no params", manifest->policy);
	free(all);
	return -1;
}

int manifest_set(struct manifest *manifest, const char *setting)
{
	const char *equals = strchr(setting, '=');
	struct param *param = NULL;
	bool parsed;
	wide value = 0;
	char *range;

	if (!equals || equals == setting)
		return fail("--set needs name=value, not `%s`", setting);
	for (int i = 0; i < manifest->n_params; i++) {
		const char *name = manifest->params[i].name;

		if (strlen(name) == (size_t)(equals - setting) && !memcmp(name, setting, strlen(name)))
			param = &manifest->params[i];
	}
	if (!param)
		return unknown_param(manifest, setting, (int)(equals - setting));
	if (param->set)
		return fail("--set: %s is set twice", param->name);

	switch (param->kind) {
	case KIND_FIX:
		parsed = parse_fix(equals + 1, &value);
		break;
	case KIND_BOOL:
		parsed = parse_bool(equals + 1, &value);
		break;
	case KIND_ENUM:
		parsed = parse_member(param, equals + 1, &value);
		break;
	default:
		parsed = parse_integer(equals + 1, &value);
	}
	if (!parsed || value < param->low || value > param->high) {
		range = describe(param);
		fail("--set: %s must be %s, not `%s`", param->name, range, equals + 1);
		free(range);
		return -1;
	}
	param->value = value;
	param->set = true;
	return 0;
}

/* Values under evaluation: as in the policy, a number is unsigned, signed or fix, and each saturates in its own way. */
struct value {
	enum { UNSIGNED, SIGNED, FIX } type;
	uint64_t raw;
};

static struct value from_wide(wide value, bool is_signed)
{
	return (struct value){ is_signed || value < 0 ? SIGNED : UNSIGNED, (uint64_t)value };
}

static struct value to_u64(struct value v)
{
	if (v.type == SIGNED)
		v.raw = (int64_t)v.raw < 0 ? 0 : v.raw;
	else if (v.type == FIX)
		v.raw = cpol_u64_floor_fix((s64)v.raw);
	v.type = UNSIGNED;
	return v;
}

static struct value to_s64(struct value v)
{
	if (v.type == UNSIGNED)
		v.raw = v.raw > INT64_MAX ? INT64_MAX : v.raw;
	v.type = SIGNED;
	return v;
}

static struct value to_fix(struct value v)
{
	if (v.type == UNSIGNED)
		v.raw = (uint64_t)cpol_fix_from_u64(v.raw);
	else if (v.type == SIGNED)
		v.raw = (uint64_t)cpol_fix_from_s64((s64)v.raw);
	v.type = FIX;
	return v;
}

/* Both operands become of one type: fix if one is, else signed if one is. */
static void unify(struct value *a, struct value *b)
{
	if (a->type == FIX || b->type == FIX) {
		*a = to_fix(*a);
		*b = to_fix(*b);
	} else if (a->type != b->type) {
		*a = to_s64(*a);
		*b = to_s64(*b);
	}
}

#define APPLY(op)                                                                                                              \
	(a.type == UNSIGNED ? cpol_##op##_u64(a.raw, b.raw) :                                                                  \
	 a.type == SIGNED   ? (uint64_t)cpol_##op##_s64((s64)a.raw, (s64)b.raw) :                                              \
			      (uint64_t)cpol_##op##_fix((s64)a.raw, (s64)b.raw))

static struct value apply(enum token token, struct value a, struct value b)
{
	unify(&a, &b);
	switch (token) {
	case TOKEN_ADD:
		a.raw = APPLY(add);
		break;
	case TOKEN_SUB:
		a.raw = APPLY(sub);
		break;
	case TOKEN_MUL:
		a.raw = APPLY(mul);
		break;
	case TOKEN_DIV:
		a.raw = APPLY(div);
		break;
	case TOKEN_MOD:
		a.raw = APPLY(mod);
		break;
	case TOKEN_MIN:
		a.raw = APPLY(min);
		break;
	default:
		a.raw = APPLY(max);
	}
	return a;
}

uint64_t ghost_entries(const struct manifest *manifest, const struct ghost *ghost, uint64_t capacity)
{
	struct value stack[MAX_TOKENS + 1];
	int depth = 0;

	for (int i = 0; i < ghost->n_tokens; i++) {
		const struct param *param;

		switch (ghost->tokens[i].token) {
		case TOKEN_CAPACITY:
			stack[depth++] = (struct value){ UNSIGNED, capacity };
			break;
		case TOKEN_PARAM:
			param = &manifest->params[ghost->tokens[i].param];
			stack[depth] = from_wide(param->value, param->kind == KIND_SIGNED);
			if (param->kind == KIND_FIX)
				stack[depth].type = FIX;
			depth++;
			break;
		case TOKEN_INT:
			stack[depth++] = from_wide(ghost->tokens[i].value, false);
			break;
		case TOKEN_FIX:
			stack[depth++] = (struct value){ FIX, (uint64_t)ghost->tokens[i].value };
			break;
		case TOKEN_TO_FIX:
			stack[depth - 1] = to_fix(stack[depth - 1]);
			break;
		case TOKEN_FLOOR:
		case TOKEN_TO_U64:
			stack[depth - 1] = to_u64(stack[depth - 1]);
			break;
		case TOKEN_TO_S64:
			stack[depth - 1] = to_s64(stack[depth - 1]);
			break;
		case TOKEN_CEIL:
			if (stack[depth - 1].type == FIX)
				stack[depth - 1] = (struct value){ UNSIGNED, cpol_u64_ceil_fix((s64)stack[depth - 1].raw) };
			else
				stack[depth - 1] = to_u64(stack[depth - 1]);
			break;
		default:
			depth--;
			stack[depth - 1] = apply(ghost->tokens[i].token, stack[depth - 1], stack[depth]);
		}
	}
	return to_u64(stack[0]).raw;
}
