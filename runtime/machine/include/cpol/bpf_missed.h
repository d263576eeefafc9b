/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the handler of missed in BPF. No kernel reports a miss by itself, so it runs in front of admit or added. */
#ifndef CPOL_BPF_MISSED_H
#define CPOL_BPF_MISSED_H

#if CPOL_HAS_MISSED && CPOL_HAS_ADMIT
/*
 * Hashes of the folios for which missed ran before admit, so that it does not run again before added. A collision or a refused folio
 * occupies a place until the next hash there. The handler runs twice for a folio with an overwritten hash.
 */
#define CPOL_ANNOUNCED 1024
__hidden u64 cpol_announced[CPOL_ANNOUNCED];
#endif

/* Runs missed before admit, and before added if admit did not run for the folio. */
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
