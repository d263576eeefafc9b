/* SPDX-License-Identifier: MIT */
#include "pins/attached.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "system/stat_read.h"
#include "system/system.h"

/* The text in the pinned map, which the caller frees; NULL and errno. */
static byte *read_manifest(const struct pins *pins, size_t *size)
{
	struct bpf_map_info info = {};
	uint32_t room = sizeof(info), zero = 0;
	int map = pins_open(pins, MANIFEST_PIN, false), error;
	byte *text = NULL;

	if (map < 0)
		return NULL;
	if (!bpf_map_get_info_by_fd(map, &info, &room) && info.type == BPF_MAP_TYPE_ARRAY && info.value_size <= MAX_MANIFEST) {
		*size = info.value_size;
		text = need(calloc(1, info.value_size + 8)); /* the kernel copies whole words */
		if (bpf_map_lookup_elem(map, &zero, text)) {
			free(text);
			text = NULL;
		}
	} else {
		errno = EINVAL;
	}
	error = errno;
	close(map);
	errno = error;
	return text;
}

static int explain(const struct pins *pins, const char *called)
{
	int error = errno, link;

	if (error == EACCES || error == EPERM)
		return fail("no permission for the policy of %s: run this with sudo, or as a member of the group given to "
			    "cpolc attach --input-group", called);
	if (error != ENOENT)
		return fail("cannot read the pinned manifest of %s: %s", called, reason(error));
	link = pins_link(pins);
	if (link < 0)
		return fail("%s has no policy", called);
	close(link);
	return fail("an older cpolc attached the policy of %s: attach it again (cpolc attach --replace)", called);
}

int attached_manifest(const struct pins *pins, const char *called, bool quiet, struct manifest *manifest)
{
	size_t size = 0;
	byte *text = read_manifest(pins, &size);
	int status;

	if (!text)
		return quiet ? -1 : explain(pins, called);
	status = manifest_parse(manifest, text, size, pins->path);
	free(text);
	return status;
}

int attached_open(struct attached *attached, const char *path, const struct which *which)
{
	enum policy_kind kind;
	int status = 0;

	if (cgroup_open(&attached->cgroup, path))
		return -1;
	kind = which->only_prefetch ? PREFETCHES : pins_any(attached->cgroup.id);
	pins_name(&attached->pins, attached->cgroup.id, kind);
	if (!geteuid())
		status = pins_lock(&attached->pins, attached->cgroup.id, kind, false);
	if (status == -2)
		no_policy(attached->cgroup.path, attached->cgroup.id, kind, "");
	if (!status && attached_manifest(&attached->pins, attached->cgroup.path, false, &attached->manifest)) {
		pins_unlock(&attached->pins);
		status = -1;
	}
	if (status)
		cgroup_close(&attached->cgroup);
	return status ? -1 : 0;
}

void attached_close(struct attached *attached)
{
	manifest_free(&attached->manifest);
	pins_unlock(&attached->pins);
	cgroup_close(&attached->cgroup);
}
