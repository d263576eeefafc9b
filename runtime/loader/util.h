/* SPDX-License-Identifier: MIT */
/* What all of the loader shares: messages, growing text, JSON strings. */
#ifndef LOADER_UTIL_H
#define LOADER_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint8_t byte;

extern bool verbose; /* -v: everything that libbpf has to say */

/* One line on standard error, printable(). Returns -1, so that a function can fail with `return fail(...)`. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line that explains the error or warning before it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The words of an errno value. */
const char *reason(int error);

/* Memory that is there, or the end of the process. */
void *need(void *memory);

/* All of a (small) file, with a NUL behind it; NULL and errno. `limit` bytes at most: E2BIG beyond. */
char *read_file_at(int dir, const char *path, size_t limit, size_t *size);

/* A string as JSON, with its quotes: UTF-8 as it is, what is none as the replacement character. */
void json_string(FILE *out, const char *text);

/* Replaces what is not plain UTF-8 text, as control characters, by question marks, so that a terminal does not obey it. Returns `text`. */
const char *printable(char *text);

/* A decimal unsigned number that fills the whole of `text`. */
bool parse_u64(const char *text, uint64_t *value);

#endif
