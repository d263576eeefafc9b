/* SPDX-License-Identifier: MIT */
/* Where an attached policy comes from: when it was attached, and by whom or what, as `attach --tag` says. It is pinned with the maps. */
#ifndef LOADER_ORIGIN_H
#define LOADER_ORIGIN_H

#include "pins/pins.h"

#define ORIGIN_PIN "origin"
#define TAG_SIZE 128 /* with the NUL */

struct origin {
	uint64_t attached_ms; /* CLOCK_BOOTTIME; 0: an older cpolc attached it */
	char tag[TAG_SIZE];   /* empty: none */
};

/* Whether a tag has only letters, digits and `:._-`, and is not too long. */
bool origin_is_tag(const char *tag);

/* Pins it in the staged folder. `tag` may be NULL. -1: reported. */
int origin_pin(const struct pins *pins, const char *tag);

/* Reads what is pinned of the cgroup's policy; empty if there is nothing. */
struct origin origin_read(const struct pins *pins);

/* Writes it as members of a JSON object, each after a comma. */
void origin_print_json(FILE *out, const struct origin *origin);

#endif
