/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On the host: the BTF of an ELF file, read as a whole, for btf_table.c. What
 * cannot be read ends the program.
 */
#ifndef _CACHE_EXT_BTF_FILE_H
#define _CACHE_EXT_BTF_FILE_H

#include <elf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's struct and functions have these names; btf_text.h uses them. */
struct btf {
	const char *strings;
	unsigned int strings_size;
	const struct btf_type **types;	/* by id; [0] is void */
	unsigned int nr_types;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "btf_table: %s: %s\n", what, why);
	exit(1);
}

static const struct btf_type *btf_type_by_id(const struct btf *btf,
					     unsigned int id)
{
	return id < btf->nr_types ? btf->types[id] : NULL;
}

static const char *btf_name_by_offset(const struct btf *btf,
				      unsigned int offset)
{
	return offset < btf->strings_size ? btf->strings + offset : "";
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *data;
	long end;

	if (!file || fseek(file, 0, SEEK_END))
		die(path, "cannot be read");
	end = ftell(file);
	rewind(file);
	data = end < 0 ? NULL : calloc(1, end + 1);
	if (!data || fread(data, 1, end, file) != (size_t)end)
		die(path, "cannot be read");
	fclose(file);
	*size = end;
	return data;
}

/* Bytes that follow a type of this kind. */
static size_t type_tail(const struct btf_type *type)
{
	unsigned int nr = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return nr * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return nr * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return nr * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return nr * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	}
	return 0;
}

static void parse(struct btf *btf, const char *path, const char *section,
		  size_t size)
{
	/* A section of an ELF file may lie at any address. */
	char *data = calloc(1, size + 1);
	const struct btf_header *header = (const void *)data;
	const char *at, *end;

	if (!data)
		die(path, "no memory");
	memcpy(data, section, size);
	if (size < sizeof(*header) || header->magic != BTF_MAGIC ||
	    header->hdr_len + (size_t)header->type_off + header->type_len > size ||
	    header->hdr_len + (size_t)header->str_off + header->str_len > size)
		die(path, "its BTF is damaged");
	btf->strings = data + header->hdr_len + header->str_off;
	btf->strings_size = header->str_len;
	at = data + header->hdr_len + header->type_off;
	end = at + header->type_len;
	/* No type is smaller than its header. */
	btf->types = calloc(header->type_len / sizeof(struct btf_type) + 1,
			    sizeof(*btf->types));
	if (!btf->types)
		die(path, "no memory");
	for (btf->nr_types = 1; at < end; btf->nr_types++) {
		btf->types[btf->nr_types] = (const void *)at;
		at += sizeof(struct btf_type) + type_tail((const void *)at);
	}
	if (at != end)
		die(path, "its BTF is damaged");
}

static void load(struct btf *btf, const char *path)
{
	const Elf64_Shdr *section, *names;
	const Elf64_Ehdr *elf;
	size_t size;
	char *data;
	int i;

	data = read_file(path, &size);
	elf = (const void *)data;
	if (size < sizeof(*elf) || memcmp(elf->e_ident, ELFMAG, SELFMAG) ||
	    elf->e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf->e_shoff + (size_t)elf->e_shnum * sizeof(*section) > size)
		die(path, "is not a 64-bit ELF file");
	section = (const void *)(data + elf->e_shoff);
	names = &section[elf->e_shstrndx];
	for (i = 0; i < elf->e_shnum; i++) {
		if (strcmp(data + names->sh_offset + section[i].sh_name, ".BTF"))
			continue;
		if (section[i].sh_offset + section[i].sh_size > size)
			break;
		parse(btf, path, data + section[i].sh_offset,
		      section[i].sh_size);
		return;
	}
	die(path, "has no BTF");
}

#endif /* _CACHE_EXT_BTF_FILE_H */
