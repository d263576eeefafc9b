/* SPDX-License-Identifier: MIT */
/* Threads and processes by their numbers in the initial pid namespace, which is where policies see them. */
#ifndef LOADER_TASK_H
#define LOADER_TASK_H

#include "system/util.h"

#define MAX_PID (1 << 22) /* PID_MAX_LIMIT */
#define TASK_NAME_SIZE 65 /* /proc has up to 64 bytes of a kernel thread's */

/* Whether this process is in the initial pid namespace. If not, it cannot tell which task a number means. */
bool task_initial_namespace(void);

/* Why no thread, or no process, of this namespace has the number; NULL: one has it. */
const char *task_missing(uint64_t number, bool process);

/* Reads the name of the command of a thread. false: it has ended, or /proc does not show it. */
bool task_name(uint64_t number, char name[TASK_NAME_SIZE]);

#endif
