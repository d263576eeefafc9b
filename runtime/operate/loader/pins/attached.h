/* SPDX-License-Identifier: MIT */
/* An attached policy, read from its pins, for the commands that show or change its params and inputs. */
#ifndef LOADER_ATTACHED_H
#define LOADER_ATTACHED_H

#include "manifest/manifest.h"
#include "pins/pins.h"
#include "system/cgroup.h"

struct attached {
	struct cgroup cgroup;
	struct pins pins; /* locked, except for a member of an input's group, who has no right to lock and no need */
	struct manifest manifest;
};

/* Reads the pinned manifest. `called` names the cgroup in messages. -1: reported, unless `quiet`. The caller frees it. */
int attached_manifest(const struct pins *pins, const char *called, bool quiet, struct manifest *manifest);

/* Opens the policy of the cgroup `path` that is meant. -1: reported. */
int attached_open(struct attached *attached, const char *path, const struct which *which);

void attached_close(struct attached *attached);

#endif
