/* SPDX-License-Identifier: MIT */
/* Formulas in reverse Polish, computed at attach with the values of params: capacities, sizes, lengths, periods. */
#include <string.h>

#include "cpol/arith.h"
#include "manifest/manifest_line.h"

#define TOKEN_ROW(name, enumerator, operands) { #name, enumerator, operands },
static const struct {
	const char *name;
	enum token token;
	int takes; /* operands */
} token_names[] = {
	FORMULA_TOKENS(TOKEN_ROW)
};

int formula_parse(const struct manifest *manifest, struct formula *formula, char *words, const char *kind, const char *name,
		  const struct place *at)
{
	char *tokens[MAX_TOKENS];
	int depth = 0;

	memset(formula, 0, sizeof(*formula));
	formula->n_tokens = split(words, ',', tokens, MAX_TOKENS);
	if (formula->n_tokens < 0)
		return complain(at, "%s %s: it is empty or has more than %d items", kind, name, MAX_TOKENS);

	for (int i = 0; i < formula->n_tokens; i++) {
		const char *text = tokens[i];
		int takes = 0;

		if (!strncmp(text, "param:", 6)) {
			const struct param *param = manifest_param(manifest, text + 6, strlen(text + 6));

			if (!param || param->kind == KIND_BOOL || param->kind == KIND_ENUM)
				return complain(at, "%s %s: it names something other than a numeric param", kind, name);
			formula->tokens[i].token = TOKEN_PARAM;
			formula->tokens[i].param = (int)(param - manifest->params);
		} else if (!strncmp(text, "int:", 4) || !strncmp(text, "fix:", 4)) {
			formula->tokens[i].token = *text == 'i' ? TOKEN_INT : TOKEN_FIX;
			if (!parse_wide(text + 4, &formula->tokens[i].value) || (*text == 'f' && formula->tokens[i].value > INT64_MAX))
				return complain(at, "%s %s: it has a bad number", kind, name);
		} else {
			size_t k = 0, known = sizeof(token_names) / sizeof(*token_names);

			while (k < known && strcmp(token_names[k].name, text))
				k++;
			if (k == known)
				return complain(at, "%s %s: it has an unknown operation", kind, name);
			formula->tokens[i].token = token_names[k].token;
			takes = token_names[k].takes;
		}
		if (depth < takes)
			return complain(at, "%s %s: an operation lacks an operand", kind, name);
		depth += 1 - takes;
	}
	if (depth != 1)
		return complain(at, "%s %s: it is not one value", kind, name);
	return 0;
}

/* A value on the stack. As in the policy, a number is unsigned, signed or fix, and each type saturates in its own way. */
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
	else if (v.type == FIX)
		v.raw = (uint64_t)cpol_s64_floor_fix((s64)v.raw);
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

/* Gives both operands one type: fix if one of them is fix, else signed if one is. */
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

uint64_t formula_value(const struct manifest *manifest, const struct formula *formula, uint64_t capacity)
{
	struct value stack[MAX_TOKENS + 1];
	int depth = 0;

	for (int i = 0; i < formula->n_tokens; i++) {
		const struct param *param;

		switch (formula->tokens[i].token) {
		case TOKEN_CAPACITY:
			stack[depth++] = (struct value){ UNSIGNED, capacity };
			break;
		case TOKEN_PARAM:
			param = &manifest->params[formula->tokens[i].param];
			stack[depth] = from_wide(param->value, param->kind == KIND_SIGNED);
			if (param->kind == KIND_FIX)
				stack[depth].type = FIX;
			depth++;
			break;
		case TOKEN_INT:
			stack[depth++] = from_wide(formula->tokens[i].value, false);
			break;
		case TOKEN_FIX:
			stack[depth++] = (struct value){ FIX, (uint64_t)formula->tokens[i].value };
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
			stack[depth - 1] = apply(formula->tokens[i].token, stack[depth - 1], stack[depth]);
		}
	}
	return to_u64(stack[0]).raw;
}
