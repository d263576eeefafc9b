// SPDX-License-Identifier: GPL-2.0
/* Pages that were scanned are a counter of nodes, so of lruvecs, and no event. */
#include <linux/mmzone.h>

enum node_stat_item item(void);

enum node_stat_item item(void)
{
	return PGSCAN_KSWAPD;
}
