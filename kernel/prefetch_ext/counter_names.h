/* SPDX-License-Identifier: GPL-2.0 */
/* Made from compiler/contract.toml by scripts/contract.py. For stats.c. */
#ifndef _MM_PREFETCH_EXT_COUNTER_NAMES_H
#define _MM_PREFETCH_EXT_COUNTER_NAMES_H

static const char * const prefetch_ext_counter_names[PES_NR] = {
	[PES_FAULTS] = "faults",
	[PES_CACHED] = "cached",
	[PES_ASKED] = "asked",
	[PES_PREFETCHED] = "prefetched",
	[PES_USED] = "used",
	[PES_LATE] = "late",
	[PES_WASTED] = "wasted",
	[PES_OUT_OF_RANGE] = "out_of_range",
	[PES_DUPLICATES] = "duplicates",
	[PES_OVER_LIMIT] = "over_limit",
	[PES_FOREIGN] = "foreign",
	[PES_ABSENT] = "absent",
	[PES_DEFAULTED] = "defaulted",
	[PES_NOMEM] = "nomem",
	[PES_RA_ASKED] = "ra_asked",
	[PES_RA_WANTED] = "ra_wanted",
	[PES_RA_PREFETCHED] = "ra_prefetched",
	[PES_RA_USED] = "ra_used",
	[PES_RA_WASTED] = "ra_wasted",
	[PES_OVER_SHARE] = "over_share",
	[PES_RA_DEFAULTED] = "ra_defaulted",
	[PES_OPENED] = "opened",
	[PES_FILES_LEFT] = "files_left",
	[PES_RANGES] = "ranges",
	[PES_DROPPED] = "dropped",
	[PES_LEFT] = "left",
	[PES_FLUSHED] = "flushed",
	[PES_WAITED] = "waited",
	[PES_DEFERRED] = "deferred",
	[PES_SKIPPED] = "skipped",
	[PES_DEFERRED_US] = "deferred_us",
	[PES_OUT_ASKED] = "out_asked",
	[PES_OUT_KEPT] = "out_kept",
	[PES_OUT_REFUSED] = "out_refused",
	[PES_OUT_OVERRULED] = "out_overruled",
	[PES_OFFENCES] = "offences",
	[PES_PROG_NS] = "prog_ns",
};

#endif
