/* SPDX-License-Identifier: MIT */
/* read_damaged OBJECT ROUNDS: read the manifests of damaged copies of an object; print how many were read and refused. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "manifest/manifest.h"

static const uint64_t values[] = { 0, 1, 2, 7, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX };

static size_t below(size_t limit)
{
	return (size_t)random() % limit;
}

/* Overwrite a field of the ELF header, a field of the section table, or any bytes. */
static void damage(byte *object, size_t size)
{
	Elf64_Ehdr header;
	size_t width = (size_t)1 << below(4), place;
	uint64_t value = below(2) ? values[below(sizeof(values) / sizeof(*values))] : (uint64_t)random();

	memcpy(&header, object, sizeof(header));
	switch (below(3)) {
	case 0:
		place = below(sizeof(header) / width) * width;
		break;
	case 1:
		place = header.e_shoff + below((size_t)header.e_shnum * sizeof(Elf64_Shdr) / width + 1) * width;
		break;
	default:
		place = below(size);
	}
	if (place < size && width <= size - place)
		memcpy(object + place, &value, width);
}

int main(int argc, char **argv)
{
	size_t size, read = 0, refused = 0;
	char *whole = argc == 3 ? read_file_at(AT_FDCWD, argv[1], 16 << 20, &size) : NULL;

	if (!whole)
		return 2;
	srandom(10);
	for (long round = 0; round < atol(argv[2]); round++) {
		size_t length = below(8) ? size : below(size + 1);
		byte *copy = need(malloc(length ? length : 1)); /* exact size, so that AddressSanitizer detects reads past the end */
		struct manifest manifest;

		memcpy(copy, whole, length);
		for (size_t n = 1 + below(3); n > 0 && length >= sizeof(Elf64_Ehdr); n--)
			damage(copy, length);
		if (manifest_read(&manifest, copy, length, argv[1])) {
			refused++;
		} else {
			read++;
			manifest_free(&manifest);
		}
		free(copy);
	}
	free(whole);
	printf("%zu read, %zu refused\n", read, refused);
	return 0;
}
