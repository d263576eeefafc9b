// SPDX-License-Identifier: GPL-2.0
/*
 * A tool of the build, which runs on the host: what a kernel's BTF says of the
 * names in stock_list.h.
 *
 *   btf_table VMLINUX		  prints declarations, then the table: stock_table.h
 *   btf_table --check TABLE VMLINUX  compares a table with another kernel's BTF,
 *				  as the module does when it is loaded
 *
 * VMLINUX is an ELF file with a section .BTF, in the host's byte order. The
 * exit code is 1 if something is missing, ambiguous or different.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "btf_file.h"
#include "btf_text.h"
#include "stock_list.h"

/* ---- A table ------------------------------------------------------------ */

static unsigned int size_of(const struct btf *btf, unsigned int id)
{
	const struct btf_type *type = btf_type_by_id(btf, id);
	const struct btf_array *array = (const void *)(type + 1);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return 8;
	case BTF_KIND_ARRAY:
		return array->nelems * size_of(btf, array->type);
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type->size;
	}
	return size_of(btf, type->type);
}

/* Members that C can name, those of members without a name included. */
static void print_members(const struct btf *btf, const char *name,
			  const struct btf_type *type, unsigned int bits)
{
	const struct btf_member *member = (const void *)(type + 1);
	unsigned int i, at, size;
	const char *of;

	for (i = 0; i < BTF_INFO_VLEN(type->info); i++, member++) {
		at = bits + member->offset;
		if (BTF_INFO_KFLAG(type->info)) {
			if (BTF_MEMBER_BITFIELD_SIZE(member->offset))
				continue;
			at = bits + BTF_MEMBER_BIT_OFFSET(member->offset);
		}
		if (!member->name_off) {
			print_members(btf, name,
				      btf_type_by_id(btf, member->type), at);
			continue;
		}
		of = btf_name_by_offset(btf, member->name_off);
		printf("static_assert(offsetof(struct %s, %s) == %u);\n", name,
		       of, at / 8);
		/* That of an array without a size has none. */
		size = size_of(btf, member->type);
		if (size)
			printf("static_assert(sizeof_field(struct %s, %s) == %u);\n",
			       name, of, size);
	}
}

/* Types of one name must have one text: kallsyms cannot tell functions apart. */
static unsigned int find(const struct btf *btf, struct btf_text *text,
			 unsigned int kind, const char *name)
{
	static struct btf_text other;
	unsigned int id, found = 0;

	for (id = 1; id < btf->nr_types; id++) {
		if (BTF_INFO_KIND(btf->types[id]->info) != kind ||
		    strcmp(btf_name_by_offset(btf, btf->types[id]->name_off),
			   name))
			continue;
		if (!btf_text_of(found ? &other : text, btf, id))
			die(name, "its type is too much for this tool");
		if (found && strcmp(text->buffer, other.buffer)) {
			fprintf(stderr, "btf_table: %s is ambiguous: %s; %s\n",
				name, text->buffer, other.buffer);
			exit(1);
		}
		found = id;
	}
	if (!found)
		die(name, "the kernel's BTF does not have it");
	return found;
}

/* What the compiler compares with the declarations that it has. */
static void print_declaration(const struct btf *btf, unsigned int kind,
			      const char *name)
{
	static struct btf_text text;
	unsigned int id = find(btf, &text, kind, name);

	if (kind == BTF_KIND_FUNC) {
		printf("typeof(%s) %s;\n", text.buffer, name);
	} else if (kind == BTF_KIND_TYPEDEF) {
		printf("typedef typeof(%s) %s;\n", text.buffer, name);
	} else {
		printf("static_assert(sizeof(struct %s) == %u);\n", name,
		       btf->types[id]->size);
		print_members(btf, name, btf->types[id], 0);
	}
}

static const struct {
	unsigned int kind;
	const char *kind_name, *name;
} wanted[] = {
#define FUNC(name, ...) { BTF_KIND_FUNC, "BTF_KIND_FUNC", #name },
#define TYPEDEF(name, ...) { BTF_KIND_TYPEDEF, "BTF_KIND_TYPEDEF", #name },
#define STRUCT(name) { BTF_KIND_STRUCT, "BTF_KIND_STRUCT", #name },
	STOCK_FUNCTIONS(FUNC)
	HOOKED_FUNCTIONS(FUNC)
	STOCK_TRACEPOINTS(TYPEDEF)
	STOCK_LAYOUTS(STRUCT)
};

#define NR_WANTED (sizeof(wanted) / sizeof(wanted[0]))

static void print_table(const struct btf *btf)
{
	static struct btf_text text;
	unsigned int i;

	for (i = 0; i < NR_WANTED; i++)
		print_declaration(btf, wanted[i].kind, wanted[i].name);
	printf("static struct btf_entry stock_table[] __initdata = {\n");
	for (i = 0; i < NR_WANTED; i++) {
		find(btf, &text, wanted[i].kind, wanted[i].name);
		printf("\t{ %s, \"%s\", \"%s\" },\n", wanted[i].kind_name,
		       wanted[i].name, text.buffer);
	}
	printf("};\n");
}

/* ---- A table compared --------------------------------------------------- */

static void print_difference(const struct btf_entry *entry, const char *here)
{
	if (here)
		fprintf(stderr, "btf_table: %s differs: %s; the table has %s\n",
			entry->name, here, entry->text);
	else
		fprintf(stderr, "btf_table: %s: the kernel's BTF does not have it\n",
			entry->name);
}

/* The next line of the table: its words between quotes, and its kind. */
static bool read_entry(struct btf_entry *entry, char *line)
{
	unsigned int i;
	char *word;

	for (i = 0; i < NR_WANTED; i++)
		if (strstr(line, wanted[i].kind_name))
			entry->kind = wanted[i].kind;
	word = strtok(line, "\"");
	if (!entry->kind || !word)
		return false;
	entry->name = strtok(NULL, "\"");
	strtok(NULL, "\"");
	entry->text = strtok(NULL, "\"");
	return entry->name && entry->text;
}

static int check_table(const char *path, const struct btf *btf)
{
	struct btf_entry entries[NR_WANTED] = {};
	unsigned int nr = 0;
	char *line, *rest;
	size_t size;

	rest = read_file(path, &size);
	while (nr < NR_WANTED && (line = strsep(&rest, "\n")))
		nr += read_entry(&entries[nr], line);
	if (nr < NR_WANTED)
		die(path, "is not a whole table");
	return btf_compare(btf, entries, nr, print_difference) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct btf btf = {};

	if (argc == 4 && !strcmp(argv[1], "--check")) {
		load(&btf, argv[3]);
		return check_table(argv[2], &btf);
	}
	if (argc != 2)
		die("usage", "btf_table [--check TABLE] VMLINUX");
	load(&btf, argv[1]);
	print_table(&btf);
	return fflush(stdout) || ferror(stdout);
}
