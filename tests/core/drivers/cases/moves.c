// SPDX-License-Identifier: GPL-2.0
/*
 * Several CPUs move folios at the same time. docs/semantics.md says which orders of the
 * lists may come of it: those of some sequence of all moves, in which each CPU's own
 * stand as it asked for them. Here all these sequences are tried on a model, and what
 * the core made of the moves has to be the outcome of one.
 */
#include <linux/cache_ext.h>
#include <linux/slab.h>
#include <string.h>
#include "cases.h"

#define CPUS	3
#define MOVES	4	/* of each, at most */
#define LISTS	2
#define FOLIOS	4
#define ROUNDS	40000

struct move {
	unsigned int folio;
	s32 list;
	bool tail;
};

/* Folios from head to tail. */
struct order {
	u8 nr[LISTS];
	u8 folio[LISTS][FOLIOS];
};

static struct folio *folios[FOLIOS];
static struct move moves[CPUS][MOVES];
static unsigned int nr_moves[CPUS], next_move[CPUS];
static bool busy[CPUS];
static struct order before, after;
static u64 state;
static unsigned long nested;

/* xorshift64*: what is decided here does not depend on what shim_pick() is asked. */
static unsigned int draw(unsigned int n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 32) * n >> 32;
}

static unsigned int number_of(struct folio *folio)
{
	unsigned int n;

	for (n = 0; n < FOLIOS && folios[n] != folio; n++)
		;
	return n;
}

/* A program of evict_folios: all moves have been carried out. */
static void look(struct cache_ext_evict_ctx *ctx __maybe_unused,
		 struct mem_cgroup *memcg)
{
	struct bpf_iter_cache_ext_list it;
	struct folio *folio;
	s32 list;

	memset(&after, 0, sizeof(after));
	for (list = 0; list < LISTS; list++) {
		bpf_iter_cache_ext_list_new(&it, memcg, list);
		while ((folio = bpf_iter_cache_ext_list_next(&it)))
			after.folio[list][after.nr[list]++] = number_of(folio);
		bpf_iter_cache_ext_list_destroy(&it);
	}
}

static void ask(struct order *order)
{
	struct cache_ext_shrink s = reclaim_of(group, group, 1);
	void (*passer_by_was)(void) = shim_passer_by;
	unsigned int calm_was = shim_calm;

	shim_calm = 0;
	shim_passer_by = NULL;
	cache_ext_shrink(&s);
	shim_passer_by = passer_by_was;
	shim_calm = calm_was;
	*order = after;
}

static void run_move(unsigned int cpu)
{
	struct move *m = &moves[cpu][next_move[cpu]++];
	int was = current->cpu;

	busy[cpu] = true;
	current->cpu = (int)cpu;
	/* As from a program of folio_accessed. */
	begin_program();
	if (bpf_cache_ext_list_move(folios[m->folio], m->list, m->tail))
		shim_die("a move fails");
	end_program();
	current->cpu = was;
	busy[cpu] = false;
}

static bool may_run(unsigned int cpu)
{
	return !busy[cpu] && next_move[cpu] < nr_moves[cpu];
}

/* In a gap of a move: another CPU's next one, or none. */
static void other_cpu(void)
{
	unsigned int cpu = draw(CPUS);

	if (!draw(3) || !may_run(cpu))
		return;
	nested++;
	run_move(cpu);
}

/* Another CPU would wait now. */
static bool holds_a_lock(void)
{
	struct cache_ext_lists *ls = &group->cache_ext->lists;
	int cpu;

	for_each_possible_cpu(cpu)
		if (shim_is_held(&per_cpu_ptr(ls->batches, cpu)->lock))
			return true;
	return shim_is_held(&ls->lock);
}

/* The same where the core holds no lock, but has interrupts off: just before it takes one. */
static void passer_by(void)
{
	if (!holds_a_lock())
		other_cpu();
}

static bool some_left(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS; cpu++)
		if (next_move[cpu] < nr_moves[cpu])
			return true;
	return false;
}

static void invent(void)
{
	unsigned int cpu, n;

	memset(next_move, 0, sizeof(next_move));
	for (cpu = 0; cpu < CPUS; cpu++) {
		/* Often two CPUs only, with more moves. */
		nr_moves[cpu] = cpu == 2 ? draw(3) : 1 + draw(MOVES);
		for (n = 0; n < nr_moves[cpu]; n++)
			moves[cpu][n] = (struct move) {
				.folio = draw(FOLIOS - 1 + !draw(4)),
				.list = draw(4) ? 0 : 1,
				.tail = draw(2),
			};
	}
}

static void take(struct order *o, unsigned int folio)
{
	unsigned int list, i;

	for (list = 0; list < LISTS; list++) {
		for (i = 0; i < o->nr[list]; i++)
			if (o->folio[list][i] == folio)
				break;
		if (i == o->nr[list])
			continue;
		o->nr[list]--;
		memmove(&o->folio[list][i], &o->folio[list][i + 1],
			o->nr[list] - i);
		o->folio[list][o->nr[list]] = 0;
	}
}

static void put(struct order *o, const struct move *m)
{
	u8 *list = o->folio[m->list];

	if (!m->tail)
		memmove(list + 1, list, o->nr[m->list]);
	list[m->tail ? o->nr[m->list] : 0] = m->folio;
	o->nr[m->list]++;
}

/* Does some sequence of what each CPU has left lead from @o to @after? */
static bool explains(struct order o, const unsigned int done[CPUS])
{
	unsigned int cpu, left[CPUS];
	bool all = true;

	for (cpu = 0; cpu < CPUS; cpu++) {
		struct order then = o;

		if (done[cpu] == nr_moves[cpu])
			continue;
		all = false;
		memcpy(left, done, sizeof(left));
		take(&then, moves[cpu][left[cpu]].folio);
		put(&then, &moves[cpu][left[cpu]++]);
		if (explains(then, left))
			return true;
	}
	return all && !memcmp(&o, &after, sizeof(o));
}

static void one_round(u64 seed)
{
	static const unsigned int none[CPUS];
	struct order ignored;
	unsigned int cpu;

	state = seed * 0x9e3779b97f4a7c15ULL + 1;
	ask(&before);
	invent();
	shim_calm = draw(2);
	shim_passer_by = draw(2) ? passer_by : NULL;
	while (some_left()) {
		cpu = draw(CPUS);
		if (may_run(cpu))
			run_move(cpu);
		/* Reclaim asks for nothing, but flushes all batches. */
		if (!draw(16))
			ask(&ignored);
	}
	shim_calm = 0;
	shim_passer_by = NULL;
	ask(&after);
	if (!explains(before, none))
		shim_die("no sequence of the moves of round %llu explains the order of the lists",
			 seed);
}

static void not_now(void)
{
}

void orders_of_moves(void)
{
	unsigned int i;
	u64 seed;

	first->ops.nr_lists = LISTS;
	first->ops.evict_folios = look;
	attach(first, group);
	shim_settle();
	for (i = 0; i < FOLIOS; i++)
		folios[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();
	/* Something may happen in every gap. */
	meanwhile = not_now;
	shim_other_cpu = other_cpu;
	for (seed = 1; seed <= ROUNDS; seed++)
		one_round(seed);
	if (!nested)
		shim_die("nothing happened in a gap");
	in_gap(NULL);
	for (i = 0; i < FOLIOS; i++)
		drop(folios[i]);
	detach(first);
}

/* The last of two moves of different CPUs counts, whichever of them waits in a batch. */
static void expect_first(unsigned int folio, s32 list)
{
	ask(&after);
	if (!after.nr[list] || after.folio[list][0] != folio)
		shim_die("a move to the head is lost, or carried out late");
}

static void move_on(int cpu, unsigned int folio, s32 list, bool tail)
{
	current->cpu = cpu;
	begin_program();
	if (bpf_cache_ext_list_move(folios[folio], list, tail))
		shim_die("a move fails");
	end_program();
	current->cpu = 0;
}

/*
 * A CPU's batch noted a folio for the head of one list. Another CPU put it on another
 * list, and then at the head of that: the first CPU's note stood for it, and was dropped
 * as one of the wrong list. And a note undid moves that were asked for later.
 */
void moved_between_lists(void)
{
	unsigned int i;

	first->ops.nr_lists = LISTS;
	first->ops.evict_folios = look;
	attach(first, group);
	shim_settle();
	for (i = 0; i < FOLIOS; i++)
		folios[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();

	move_on(1, 2, 0, false);
	move_on(0, 2, 1, false);
	move_on(0, 3, 1, false);
	move_on(0, 2, 1, false);
	expect_first(2, 1);

	move_on(0, 2, 0, true);
	move_on(1, 2, 0, false);
	move_on(0, 2, 1, false);
	move_on(0, 2, 0, true);
	expect_first(0, 0);
	for (i = 0; i < FOLIOS; i++)
		drop(folios[i]);
	detach(first);
}

static unsigned int noted;

/* Another CPU uses the folio, wherever it can. */
static void use_again(void)
{
	if (holds_a_lock())
		return;
	if (++noted > 100)
		shim_die("a move to another list does not end while another CPU moves the folio");
	move_on(1, 0, 0, noted & 1);
}

/*
 * Who wanted a folio on another list flushed all batches, and tried again as long as one
 * noted the folio. Other CPUs, which used it all the while, had it noted each time.
 */
void moved_while_used(void)
{
	unsigned int i;

	first->ops.nr_lists = LISTS;
	first->ops.evict_folios = look;
	attach(first, group);
	shim_settle();
	for (i = 0; i < 2; i++)
		folios[i] = cached_folio(0x1000 + i, group);
	lru_add_drain_all();
	move_on(1, 0, 0, false);
	shim_passer_by = use_again;
	move_on(0, 0, 1, false);
	shim_passer_by = NULL;
	if (!noted || group->cache_ext->lists.movers)
		shim_die("nobody came between, or somebody moves for ever");
	/* Batches note again. */
	move_on(1, 1, 0, false);
	if (per_cpu_ptr(group->cache_ext->lists.batches, 1)->nr != 1)
		shim_die("a move is not batched any more");
	for (i = 0; i < 2; i++)
		drop(folios[i]);
	detach(first);
}
