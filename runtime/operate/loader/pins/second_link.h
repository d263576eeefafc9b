/* SPDX-License-Identifier: MIT */
/*
 * The second link of a policy that evicts and prefetches: it attaches what prefetches. It is made before the first one, so that a policy
 * whose first link governs is whole. A policy that replaces another takes over its second link, if that has one.
 */
#ifndef LOADER_SECOND_LINK_H
#define LOADER_SECOND_LINK_H

#include <bpf/libbpf.h>

#include "pins/pins.h"

/* Attaches `ops` and pins the link in the staged folder. -1 and errno: nothing has changed. */
int second_link_attach(const struct pins *pins, const struct bpf_map *ops);

/* The same for the descriptor of a struct_ops map that was attached before. */
int second_link_attach_again(const struct pins *pins, int ops);

/* Undoes that: the old policy, if there is one, has its link as before. */
void second_link_undo(const struct pins *pins);

#endif
