/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run random operations on bpf_ghost.h and on a plain array, and compare them after each one.
 *
 *     bpf_ghost_trial CAPACITY SEED OPERATIONS        print statistics; exit 1 with the reason on stderr if they differ
 *
 * Operations come in phases of one kind each: only adds; takes from either end; takes just behind the pass's cursor; repeated
 * adds of the oldest; ...
 */
#include "bpf_ghost.c"

#define POOL(capacity) (3 * (capacity) + 3)

struct entry {
	u32 name;
	u64 first, last;
};

struct model {
	u64 capacity, count;
	struct entry *entries; /* oldest first */
};

struct name {
	u64 file, index;
	u32 tag;
};

static u64 state;

static u64 drawn(u64 bound)
{
	state += CPOL_RANDOM_STEP;
	return cpol_random_below(state, bound);
}

static u64 find(const struct model *model, u32 name)
{
	u64 i = 0;

	while (i < model->count && model->entries[i].name != name)
		i++;
	return i;
}

static void drop(struct model *model, u64 i)
{
	for (model->count--; i < model->count; i++)
		model->entries[i] = model->entries[i + 1];
}

/* The result of an operation; LOAD returns the record. */
static bool model_do(struct model *model, u32 name, int op, u64 *words)
{
	u64 i = op == CPOL_GHOST_FORGET ? 0 : find(model, name);
	bool known = i < model->count;

	if (op == CPOL_GHOST_LOAD && known) {
		words[0] = model->entries[i].first;
		words[1] = model->entries[i].last;
	}
	if (op == CPOL_GHOST_HAS || op == CPOL_GHOST_LOAD)
		return known;
	if (known)
		drop(model, i);
	if (op == CPOL_GHOST_ADD && model->capacity) {
		if (model->count == model->capacity)
			drop(model, 0);
		model->entries[model->count++] = (struct entry){ name, words[0], words[1] };
	}
	return known;
}

/* Whether both have the same entries in the same order. */
static bool agree(const struct tested *ghost, const struct model *model, const struct name *names, u32 *tags)
{
	if (ghost_count(ghost) != model->count || ghost_tags(ghost, tags) != model->count)
		return false;
	for (u64 i = 0; i < model->count; i++)
		if (tags[i] != names[model->entries[i].name].tag)
			return false;
	return true;
}

/* The name of the entry that is `above` slots above the pass's cursor, or of the newest one. */
static u32 passed_over(const struct tested *ghost, const struct model *model, const struct name *names, u64 above)
{
	u32 at = (u32)cpol_ghost_newer(ghost->m, ghost->head.cursor, above * ghost->m.stride);

	for (u64 i = 0; i < model->count; i++)
		if (names[model->entries[i].name].tag == cpol_ghost_slot(ghost->m, at)->tag)
			return model->entries[i].name;
	return model->entries[model->count - 1].name;
}

enum bout { MIXED, FILL, TAKE_ANY, TAKE_OLD, TAKE_NEW, TURN, TURN_ANY, PASSED, HOLES, BOUTS };

static int next(enum bout bout, const struct tested *ghost, const struct model *model, const struct name *names, u32 *name)
{
	u64 count = model->count;

	*name = (u32)drawn(POOL(model->capacity));
	if (bout == MIXED || !count)
		return (int)drawn(CPOL_GHOST_PASS);
	if (bout == FILL)
		return CPOL_GHOST_ADD;
	*name = model->entries[drawn(count)].name;
	switch (bout) {
	case TAKE_ANY:
		return drawn(8) ? CPOL_GHOST_TAKE : CPOL_GHOST_LOAD;
	case TAKE_OLD:
		*name = model->entries[0].name;
		return drawn(2) ? CPOL_GHOST_TAKE : CPOL_GHOST_FORGET;
	case TAKE_NEW:
		*name = model->entries[count - 1].name;
		return CPOL_GHOST_TAKE;
	case TURN: /* take the second oldest, so that the ring cannot reuse the hole */
		*name = model->entries[count > 1].name;
		return CPOL_GHOST_ADD;
	case TURN_ANY:
		return CPOL_GHOST_ADD;
	case PASSED:
		if (ghost->head.cursor)
			*name = passed_over(ghost, model, names, 1 + drawn(4));
		return CPOL_GHOST_ADD;
	default: /* take every second of the old entries, and add new ones */
		*name = drawn(2) ? model->entries[count / 2 + drawn(count - count / 2)].name : (u32)drawn(POOL(model->capacity));
		return drawn(2) ? CPOL_GHOST_TAKE : CPOL_GHOST_ADD;
	}
}

static int trial(u64 capacity, u64 operations, u64 each)
{
	struct tested *ghost = ghost_new(capacity);
	struct model model = { capacity, 0, calloc(capacity + 1, sizeof(*model.entries)) };
	struct name *names = calloc(POOL(capacity), sizeof(*names));
	u32 *tags = calloc(capacity + 1, sizeof(*tags)), name;
	u64 passes = 0, done = 0, left = 0;
	enum bout bout = FILL;
	int wrong = 0;

	if (!ghost || !model.entries || !names || !tags)
		abort();
	for (u64 i = 0; i < POOL(capacity); i++) {
		names[i] = (struct name){ cpol_mix64(drawn(4)), i, 0 };
		names[i].tag = ghost_tag(names[i].file, i);
	}
	for (; done < operations && !wrong; done++) {
		u64 words[2] = { done, ~done }, expected[2] = { done, ~done };
		bool passing = ghost_passes(ghost), known;
		int op;

		if (!left--) {
			bout = (enum bout)drawn(BOUTS);
			left = drawn(2 * capacity + 20);
		}
		op = next(bout, ghost, &model, names, &name);
		known = model_do(&model, name, op, expected);
		if (ghost_do(ghost, names[name].file, names[name].index, op, words) != known)
			wrong = 100;
		else if (words[0] != expected[0] || words[1] != expected[1])
			wrong = 101;
		else if (ghost_late(ghost))
			wrong = 102;
		else if (done % each == 0 || done + 1 == operations)
			wrong = agree(ghost, &model, names, tags) ? ghost_check(ghost) : 103;
		passes += passing && !ghost_passes(ghost);
	}
	if (wrong)
		fprintf(stderr, "operation %llu: wrong (%d)\n", done, wrong);
	printf("capacity=%llu operations=%llu passes=%llu\n", capacity, done, passes);
	ghost_free(ghost);
	free(model.entries);
	free(names);
	free(tags);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	u64 capacity;

	if (argc != 4)
		return 2;
	capacity = strtoull(argv[1], NULL, 10);
	state = strtoull(argv[2], NULL, 10);
	return trial(capacity, strtoull(argv[3], NULL, 10), capacity / 50 + 1);
}
