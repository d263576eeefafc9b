// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the kernel calls what is hooked. ftrace sees a function only where it
 * is called; a compiler may instead have put its body into a caller in the same
 * file, or made a copy of it (NAME.isra.0, NAME.part.0) for some callers. Events
 * and reclaim would then pass the module by, silently. So when the module is
 * loaded, the callers' machine code must have the calls, and there must be no
 * such copies.
 */
#include <generated/utsrelease.h>
#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/unaligned.h>
#include "compat/collapse.h"
#include "module.h"

#define PATH_LENGTH	6
#define MAX_TEXTS	81
#define MAX_COPIES	4

/*
 * From a caller that always is a function of its own, by callers which may be
 * inlined in the one before, to a function that is hooked. Each that exists must
 * call a later one. Callers in other files than the hooked function cannot have
 * its body; of these, the most important ones are here to see that they call it.
 */
static const char *const paths[][PATH_LENGTH] __initconst = {
	{ "try_to_free_pages", "do_try_to_free_pages", "shrink_zones",
	  "shrink_node", "shrink_node_memcgs", "shrink_lruvec" },
	{ "try_to_free_mem_cgroup_pages", "do_try_to_free_pages",
	  "shrink_zones", "shrink_node", "shrink_node_memcgs",
	  "shrink_lruvec" },
	{ "kswapd", "balance_pgdat", "kswapd_shrink_node", "shrink_node",
	  "shrink_node_memcgs", "shrink_lruvec" },
#ifdef CONFIG_NUMA
	{ "node_reclaim", "__node_reclaim", "shrink_node",
	  "shrink_node_memcgs", "shrink_lruvec" },
#endif
#ifdef CONFIG_MEMCG_V1
	{ "mem_cgroup_shrink_node", "shrink_lruvec" },
#endif
	{ "shrink_lruvec", "lru_gen_shrink_lruvec", "try_to_shrink_lruvec",
	  "evict_folios" },
	{ "shrink_node", "lru_gen_shrink_node", "shrink_many", "shrink_one",
	  "try_to_shrink_lruvec", "evict_folios" },
	{ "shrink_folio_list", "folio_check_references", "folio_referenced" },
	{ "filemap_read", "folio_mark_accessed" },
	{ "mark_page_accessed", "folio_mark_accessed" },
	{ "folio_migrate_flags", "mem_cgroup_migrate" },
	{ "replace_page_cache_folio", "mem_cgroup_replace_folio" },
	{ STOCK_SPLIT_PATH },
	STOCK_COLLAPSE_PATH
#ifdef CONFIG_PREFETCH_EXT
	{ "handle_mm_fault", "__handle_mm_fault", "handle_pte_fault",
	  "do_swap_page" },
	{ "shrink_folio_list", "add_to_swap" },
	{ "shrink_folio_list", "can_split_folio" },
	{ "do_swap_page", "swapin_readahead" },
	{ "do_swap_page", "swap_cache_get_folio" },
	{ "delete_from_swap_cache", "__delete_from_swap_cache" },
	{ "filemap_read", "filemap_get_pages", "page_cache_sync_readahead",
	  "page_cache_sync_ra" },
	{ "filemap_read", "filemap_get_pages", "filemap_readahead",
	  "page_cache_async_ra" },
	{ "finish_fault", "set_pte_range" },
	{ "vfs_open", "do_dentry_open" },
	{ "finish_open", "do_dentry_open" },
	{ "__fput", "locks_remove_file" },
	{ "generic_file_read_iter", "filemap_read" },
	{ "__generic_file_write_iter", "generic_perform_write" },
	/* By file systems, to which they are exported. */
	{ "filemap_splice_read" },
	{ "iomap_file_buffered_write" },
#endif
	/* By a pointer only, which is compared below. */
	{ "mem_cgroup_css_offline" },
};

/* A function, and what the compiler made of it beside or instead of it. */
struct text {
	const char *name;
	size_t length;
	bool hooked;
	unsigned int nr;
	unsigned long start[MAX_COPIES];
};

static struct text texts[MAX_TEXTS] __initdata;
static unsigned int nr_texts __initdata;

static struct text *__init text_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_texts; i++)
		if (!strcmp(texts[i].name, name))
			return &texts[i];
	if (WARN_ON(nr_texts == MAX_TEXTS))
		return NULL;
	texts[i].name = name;
	texts[i].length = strlen(name);
	nr_texts++;
	return &texts[i];
}

static unsigned int __init path_length(const char *const *path)
{
	unsigned int nr = 0;

	while (nr < PATH_LENGTH && path[nr])
		nr++;
	return nr;
}

/* Code that is seldom run may lie apart; it belongs to a function that is seen. */
static bool __init is_cold(const char *suffix)
{
	return strstr(suffix, ".cold");
}

static int __init note_symbol(void *data, const char *name,
			      unsigned long address)
{
	unsigned int i;

	for (i = 0; i < nr_texts; i++) {
		struct text *text = &texts[i];
		const char *suffix = name + text->length;

		if (*name != *text->name ||
		    strncmp(name, text->name, text->length) ||
		    (*suffix && *suffix != '.') || is_cold(suffix))
			continue;
		if (text->hooked && *suffix) {
			pr_err("cache_ext: this kernel (%s) has %s, a copy of a function that the module can hook only as a whole\n",
			       UTS_RELEASE, name);
			return -EOPNOTSUPP;
		}
		if (text->nr == MAX_COPIES) {
			pr_err("cache_ext: this kernel (%s) has too many functions %s\n",
			       UTS_RELEASE, text->name);
			return -EOPNOTSUPP;
		}
		text->start[text->nr++] = address;
	}
	return 0;
}

static bool __init starts_at(const char *const *names, unsigned int nr,
			     unsigned long address)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		struct text *text = text_of(names[i]);

		for (j = 0; text && j < text->nr; j++)
			if (text->start[j] == address)
				return true;
	}
	return false;
}

#if defined(CONFIG_X86_64)
/*
 * CALL or JMP with a 32-bit offset. Looking at each byte, not each instruction,
 * can only find a call where there is none if four bytes happen to be right.
 * Where calls are counted (retbleed=stuff), they go to the padding before the
 * function.
 */
static bool __init calls(unsigned long start, unsigned long size,
			 const char *const *names, unsigned int nr)
{
	const u8 *at = (const u8 *)start, *end = at + size;
	unsigned long target;
	unsigned int pad;

	for (; at + 5 <= end; at++) {
		if (*at != 0xe8 && *at != 0xe9)
			continue;
		target = (unsigned long)at + 5 + get_unaligned((s32 *)(at + 1));
		for (pad = 0; pad <= CONFIG_FUNCTION_PADDING_BYTES; pad++)
			if (starts_at(names, nr, target + pad))
				return true;
	}
	return false;
}
#elif defined(CONFIG_ARM64)
/* B or BL. */
static bool __init calls(unsigned long start, unsigned long size,
			 const char *const *names, unsigned int nr)
{
	const __le32 *at = (const __le32 *)start;
	const __le32 *end = (const __le32 *)(start + size);

	for (; at < end; at++) {
		u32 code = le32_to_cpu(*at);

		if ((code & 0x7c000000) == 0x14000000 &&
		    starts_at(names, nr, (unsigned long)at +
			      sign_extend32(code & 0x03ffffff, 25) * 4L))
			return true;
	}
	return false;
}
#else
#error "how does this processor call functions?"
#endif

static bool __init calls_later(unsigned long start, const char *const *later,
			       unsigned int nr)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(start, &size, &offset) &&
	       calls(start, size, later, nr);
}

static bool __init exists(const char *name)
{
	if (text_of(name)->nr)
		return true;
	pr_err("cache_ext: this kernel (%s) has no function %s, which the module hooks or looks at\n",
	       UTS_RELEASE, name);
	return false;
}

/* Each function of the path that exists calls a later one. */
static int __init check_path(const char *const *path)
{
	unsigned int last = path_length(path) - 1, i, j;
	struct text *text;

	if (!exists(path[0]) || !exists(path[last]))
		return -EOPNOTSUPP;
	for (i = 0; i < last; i++) {
		text = text_of(path[i]);
		for (j = 0; j < text->nr; j++) {
			if (calls_later(text->start[j], &path[i + 1], last - i))
				continue;
			pr_err("cache_ext: %s() of this kernel (%s) does not call %s(), which the module hooks: the compiler has put it into its caller\n",
			       path[i], UTS_RELEASE, path[last]);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

int __init cache_ext_callsites_init(void)
{
	unsigned int i, j;
	int err;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		for (j = 0; j < path_length(paths[i]); j++)
			if (!text_of(paths[i][j]))
				return -EINVAL;
		text_of(paths[i][j - 1])->hooked = true;
	}
	err = kallsyms_on_each_symbol(note_symbol, NULL);
	for (i = 0; !err && i < ARRAY_SIZE(paths); i++)
		err = check_path(paths[i]);
	if (err)
		return err;
	if ((unsigned long)memory_cgrp_subsys.css_offline !=
	    text_of("mem_cgroup_css_offline")->start[0]) {
		pr_err("cache_ext: cgroups of this kernel (%s) do not end with mem_cgroup_css_offline(), which the module hooks\n",
		       UTS_RELEASE);
		return -EOPNOTSUPP;
	}
	return 0;
}
