/* SPDX-License-Identifier: GPL-2.0 */
/*
 * glibc 2.41 includes this in <sched.h>, for a structure that nothing here uses. Without it, it would ask for <linux/types.h>,
 * which here is the kernel's, and not the one for programs.
 */
#ifndef _SHIM_SCHED_TYPES_H
#define _SHIM_SCHED_TYPES_H

#define SCHED_ATTR_SIZE_VER0 48
struct sched_attr;

#endif
