/* SPDX-License-Identifier: MIT */
#include "pins/second_link.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "pins/replace.h"
#include "system/step.h"
#include "system/update_link.h"

/* The old policy's link; -1: it has none. */
static int old_link(const struct pins *pins)
{
	return folder_link_map(pins->path, SECOND_LINK) ? pins_open(pins, PREFETCH_LINK_PIN, true) : -1;
}

/* Pins it, and closes it. */
static int pin(const struct pins *pins, int link)
{
	int status = pins_add(pins, PREFETCH_LINK_PIN, link);

	close(link);
	errno = status ? EIO : 0;
	return status;
}

static int attach_fresh(const struct pins *pins, const struct bpf_map *ops)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(ops);
	int status;

	if (!link)
		return -1;
	status = pin(pins, dup(bpf_link__fd(link)));
	if (!status)
		bpf_link__disconnect(link); /* the pin keeps it */
	bpf_link__destroy(link);
	if (!status)
		STEP("the second link is attached and pinned");
	return status;
}

/* Gives the old policy's link, which is closed, to a map that is ready. */
static int update(const struct pins *pins, int link, int ops)
{
	int error = update_link(link, ops, -1);

	if (error) {
		close(link);
		errno = -error;
		return -1;
	}
	STEP("the second link has the new policy");
	if (!pin(pins, link))
		return 0;
	second_link_undo(pins);
	return -1;
}

int second_link_attach(const struct pins *pins, const struct bpf_map *ops)
{
	int link = old_link(pins), error;

	if (link < 0)
		return attach_fresh(pins, ops);
	error = make_ready(ops);
	if (!error)
		return update(pins, link, bpf_map__fd(ops));
	close(link);
	errno = -error;
	return -1;
}

int second_link_attach_again(const struct pins *pins, int ops)
{
	int link = old_link(pins);

	if (link >= 0)
		return update(pins, link, ops);
	link = bpf_link_create(ops, 0, ATTACH_STRUCT_OPS, NULL);
	return link < 0 ? -1 : pin(pins, link);
}

void second_link_undo(const struct pins *pins)
{
	int link = old_link(pins), ops = link < 0 ? -1 : folder_ops(pins->path, SECOND_LINK, NULL);

	if (ops >= 0) {
		update_link(link, ops, -1);
		close(ops);
	}
	if (link >= 0)
		close(link);
}
