// SPDX-License-Identifier: GPL-2.0
/* Asks for nothing; counts what it is told, and keeps the last of each, of what was read the last of more than a page; and the first that was written. */
#include "../prefetch.bpf.h"

u64 nr_opened, nr_read, nr_written, nr_wrong;
u64 open_index, open_pages, open_size, read_index, read_pages, read_size, write_index, write_pages, write_size, first_index, first_pages;

/* Only regular files. */
static void look(struct prefetch_ext_range *range)
{
	if ((range->mapping->host->i_mode & 0170000) != 0100000)
		COUNT(nr_wrong);
}

SEC("struct_ops/file_opened") void opened(u64 *ctx)
{
	struct prefetch_ext_range *range = ARG_RANGE(ctx);

	look(range);
	COUNT(nr_opened);
	open_index = range->index;
	open_pages = range->pages;
	open_size = range->size;
}

SEC("struct_ops/file_read") void was_read(u64 *ctx)
{
	struct prefetch_ext_range *range = ARG_RANGE(ctx);

	look(range);
	COUNT(nr_read);
	/* A process ends, and with it the files of its program, of which it has read some bytes. */
	if (range->pages == 1)
		return;
	read_index = range->index;
	read_pages = range->pages;
	read_size = range->size;
}

SEC("struct_ops/file_written") void written(u64 *ctx)
{
	struct prefetch_ext_range *range = ARG_RANGE(ctx);

	look(range);
	if (!nr_written) {
		first_index = range->index;
		first_pages = range->pages;
	}
	COUNT(nr_written);
	write_index = range->index;
	write_pages = range->pages;
	write_size = range->size;
}

PREFETCHER("told", .file_opened = (void *)opened, .file_read = (void *)was_read, .file_written = (void *)written)
