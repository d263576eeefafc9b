/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_STAGE_H
#define LOADER_ATTACH_STAGE_H

#include "command/attach_job.h"

/* Pins everything but the link, in the folder that is staged: maps, the manifest, where the object came from. The caller holds the lock. */
int attach_stage(const struct job *job);

#endif
