/* SPDX-License-Identifier: MIT */
/*
 * Folios that stayed when they were to go. To ask again at once costs much and brings nothing: for a page that is not on the processor's own lists
 * yet, posix_fadvise() empties those of all processors. So each is left alone for a while, and longer each time.
 */
#ifndef LOADER_STAYED_H
#define LOADER_STAYED_H

#include "user/executor.h"

#define STAYED_TRIES 4 /* after which it is forgotten until its next access: it is mapped, or its removal was not told */

struct stayed {
	struct stayed_folio *cells; /* of a bounded number: a later folio takes the cell of an earlier one */
};

void stayed_begin(struct stayed *stayed);

void stayed_end(struct stayed *stayed);

/* Whether it is not yet to be tried again. */
bool stayed_waits(const struct stayed *stayed, const struct user_folio *folio, uint64_t now);

/* It stayed after a try. Returns how often it has. */
int stayed_again(struct stayed *stayed, const struct user_folio *folio, uint64_t now);

#endif
