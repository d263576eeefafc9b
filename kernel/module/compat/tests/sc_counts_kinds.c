// SPDX-License-Identifier: GPL-2.0
/* A reclaim counts, of the folios that it has taken, those of files and those that no flusher has. */
#include <linux/memcontrol.h>
#include "found_scan_control.h"

void take(struct scan_control *sc);

void take(struct scan_control *sc)
{
	sc->nr.file_taken++;
	sc->nr.unqueued_dirty++;
}
