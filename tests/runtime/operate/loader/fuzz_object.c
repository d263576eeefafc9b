/* SPDX-License-Identifier: MIT */
/*
 * For libFuzzer: an object, damaged in its headers or inside of a section. The loader reads its manifest, and libbpf opens it, as far as
 * either takes it. libbpf itself is built without sanitizers: what it writes beyond its memory is found at free().
 */
#include <bpf/libbpf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static int silent(enum libbpf_print_level level, const char *format, va_list words)
{
	(void)level;
	(void)format;
	(void)words;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "fuzzed");
	struct manifest manifest;
	struct bpf_object *object;

	libbpf_set_print(silent);
	if (manifest_read(&manifest, data, size, "object"))
		return 0;
	object = bpf_object__open_mem(data, size, &options);
	if (object)
		bpf_object__close(object);
	manifest_free(&manifest);
	return 0;
}

/* Changes bytes of one section in place, or of the ELF header, or of the section headers: the file stays an ELF object. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	Elf64_Ehdr header;
	Elf64_Shdr section;
	size_t at = 0, length = sizeof(header), number = seed >> 2;

	if (size < sizeof(header))
		return LLVMFuzzerMutate(data, size, max_size);
	memcpy(&header, data, sizeof(header));
	if (seed % 4 && header.e_shnum && header.e_shoff < size &&
	    (size_t)header.e_shnum * sizeof(section) <= size - header.e_shoff) {
		at = header.e_shoff + number % header.e_shnum * sizeof(section);
		length = sizeof(section);
		if (seed % 4 > 1) {
			memcpy(&section, data + at, sizeof(section));
			if (section.sh_type != SHT_NOBITS && section.sh_size && section.sh_offset < size &&
			    section.sh_size <= size - section.sh_offset) {
				at = section.sh_offset;
				length = section.sh_size;
			}
		}
	}
	LLVMFuzzerMutate(data + at, length, length);
	return size;
}
