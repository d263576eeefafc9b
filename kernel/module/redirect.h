/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of ours in place of the kernel's, for whom a policy governs: redirect.c */
#ifndef _CACHE_EXT_REDIRECT_H
#define _CACHE_EXT_REDIRECT_H

struct ftrace_ops;
struct ftrace_regs;

/* Is the caller our code? within_module() asks for each kind of its memory. */
#define cache_ext_calls(parent_ip)					\
	within_module_mem_type(parent_ip, THIS_MODULE, MOD_TEXT)

/* For whom a function is called. */
enum cache_ext_subject {
	CACHE_EXT_CURRENT,	/* the current task */
	CACHE_EXT_FAULT,	/* of the fault that is the first argument */
	CACHE_EXT_FAULT_3RD,	/* the third */
	CACHE_EXT_FOLIO,	/* the cgroup that the first argument is charged to */
};

/* A function of the kernel, and what is called in its place if a policy governs. */
struct cache_ext_redirected {
	const char *name;
	void *instead;
	enum cache_ext_subject subject;
	unsigned long address;
};

/* redirect.c: what is called in place ends with cache_ext_leave() */
void cache_ext_redirect(const struct cache_ext_redirected *to, unsigned int nr,
			unsigned long ip, unsigned long parent_ip,
			struct ftrace_regs *fregs);
int cache_ext_redirect_init(struct ftrace_ops *ops,
			    struct cache_ext_redirected *from, unsigned int nr);

#endif /* _CACHE_EXT_REDIRECT_H */
