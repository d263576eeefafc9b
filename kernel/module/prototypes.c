// SPDX-License-Identifier: GPL-2.0
/*
 * Prototypes and layouts that the module relies on, though the kernel promises
 * none of them.
 *
 * At build: stock_table.h, made from the BTF of the kernel that is built for,
 * declares each function a second time. The compiler refuses a declaration of
 * ours, or of a header, that differs, and a struct whose members lie elsewhere.
 *
 * At load: the same table is compared with the BTF of the running kernel. Its
 * release alone does not tell: a rebuilt kernel may have the same.
 */
#include <linux/build_bug.h>
#include <linux/cgroup.h>
#include <linux/stddef.h>
#include "module.h"
#include "scan_control.h"

/* What handlers of hooks assume of arguments. */
#define ASSUME(name, ...) typeof(__VA_ARGS__) name;
HOOKED_FUNCTIONS(ASSUME)
#define ASSUME_PROBE(name, ...) typedef typeof(__VA_ARGS__) *name;
STOCK_TRACEPOINTS(ASSUME_PROBE)

/* A macro with arguments, so that the declaration in stock_table.h stays one. */
#define btf_name_by_offset(btf, offset) \
	static_call(stock_btf_name_by_offset)(btf, offset)
#include "btf_text.h"
#include "stock_table.h"

static void differs(const struct btf_entry *entry, const char *here)
{
	if (here)
		pr_err("cache_ext: %s of this kernel is not what the module was built for: %s; built for %s\n",
		       entry->name, here, entry->text);
	else
		pr_err("cache_ext: this kernel's BTF lacks %s, which the module needs\n",
		       entry->name);
}

int __init cache_ext_prototypes_init(void)
{
	struct btf *btf = static_call(stock_bpf_get_btf_vmlinux)();

	if (IS_ERR_OR_NULL(btf)) {
		pr_err("cache_ext: this kernel has no BTF, so its functions cannot be compared with those that the module was built for\n");
		return -EOPNOTSUPP;
	}
	return btf_compare(btf, stock_table, ARRAY_SIZE(stock_table), differs) ?
		-EOPNOTSUPP : 0;
}
