// SPDX-License-Identifier: GPL-2.0
/*
 * Finds what the stock kernel does not export. kallsyms_lookup_name() is found
 * by setting a kprobe on it for a moment, the rest by asking it. All or nothing:
 * a kernel that lacks one (a compiler may have dissolved a static function into
 * its callers) is refused by name when the module is loaded. So is one that has
 * two of a name, since nothing tells which of them is meant.
 */
#include <generated/utsrelease.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include "module.h"

#define STOCK_CALL(name) DEFINE_STATIC_CALL_NULL(stock_##name, name);
STOCK_FUNCTIONS(STOCK_CALL)

const struct bpf_func_proto *stock_bpf_get_current_comm_proto;
int *stock_vm_swappiness;
#ifdef CONFIG_PREFETCH_EXT
int *stock_page_cluster;
struct address_space **stock_swapper_spaces;
#endif
/* Of our own, for the kernel's inline functions: its one never changes. */
struct mem_cgroup *root_mem_cgroup;

struct match {
	unsigned long address;
	unsigned int nr;
};

static int found_symbol(void *data, unsigned long address)
{
	struct match *match = data;

	match->address = address;
	match->nr++;
	return 0;
}

unsigned long __init cache_ext_symbol(const char *name)
{
	struct match match = {};

	static_call(stock_kallsyms_on_each_match_symbol)(found_symbol, name,
							 &match);
	if (match.nr == 1)
		return match.address;
	if (match.nr)
		pr_err("cache_ext: this kernel (%s) has %u symbols %s, and the module cannot tell which one it needs\n",
		       UTS_RELEASE, match.nr, name);
	else
		pr_err("cache_ext: this kernel (%s) lacks %s, which the module needs: use a kernel with the cache_ext patches instead\n",
		       UTS_RELEASE, name);
	return 0;
}

/* With IBT the probe sits behind the function's ENDBR; a call may as well. */
static int __init find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long address;
	int err = register_kprobe(&probe);

	if (err) {
		pr_err("cache_ext: cannot set a kprobe on kallsyms_lookup_name: error %d\n",
		       err);
		return err;
	}
	static_call_update(stock_kallsyms_lookup_name, (void *)probe.addr);
	unregister_kprobe(&probe);
	address = static_call(stock_kallsyms_lookup_name)
			("kallsyms_on_each_match_symbol");
	if (!address)
		return -ENOENT;
	static_call_update(stock_kallsyms_on_each_match_symbol,
			   (void *)address);
	return 0;
}

int __init cache_ext_symbols_init(void)
{
	unsigned long address;
	int err = find_lookup();

	if (err)
		return err;
#define STOCK_FIND(name) do {						\
		address = cache_ext_symbol(#name);			\
		if (!address)						\
			return -ENOENT;					\
		static_call_update(stock_##name, (void *)address);	\
	} while (0);
	STOCK_FUNCTIONS(STOCK_FIND)

	stock_bpf_get_current_comm_proto =
		(void *)cache_ext_symbol("bpf_get_current_comm_proto");
	stock_vm_swappiness = (void *)cache_ext_symbol("vm_swappiness");
	address = cache_ext_symbol("root_mem_cgroup");
	if (!stock_bpf_get_current_comm_proto || !stock_vm_swappiness ||
	    !address)
		return -ENOENT;
#ifdef CONFIG_PREFETCH_EXT
	stock_page_cluster = (void *)cache_ext_symbol("page_cluster");
	stock_swapper_spaces = (void *)cache_ext_symbol("swapper_spaces");
	if (!stock_page_cluster || !stock_swapper_spaces)
		return -ENOENT;
#endif
	root_mem_cgroup = *(struct mem_cgroup **)address;
	return 0;
}
