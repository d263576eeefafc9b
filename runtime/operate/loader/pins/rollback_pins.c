/* SPDX-License-Identifier: MIT */
#include "pins/rollback_pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/step.h"

/* Gives the copy of a pin or a folder the group and the mode of the first: a group may write inputs. */
static int copy_access(const char *from, const char *to)
{
	struct stat old, new;

	if (stat(from, &old) || stat(to, &new))
		return -1;
	if (old.st_gid != new.st_gid && chown(to, (uid_t)-1, old.st_gid))
		return -1;
	return (old.st_mode & 0777) == (new.st_mode & 0777) ? 0 : chmod(to, old.st_mode & 0777);
}

static int copy_pin(const char *from, const char *to, const char *name)
{
	char source[512], target[512];
	int fd, status;

	snprintf(source, sizeof(source), "%s/%s", from, name);
	snprintf(target, sizeof(target), "%s/%s", to, name);
	fd = folder_open(from, name, true);
	if (fd < 0)
		return -1;
	status = bpf_obj_pin(fd, target) || copy_access(source, target);
	close(fd);
	return status ? -1 : 0;
}

/* Pins all that is pinned in a folder, but the links, in another one, which it makes. */
static int copy_folder(const char *from, const char *to)
{
	DIR *dir = opendir(from);
	struct dirent *entry;
	int status = !dir || mkdir(to, 0700) ? -1 : 0, error;

	while (dir && !status && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (*name == '.' || !strcmp(name, LINK_PIN) || !strcmp(name, PREFETCH_LINK_PIN))
			continue;
		status = copy_pin(from, to, name);
		STEP("a map is pinned a second time");
	}
	if (!status)
		status = copy_access(from, to);
	error = errno;
	if (dir)
		closedir(dir);
	errno = error;
	return status;
}

int rollback_pins_make(const struct pins *pins)
{
	int error;

	if (rollback_pins_remove(pins))
		return -1;
	if (!copy_folder(pins->path, pins->kept))
		return 0;
	error = errno;
	rollback_pins_remove(pins);
	return fail("cannot keep the old policy in %s: %s", pins->kept, reason(error));
}

bool rollback_pins_policy(const struct pins *pins, char name[POLICY_NAME_SIZE])
{
	int ops = folder_ops(pins->kept, MAIN_LINK, name);

	if (ops >= 0)
		close(ops);
	return ops >= 0;
}

int rollback_pins_stage(const struct pins *pins)
{
	if (!copy_folder(pins->kept, pins->staged))
		return 0;
	return fail("cannot pin the old policy in %s again: %s", pins->staged, reason(errno));
}

int rollback_pins_remove(const struct pins *pins)
{
	return folder_remove(pins->kept);
}
