/* SPDX-License-Identifier: MIT */
#ifndef LOADER_REASONS_H
#define LOADER_REASONS_H

#include <stddef.h>

/* What the verifier means, and what can be done about it. */
struct plain_words {
	const char *pattern; /* words of its message (kernel/bpf/verifier.c of Linux 6.12) */
	const char *means;
	const char *advice; /* NULL: none but to report it */
};

/* The entry for a message of the verifier, which need not end with a NUL; NULL: it is not among the common ones. */
const struct plain_words *in_plain_words(const char *message, size_t length);

#endif
