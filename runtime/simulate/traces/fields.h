/* SPDX-License-Identifier: MIT */
/* Fields of a line of text: numbers, times, keys. */
#ifndef CPOL_FIELDS_H
#define CPOL_FIELDS_H

#include <string.h>

#include "numbers.h"

#define MAX_COLUMNS 64

struct field {
	const char *text;
	u64 length;
};

static bool is_number(struct field field, u64 *value)
{
	u64 number = 0;

	if (field.length == 0)
		return false;
	for (u64 at = 0; at < field.length; at++) {
		u64 digit = (u64)(unsigned char)field.text[at] - '0';

		if (digit > 9 || __builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*value = number;
	return true;
}

/* A time: a number that may have a fraction. */
static bool is_time(struct field field)
{
	bool digits = false, point = false;

	for (u64 at = 0; at < field.length; at++) {
		char c = field.text[at];

		if (c == '.' && !point)
			point = true;
		else if (c >= '0' && c <= '9')
			digits = true;
		else
			return false;
	}
	return digits;
}

/* What somebody meant as a number, even if it is too large here, or below 0. */
static bool looks_like_number(struct field field)
{
	bool minus = field.length && field.text[0] == '-';

	return is_time((struct field){ field.text + minus, field.length - minus });
}

/* Converts a time in seconds (`is_time`) to milliseconds. Truncates, and saturates. */
static u64 time_in_ms(struct field field)
{
	u64 ms = 0, digit;
	int decimals = -1; /* after the point; -1: before it */

	for (u64 at = 0; at < field.length && decimals < 3; at++) {
		if (field.text[at] == '.') {
			decimals = 0;
			continue;
		}
		digit = (u64)(field.text[at] - '0');
		if (__builtin_mul_overflow(ms, 10, &ms) || __builtin_add_overflow(ms, digit, &ms))
			return CPOL_U64_MAX;
		decimals += decimals >= 0;
	}
	for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++)
		if (__builtin_mul_overflow(ms, 10, &ms))
			return CPOL_U64_MAX;
	return ms;
}

/* Converts a time (`is_time`) in units of which `a_ms` are a millisecond. Truncates, and saturates. */
static u64 units_in_ms(struct field field, u64 a_ms)
{
	u64 units = 0;

	for (u64 at = 0; at < field.length && field.text[at] != '.'; at++)
		if (__builtin_mul_overflow(units, 10, &units) ||
		    __builtin_add_overflow(units, (u64)(field.text[at] - '0'), &units)) {
			units = CPOL_U64_MAX;
			break;
		}
	return units / a_ms;
}

/* The id of a key: a decimal number without leading zeros is its own id; any other key is hashed (FNV-1a, then mixed). */
static u64 key_id(struct field field)
{
	u64 id, hash = 0xcbf29ce484222325ULL;

	if (is_number(field, &id) && (field.text[0] != '0' || field.length == 1))
		return id;
	for (u64 at = 0; at < field.length; at++)
		hash = (hash ^ (unsigned char)field.text[at]) * 0x100000001b3ULL;
	return mix(hash);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct field trim(struct field field)
{
	while (field.length && is_blank(field.text[0]))
		field.text++, field.length--;
	while (field.length && strchr(" \t\r", field.text[field.length - 1]))
		field.length--;
	return field;
}

static bool has_blank(struct field field)
{
	return memchr(field.text, ' ', field.length) || memchr(field.text, '\t', field.length);
}

/* Splits at a character. Returns the number of columns, but stores at most MAX_COLUMNS. */
static u64 split_at(struct field line, char separator, struct field *columns)
{
	u64 count = 0, from = 0;

	for (u64 at = 0; at <= line.length; at++)
		if (at == line.length || line.text[at] == separator) {
			if (count < MAX_COLUMNS)
				columns[count] = trim((struct field){ line.text + from, at - from });
			count++;
			from = at + 1;
		}
	return count;
}

/* Splits a line, which is trimmed, at blanks and tabs. Returns as split_at(). */
static u64 split_blanks(struct field line, struct field *columns)
{
	u64 count = 0, at = 0;

	while (at < line.length) {
		u64 from = at;

		while (at < line.length && !is_blank(line.text[at]))
			at++;
		if (count < MAX_COLUMNS)
			columns[count] = (struct field){ line.text + from, at - from };
		count++;
		while (at < line.length && is_blank(line.text[at]))
			at++;
	}
	return count;
}

/* Splits at a character; a blank stands for blanks and tabs, one or more. Returns as split_at(). */
static u64 split(struct field line, char separator, struct field *columns)
{
	return separator == ' ' ? split_blanks(line, columns) : split_at(line, separator, columns);
}

/* Reads what is quoted, from behind the first quote to behind the last, into `plain`. False: the last is missing. */
static bool unquote(struct field line, u64 *at, struct field *column, char *plain)
{
	*column = (struct field){ plain, 0 };
	while (*at < line.length) {
		char c = line.text[(*at)++];

		if (c == '"') {
			if (*at == line.length || line.text[*at] != '"')
				return true;
			(*at)++;
		}
		plain[column->length++] = c;
	}
	return false;
}

/* Behind the blanks and tabs from `at` on that are no separators. */
static u64 skip_blanks(struct field line, u64 at, char separator)
{
	while (at < line.length && is_blank(line.text[at]) && line.text[at] != separator)
		at++;
	return at;
}

/*
 * Splits as split() does, at separators that are not in quotes. A column is quoted whole; "" in it is a quote. What was quoted goes to
 * `plain`, which has room for the line. Returns as split_at(); 0: a quote is misplaced, or not closed on the line.
 */
static u64 split_quoted(struct field line, char separator, struct field *columns, char *plain)
{
	bool blanks = separator == ' ';
	u64 count = 0, at = 0;

	for (;;) {
		struct field column;
		u64 from;

		from = at = skip_blanks(line, at, separator);
		if (at < line.length && line.text[at] == '"') {
			at++;
			if (!unquote(line, &at, &column, plain))
				return 0;
			plain += column.length;
			at = skip_blanks(line, at, separator);
			if (at < line.length && !(blanks ? is_blank(line.text[at]) : line.text[at] == separator))
				return 0;
		} else {
			for (; at < line.length && !(blanks ? is_blank(line.text[at]) : line.text[at] == separator); at++)
				if (line.text[at] == '"')
					return 0;
			column = trim((struct field){ line.text + from, at - from });
		}
		if (count < MAX_COLUMNS)
			columns[count] = column;
		count++;
		if (at == line.length)
			return count;
		do
			at++;
		while (blanks && at < line.length && is_blank(line.text[at]));
	}
}

static bool is_word(struct field field, const char *words)
{
	for (const char *word = words; *word; word += strlen(word) + 1)
		if (strlen(word) == field.length && memcmp(word, field.text, field.length) == 0)
			return true;
	return false;
}

#endif
