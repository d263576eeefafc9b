/* SPDX-License-Identifier: MIT */
/* The messages of libbpf: shown with -v, and otherwise kept for the error that they explain. */
#ifndef LOADER_LIBBPF_SAID_H
#define LOADER_LIBBPF_SAID_H

#include <stdbool.h>

/* From now on, libbpf's messages come here. */
void libbpf_listen(void);

/* Whether it said that this kernel has not what the object asks for, or has it otherwise. */
bool libbpf_misses_something(void);

/* Fails with libbpf's warnings, without the verifier's log in them. */
int fail_with_libbpf(const char *path, const char *what, int error);

#endif
