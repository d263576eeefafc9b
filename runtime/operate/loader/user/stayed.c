/* SPDX-License-Identifier: MIT */
#include "user/stayed.h"

#include <stdlib.h>

#define CELLS 65536
#define FIRST_WAIT_MS 1000
#define STALE_MS 60000 /* after which it is as if it had not stayed */

struct stayed_folio {
	uint64_t file, index, until;
	int tries;
};

void stayed_begin(struct stayed *stayed)
{
	stayed->cells = need(calloc(CELLS, sizeof(*stayed->cells)));
}

void stayed_end(struct stayed *stayed)
{
	free(stayed->cells);
	stayed->cells = NULL;
}

static struct stayed_folio *cell_of(const struct stayed *stayed, const struct user_folio *folio)
{
	return &stayed->cells[mix64(folio->file + mix64(folio->index)) % CELLS];
}

static bool is_of(const struct stayed_folio *cell, const struct user_folio *folio)
{
	return cell->tries && cell->file == folio->file && cell->index == folio->index;
}

bool stayed_waits(const struct stayed *stayed, const struct user_folio *folio, uint64_t now)
{
	const struct stayed_folio *cell = cell_of(stayed, folio);

	return is_of(cell, folio) && now < cell->until;
}

int stayed_again(struct stayed *stayed, const struct user_folio *folio, uint64_t now)
{
	struct stayed_folio *cell = cell_of(stayed, folio);

	if (!is_of(cell, folio) || now > cell->until + STALE_MS)
		*cell = (struct stayed_folio){ .file = folio->file, .index = folio->index };
	cell->until = now + ((uint64_t)FIRST_WAIT_MS << cell->tries);
	if (++cell->tries < STAYED_TRIES)
		return cell->tries;
	cell->tries = 0; /* free */
	return STAYED_TRIES;
}
