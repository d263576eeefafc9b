/* SPDX-License-Identifier: MIT */
/*
 * The policy that a trial may bring back. `attach --replace --keep-old` pins all maps of the old policy a second time, in PINS/ID_old,
 * before the new one governs: its struct_ops map, states, tables, ghosts, inputs, params, manifest and origin, but no link. `rollback`
 * gives the cgroup's link that struct_ops map again. The kernel adopts the folios as at any attach, so only the order of the lists is new.
 * The folder is there at most as long as PINS/ID: what attaches or detaches a policy without --keep-old removes it.
 */
#ifndef LOADER_ROLLBACK_PINS_H
#define LOADER_ROLLBACK_PINS_H

#include "pins/pins.h"

/* Pins the cgroup's policy a second time. -1: reported, and nothing is kept. The caller holds the lock, as for all of these. */
int rollback_pins_make(const struct pins *pins);

/* Whether there is one. `name` becomes its name. */
bool rollback_pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE]);

/* Makes the staged folder, with the pins of the kept policy. -1: reported. */
int rollback_pins_stage(const struct pins *pins);

/* Removes what is kept, if there is something. -1: reported. */
int rollback_pins_remove(const struct pins *pins);

#endif
