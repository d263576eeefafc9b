/* SPDX-License-Identifier: MIT */
#include "pins/origin.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "system/stat_text.h"

#define TAG_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:._-"

bool origin_is_tag(const char *tag)
{
	size_t length = strlen(tag);

	return length && length < TAG_SIZE && strspn(tag, TAG_CHARACTERS) == length;
}

int origin_pin(const struct pins *pins, const char *tag)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_RDONLY_PROG);
	struct origin origin = { .attached_ms = boot_ms() };
	uint32_t zero = 0;
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cpol_origin", sizeof(zero), sizeof(origin), 1, &options);
	int status;

	snprintf(origin.tag, sizeof(origin.tag), "%s", tag ? tag : "");
	status = map < 0 || bpf_map_update_elem(map, &zero, &origin, BPF_ANY);
	status = status ? fail("cannot pin the time of the attach: %s", reason(errno)) : pins_add(pins, ORIGIN_PIN, map);
	if (map >= 0)
		close(map);
	return status;
}

struct origin origin_read(const struct pins *pins)
{
	struct origin origin = {};
	struct bpf_map_info info = {};
	uint32_t room = sizeof(info), zero = 0;
	int map = pins_open(pins, ORIGIN_PIN, false);

	if (map < 0)
		return origin;
	if (bpf_map_get_info_by_fd(map, &info, &room) || info.type != BPF_MAP_TYPE_ARRAY || info.value_size != sizeof(origin) ||
	    bpf_map_lookup_elem(map, &zero, &origin))
		origin = (struct origin){};
	close(map);
	origin.tag[TAG_SIZE - 1] = '\0';
	if (!origin_is_tag(origin.tag))
		*origin.tag = '\0';
	return origin;
}

void origin_print_json(FILE *out, const struct origin *origin)
{
	if (origin->attached_ms)
		fprintf(out, ", \"attached_ms\": %" PRIu64, origin->attached_ms);
	if (*origin->tag) {
		fputs(", \"tag\": ", out);
		json_string(out, origin->tag);
	}
}
