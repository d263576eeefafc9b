// SPDX-License-Identifier: GPL-2.0
/* A reclaim counts, of what it has taken, folios of files and those that no flusher has. */
#include <linux/memcontrol.h>
#include "found_scan_control.h"

void take(struct scan_control *sc);

void take(struct scan_control *sc)
{
	sc->nr.file_taken++;
	sc->nr.unqueued_dirty++;
}
