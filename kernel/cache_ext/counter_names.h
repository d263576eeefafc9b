/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. For stats.c. */
#ifndef _MM_CACHE_EXT_COUNTER_NAMES_H
#define _MM_CACHE_EXT_COUNTER_NAMES_H

static const char * const cache_ext_counter_names[CES_NR] = {
	[CES_ADDED] = "added",
	[CES_ADOPTED] = "adopted",
	[CES_ACCESSED] = "accessed",
	[CES_REMOVED] = "removed",
	[CES_MISSES] = "misses",
	[CES_TICKS] = "ticks",
	[CES_REQUESTS] = "requests",
	[CES_CALLS] = "calls",
	[CES_WANTED] = "wanted",
	[CES_PROPOSED] = "proposed",
	[CES_EVICTED] = "evicted",
	[CES_REFUSED_DIRTY] = "refused_dirty",
	[CES_REFUSED_WRITEBACK] = "refused_writeback",
	[CES_REFUSED_LOCKED] = "refused_locked",
	[CES_REFUSED_BUSY] = "refused_busy",
	[CES_REFUSED_REFERENCED] = "refused_referenced",
	[CES_REFUSED_OTHER] = "refused_other",
	[CES_REFUSED_ADMISSION] = "refused_admission",
	[CES_ADMIT_OVERRULED] = "admit_overruled",
	[CES_FALLBACK] = "fallback",
	[CES_STALLED] = "stalled",
	[CES_OVERRUNS] = "overruns",
	[CES_OFFENCES] = "offences",
	[CES_CONTENDED] = "contended",
	[CES_NEAR_OOM] = "near_oom",
	[CES_NOMEM] = "nomem",
	[CES_PIN_REFUSED] = "pin_refused",
	[CES_PIN_KEPT] = "pin_kept",
	[CES_PIN_OVERRULED] = "pin_overruled",
	[CES_RECLAIM_ASKED] = "reclaim_asked",
	[CES_RECLAIM_DONE] = "reclaim_done",
	[CES_RECLAIM_LATE] = "reclaim_late",
	[CES_MIGRATED] = "migrated",
	[CES_SPLIT] = "split",
	[CES_PROG_NS] = "prog_ns",
	[CES_MAPPED] = "mapped",
	[CES_UNSEEN] = "unseen",
};

#endif
