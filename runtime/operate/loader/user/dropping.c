/* SPDX-License-Identifier: MIT */
#include "user/dropping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int compare(const void *one, const void *other)
{
	const struct user_folio *a = one, *b = other;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* By file and index. */
static void sort_folios(struct user_folio *folios, size_t n)
{
	qsort(folios, n, sizeof(*folios), compare);
}

/* How many folios from the first on are one run of the file's pages, and wait or do not; they are sorted. */
static size_t run_length(const struct user_folio *folios, size_t n)
{
	size_t length = 1;

	while (length < n && folios[length].waits == folios->waits && folios[length].file == folios->file &&
	       folios[length].index == folios[length - 1].index + folios[length - 1].pages)
		length++;
	return length;
}

/* Of one file. */
static uint64_t drop_runs(int fd, const struct user_folio *folios, size_t n)
{
	off_t page = sysconf(_SC_PAGESIZE);
	uint64_t calls = 0;

	for (size_t i = 0, length; i < n; i += length) {
		const struct user_folio *last;

		length = run_length(folios + i, n - i);
		if (folios[i].waits)
			continue;
		calls++;
		last = &folios[i + length - 1];
		posix_fadvise(fd, (off_t)folios[i].index * page, (off_t)(last->index + last->pages - folios[i].index) * page,
			      POSIX_FADV_DONTNEED);
	}
	return calls;
}

/* The mount that was opened last stays open until another is wanted, and no longer than the request. */
struct opened {
	uint64_t mount;
	int fd;
};

static int opened_mount(struct known_files *files, struct opened *opened, uint64_t id)
{
	const struct mount *mount;

	if (opened->fd >= 0 && opened->mount == id)
		return opened->fd;
	if (opened->fd >= 0)
		close(opened->fd);
	mount = mount_of_id(&files->mounts, id);
	*opened = (struct opened){ id, mount ? mount_open(mount) : -1 };
	return opened->fd;
}

uint64_t drop_folios(struct known_files *files, struct user_folio *folios, size_t n)
{
	struct opened opened = { .fd = -1 };
	uint64_t calls = 0;

	sort_folios(folios, n);
	for (size_t i = 0, end; i < n; i = end) {
		struct known_file *file = known_files_find(files, folios[i].file);
		bool any = false, gone;
		int mount, fd;

		for (end = i; end < n && folios[end].file == folios[i].file; end++)
			any |= !folios[end].waits;
		if (!any)
			continue;
		mount = file && file->handle ? opened_mount(files, &opened, file->mount) : -1;
		fd = mount < 0 ? -1 : known_file_open(file, mount);
		gone = fd < 0 && (mount < 0 || errno == ESTALE || errno == ENOENT); /* else it cannot be opened now */
		for (size_t at = i; at < end; at++)
			folios[at].unreachable = gone;
		if (fd >= 0) {
			calls += drop_runs(fd, folios + i, end - i);
			close(fd);
		} else if (gone && file && file->handle) {
			known_files_lost(files, file);
		}
	}
	if (opened.fd >= 0)
		close(opened.fd);
	return calls;
}
