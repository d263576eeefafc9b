/* SPDX-License-Identifier: MIT */
#ifndef LOADER_GOVERN_ALONE_H
#define LOADER_GOVERN_ALONE_H

#include "system/cgroup.h"

/*
 * Checks that nothing else evicts by a policy in this cgroup, above it or below it, and keeps other processes from beginning to as long as this
 * one lives. -1: reported.
 */
int govern_alone(const struct cgroup *cgroup);

#endif
