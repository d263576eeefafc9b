/* SPDX-License-Identifier: GPL-2.0-only */
/* Inputs in BPF: maps that only user space writes (README.md). */
#ifndef CPOL_BPF_INPUT_H
#define CPOL_BPF_INPUT_H

/* A page: the file and the index, both big-endian, so that aligned ranges of pages are prefixes. */
struct cpol_page_key {
	u32 prefixlen; /* bits */
	u32 words[4];
};

/* Of a command, whose key is the number of its name. Programs read the value; the name is there for user space to show. */
struct cpol_comm_value {
	s64 value;
	char name[16];
};

#define CPOL_BPF_INPUT_MAP(NAME, TYPE, KEY, VALUE)                                                                             \
	struct {                                                                                                               \
		int (*type)[TYPE];                                                                                             \
		int (*max_entries)[CPOL_INPUT_ENTRIES];                                                                        \
		int (*map_flags)[BPF_F_NO_PREALLOC];                                                                           \
		KEY *key;                                                                                                      \
		VALUE *value;                                                                                                  \
	} CPOL_INPUT_MAP_##NAME SEC(".maps");

#define CPOL_BPF_INPUT_HASH(NAME, VALUE)                                                                                       \
	CPOL_BPF_INPUT_MAP(NAME, BPF_MAP_TYPE_HASH, u64, VALUE)                                                                \
	CPOL_PRIMITIVE s64 *cpol_input_find__##NAME(u64 key)                                                                   \
	{                                                                                                                      \
		return bpf_map_lookup_elem(&CPOL_INPUT_MAP_##NAME, &key);                                                      \
	}

#define CPOL_BPF_INPUT_0(NAME) CPOL_BPF_INPUT_HASH(NAME, s64)
#define CPOL_BPF_INPUT_2(NAME) CPOL_BPF_INPUT_HASH(NAME, struct cpol_comm_value)

#define CPOL_BPF_INPUT_1(NAME)                                                                                                 \
	CPOL_BPF_INPUT_MAP(NAME, BPF_MAP_TYPE_LPM_TRIE, struct cpol_page_key, s64)                                             \
	CPOL_PRIMITIVE s64 *cpol_input_find__##NAME(u64 file, u64 index)                                                       \
	{                                                                                                                      \
		struct cpol_page_key key = { 128, { CPOL_BE32(file >> 32), CPOL_BE32(file), CPOL_BE32(index >> 32), CPOL_BE32(index) } }; \
                                                                                                                               \
		return bpf_map_lookup_elem(&CPOL_INPUT_MAP_##NAME, &key);                                                          \
	}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CPOL_BE32(x) __builtin_bswap32((u32)(x))
#else
#define CPOL_BE32(x) ((u32)(x))
#endif

#define CPOL_BPF_INPUT(NAME, KEY, DEFAULT) CPOL_BPF_INPUT_##KEY(NAME)
CPOL_INPUTS(CPOL_BPF_INPUT)

#define CPOL_INPUT_VALUE(found, NAME) ({ s64 *cpol_found = (found); cpol_found ? *cpol_found : (s64)CPOL_DEFAULT_##NAME; })
#define CPOL_INPUT_PAGE(c, NAME, f) cpol_input_find__##NAME(cpol_folio_file(c, f), cpol_folio_index(c, f))

/* Opaque: of two questions joined by `or`, clang would join the pointers, which the verifier refuses. */
CPOL_PRIMITIVE bool cpol_is_found(const s64 *value)
{
	u64 found = value != NULL;

	CPOL_OPAQUE(found);
	return found;
}

#define cpol_input_has(c, NAME, key) cpol_is_found(cpol_input_find__##NAME(key))
#define cpol_input_has_page(c, NAME, f) cpol_is_found(CPOL_INPUT_PAGE(c, NAME, f))
#define cpol_input_get(c, NAME, key) CPOL_INPUT_VALUE(cpol_input_find__##NAME(key), NAME)
#define cpol_input_get_page(c, NAME, f) CPOL_INPUT_VALUE(CPOL_INPUT_PAGE(c, NAME, f), NAME)

#endif
