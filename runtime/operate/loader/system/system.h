/* SPDX-License-Identifier: MIT */
/* What the loader needs of the machine: privileges, a kernel with cache_ext, bpffs. Each returns -1 after it reported. */
#ifndef LOADER_SYSTEM_H
#define LOADER_SYSTEM_H

#include "system/util.h"

#define BPFFS "/sys/fs/bpf"
#define PINS BPFFS "/cpol"

int check_privileges(void);
int check_kernel(void);
/* Whether this process may find the kfuncs of cache_ext, if that is a module. */
int check_kfuncs(void);

/*
 * Opens PINS, the folder of all attached policies. With `create`, mounts bpffs and makes the folder if they are not there. -1: reported;
 * -2, without `create`: there is none, which is not reported.
 */
int open_pins(bool create);

#endif
