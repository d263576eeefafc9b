/* SPDX-License-Identifier: MIT */
/* The messages of libbpf: shown with -v, and otherwise kept for the error that they explain. */
#ifndef LOADER_LIBBPF_SAID_H
#define LOADER_LIBBPF_SAID_H

/* From now on, libbpf's messages come here. */
void libbpf_listen(void);

/* Fails with libbpf's warnings, without the verifier's log in them. */
int fail_with_libbpf(const char *path, const char *what, int error);

#endif
