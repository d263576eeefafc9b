/* SPDX-License-Identifier: MIT */
/*
 * A store of RocksDB, without a cache of its own: `rocks_store FOLDER make ROWS`, `rocks_store FOLDER run ROWS KEYS`.
 *
 * `run` reads a key for each line of the file KEYS, and overwrites each tenth one, so that tables are merged beside the
 * reads. All is done by one thread, and merges in another one.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocksdb/c.h>

#define VALUE 1000
#define WRITE_EACH 10

static void check(char *error)
{
	if (!error)
		return;
	fprintf(stderr, "rocks_store: %s\n", error);
	exit(1);
}

static rocksdb_t *opened(const char *folder)
{
	rocksdb_options_t *options = rocksdb_options_create();
	rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
	char *error = NULL;
	rocksdb_t *db;

	rocksdb_block_based_options_set_no_block_cache(table, 1);
	rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10));
	rocksdb_options_set_block_based_table_factory(options, table);
	rocksdb_options_set_create_if_missing(options, 1);
	rocksdb_options_set_compression(options, rocksdb_no_compression);
	rocksdb_options_set_write_buffer_size(options, 1 << 20);
	rocksdb_options_set_target_file_size_base(options, 2 << 20);
	rocksdb_options_set_max_background_jobs(options, 1);
	rocksdb_options_set_stats_dump_period_sec(options, 0);
	db = rocksdb_open(options, folder, &error);
	check(error);
	return db;
}

/* Its bytes look random, so that nothing compresses them. */
static void fill(char value[VALUE], uint64_t seed)
{
	for (int at = 0; at < VALUE; at += 8) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		memcpy(value + at, &seed, 8);
	}
}

static void put(rocksdb_t *db, const rocksdb_writeoptions_t *how, uint64_t row, uint64_t seed)
{
	char key[20], value[VALUE], *error = NULL;
	int size = snprintf(key, sizeof(key), "%012" PRIu64, row);

	fill(value, seed);
	rocksdb_put(db, how, key, (size_t)size, value, VALUE, &error);
	check(error);
}

static void get(rocksdb_t *db, const rocksdb_readoptions_t *how, uint64_t row)
{
	char key[20], *error = NULL, *value;
	int size = snprintf(key, sizeof(key), "%012" PRIu64, row);
	size_t found;

	value = rocksdb_get(db, how, key, (size_t)size, &found, &error);
	check(error);
	if (!value || found != VALUE)
		check("a row is missing");
	free(value);
}

static void run(rocksdb_t *db, uint64_t rows, const char *keys)
{
	const rocksdb_writeoptions_t *write = rocksdb_writeoptions_create();
	const rocksdb_readoptions_t *read = rocksdb_readoptions_create();
	FILE *file = fopen(keys, "r");
	uint64_t row, done = 0;

	if (!file)
		check("the file of keys cannot be opened");
	while (fscanf(file, "%" SCNu64, &row) == 1) {
		get(db, read, row % rows);
		if (++done % WRITE_EACH == 0)
			put(db, write, row % rows, done);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	uint64_t rows;
	rocksdb_t *db;
	char *error = NULL;

	if (argc < 4)
		check("rocks_store FOLDER make ROWS | rocks_store FOLDER run ROWS KEYS");
	rows = strtoull(argv[3], NULL, 10);
	db = opened(argv[1]);
	if (!strcmp(argv[2], "make")) {
		const rocksdb_writeoptions_t *write = rocksdb_writeoptions_create();

		for (uint64_t row = 0; row < rows; row++)
			put(db, write, row * 7919 % rows, row);
		rocksdb_compact_range(db, NULL, 0, NULL, 0);
	} else if (argc == 5) {
		run(db, rows, argv[4]);
	}
	rocksdb_flush(db, rocksdb_flushoptions_create(), &error);
	check(error);
	rocksdb_close(db);
	return 0;
}
