// SPDX-License-Identifier: GPL-2.0
/*
 * core-fuzz: libFuzzer chooses what happens. Each input is a world: its bytes are
 * the choices, one after another, and the world ends with them.
 *
 *   core-fuzz [FOLDER...] [-runs=N] [-max_total_time=SECONDS]
 *   core-fuzz FILE		an input again
 */
#include "../world/world.h"

static const u8 *choices, *end;
static u32 after;

/* When there are no more bytes the world is tidied up, for which some are needed. */
static u32 next_byte(void)
{
	if (choices < end)
		return *choices++;
	after = after * 1664525 + 1013904223;
	return after >> 24;
}

unsigned int shim_pick(unsigned int n)
{
	u32 byte;

	if (n <= 1)
		return 0;
	byte = next_byte();
	if (n > 256)
		byte = byte << 8 | next_byte();
	return byte % n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	choices = data;
	end = data + size;
	after = size;
	shim_start();
	world_start();
	while (choices < end) {
		shim_move_cpu();
		world_event();
		shim_assert_idle();
	}
	check_all();
	world_stop();
	shim_stop();
	return 0;
}
