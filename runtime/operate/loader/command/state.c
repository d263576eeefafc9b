/* SPDX-License-Identifier: MIT */
/*
 * `stat --state`: reads what an attached policy holds from its pinned maps. The policy runs meanwhile, so values that it changes
 * together may be of two moments. Nothing here holds a lock of the policy.
 */
#include "command/state.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/state_show.h"
#include "cpol/ghost_sizes.h"
#include "pins/attached.h"
#include "system/stat_read.h"

/* The value of a pinned array map of one element, which the caller frees. NULL and errno. */
static byte *read_map(const struct pins *pins, const char *name, size_t *size)
{
	struct bpf_map_info info = {};
	uint32_t room = sizeof(info), zero = 0;
	int map = pins_open(pins, name, false), error;
	byte *value = NULL;

	if (map < 0)
		return NULL;
	if (!bpf_map_get_info_by_fd(map, &info, &room) && info.type == BPF_MAP_TYPE_ARRAY) {
		*size = info.value_size;
		value = need(calloc(1, *size + 8)); /* the kernel copies whole words */
		if (bpf_map_lookup_elem(map, &zero, value)) {
			free(value);
			value = NULL;
		}
	} else {
		errno = EINVAL;
	}
	error = errno;
	close(map);
	errno = error;
	return value;
}

/*
 * A word of a pinned array map of one element. A ghost's map may have 512 MiB, and a lookup copies all of it; so a program of three
 * instructions reads the word. false and errno.
 */
static bool peek(const struct pins *pins, const char *name, uint32_t offset, uint32_t *value)
{
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_flags = BPF_F_SLEEPABLE);
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int map = pins_open(pins, name, false), program, error;
	struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map },
		{ .imm = (int32_t)offset },
		{ .code = BPF_LDX | BPF_W | BPF_MEM, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	bool done;

	if (map < 0)
		return false;
	program = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "cpol_peek", "GPL", code, sizeof(code) / sizeof(*code), &options);
	done = program >= 0 && !bpf_prog_test_run_opts(program, &run);
	error = errno;
	if (program >= 0)
		close(program);
	close(map);
	errno = error;
	*value = run.retval;
	return done;
}

static int read_ghosts(const struct pins *pins, const struct manifest *manifest, struct held *held)
{
	for (int i = 0; i < manifest->n_ghosts; i++) {
		const char *name = manifest->ghosts[i].name;
		char pin[NAME_SIZE + sizeof(GHOST_PIN C_PREFIX)];

		snprintf(pin, sizeof(pin), GHOST_PIN C_PREFIX "%s", name);
		if (!peek(pins, pin, CPOL_GHOST_COUNT, &held->ghosts[i]))
			return fail("cannot read the ghost %s: %s", name, reason(errno));
	}
	return 0;
}

static int read_states(const struct pins *pins, const struct manifest *manifest, struct held *held)
{
	size_t size = 0;
	byte *section = read_map(pins, manifest->states_in_data ? "data" : "bss", &size);

	if (!section)
		return fail("cannot read the states: %s", reason(errno));
	held->states_size = manifest->states_offset < size ? size - manifest->states_offset : 0;
	held->states = need(malloc(held->states_size + 1));
	memcpy(held->states, section + manifest->states_offset, held->states_size);
	free(section);
	for (int i = 0; i < manifest->n_states; i++)
		if ((size_t)manifest->states[i].offset + manifest->states[i].size > held->states_size)
			return fail("the states are not where the pinned manifest says; attach the policy again (cpolc attach --replace)");
	return 0;
}

static int read_tables(const struct pins *pins, const struct manifest *manifest, struct held *held)
{
	for (int i = 0; i < manifest->n_tables; i++) {
		const struct table *table = &manifest->tables[i];
		char pin[NAME_SIZE + sizeof(TABLE_PIN)];
		size_t size = 0;

		snprintf(pin, sizeof(pin), TABLE_PIN "%s", table->element.name);
		held->tables[i] = read_map(pins, pin, &size);
		if (!held->tables[i])
			return fail("cannot read the table %s: %s", table->element.name, reason(errno));
		if (!table->count[0] || !table->count[1] || size / table->element.size / table->count[0] < table->count[1])
			return fail("the table %s is not as large as the pinned manifest says", table->element.name);
	}
	return 0;
}

static void held_free(const struct manifest *manifest, struct held *held)
{
	free(held->states);
	free(held->ghosts);
	for (int i = 0; held->tables && i < manifest->n_tables; i++)
		free(held->tables[i]);
	free(held->tables);
}

/* Reads everything under the lock on the pins, so that it is of one policy. -1: reported; the caller frees it all the same. */
static int read_held(uint64_t id, enum policy_kind kind, const char *path, struct manifest *manifest, struct held *held)
{
	struct pins pins;
	int status = pins_lock(&pins, id, kind, false);

	if (status == -2)
		return no_policy(path, id, kind, "");
	if (status)
		return -1;
	if (attached_manifest(&pins, path, false, manifest)) {
		pins_unlock(&pins);
		return -1;
	}
	held->ghosts = need(calloc((size_t)manifest->n_ghosts + 1, sizeof(*held->ghosts)));
	held->tables = need(calloc((size_t)manifest->n_tables + 1, sizeof(*held->tables)));
	if ((manifest->n_states && read_states(&pins, manifest, held)) || read_ghosts(&pins, manifest, held) ||
	    read_tables(&pins, manifest, held))
		status = -1;
	pins_unlock(&pins);
	return status;
}

int state_of(char *line, uint64_t id, enum policy_kind kind, const char *path, bool json)
{
	struct manifest manifest = {};
	struct held held = {};
	int status = read_held(id, kind, path, &manifest, &held);

	if (!status)
		state_show(&manifest, &held, line, path, json);
	held_free(&manifest, &held);
	manifest_free(&manifest);
	return status;
}
