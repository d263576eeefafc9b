/* SPDX-License-Identifier: MIT */
/* For libFuzzer: a log of the kernel's verifier, with any bytes, is explained. */
#include <stdlib.h>
#include <string.h>

#include "object/verifier.h"
#include "system/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *log = need(malloc(size + 1));

	/* The log is not saved. */
	setenv("TMPDIR", "/nonexistent", 1);
	memcpy(log, data, size);
	log[size] = 0;
	explain_refusal("policy", log);
	free(log);
	return 0;
}
