/* SPDX-License-Identifier: MIT */
/* `input` of arrays. */
#ifndef LOADER_INPUT_ARRAY_H
#define LOADER_INPUT_ARRAY_H

#include "command/commands.h"
#include "pins/attached.h"

/* A line for each array, or its JSON; `first`: nothing stands before it. -1: reported. */
int arrays_show(const struct attached *attached, bool json, bool first);

/* Does what the options say with an array. -1: reported. */
int array_act(const struct attached *attached, const struct user_array *array, const struct input_options *options);

#endif
