/* SPDX-License-Identifier: MIT */
/*
 * Run random events on a policy under sanitizers. The program consists of generated C, the driver and this file. After each
 * event, it walks lists, index and ghosts and checks that they agree. Arguments: seed, number of events.
 */
#include <stdio.h>
#include <stdlib.h>

#define CHECK(cond)                                                                    \
	do {                                                                           \
		if (!(cond)) {                                                         \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);     \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

static u64 seed;

static u64 dice(u64 sides)
{
	seed += 0x9e3779b97f4a7c15ULL;
	return cpol_mix(seed) % sides;
}

#if CPOL_EVENTS
/* The inverse of cpol_mix. */
static u64 unmix(u64 hash)
{
	hash ^= hash >> 33;
	hash *= 0x9cb4b2f8129337dbULL;
	hash ^= hash >> 33;
	hash *= 0x4f74430c22a54005ULL;
	return hash ^ (hash >> 33);
}
#else
static u64 id_of(u32 number)
{
	return ~cpol_mix(number);
}
#endif

static void check_lists(struct cpol_sim *sim)
{
	u64 pages = 0;

	for (u32 list = 1; list <= CPOL_HEADS(sim); list++) {
		u64 on_list = 0;

		for (u32 slot = sim->links[list].next; slot != list; slot = sim->links[slot].next) {
#if CPOL_EVENTS
			CHECK(cpol_index_find(sim, sim->keys[slot], sim->names[slot]) == slot);
#else
			CHECK(sim->keys[slot] < sim->n_objects && sim->objects[sim->keys[slot]].slot == slot);
#if CPOL_HAS_IDS
			CHECK(sim->ids[slot] == id_of(sim->keys[slot]));
#endif
#endif
			CHECK(sim->links[sim->links[slot].next].prev == slot);
			CHECK(cpol_on_list(sim, slot) && cpol_list_of(sim, slot) == list);
			on_list += cpol_folio_pages(sim, slot);
		}
		CHECK(on_list == sim->list_pages[list]);
		pages += on_list;
	}
	CHECK(pages <= sim->size);
#if !CPOL_EVENTS
	CHECK(pages == sim->size && cpol_occupied(sim) <= sim->capacity);
#endif
}

static void check_ghosts(struct cpol_sim *sim)
{
	(void)sim;
#if CPOL_N_GHOSTS
	for (u32 number = 0; number < CPOL_N_GHOSTS; number++) {
		struct cpol_ghost *ghost = &sim->ghosts[number];
		u32 live = 0, older = 0;

		for (u32 entry = cpol_ghost_first(ghost); entry; older = entry, entry = ghost->entries[entry].newer) {
			struct cpol_ghost_entry *e = &ghost->entries[entry];

			CHECK(e->older == older);
			CHECK(cpol_ghost_find(ghost, &e->key, CPOL_GHOST_HASH(e)) == entry);
			live++;
		}
		CHECK(cpol_ghost_newest(ghost) == older);
#if CPOL_GHOST_CHAINS
		CHECK(!ghost->entries || ghost->entries[0].after == 0);
#endif
		CHECK(live == ghost->count + (ghost->held != 0) && ghost->count <= ghost->capacity);
	}
#endif
}

#if CPOL_EVENTS
static void step(struct cpol_sim *sim)
{
	struct cpol_row row = { dice(12), dice(2), dice(60), dice(4), 0 };
	u64 crowded = dice(2) ? dice(3) : ~dice(3); /* many hashes are near these, so that buckets are full */
	u64 proposals = sim->n_proposals;
	int error;

	if (row.op == CPOL_OP_EVICT) /* 0 and 33 pages are errors */
		row.a = dice(34);
	if (row.file == 0 && dice(2))
		row.index = unmix(crowded + (dice(20) << 32)); /* of file 0, the hash is that of the index */
	error = cpol_sim_event(sim, &row);
	CHECK(error != CPOL_NO_MEMORY && error != CPOL_NOT_PLACED);
	if (row.op == 0)
		CHECK(cpol_sim_request(sim, row.file, row.index) == CPOL_OK);
	if (row.op != CPOL_OP_EVICT || error)
		return;
	proposals = sim->n_proposals;
	for (u64 number = 0; number < proposals; number++) { /* most proposals are answered at once */
		struct cpol_name name = sim->names[sim->proposals[number]];
		struct cpol_row answer = { dice(3) ? CPOL_OP_REMOVED : CPOL_OP_REFUSED, name.file, name.index, 0, 0 };

		if (dice(8))
			CHECK(cpol_sim_event(sim, &answer) == CPOL_OK);
	}
}
#else
static void step(struct cpol_sim *sim)
{
	u64 ids[40], length = dice(41), objects = 1 + (dice(50) ? dice(60) : dice(40000)); /* now and then the arrays grow */
	u32 numbers[40];

	for (u64 request = 0; request < length; request++) {
		numbers[request] = (u32)dice(objects);
		ids[request] = id_of(numbers[request]);
	}
	CHECK(cpol_sim_run(sim, &(struct cpol_trace){ ids, numbers, .requests = length, .objects = objects, .step = 10000 }) == 0);
}
#endif

int main(int argc, char **argv)
{
	u64 events = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;

	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	while (events) {
		struct cpol_refusal why;
		struct cpol_sim *sim = cpol_sim_new(1 + dice(40), 1 + (u32)dice(32), NULL, dice(3), &why);
		u64 rounds = 1 + dice(400);
		u64 dump[4096];

		CHECK(sim);
		cpol_sim_begin(sim);
		for (; rounds && events; rounds--, events--) {
			step(sim);
			check_lists(sim);
			check_ghosts(sim);
		}
#if CPOL_EVENTS
		CHECK(cpol_sim_dump(sim, dump, 4096) > 0);
#else
		(void)dump;
#endif
		cpol_sim_free(sim);
	}
	return 0;
}
