/* SPDX-License-Identifier: MIT */
/*
 * The manifest of a BPF object: the text in its ELF section `.cpol` (runtime/machine/include/cpol/README.md). The object may be
 * hostile: the reader checks everything, so users of these structs need not.
 */
#ifndef LOADER_MANIFEST_H
#define LOADER_MANIFEST_H

#include "system/contract.h"
#include "system/util.h"

#define NAME_SIZE 65 /* the compiler allows 64 characters */
#define MAX_PARAM_BYTES 4096
#define MAX_MANIFEST (256 * 1024)
#define MAX_TYPE_TEXT (MAX_MEMBERS * (NAME_SIZE + 1) + 8)

enum kind { KIND_UNSIGNED, KIND_SIGNED, KIND_FIX, KIND_BOOL, KIND_ENUM };

typedef __int128 wide; /* holds every u64 and s64 */

struct param {
	char name[NAME_SIZE];
	char type[24]; /* for messages; without an enum's members */
	enum kind kind;
	wide value, low, high; /* raw; `value` is the default until it is set */
	uint32_t offset, size; /* bytes */
	bool set;
	bool ms; /* a time, which users may write with its unit */
	bool live; /* `cpolc set` may change it while the policy is attached */
	char members[MAX_MEMBERS][NAME_SIZE]; /* KIND_ENUM */
	int n_members;
};

#define TOKEN_ENUMERATOR(name, enumerator, operands) enumerator,
enum token { TOKEN_PARAM, TOKEN_INT, TOKEN_FIX, FORMULA_TOKENS(TOKEN_ENUMERATOR) };

/* A number that is computed at attach, in reverse Polish notation. */
struct formula {
	int n_tokens;
	struct {
		enum token token;
		int param; /* TOKEN_PARAM: its number */
		wide value; /* TOKEN_INT, TOKEN_FIX */
	} tokens[MAX_TOKENS];
};

struct ghost {
	char name[NAME_SIZE];
	struct formula capacity;
	uint64_t entries; /* its capacity, once the object is loaded */
};

struct table {
	struct param element; /* the table's name, an element's type and bytes; `value` is what elements begin with */
	struct formula sizes[2];
	int n_sizes;
	uint64_t count[2]; /* rows and columns, once the object is loaded */
};

/* What identifies an element of an input. runtime/machine/include/cpol/README.md has the key's layout in the map. */
enum input_key { INPUT_THREAD, INPUT_PROCESS, INPUT_COMM, INPUT_FILE, INPUT_PAGE, INPUT_DEVICE, INPUT_CGROUP, INPUT_KEYS };

struct input {
	char name[NAME_SIZE];
	bool is_map; /* else a set: the value is true */
	enum input_key key;
	struct param value; /* its type and range; `value` is the default, for keys that the map does not have */
};

/* An input that is an array: a value for each index. */
struct user_array {
	struct param entry; /* the array's name, an entry's type and bytes */
	struct formula size;
	uint64_t entries; /* the size, once the object is loaded, and of an attached policy */
	const char *file; /* what it holds from the start; NULL: zeros */
};

struct manifest {
	char policy[NAME_SIZE];
	char profile[NAME_SIZE]; /* of the kernel that it was compiled for, if that kernel has another interface */
	struct param *params; /* MAX_PARAMS of them */
	int n_params;
	struct ghost *ghosts; /* MAX_GHOSTS of them */
	int n_ghosts;
	struct param *states; /* as many as the object has; `offset` is that in the variable `cpol_state` */
	int n_states;
	bool states_in_data; /* the variable is in .data, else in .bss */
	uint32_t states_offset; /* of the variable, once the object is loaded */
	struct table *tables; /* MAX_MAPS of them */
	int n_tables;
	struct input *inputs; /* MAX_INPUTS of them */
	int n_inputs;
	struct user_array *arrays; /* MAX_INPUTS of them */
	int n_arrays;
	bool params_in_data; /* in .data.params, where `set` can change them; else in .rodata */
	char lists[MAX_LISTS + MAX_LIST_ARRAYS][NAME_SIZE];
	int n_lists;
	int n_list_arrays; /* so many of the last lists are arrays */
	struct formula list_lengths[MAX_LIST_ARRAYS];
	uint32_t list_counts[MAX_LIST_ARRAYS]; /* the values of list_lengths, once the object is loaded */
	bool ticks;
	struct formula tick_ms; /* milliseconds between ticks */
	bool pins;
	struct formula pin_pages; /* the quota of pinned pages */
	bool keeps;
	struct formula keep_pages; /* most pages to keep from swap in a second */
	uint32_t meta; /* bytes of record per folio */
};

/* Reads the manifest of an object that is in memory. -1: reported. */
int manifest_read(struct manifest *manifest, const byte *object, size_t size, const char *path);

/* Reads the text of a manifest. -1: reported. */
int manifest_parse(struct manifest *manifest, const byte *text, size_t length, const char *path);

/*
 * What later commands need to know of an attached policy, as text that manifest_parse() reads: all formulas have become numbers. The
 * caller frees it. NULL: reported.
 */
char *manifest_text(const struct manifest *manifest, size_t *length);

/* Writes the name of a type and, for an enum, its members. */
void print_type(FILE *out, const struct param *param);

/* Applies `name=value`, the argument of `option`. -1: reported. */
int manifest_set(struct manifest *manifest, const char *option, const char *setting);

/* Reads a value of the param's type within its range. `what` names the value in messages. -1: reported. */
int param_parse(const struct param *param, const char *text, const char *what, wide *value);

/* The param, the input or the array of that name; NULL: there is none. */
struct param *manifest_param(const struct manifest *manifest, const char *name, size_t length);

const struct input *manifest_input(const struct manifest *manifest, const char *name, size_t length);

struct user_array *manifest_array(const struct manifest *manifest, const char *name, size_t length);

/* "thread", "process", "file", "page" */
const char *input_key_name(enum input_key key);

/* The value of a formula when the capacity is `capacity` pages. */
uint64_t formula_value(const struct manifest *manifest, const struct formula *formula, uint64_t capacity);

/* Writes a value of a param as a policy has it. */
void param_print(FILE *out, const struct param *param, wide value);

/* The value of `param->size` bytes at `at`, which need not be aligned. The first memory of a table is zero: `unlike` is what it means. */
wide load_value(const byte *at, const struct param *param, wide unlike);

/* Writes it as JSON to standard output. */
void param_json(const struct param *param, wide value);

void manifest_free(struct manifest *manifest);

#endif
