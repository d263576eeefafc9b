// SPDX-License-Identifier: GPL-2.0
/* The flags of a folio are a struct with one member. */
#include <linux/mm_types.h>

unsigned long *flags(struct folio *folio);

unsigned long *flags(struct folio *folio)
{
	return &folio->flags.f;
}
