/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of BTF as text, and a table of such texts compared with BTF. The module
 * and the host's tool (btf_table.c) both include this file: what they write for
 * a type differs only if the type does.
 *
 * The includer provides btf_type_by_id() and btf_name_by_offset(). Nothing here
 * locks or allocates. btf_compare() has a static buffer: one caller at a time.
 */
#ifndef _CACHE_EXT_BTF_TEXT_H
#define _CACHE_EXT_BTF_TEXT_H

#include <linux/btf.h>

#define BTF_TEXT_DEPTH	64	/* of types within types */
#define BTF_TEXT_SIZE	512	/* bytes of a text */

struct btf_text {
	const struct btf *btf;
	char buffer[BTF_TEXT_SIZE];
	unsigned int length;		/* of the text, even if it is cut */
	unsigned long long hash;	/* FNV-1a of the text */
	bool failed;			/* too deep, or not a type of C */
};

struct btf_entry {
	unsigned int kind;	/* BTF_KIND_FUNC, _TYPEDEF or _STRUCT */
	const char *name;
	const char *text;	/* as btf_text_of() writes it */
	bool seen;
};

static void text_type(struct btf_text *t, unsigned int id, int depth);
static void text_layout(struct btf_text *t, unsigned int id, int depth);

static void text_init(struct btf_text *t, const struct btf *btf)
{
	t->btf = btf;
	t->buffer[0] = 0;
	t->length = 0;
	t->hash = 0xcbf29ce484222325ULL;
	t->failed = false;
}

static void text_put(struct btf_text *t, const char *string)
{
	for (; *string; string++, t->length++) {
		t->hash = (t->hash ^ (unsigned char)*string) * 0x100000001b3ULL;
		if (t->length < BTF_TEXT_SIZE - 1) {
			t->buffer[t->length] = *string;
			t->buffer[t->length + 1] = 0;
		}
	}
}

static void text_number(struct btf_text *t, unsigned long long number,
			unsigned int base)
{
	char digits[24], *at = digits + sizeof(digits) - 1;

	*at = 0;
	do {
		*--at = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	text_put(t, at);
}

static void text_name(struct btf_text *t, unsigned int offset)
{
	text_put(t, offset ? btf_name_by_offset(t->btf, offset) : "(anonymous)");
}

/* Follows typedefs and type tags. Void is NULL; @alias is the last typedef's name. */
static const struct btf_type *text_behind(struct btf_text *t, unsigned int id,
					  unsigned int *alias)
{
	const struct btf_type *type;
	int depth;

	*alias = 0;
	for (depth = 0; id && depth < BTF_TEXT_DEPTH; depth++) {
		type = btf_type_by_id(t->btf, id);
		if (!type)
			break;
		if (BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF)
			*alias = type->name_off;
		else if (BTF_INFO_KIND(type->info) != BTF_KIND_TYPE_TAG)
			return type;
		id = type->type;
	}
	t->failed |= id != 0;
	return NULL;
}

/* "long unsigned int (struct lruvec *, int)", a type name of C. */
static void text_proto(struct btf_text *t, const struct btf_type *proto,
		       int depth)
{
	const struct btf_param *param = (const void *)(proto + 1);
	unsigned int i, nr = BTF_INFO_VLEN(proto->info);

	text_type(t, proto->type, depth);
	text_put(t, " (");
	for (i = 0; i < nr; i++) {
		if (i)
			text_put(t, ", ");
		if (i && i == nr - 1 && !param[i].type)
			text_put(t, "...");
		else
			text_type(t, param[i].type, depth);
	}
	text_put(t, nr ? ")" : "void)");
}

/* C writes what a pointer to these points to around the star, but for typeof. */
static void text_pointer(struct btf_text *t, unsigned int id, int depth)
{
	unsigned int alias;
	const struct btf_type *to = text_behind(t, id, &alias);
	bool around = to && (BTF_INFO_KIND(to->info) == BTF_KIND_FUNC_PROTO ||
			     BTF_INFO_KIND(to->info) == BTF_KIND_ARRAY);

	if (around)
		text_put(t, "typeof(");
	text_type(t, id, depth);
	text_put(t, around ? ") *" : " *");
}

static const char *text_qualifier(unsigned int kind)
{
	return kind == BTF_KIND_CONST	 ? " const" :
	       kind == BTF_KIND_VOLATILE ? " volatile" :
	       kind == BTF_KIND_RESTRICT ? " restrict" :
					   NULL;
}

/* The keyword before a tag, or NULL for a type that can have none. */
static const char *text_keyword(const struct btf_type *type)
{
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_STRUCT:
		return "struct ";
	case BTF_KIND_UNION:
		return "union ";
	case BTF_KIND_FWD:
		return BTF_INFO_KFLAG(type->info) ? "union " : "struct ";
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return "enum ";
	}
	return NULL;
}

/*
 * The type as a type name of C. Typedefs give way to what they stand for, except
 * those of structs, unions and enums without a tag.
 */
static void text_type(struct btf_text *t, unsigned int id, int depth)
{
	const struct btf_array *array;
	const struct btf_type *type;
	unsigned int alias, kind;

	if (depth > BTF_TEXT_DEPTH) {
		t->failed = true;
		return;
	}
	type = text_behind(t, id, &alias);
	if (!type) {
		text_put(t, "void");
		return;
	}
	kind = BTF_INFO_KIND(type->info);
	if (kind == BTF_KIND_INT || kind == BTF_KIND_FLOAT) {
		text_name(t, type->name_off);
	} else if (text_qualifier(kind)) {
		text_type(t, type->type, depth + 1);
		text_put(t, text_qualifier(kind));
	} else if (text_keyword(type)) {
		text_put(t, type->name_off ? text_keyword(type) : "");
		text_name(t, type->name_off ? type->name_off : alias);
	} else if (kind == BTF_KIND_PTR) {
		text_pointer(t, type->type, depth + 1);
	} else if (kind == BTF_KIND_FUNC_PROTO) {
		text_proto(t, type, depth + 1);
	} else if (kind == BTF_KIND_ARRAY) {
		array = (const void *)(type + 1);
		text_put(t, "typeof(");
		text_type(t, array->type, depth + 1);
		text_put(t, ") [");
		text_number(t, array->nelems, 10);
		text_put(t, "]");
	} else {
		t->failed = true;
	}
}

/* "{64 flags@0 long unsigned int lru@64 {16 ...}}": bytes, and bits after '@'. */
static void text_members(struct btf_text *t, const struct btf_type *type,
			 int depth)
{
	const struct btf_member *member = (const void *)(type + 1);
	unsigned int i;

	text_put(t, BTF_INFO_KIND(type->info) == BTF_KIND_UNION ? "u{" : "{");
	text_number(t, type->size, 10);
	for (i = 0; i < BTF_INFO_VLEN(type->info); i++, member++) {
		text_put(t, " ");
		text_name(t, member->name_off);
		text_put(t, "@");
		/* With bit fields, their width is in here, too. */
		text_number(t, member->offset, 10);
		text_put(t, " ");
		text_layout(t, member->type, depth);
	}
	text_put(t, "}");
}

/* What lies in memory: members of members too, but not behind pointers. */
static void text_layout(struct btf_text *t, unsigned int id, int depth)
{
	const struct btf_array *array;
	const struct btf_type *type;
	unsigned int alias, kind;

	if (depth > BTF_TEXT_DEPTH) {
		t->failed = true;
		return;
	}
	type = text_behind(t, id, &alias);
	kind = type ? BTF_INFO_KIND(type->info) : BTF_KIND_UNKN;
	if (kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION) {
		text_members(t, type, depth + 1);
	} else if (text_qualifier(kind)) {
		text_layout(t, type->type, depth + 1);
	} else if (kind == BTF_KIND_ARRAY) {
		array = (const void *)(type + 1);
		text_put(t, "[");
		text_number(t, array->nelems, 10);
		text_put(t, "]");
		text_layout(t, array->type, depth + 1);
	} else {
		text_type(t, id, depth + 1);
		if (kind == BTF_KIND_ENUM || kind == BTF_KIND_ENUM64) {
			text_put(t, "/");
			text_number(t, type->size, 10);
		}
	}
}

/*
 * A function's prototype, what a typedef stands for, or the size of a struct
 * with a hash of its layout. False if that cannot be told.
 */
static bool btf_text_of(struct btf_text *t, const struct btf *btf,
			unsigned int id)
{
	const struct btf_type *type = btf_type_by_id(btf, id);
	unsigned long long layout;
	bool failed;

	text_init(t, btf);
	if (BTF_INFO_KIND(type->info) != BTF_KIND_STRUCT) {
		text_type(t, type->type, 0);
		return !t->failed && t->length < BTF_TEXT_SIZE;
	}
	text_layout(t, id, 0);
	layout = t->hash;
	failed = t->failed;
	text_init(t, btf);
	text_number(t, type->size, 10);
	text_put(t, " bytes 0x");
	text_number(t, layout, 16);
	return !failed;
}

/*
 * Compares each type of @btf that has the kind and name of an entry. @differs is
 * told of each difference, with the text here, or NULL for what @btf does not
 * have. Returns the number of differences.
 */
static unsigned int btf_compare(const struct btf *btf,
				struct btf_entry *entries, unsigned int nr,
				void (*differs)(const struct btf_entry *entry,
						const char *here))
{
	static struct btf_text text;
	const struct btf_type *type;
	unsigned int i, id, nr_differ = 0;
	const char *name;

	for (id = 1; (type = btf_type_by_id(btf, id)); id++) {
		name = btf_name_by_offset(btf, type->name_off);
		for (i = 0; i < nr; i++) {
			if (BTF_INFO_KIND(type->info) != entries[i].kind ||
			    *name != *entries[i].name ||
			    strcmp(name, entries[i].name))
				continue;
			entries[i].seen = true;
			if (btf_text_of(&text, btf, id) &&
			    !strcmp(text.buffer, entries[i].text))
				continue;
			differs(&entries[i], text.buffer);
			nr_differ++;
		}
	}
	for (i = 0; i < nr; i++) {
		if (!entries[i].seen) {
			differs(&entries[i], NULL);
			nr_differ++;
		}
	}
	return nr_differ;
}

#endif /* _CACHE_EXT_BTF_TEXT_H */
