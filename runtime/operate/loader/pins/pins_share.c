/* SPDX-License-Identifier: MIT */
/* Lets a group write inputs, by owner and mode of their pins. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inputs/elements.h"
#include "pins/pins.h"
#include "system/system.h"

/* The group of that name or number. */
static int group_id(const char *group, gid_t *gid)
{
	const struct group *found = getgrnam(group);
	uint64_t number;

	if (!found && (!parse_u64(group, &number) || number > INT32_MAX))
		return fail("--input-group: there is no group %s", group);
	*gid = found ? found->gr_gid : (gid_t)number;
	return 0;
}

/* The cause of a refusal: only members of the group do without the capability. */
static const char *lacks(int error)
{
	return error == EPERM ? " (this needs CAP_CHOWN)" : "";
}

int pins_share(const struct pins *pins, const char *group)
{
	struct stat above;
	DIR *dir;
	struct dirent *entry;
	gid_t gid;
	int status = 0;

	if (group_id(group, &gid))
		return -1;
	if (stat(BPFFS, &above) || !(above.st_mode & (above.st_gid == gid ? S_IXGRP : S_IXOTH)))
		return fail("--input-group: the group %s cannot enter %s, where the inputs are pinned: chmod o+x %s", group, BPFFS, BPFFS);
	/* The group can enter the folder but not read it. All but the shared inputs is for root only. */
	if (chmod(PINS, 0711) || chown(pins->staged, (uid_t)-1, gid) || chmod(pins->staged, 0710))
		return fail("--input-group: cannot open %s to the group %s: %s%s", pins->staged, group, reason(errno), lacks(errno));
	dir = opendir(pins->staged);
	while (dir && !status && (entry = readdir(dir))) {
		bool manifest = !strcmp(entry->d_name, MANIFEST_PIN), sync = !strncmp(entry->d_name, SYNC_MAP, strlen(SYNC_MAP));

		if (!manifest && !sync && strncmp(entry->d_name, INPUT_MAP, strlen(INPUT_MAP)))
			continue;
		status = fchownat(dirfd(dir), entry->d_name, (uid_t)-1, gid, AT_SYMLINK_NOFOLLOW) ||
			 fchmodat(dirfd(dir), entry->d_name, manifest ? 0640 : 0660, 0);
	}
	if (!dir || status)
		return fail("--input-group: cannot give the inputs to the group %s: %s%s", group, reason(errno), lacks(errno));
	closedir(dir);
	return 0;
}
