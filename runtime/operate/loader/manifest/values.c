/* SPDX-License-Identifier: MIT */
/* Values of params and inputs, as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpol/arith.h"
#include "manifest/manifest.h"

#define FIX_ONE (1 << CPOL_FIX_BITS)
#define MAX_FRACTION_DIGITS 20

static void print_wide(FILE *out, wide value)
{
	if (value < 0)
		fprintf(out, "%" PRId64, (int64_t)value);
	else
		fprintf(out, "%" PRIu64, (uint64_t)value);
}

/* scaled / scale as a raw fix, rounded to nearest, ties to even. */
static wide round_fix(wide scaled, wide scale)
{
	wide raw = scaled * FIX_ONE / scale, rest = 2 * (scaled * FIX_ONE % scale);

	return raw + (rest > scale || (rest == scale && raw % 2));
}

/* The shortest decimal that parse_fix reads as `raw`, as compiler/literals.py shows it. Five digits tell all apart. */
static void print_fix(FILE *out, int64_t raw)
{
	uint64_t magnitude = raw < 0 ? 0 - (uint64_t)raw : (uint64_t)raw, part = magnitude & (FIX_ONE - 1);
	uint64_t fraction = 0, scale = 1;
	int digits = 0;

	while (round_fix(fraction, scale) != (wide)part) {
		digits++;
		scale *= 10;
		fraction = (part * scale + FIX_ONE / 2) >> CPOL_FIX_BITS;
	}
	fprintf(out, "%s%" PRIu64, raw < 0 ? "-" : "", magnitude >> CPOL_FIX_BITS);
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
		fputs(value >= 0 && value < param->n_members ? param->members[value] : "?", out);
	else
		print_wide(out, value);
}

wide load_value(const byte *at, const struct param *param, wide unlike)
{
	uint64_t raw = 0;
	int unused = 64 - (int)param->size * 8;

	memcpy(&raw, at, param->size);
	raw = (raw ^ (uint64_t)unlike) << unused;
	if (param->low < 0)
		return (int64_t)raw >> unused;
	return raw >> unused;
}

void param_json(const struct param *param, wide value)
{
	if (param->kind == KIND_ENUM)
		json_string(stdout, value >= 0 && value < param->n_members ? param->members[value] : "?");
	else
		param_print(stdout, param, value);
}

/* Reads a decimal number as a raw fix. Rounds to nearest, ties to even, as the compiler rounds literals. */
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
	raw = whole * FIX_ONE + round_fix(fraction, scale);
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

/* Reads `5s`, `5 s` or `5000` as milliseconds. */
static bool parse_time(const char *text, wide *value)
{
	static const struct {
		const char *name;
		int ms;
	} units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "min", 60 * 1000 }, { "h", 60 * 60 * 1000 } };
	size_t digits = strspn(text, "0123456789");
	const char *unit = text + digits;
	char number[32];
	uint64_t count;

	if (digits >= sizeof(number))
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (*unit == ' ' && unit[1])
		unit++;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(unit, units[i].name)) {
			if (!parse_u64(number, &count))
				return false;
			*value = (wide)count * units[i].ms;
			return true;
		}
	}
	return false;
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

/* What a param may be: "a whole number from 1 to 65536". The caller frees it. */
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
		if (param->ms)
			fputs(" of milliseconds, or a time such as 250ms, 5s, 2min or 1h", out);
	}
	fclose(out);
	return need(text);
}

static int unknown_param(const struct manifest *manifest, const char *option, const char *name, int length)
{
	char *all = NULL;
	size_t size;
	FILE *out = need(open_memstream(&all, &size));

	for (int i = 0; i < manifest->n_params; i++)
		fprintf(out, "%s %s", i ? "," : "", manifest->params[i].name);
	fclose(out);
	if (manifest->n_params)
		fail("%s: the policy %s has no param %.*s; it has:%s", option, manifest->policy, length, name, all);
	else
		fail("%s: the policy %s has no params", option, manifest->policy);
	free(all);
	return -1;
}

int param_parse(const struct param *param, const char *text, const char *what, wide *value)
{
	bool parsed;
	char *range;

	switch (param->kind) {
	case KIND_FIX:
		parsed = parse_fix(text, value);
		break;
	case KIND_BOOL:
		parsed = parse_bool(text, value);
		break;
	case KIND_ENUM:
		parsed = parse_member(param, text, value);
		break;
	default:
		parsed = (param->ms && parse_time(text, value)) || parse_integer(text, value);
	}
	if (parsed && *value >= param->low && *value <= param->high)
		return 0;
	range = describe(param);
	fail("%s must be %s, not `%s`", what, range, text);
	free(range);
	return -1;
}

int manifest_set(struct manifest *manifest, const char *option, const char *setting)
{
	const char *equals = strchr(setting, '=');
	struct param *param;
	wide value = 0;
	char what[NAME_SIZE + 16];

	if (!equals || equals == setting)
		return fail("%s needs name=value, not `%s`", option, setting);
	param = manifest_param(manifest, setting, (size_t)(equals - setting));
	if (!param)
		return unknown_param(manifest, option, setting, (int)(equals - setting));
	if (param->set)
		return fail("%s: %s is set twice", option, param->name);
	snprintf(what, sizeof(what), "%s: %s", option, param->name);
	if (param_parse(param, equals + 1, what, &value))
		return -1;
	param->value = value;
	param->set = true;
	return 0;
}
