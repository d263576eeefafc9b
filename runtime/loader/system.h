/* SPDX-License-Identifier: MIT */
/* What the loader needs of the machine: privileges, a kernel with cache_ext, bpffs, debugfs. Each -1: said what to do. */
#ifndef LOADER_SYSTEM_H
#define LOADER_SYSTEM_H

#include "util.h"

#define BPFFS "/sys/fs/bpf"
#define PINS BPFFS "/cpol"
#define DEBUGFS "/sys/kernel/debug"

int check_privileges(void);
int check_kernel(void);

/*
 * Opens PINS, the folder of all attached policies; mounts bpffs and makes the folder if need be and `create`. -1: said why;
 * without `create`, -2 and silence: there is none.
 */
int open_pins(bool create);

/* Mounts debugfs if it is not there. */
int mount_debugfs(void);

#endif
