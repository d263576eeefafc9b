/* SPDX-License-Identifier: GPL-2.0-only */
/* When the handler of missed runs in BPF, where no kernel tells of a miss before it brings the folio in. */
#ifndef CPOL_BPF_MISSED_H
#define CPOL_BPF_MISSED_H

#if CPOL_HAS_MISSED && CPOL_HAS_ADMIT
/*
 * Folios that the handler of missed was told of before admit, so that added does not tell it again: their hashes. A collision, or a
 * folio that was refused, costs a place only until the next one; what is overwritten is told of twice.
 */
#define CPOL_ANNOUNCED 1024
__hidden u64 cpol_announced[CPOL_ANNOUNCED];
#endif

/* The handler of missed comes in front of that of admit, and of that of added where there is none, or it was not asked. */
CPOL_PRIMITIVE void cpol_announce(cpol_ctx *c, cpol_folio f, bool added)
{
#if CPOL_HAS_MISSED && CPOL_HAS_ADMIT
	u64 hash = cpol_hash(c, f, 0) | 1, *place = &cpol_announced[hash >> 32 & (CPOL_ANNOUNCED - 1)];

	if (added && *place == hash) {
		*place = 0;
		return;
	}
	if (!added)
		*place = hash;
#endif
#if CPOL_HAS_MISSED
	cpol_on_missed(c, f);
#endif
}

#endif
