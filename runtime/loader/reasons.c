/* SPDX-License-Identifier: MIT */
/*
 * The verifier's common messages, in plain words. An entry without advice is not the policy's fault: generated code tests each
 * pointer and bounds each loop, so the message shows a defect of cpol, or a kernel that it does not know.
 */
#include "reasons.h"

#include <string.h>

static const struct plain_words TABLE[] = {
	/* the first match counts, so special entries come before general ones */
	{ "BPF program is too large", "it gave up after a million instructions: the program has too many paths to follow",
	  "put fewer `if`s into nested scans and loops; `cpolc cost POLICY` shows which program is large" },
	{ "jumps is too complex", "it gave up: too many branches wait to be followed",
	  "put fewer `if`s into nested scans and loops; `cpolc cost POLICY` shows which program is large" },
	{ "combined stack size", "the program and what it calls need more than 512 bytes of stack",
	  "nest fewer scans, or use fewer `let`s; `cpolc cost POLICY` shows the stack" },
	{ "calling kernel function", "the kernel does not offer one of its functions to this handler",
	  "name the kernel to be told what it lacks: `cpolc POLICY --profile NAME` (kernel/profiles)" },
	{ "cannot use helper", "the kernel does not offer one of its helpers to this handler",
	  "`task.thread` and `task.process` need a kernel whose profile has them" },
	{ "attach to unsupported member", "the kernel does not tell policies of this event",
	  "name the kernel to be told what it lacks: `cpolc POLICY --profile NAME` (kernel/profiles)" },
	{ "invalid func", "the program calls a helper that this kernel does not have",
	  "use a newer kernel; `cpolc POLICY --profile NAME` tells what it lacks" },
	{ "infinite loop detected", "it found a loop that may never end", NULL },
	{ "back-edge", "it found a loop, and this kernel accepts none of that kind", NULL },
	{ "Unreleased reference", "on some path an iterator over a list is not given back", NULL },
	{ "expected uninitialized iter_", "an iterator over a list is started a second time", NULL },
	{ "expected an initialized iter_", "an iterator over a list is used that was not started", NULL },
	{ "Possibly NULL pointer", "a folio or a record may not be there, and that was not tested", NULL },
	{ "_or_null'", "a record or an element may not be there, and that was not tested", NULL },
	{ "trusted_ptr_'", "a folio is read in a way that the kernel does not allow", NULL },
	{ "invalid mem access 'scalar'", "a number is used as an address, as after a record was looked for and not found", NULL },
	{ "invalid mem access", "memory is used that the program was not given", NULL },
	{ "invalid access to map value", "a place outside of a ghost or table may be used", NULL },
	{ "unbounded memory access", "it cannot tell that a place lies inside of a ghost or table", NULL },
	{ "min value is", "it cannot tell that an index is not negative", NULL },
	{ "max value is outside", "it cannot tell that an index is small enough", NULL },
	{ "while holding a lock", "a function of the kernel is called under the lock of a ghost", NULL },
	{ "!read_ok", "a value is used before it is set", NULL },
	{ "must be referenced or trusted", "a folio is used that may be gone", NULL },
	{ "dereference of modified", "a pointer to a folio was calculated with", NULL },
	{ "only read is supported", "it writes to memory of the kernel", NULL },
	{ "cannot write into", "it writes to memory that can only be read", NULL },
	{ "math between", "a pointer is calculated with in a way that the kernel does not allow", NULL },
	{ "invalid read from stack", "a value on the stack is used before it is set", NULL },
};

const struct plain_words *in_plain_words(const char *message, size_t length)
{
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(*TABLE); i++)
		if (memmem(message, length, TABLE[i].pattern, strlen(TABLE[i].pattern)))
			return &TABLE[i];
	return NULL;
}
