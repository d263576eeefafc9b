/* SPDX-License-Identifier: MIT */
/* Reads the section `.cpol` of an ELF file. */
#include <gelf.h>
#include <string.h>

#include "manifest/manifest.h"

#define SECTION ".cpol"

/* Why the file is no relocatable 64-bit BPF object for this machine; NULL: it is one. */
static const char *check_header(Elf *elf)
{
	const byte order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64 || !gelf_getehdr(elf, &header) ||
	    header.e_type != ET_REL || header.e_machine != EM_BPF)
		return "not a BPF object (compile the policy with cpolc)";
	if (header.e_ident[EI_DATA] != order)
		return "a BPF object for machines of the other byte order";
	return NULL;
}

/* The content of the section `.cpol`, valid as long as `elf`. NULL: `why` is the reason. */
static const Elf_Data *find_section(Elf *elf, const char **why)
{
	Elf_Scn *section = NULL;
	size_t names;

	*why = "truncated or malformed: its section table is outside the file";
	if (elf_getshdrstrndx(elf, &names) || !elf_getscn(elf, names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			return NULL;
		name = elf_strptr(elf, names, header.sh_name);
		if (header.sh_type == SHT_PROGBITS && name && !strcmp(name, SECTION))
			return elf_rawdata(section, NULL);
	}
	*why = "a BPF object without a policy: it has no section " SECTION " (compile the policy with cpolc)";
	return NULL;
}

int manifest_read(struct manifest *manifest, const byte *object, size_t size, const char *path)
{
	const Elf_Data *data = NULL;
	const char *why;
	int status;
	Elf *elf;

	memset(manifest, 0, sizeof(*manifest));
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)object, size); /* libelf does not write to it */
	why = check_header(elf);
	if (!why)
		data = find_section(elf, &why);
	if (!data)
		status = fail("%s: %s", path, why);
	else /* an empty section has no buffer */
		status = manifest_parse(manifest, data->d_buf ? data->d_buf : (const byte *)"", data->d_buf ? data->d_size : 0, path);
	elf_end(elf);
	return status;
}
