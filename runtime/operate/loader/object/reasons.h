/* SPDX-License-Identifier: MIT */
#ifndef LOADER_REASONS_H
#define LOADER_REASONS_H

#include <stddef.h>

/* What a message of the verifier means, and what to do about it. */
struct plain_words {
	const char *pattern; /* a part of the message (kernel/bpf/verifier.c of Linux 6.12) */
	const char *means;
	const char *advice; /* NULL: report it */
};

/* The entry for a message, which need not end with a NUL; NULL: there is none. */
const struct plain_words *in_plain_words(const char *message, size_t length);

#endif
