/* SPDX-License-Identifier: MIT */
/* The kernel's statistics as text, and what they tell of a cgroup that has no pins. */
#ifndef LOADER_STAT_READ_H
#define LOADER_STAT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "system/kind.h"

/*
 * The kernel's statistics of the policies of a kind, as text (stat_text.h), which the caller frees; empty if this kernel does not have the
 * kind. NULL: there are none, although it has, which is reported unless `quiet`.
 */
char *stat_read(enum policy_kind kind, bool quiet);

/*
 * Reports that a cgroup has no policy `what`; or, if the kernel says that one of kind `first` or a later one governs, that its pins are not
 * to be seen. Returns -1.
 */
int no_policy(const char *called, uint64_t id, enum policy_kind first, const char *what);

#endif
