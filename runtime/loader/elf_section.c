/* SPDX-License-Identifier: MIT */
#include "elf_section.h"

#include <elf.h>
#include <string.h>

/* Whether [offset, offset + length) lies within `size` bytes. */
static bool within(uint64_t offset, uint64_t length, size_t size)
{
	return offset <= size && length <= size - offset;
}

static bool section_header(const byte *object, size_t size, const Elf64_Ehdr *file, uint32_t number, Elf64_Shdr *header)
{
	if (!within(file->e_shoff, ((uint64_t)number + 1) * sizeof(*header), size))
		return false;
	memcpy(header, object + file->e_shoff + (uint64_t)number * sizeof(*header), sizeof(*header));
	return true;
}

const byte *elf_section(const byte *object, size_t size, const char *name, size_t *section_size, const char **why)
{
	const byte order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	Elf64_Ehdr file;
	Elf64_Shdr names, header;

	*why = "not a BPF object (compile the policy with cpolc)";
	if (size < sizeof(file))
		return NULL;
	memcpy(&file, object, sizeof(file));
	if (memcmp(file.e_ident, ELFMAG, SELFMAG) || file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_type != ET_REL ||
	    file.e_machine != EM_BPF)
		return NULL;
	*why = "a BPF object for machines of the other byte order";
	if (file.e_ident[EI_DATA] != order)
		return NULL;

	*why = "truncated or malformed: its section table lies outside of the file";
	if (file.e_shentsize != sizeof(header) || file.e_shstrndx >= file.e_shnum ||
	    !section_header(object, size, &file, file.e_shnum - 1U, &header) ||
	    !section_header(object, size, &file, file.e_shstrndx, &names) || names.sh_type != SHT_STRTAB ||
	    !within(names.sh_offset, names.sh_size, size))
		return NULL;

	for (uint32_t i = 0; i < file.e_shnum; i++) {
		const char *text;

		if (!section_header(object, size, &file, i, &header))
			return NULL;
		if (header.sh_type != SHT_PROGBITS || header.sh_name >= names.sh_size)
			continue;
		text = (const char *)object + names.sh_offset + header.sh_name;
		if (strnlen(text, names.sh_size - header.sh_name) == names.sh_size - header.sh_name || strcmp(text, name))
			continue;
		if (!within(header.sh_offset, header.sh_size, size))
			return NULL;
		*section_size = header.sh_size;
		return object + header.sh_offset;
	}
	*why = "a BPF object, but not a policy's: it has no section .cpol (compile the policy with cpolc)";
	return NULL;
}
