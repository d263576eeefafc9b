/* SPDX-License-Identifier: MIT */
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

int database_make(const char *path, uint32_t pages, uint64_t seed)
{
	FILE *out = fopen(path, "we");

	if (!out)
		die(path, strerror(errno));
	for (uint64_t row = 0; row < (uint64_t)pages * ROWS; row++) {
		uint32_t value = (uint32_t)(draw(&seed) % VALUES);

		if (fwrite(&value, sizeof(value), 1, out) != 1)
			die(path, strerror(errno));
	}
	if (fclose(out))
		die(path, strerror(errno));
	return 0;
}

void database_open(struct database *database, const char *path)
{
	struct stat found;

	*database = (struct database){ .path = path, .file = open(path, O_RDONLY | O_CLOEXEC) };
	if (database->file < 0 || fstat(database->file, &found))
		die(path, strerror(errno));
	if (found.st_size < 4 * PAGE || found.st_size % (4 * PAGE) || found.st_size / PAGE > MOST_PAGES)
		die(path, "this is no database that `query make` wrote");
	database->pages = (uint32_t)(found.st_size / PAGE);
	posix_fadvise(database->file, 0, 0, POSIX_FADV_RANDOM);
}

void database_read(struct database *database, uint32_t page, uint32_t rows[ROWS])
{
	if (database->trace)
		printf("%u\n", page);
	if (pread(database->file, rows, PAGE, (off_t)page * PAGE) != PAGE)
		die(database->path, "cannot read it");
	for (uint32_t row = 0; row < ROWS; row++)
		if (rows[row] >= VALUES)
			die(database->path, "a row is too large");
}
