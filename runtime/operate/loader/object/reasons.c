/* SPDX-License-Identifier: MIT */
/*
 * The verifier's common messages, in plain words. An entry without advice is not the policy's fault: generated code tests each
 * pointer and bounds each loop, so the message shows a defect of cpol, or a kernel that it does not know.
 */
#include "object/reasons.h"

#include <string.h>

static const struct plain_words TABLE[] = {
	/* the first match counts, so special entries come before general ones */
	{ "BPF program is too large", "the verifier gave up after a million instructions: the program has too many paths",
	  "put fewer `if`s into nested scans and loops; `cpolc cost POLICY` shows which program is large" },
	{ "jumps is too complex", "the verifier gave up: the program has too many branches",
	  "put fewer `if`s into nested scans and loops; `cpolc cost POLICY` shows which program is large" },
	{ "combined stack size", "the program and what it calls need more than 512 bytes of stack",
	  "nest fewer scans, or use fewer `let`s; `cpolc cost POLICY` shows the stack" },
	{ "calling kernel function", "the kernel does not offer one of its functions to this handler",
	  "`cpolc POLICY --profile NAME` lists what that kernel lacks (kernel/profiles)" },
	{ "cannot use helper", "the kernel does not offer one of its helpers to this handler",
	  "`task.thread` and `task.process` need a kernel with these helpers in its profile" },
	{ "attach to unsupported member", "the kernel does not report this event to policies",
	  "`cpolc POLICY --profile NAME` lists what that kernel lacks (kernel/profiles)" },
	{ "invalid func", "the program calls a helper that this kernel does not have",
	  "use a newer kernel; `cpolc POLICY --profile NAME` lists what a kernel lacks" },
	{ "infinite loop detected", "a loop may never end", NULL },
	{ "back-edge", "the program has a loop of a kind that this kernel does not accept", NULL },
	{ "Unreleased reference", "on some path an iterator over a list is not released", NULL },
	{ "expected uninitialized iter_", "an iterator over a list is started a second time", NULL },
	{ "expected an initialized iter_", "an iterator over a list is used before it is started", NULL },
	{ "Possibly NULL pointer", "the program does not test whether a folio or a record exists", NULL },
	{ "_or_null'", "the program does not test whether a record or an element exists", NULL },
	{ "trusted_ptr_'", "a folio is read in a way that the kernel does not allow", NULL },
	{ "invalid mem access 'scalar'", "a number is used as an address, for example after a record was not found", NULL },
	{ "invalid mem access", "the program uses memory that it may not use", NULL },
	{ "invalid access to map value", "an access may be outside a ghost or table", NULL },
	{ "unbounded memory access", "the verifier cannot tell that an access is inside a ghost or table", NULL },
	{ "min value is", "the verifier cannot tell that an index is not negative", NULL },
	{ "max value is outside", "the verifier cannot tell that an index is small enough", NULL },
	{ "while holding a lock", "the program calls a kernel function while it holds a ghost's lock", NULL },
	{ "!read_ok", "a value is used before it is set", NULL },
	{ "must be referenced or trusted", "the program uses a folio that may be gone", NULL },
	{ "dereference of modified", "the program does arithmetic on a pointer to a folio", NULL },
	{ "only read is supported", "the program writes to memory of the kernel", NULL },
	{ "cannot write into", "the program writes to read-only memory", NULL },
	{ "math between", "the program does pointer arithmetic that the kernel does not allow", NULL },
	{ "invalid read from stack", "a value on the stack is used before it is set", NULL },
};

const struct plain_words *in_plain_words(const char *message, size_t length)
{
	for (size_t i = 0; i < sizeof(TABLE) / sizeof(*TABLE); i++)
		if (memmem(message, length, TABLE[i].pattern, strlen(TABLE[i].pattern)))
			return &TABLE[i];
	return NULL;
}
