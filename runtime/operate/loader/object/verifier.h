/* SPDX-License-Identifier: MIT */
#ifndef LOADER_VERIFIER_H
#define LOADER_VERIFIER_H

#include <stddef.h>

/* Reports why the kernel's verifier refused a program, in terms of the policy, and saves the log. */
void explain_refusal(const char *policy, const char *log);

#endif
