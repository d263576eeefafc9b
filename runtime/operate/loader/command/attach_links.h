/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_LINKS_H
#define LOADER_ATTACH_LINKS_H

#include "command/attach_job.h"

/* Attaches what is staged, instead of the policy that governs. If it fails, that one governs again. The caller holds the lock. */
int attach_links(struct job *job);

#endif
