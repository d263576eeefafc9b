/* SPDX-License-Identifier: MIT */
#ifndef LOADER_VERIFIER_H
#define LOADER_VERIFIER_H

#include <stddef.h>

/* Says why the kernel's verifier refused a program, in terms of the policy, and saves its log. */
void explain_refusal(const char *policy, const char *log);

#endif
