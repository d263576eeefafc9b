// SPDX-License-Identifier: GPL-2.0
/*
 * A tool of the build, which runs on the host: declares functions that no header
 * of the kernel has, for the tests in compat/tests.
 *
 *   btf_declare VMLINUX NAME...
 *
 * What a test may not rely on is declared as something that is no function: a
 * function that the kernel's BTF lacks, or has with two types.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "btf_file.h"
#include "btf_text.h"

static void declare(const struct btf *btf, const char *name)
{
	static struct btf_text text, other;
	bool found = false, usable = true;
	const struct btf_type *type;
	unsigned int id;

	for (id = 1; id < btf->nr_types; id++) {
		type = btf->types[id];
		if (BTF_INFO_KIND(type->info) != BTF_KIND_FUNC ||
		    strcmp(btf_name_by_offset(btf, type->name_off), name))
			continue;
		if (!btf_text_of(found ? &other : &text, btf, id))
			usable = false;
		else if (found && strcmp(text.buffer, other.buffer))
			usable = false;
		found = true;
	}
	if (found && usable)
		printf("typeof(%s) %s;\n", text.buffer, name);
	else
		printf("extern struct not_in_btf *%s;\n", name);
}

int main(int argc, char **argv)
{
	struct btf btf = {};
	int i;

	if (argc < 3)
		die("usage", "btf_declare VMLINUX NAME...");
	load(&btf, argv[1]);
	printf("struct scan_control;\nstruct reclaim_stat;\n");
	for (i = 2; i < argc; i++)
		declare(&btf, argv[i]);
	return fflush(stdout) || ferror(stdout);
}
