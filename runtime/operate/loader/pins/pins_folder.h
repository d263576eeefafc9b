/* SPDX-License-Identifier: MIT */
/*
 * A folder of pins: the maps of one policy, its manifest, and `link`. A policy that evicts and prefetches has a second link. Two folders
 * may hold the same link for a moment, while one policy replaces another through its link. The link is that folder's whose struct_ops map
 * it has.
 */
#ifndef LOADER_PINS_FOLDER_H
#define LOADER_PINS_FOLDER_H

#include "system/util.h"

/* Pins that are not maps of the policy. */
#define LINK_PIN "link"
#define PREFETCH_LINK_PIN "prefetch_link" /* the second link of a policy that evicts and prefetches */
#define MANIFEST_PIN "manifest"
#define TABLE_PIN "table_" /* and the table's name */
#define GHOST_PIN "data_ghost_" /* and its name in C */
#define C_PREFIX "my_" /* what every name of a policy begins with in C */

#define POLICY_NAME_SIZE 65

enum folder_link { MAIN_LINK, SECOND_LINK };

/* Opens the pin of that name; -1 and errno. */
int folder_open(const char *folder, const char *name, bool write);

/*
 * The descriptor of the struct_ops map that a link is for; -1: it is not there. `name`, if not NULL, becomes the policy's name, or
 * empty.
 */
int folder_ops(const char *folder, enum folder_link which, char name[POLICY_NAME_SIZE]);

/* The id of the struct_ops map that a link has. 0: there is no link, or it is detached. */
uint32_t folder_link_map(const char *folder, enum folder_link which);

/* Whether there is a link, and it has the folder's own struct_ops map. */
bool folder_governs(const char *folder, enum folder_link which);

/* Removes the folder and its content, the links first, which are detached unless they have another folder's map. -1: reported. */
int folder_remove(const char *path);

#endif
