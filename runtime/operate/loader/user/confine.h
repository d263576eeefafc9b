/* SPDX-License-Identifier: MIT */
/* What a process may do that runs a policy: little, in bounded memory and time. */
#ifndef LOADER_CONFINE_H
#define LOADER_CONFINE_H

#include "system/util.h"

/* Checks that this is root, and may open files by handle. -1: reported. */
int confine_check(void);

/*
 * Becomes a user without rights (nobody), so that root's files are not its own, and keeps only the capability by which files are opened for
 * reading. No program that it runs has more. -1: reported.
 */
int confine_rights(void);

/* Lets it take so many bytes of memory more than it has. -1: reported. */
int confine_memory(uint64_t bytes);

/*
 * Begins a window in which it may use so many milliseconds of processor time. If it has used them, confine_exceeded() is true; if it then uses
 * two seconds more, the process ends: the policy does not come back.
 */
void confine_time(uint64_t ms);

bool confine_exceeded(void);

/* Milliseconds of processor time that it has used. */
uint64_t used_ms(void);

#endif
