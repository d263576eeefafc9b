/* SPDX-License-Identifier: MIT */
/*
 * The manifest of a BPF object: the text in its ELF section `.cpol` (runtime/include/cpol/README.md). The object may be
 * hostile: everything is checked here, and what these structs hold can be relied upon.
 */
#ifndef LOADER_MANIFEST_H
#define LOADER_MANIFEST_H

#include "util.h"

#define NAME_SIZE 64
#define MAX_PARAMS 128
#define MAX_GHOSTS 16
#define MAX_LISTS 8
#define MAX_META 64
#define MAX_TOKENS 128
#define MAX_MEMBERS 64
#define MAX_PARAM_BYTES 4096

enum kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FIX, KIND_BOOL, KIND_ENUM };

typedef __int128 wide; /* holds every u64 and s64 */

struct param {
	char name[NAME_SIZE];
	char type[24]; /* for messages */
	enum kind kind;
	wide value, low, high; /* raw; value: the default, until it is set */
	uint32_t offset, size;
	bool set;
	char members[MAX_MEMBERS][NAME_SIZE]; /* KIND_ENUM */
	int n_members;
};

enum token {
	TOKEN_CAPACITY,
	TOKEN_PARAM,
	TOKEN_INT,
	TOKEN_FIX,
	TOKEN_TO_FIX,
	TOKEN_TO_U64,
	TOKEN_TO_S64,
	TOKEN_FLOOR,
	TOKEN_CEIL,
	TOKEN_ADD,
	TOKEN_SUB,
	TOKEN_MUL,
	TOKEN_DIV,
	TOKEN_MOD,
	TOKEN_MIN,
	TOKEN_MAX,
};

struct ghost {
	char name[NAME_SIZE];
	int n_tokens;
	struct {
		enum token token;
		int param; /* TOKEN_PARAM: its number */
		wide value; /* TOKEN_INT, TOKEN_FIX */
	} tokens[MAX_TOKENS];
};

struct manifest {
	char policy[NAME_SIZE];
	struct param *params; /* MAX_PARAMS of them */
	int n_params;
	struct ghost *ghosts; /* MAX_GHOSTS of them */
	int n_ghosts;
	char lists[MAX_LISTS][NAME_SIZE];
	int n_lists;
	uint32_t meta;
};

/* Reads the manifest of an object that is in memory. -1: said why. */
int manifest_read(struct manifest *manifest, const byte *object, size_t size, const char *path);

/* Applies `name=value`. -1: said why. */
int manifest_set(struct manifest *manifest, const char *setting);

/* Entries of a ghost when the cache may own `capacity` pages. */
uint64_t ghost_entries(const struct manifest *manifest, const struct ghost *ghost, uint64_t capacity);

/* A value of a param as a policy's author would write it. */
void param_print(FILE *out, const struct param *param, wide value);

void manifest_free(struct manifest *manifest);

#endif
