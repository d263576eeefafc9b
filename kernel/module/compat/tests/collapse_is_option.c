// SPDX-License-Identifier: GPL-2.0
/* Only CONFIG_READ_ONLY_THP_FOR_FS collapses folios of file systems into huge ones. */
#include <linux/pagemap.h>

void collapsed(struct address_space *mapping);

void collapsed(struct address_space *mapping)
{
	filemap_nr_thps_inc(mapping);
}
