/* SPDX-License-Identifier: MIT */
/* Shared by all of the loader: messages, files, JSON strings. Comments say `reported` for: fail() was called. */
#ifndef LOADER_UTIL_H
#define LOADER_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef uint8_t byte;

extern bool verbose; /* -v: show all messages of libbpf */

/* Prints one line on standard error, with print_text(). Returns -1, so that a function can fail with `return fail(...)`. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text of the first fail() of this process; empty: none yet. */
const char *first_failure(void);

void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a line that explains the error or warning before it. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The text of an errno value, positive or negative. */
const char *reason(int error);

/* Returns `memory`; ends the process if it is NULL. */
void *need(void *memory);

/* The content of a file with a NUL behind it, which the caller frees; NULL and errno. E2BIG: more than `limit` bytes. */
char *read_file_at(int dir, const char *path, size_t limit, size_t *size);

/* Milliseconds of CLOCK_MONOTONIC. */
uint64_t now_ms(void);

/* The finaliser of SplitMix64, as in math.h. */
uint64_t mix64(uint64_t x);

/* Writes a string as JSON, with quotes; invalid UTF-8 as the replacement character. */
void json_string(FILE *out, const char *text);

/*
 * Writes text that others chose: names, paths, the words of libbpf and of the verifier. A terminal shows it and does not obey it: each
 * byte of a control character, of a character that changes the direction of text, and of invalid UTF-8 becomes \xNN.
 */
void print_text(FILE *out, const char *text);

/* Reads a decimal unsigned number, which is all of `text`. */
bool parse_u64(const char *text, uint64_t *value);

#endif
