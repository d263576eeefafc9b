/* SPDX-License-Identifier: MIT */
#ifndef LOADER_ATTACH_INPUTS_H
#define LOADER_ATTACH_INPUTS_H

#include "command/attach_job.h"

/* Reads a setting NAME=VALUE,VALUE,... or NAME=@FILE: what an input holds from the start. */
int attach_parse_input(struct job *job, const char *setting);

/* Writes these values into the maps of the object, which is loaded. */
int attach_fill_inputs(const struct job *job);

#endif
