/* SPDX-License-Identifier: MIT */
/* A policy that is attached already, as its pins tell of it: for the commands that look at its params and inputs, or change them. */
#ifndef LOADER_ATTACHED_H
#define LOADER_ATTACHED_H

#include "cgroup.h"
#include "manifest.h"
#include "pins.h"

struct attached {
	struct cgroup cgroup;
	struct pins pins; /* locked, unless a member of an input's group asks, who cannot and need not */
	struct manifest manifest;
};

/* The manifest that is pinned; `called` is the cgroup. -1: said why, unless `quiet`. To be freed. */
int attached_manifest(const struct pins *pins, const char *called, bool quiet, struct manifest *manifest);

/* Opens the policy of the cgroup `path`. -1: said why. */
int attached_open(struct attached *attached, const char *path);

void attached_close(struct attached *attached);

#endif
