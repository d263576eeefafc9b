/* SPDX-License-Identifier: MIT */
#include "user/known_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "inputs/file_id.h"

#define LEAST_WAIT_MS 1000   /* between two questions for the name of a file that is not found; it doubles */
#define MOST_WAIT_MS 64000
#define IDLE_SHARE 8 /* of the files are without a page when they are forgotten, at least one of so many */

void known_files_begin(struct known_files *files, size_t most)
{
	size_t cells = 64;

	while (cells < 2 * most)
		cells *= 2;
	*files = (struct known_files){ .mask = cells - 1, .most = most };
	files->cells = need(calloc(cells, sizeof(*files->cells)));
}

void known_files_end(struct known_files *files)
{
	for (size_t i = 0; files->cells && i <= files->mask; i++)
		free(files->cells[i].handle);
	free(files->cells);
	mounts_free(&files->mounts);
	files->cells = NULL;
}

uint64_t file_number(uint64_t inode, uint64_t device)
{
	uint64_t number = mix64(inode + mix64(device << 32));

	return number ? number : 1;
}

static struct known_file *cell_of(const struct known_files *files, uint64_t number)
{
	size_t at = number & files->mask;

	while (files->cells[at].number && files->cells[at].number != number)
		at = (at + 1) & files->mask;
	return &files->cells[at];
}

struct known_file *known_files_find(struct known_files *files, uint64_t number)
{
	struct known_file *file = cell_of(files, number);

	return file->number ? file : NULL;
}

/* Forgets the files without a page, if they are enough to be worth a walk over all. */
static void sweep(struct known_files *files)
{
	struct known_file *old = files->cells;

	if (files->idle * IDLE_SHARE < files->most)
		return;
	files->cells = need(calloc(files->mask + 1, sizeof(*files->cells)));
	for (size_t i = 0; i <= files->mask; i++) {
		if (!old[i].number)
			continue;
		if (old[i].pages) {
			*cell_of(files, old[i].number) = old[i];
			continue;
		}
		if (files->forgets)
			files->forgets(files->context, old[i].inode, old[i].device);
		free(old[i].handle);
		files->n--;
	}
	files->idle = 0;
	free(old);
}

/* Whether an open file is this one, but for the generation. */
static bool is_of(const struct stat *status, const struct known_file *file)
{
	return S_ISREG(status->st_mode) && status->st_ino == file->inode &&
	       KERNEL_DEVICE(major(status->st_dev), minor(status->st_dev)) == file->device;
}

/* The handle of the file at a path below a mount; NULL: it is not there, or is another one, or its file system has no handles. */
static struct file_handle *handle_below(const struct mount *mount, const char *path, const struct known_file *file)
{
	uint32_t generation;
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV };
	struct file_handle *handle = need(malloc(sizeof(*handle) + MAX_HANDLE_SZ)), *small = NULL;
	int folder = mount_open(mount), fd = folder < 0 ? -1 : (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	struct stat status;
	int id;

	handle->handle_bytes = MAX_HANDLE_SZ;
	if (fd >= 0 && !fstat(fd, &status) && is_of(&status, file) && !name_to_handle_at(fd, "", handle, &id, AT_EMPTY_PATH) &&
	    generation_of(handle, file->inode, &generation) && generation == file->generation) {
		size_t size = sizeof(*handle) + handle->handle_bytes;

		small = need(malloc(size));
		memcpy(small, handle, size);
	}
	free(handle);
	if (fd >= 0)
		close(fd);
	if (folder >= 0)
		close(folder);
	return small;
}

static void find_handle(struct known_files *files, struct known_file *file, const char *path)
{
	struct file_handle *found = NULL;

	mounts_refresh(&files->mounts);
	for (size_t i = 0; i < files->mounts.n && !found; i++) {
		const struct mount *mount = &files->mounts.all[i];
		const char *below = mount->device == file->device ? path_below(mount, path) : NULL;

		found = below ? handle_below(mount, below, file) : NULL;
		if (!found)
			continue;
		free(file->handle);
		file->handle = found;
		file->mount = mount->id;
		file->wait_ms = 0;
	}
}

bool known_file_opens(struct known_files *files, struct known_file *file)
{
	uint64_t now = file->handle ? 0 : now_ms();

	if (file->handle)
		return true;
	if (now < file->ask_ms)
		return false;
	file->wait_ms = !file->wait_ms ? LEAST_WAIT_MS : file->wait_ms < MOST_WAIT_MS ? 2 * file->wait_ms : MOST_WAIT_MS;
	file->ask_ms = now + file->wait_ms;
	if (files->forgets)
		files->forgets(files->context, file->inode, file->device);
	return false;
}

void known_files_named(struct known_files *files, uint64_t inode, uint64_t device, uint32_t generation, const char *path)
{
	uint64_t number = file_number(inode, device);
	struct known_file *file = cell_of(files, number);

	if (!file->number) {
		if (files->n >= files->most) {
			sweep(files);
			file = cell_of(files, number);
		}
		if (files->n >= files->most)
			return;
		*file = (struct known_file){ .number = number, .inode = inode, .device = device, .generation = generation };
		files->n++;
		files->idle++;
	}
	if (file->inode != inode || file->device != device) /* another file has this number: that one stays */
		return;
	if (file->generation != generation) { /* the earlier file with this inode has been deleted */
		free(file->handle);
		file->handle = NULL;
		file->generation = generation;
		file->ask_ms = file->wait_ms = 0;
	}
	find_handle(files, file, path);
	known_file_opens(files, file);
}

void known_files_count(struct known_files *files, uint64_t number, uint64_t more, uint64_t less)
{
	struct known_file *file = more || less ? known_files_find(files, number) : NULL;

	if (!file)
		return;
	files->idle -= !file->pages;
	file->pages += more;
	file->pages -= less < file->pages ? less : file->pages;
	files->idle += !file->pages;
}

int known_file_open(const struct known_file *file, int mount)
{
	int fd = open_by_handle_at(mount, file->handle, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd >= 0 && (fstat(fd, &status) || !is_of(&status, file))) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	return fd;
}

void known_files_lost(struct known_files *files, struct known_file *file)
{
	free(file->handle);
	file->handle = NULL;
	known_file_opens(files, file);
}
