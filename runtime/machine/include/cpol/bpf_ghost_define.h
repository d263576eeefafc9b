/* SPDX-License-Identifier: GPL-2.0-only */
/* The ghosts of a policy (bpf_ghost.h): their maps, and a global function for each operation. */
#ifndef CPOL_BPF_GHOST_DEFINE_H
#define CPOL_BPF_GHOST_DEFINE_H

#include "cpol/bpf_ghost.h"

/*
 * The variables are hidden, so that libbpf does not map them into user space: a map with a lock does not allow that. The loader sets
 * cpol_ghost_limit__NAME and the size of the map together. The slots must stay the last variable.
 */
#define CPOL_BPF_GHOST_(NAME, SLOT)                                                                                            \
	__hidden const volatile struct cpol_ghost_sizes cpol_ghost_limit__##NAME SEC(".rodata") = {};                          \
	__hidden struct cpol_ghost cpol_ghost_head__##NAME SEC(".data.ghost_" #NAME) = CPOL_GHOST_EMPTY(sizeof(SLOT));         \
	__hidden SLOT cpol_ghost_slots__##NAME[1] SEC(".data.ghost_" #NAME) = {};                                              \
	static __always_inline struct cpol_ghost_memory cpol_ghost_memory__##NAME(enum cpol_ghost_op op)                       \
	{                                                                                                                      \
		char *blank = (char *)cpol_ghost_slots__##NAME;                                                                \
		struct cpol_ghost_memory m = { .stride = sizeof(SLOT) };                                                       \
                                                                                                                               \
		CPOL_OPAQUE(blank);                                                                                            \
		m.blank = blank;                                                                                               \
		m.sizes.last = cpol_ghost_limit__##NAME.last;                                                                  \
		m.sizes.buckets = cpol_ghost_limit__##NAME.buckets;                                                            \
		if (op == CPOL_GHOST_ADD || op == CPOL_GHOST_SET) {                                                                  \
			m.sizes.capacity = cpol_ghost_limit__##NAME.capacity;                                                  \
			m.sizes.crowded = cpol_ghost_limit__##NAME.crowded;                                                    \
		}                                                                                                              \
		return m;                                                                                                      \
	}                                                                                                                      \
	static __always_inline bool cpol_ghost_do__##NAME(u64 file, u64 index, enum cpol_ghost_op op,                          \
							  struct cpol_ghost_words *words)                                      \
	{                                                                                                                      \
		struct cpol_ghost_memory m = cpol_ghost_memory__##NAME(op);                                                    \
                                                                                                                               \
		return m.sizes.last && cpol_ghost_do(&cpol_ghost_head__##NAME, m, file, index, op, words);                     \
	}                                                                                                                      \
	__noinline int cpol_ghost_has__##NAME(u64 file, u64 index)                                                             \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(file, index, CPOL_GHOST_HAS, NULL);                                               \
	}                                                                                                                      \
	__noinline int cpol_ghost_take__##NAME(u64 file, u64 index)                                                            \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(file, index, CPOL_GHOST_TAKE, NULL);                                              \
	}                                                                                                                      \
	__noinline int cpol_ghost_forget__##NAME(void)                                                                         \
	{                                                                                                                      \
		return cpol_ghost_do__##NAME(0, 0, CPOL_GHOST_FORGET, NULL);                                                   \
	}                                                                                                                      \
	__noinline int cpol_ghost_pass__##NAME(void)                                                                           \
	{                                                                                                                      \
		struct cpol_ghost_memory m = cpol_ghost_memory__##NAME(CPOL_GHOST_PASS);                                       \
                                                                                                                               \
		if (m.sizes.last)                                                                                              \
			cpol_ghost_pass(&cpol_ghost_head__##NAME, m);                                                          \
		return 0;                                                                                                      \
	}                                                                                                                      \
	static __always_inline bool cpol_ghost_put__##NAME(u64 file, u64 index, enum cpol_ghost_op op,                         \
							   struct cpol_ghost_words *words)                                     \
	{                                                                                                                      \
		bool known = cpol_ghost_do__##NAME(file, index, op, words);                                                    \
                                                                                                                               \
		if (*(volatile u32 *)&cpol_ghost_head__##NAME.cursor)                                                          \
			for (int i = 0; i < CPOL_GHOST_STEPS / CPOL_GHOST_STEPS_LOCKED; i++)                                   \
				cpol_ghost_pass__##NAME();                                                                     \
		return known;                                                                                                  \
	}

#define CPOL_BPF_GHOST(NAME)                                                                                                   \
	CPOL_BPF_GHOST_(NAME, struct cpol_ghost_slot)                                                                          \
	__noinline int cpol_ghost_add__##NAME(u64 file, u64 index)                                                             \
	{                                                                                                                      \
		return cpol_ghost_put__##NAME(file, index, CPOL_GHOST_ADD, NULL);                                                              \
	}

/*
 * Copies a record field by field into zeroed words. Assigning the struct would copy its padding, which is undefined, and the verifier
 * refuses to read that.
 */
#define CPOL_COPY_FIELD(ghost, field) cpol_words.record.field = cpol_value.field;

/* One of the words of the record that an operation loads, or the initial one; the body of a function. */
#define CPOL_BPF_WORD_OF(NAME, file, index, op, word)                                                                          \
	struct cpol_record_##NAME cpol_value = CPOL_RECORD_INIT_##NAME;                                                        \
	union cpol_words_##NAME cpol_words = { .words = {} };                                                                  \
	struct cpol_ghost_words words;                                                                                         \
                                                                                                                               \
	CPOL_OPAQUE(word);                                                                                                     \
	CPOL_RECORD_##NAME(CPOL_COPY_FIELD, NAME);                                                                             \
	words = (struct cpol_ghost_words){ .first = cpol_words.words[0],                                                       \
					   .last = cpol_words.words[sizeof(cpol_words) / 8 - 1] };                             \
	cpol_ghost_do__##NAME(file, index, op, &words);                                                                        \
	return word ? words.last : words.first;

/* For a ghost with records: `add` takes the record's words; `word` returns one of them, or the initial one. */
#define CPOL_BPF_RECORD_GHOST(NAME)                                                                                            \
	union cpol_words_##NAME {                                                                                              \
		struct cpol_record_##NAME record;                                                                              \
		u64 words[(sizeof(struct cpol_record_##NAME) + 7) / 8];                                                        \
	};                                                                                                                     \
	struct cpol_ghost_slot_##NAME {                                                                                        \
		struct cpol_ghost_slot slot;                                                                                   \
		union cpol_words_##NAME record;                                                                                \
	};                                                                                                                     \
	CPOL_BPF_GHOST_(NAME, struct cpol_ghost_slot_##NAME)                                                                   \
	__noinline int cpol_ghost_add__##NAME(u64 file, u64 index, u64 first, u64 last)                                        \
	{                                                                                                                      \
		struct cpol_ghost_words words;                                                                                 \
                                                                                                                               \
		CPOL_OPAQUE(first); /* otherwise a record of one word would leave an argument undefined at the calls */        \
		CPOL_OPAQUE(last);                                                                                             \
		words = (struct cpol_ghost_words){ .first = first, .last = last };                                             \
		return cpol_ghost_put__##NAME(file, index, CPOL_GHOST_ADD, &words);                                                            \
	}                                                                                                                      \
	__noinline u64 cpol_ghost_word__##NAME(u64 file, u64 index, u64 word)                                                  \
	{                                                                                                                      \
		CPOL_BPF_WORD_OF(NAME, file, index, CPOL_GHOST_LOAD, word)                                                     \
	}

/* For a ghost of whose oldest entry a field is read: the same of that entry. */
#define CPOL_BPF_OLDEST_GHOST(NAME)                                                                                            \
	__noinline u64 cpol_ghost_oldest__##NAME(u64 word)                                                                     \
	{                                                                                                                      \
		CPOL_BPF_WORD_OF(NAME, 0, 0, CPOL_GHOST_OLDEST, word)                                                          \
	}

/*
 * For records of files and threads: stores the bits of a mask in one of the record's words. The words that a new record starts from are
 * the initial ones. There is no branch on `word`, since each would double the verifier's paths.
 */
#define CPOL_BPF_OWNER_RECORD(NAME)                                                                                            \
	__noinline int cpol_record_set__##NAME(u64 owner, u64 part, u64 word, u64 mask, u64 bits)                              \
	{                                                                                                                      \
		struct cpol_record_##NAME cpol_value = CPOL_RECORD_INIT_##NAME;                                                \
		union cpol_words_##NAME cpol_words = { .words = {} };                                                          \
		struct cpol_ghost_words words;                                                                                 \
                                                                                                                               \
		CPOL_OPAQUE(word);                                                                                             \
		CPOL_OPAQUE(mask);                                                                                             \
		CPOL_OPAQUE(bits);                                                                                             \
		CPOL_RECORD_##NAME(CPOL_COPY_FIELD, NAME);                                                                     \
		words = (struct cpol_ghost_words){ .first = cpol_words.words[0],                                               \
						   .last = cpol_words.words[sizeof(cpol_words) / 8 - 1],                       \
						   .first_mask = mask & (word - 1), .last_mask = mask & -word, .bits = bits }; \
		if (sizeof(cpol_words) == 8)                                                                                   \
			words.last_mask = words.first_mask;                                                                    \
		return cpol_ghost_put__##NAME(owner, part, CPOL_GHOST_SET, &words);                                            \
	}

#if CPOL_USES_RECORDS
CPOL_PLAIN_GHOSTS(CPOL_BPF_GHOST)
CPOL_RECORD_GHOSTS(CPOL_BPF_RECORD_GHOST)
#ifdef CPOL_OLDEST_GHOSTS
CPOL_OLDEST_GHOSTS(CPOL_BPF_OLDEST_GHOST)
#endif
#ifdef CPOL_OWNER_RECORDS
CPOL_OWNER_RECORDS(CPOL_BPF_OWNER_RECORD)
#endif

#define CPOL_WORD(NAME, field) (sizeof(((struct cpol_places_##NAME *)0)->field) - 1)
#define cpol_ghost_add_record(c, NAME, f, value)                                                                               \
	({                                                                                                                     \
		struct cpol_record_##NAME cpol_value = value;                                                                  \
		union cpol_words_##NAME cpol_words = { .words = {} };                                                          \
                                                                                                                               \
		CPOL_RECORD_##NAME(CPOL_COPY_FIELD, NAME);                                                                     \
		(void)cpol_ghost_add__##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f), cpol_words.words[0],               \
					     cpol_words.words[sizeof(cpol_words) / 8 - 1]);                                    \
	})
#define cpol_ghost_field(c, NAME, f, field)                                                                                    \
	({                                                                                                                     \
		union cpol_words_##NAME cpol_words = { .words = {} };                                                          \
		cpol_words.words[CPOL_WORD(NAME, field)] = cpol_ghost_word__##NAME(                                       \
			cpol_folio_file(c, f), cpol_folio_index(c, f), CPOL_WORD(NAME, field));                           \
		cpol_words.record.field;                                                                                       \
	})

#define cpol_ghost_oldest_field(c, NAME, field)                                                                                \
	({                                                                                                                     \
		union cpol_words_##NAME cpol_words = { .words = {} };                                                          \
		cpol_words.words[CPOL_WORD(NAME, field)] = cpol_ghost_oldest__##NAME(CPOL_WORD(NAME, field));                  \
		cpol_words.record.field;                                                                                       \
	})

/* The number of a file or thread, and what else tells it from others: a thread's number is used again. */
#define cpol_file_key(c, f) cpol_folio_file(c, f), 0
#define cpol_task_key(c) cpol_task_thread(c), cpol_task_start(c)
#define cpol_record_get(c, NAME, owner, field)                                                                                 \
	({                                                                                                                     \
		union cpol_words_##NAME cpol_words = { .words = {} };                                                          \
                                                                                                                               \
		cpol_words.words[CPOL_WORD(NAME, field)] =                                                                \
			cpol_ghost_word__##NAME(owner, CPOL_WORD(NAME, field));                                           \
		cpol_words.record.field;                                                                                       \
	})
#define cpol_record_set(c, NAME, owner, field, value)                                                                          \
	({                                                                                                                     \
		union cpol_words_##NAME cpol_bits = { .words = {} }, cpol_mask = { .words = {} };                              \
		u64 cpol_ones = CPOL_U64_MAX; /* as a constant it would be too large for a bit-field */                        \
                                                                                                                               \
		cpol_bits.record.field = (value);                                                                              \
		cpol_mask.record.field = cpol_ones;                                                                            \
		(void)cpol_record_set__##NAME(owner, CPOL_WORD(NAME, field),                                              \
					      cpol_mask.words[CPOL_WORD(NAME, field)],                                    \
					      cpol_bits.words[CPOL_WORD(NAME, field)]);                                   \
	})
#else
CPOL_GHOSTS(CPOL_BPF_GHOST)
#endif

#define cpol_ghost_take(c, NAME, f) (cpol_ghost_take__##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)) != 0)
#define cpol_ghost_has(c, NAME, f) (cpol_ghost_has__##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)) != 0)
#define cpol_ghost_add(c, NAME, f) ((void)cpol_ghost_add__##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f)))
#define cpol_ghost_forget_oldest(c, NAME) ((void)cpol_ghost_forget__##NAME())
#define cpol_ghost_full(c, NAME) (cpol_ghost_size(c, NAME) >= cpol_ghost_limit__##NAME.capacity)
#define cpol_ghost_size(c, NAME) ((u64) * (volatile u32 *)&cpol_ghost_head__##NAME.count)

#endif
