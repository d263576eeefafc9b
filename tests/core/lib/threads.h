/* SPDX-License-Identifier: GPL-2.0 */
/* What threads.c and threads_work.c share, and what is for drivers with threads. */
#ifndef SHIM_THREADS_H
#define SHIM_THREADS_H

#include "shim.h"

/* Around all that a thread does: it is a CPU, of those that are free. */
void shim_thread_begins(void);
void shim_thread_ends(void);

#endif
