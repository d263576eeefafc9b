/* SPDX-License-Identifier: MIT */
/* Arrays of user space on the host (host.h). runtime/machine/native/attach.h allocates them. */
#ifndef CPOL_HOST_ARRAY_H
#define CPOL_HOST_ARRAY_H

struct cpol_arrays {
#define X(name, type)          \
	struct {               \
		type *entries; \
		u64 size;      \
	} name;
	CPOL_ARRAYS(X)
#undef X
};

/* One version is enough: nobody writes during a handler. */
#define cpol_array_begin(c, name) ((void)(c))

/* `at` is evaluated once. Beyond the end there is 0. */
#define cpol_array_get(c, name, at)                                                                        \
	({                                                                                                 \
		u64 cpol_at = (at);                                                                        \
		cpol_at < (c)->arrays.name.size ? (c)->arrays.name.entries[cpol_at] : (typeof(*(c)->arrays.name.entries))0; \
	})
#define cpol_array_size(c, name) ((c)->arrays.name.size)

#endif
