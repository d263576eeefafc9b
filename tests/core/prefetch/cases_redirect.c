// SPDX-License-Identifier: GPL-2.0
/* In whose place the module's functions are called, on a stock kernel, and what holds the module. */
#include "cases.h"
#include "module.h"
#include "redirect.h"
#include "use.h"

#define KERNEL_TEXT 0x200000UL

static struct prefetch_ext_ops drops_only;
static int entered, unhooking;
static char ours[4];

static const struct cache_ext_redirected targets[] = {
	{ "of_current", &ours[0], CACHE_EXT_CURRENT, KERNEL_TEXT },
	{ "of_fault", &ours[1], CACHE_EXT_FAULT, KERNEL_TEXT + 16 },
	{ "of_fault_3rd", &ours[2], CACHE_EXT_FAULT_3RD, KERNEL_TEXT + 32 },
	{ "of_folio", &ours[3], CACHE_EXT_FOLIO, KERNEL_TEXT + 48 },
};

void cache_ext_enter(void)
{
	entered++;
}

unsigned long cache_ext_symbol(const char *name)
{
	return strcmp(name, "gone") ? KERNEL_TEXT : 0;
}

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	(void)ops, (void)remove, (void)reset;
	return ip == KERNEL_TEXT ? 0 : -EINVAL;
}

int unregister_ftrace_function(struct ftrace_ops *ops)
{
	(void)ops;
	return unhooking;
}

/* Which of the four is called in place of the function that begins @at; -1: none, and nobody holds the module. */
static int called(unsigned long at, unsigned long from, void *first, void *third)
{
	struct ftrace_regs regs = { .args = { (unsigned long)first, 0, (unsigned long)third } };
	int before = entered;

	/* A call comes some bytes behind the beginning. */
	cache_ext_redirect(targets, sizeof(targets) / sizeof(targets[0]), at + 4, from, &regs);
	expect(!rcu_readers);
	expect(entered - before == (regs.ip != 0));
	return regs.ip ? (int)((char *)regs.ip - ours) : -1;
}

static void number_cgroups(void)
{
	root.css.serial_nr = 6;
	group.css.serial_nr = 7;
	below.css.serial_nr = 8;
}

/* Whoever calls is asked about: the task, who faults, or who pays for the folio. */
void redirected_for_whom(void)
{
	struct mm_struct mm = { .owner = &the_task }, nobodys = { 0 };
	struct vm_area_struct area = { .vm_mm = &mm }, orphan = { .vm_mm = &nobodys };
	struct vm_fault fault = { .vma = &area }, lost = { .vma = &orphan };
	struct folio mine = { .memcg = &below }, others = { .memcg = &root }, free = { 0 };
	struct prefetch_ext_policy *p;

	number_cgroups();
	group.parent = &root;
	expect(called(KERNEL_TEXT, 0, NULL, NULL) == -1);
	expect(called(KERNEL_TEXT + 48, 0, &mine, NULL) == -1);
	p = policy_new(&drops_only);
	expect(called(KERNEL_TEXT, 0, NULL, NULL) == 0);
	expect(called(KERNEL_TEXT + 16, 0, &fault, NULL) == 1);
	expect(called(KERNEL_TEXT + 32, 0, NULL, &fault) == 2);
	expect(called(KERNEL_TEXT + 48, 0, &mine, NULL) == 3);
	/* Its owner has left, it is another cgroup's, nobody pays for it, or it is no function of these. */
	expect(called(KERNEL_TEXT + 16, 0, &lost, NULL) == -1);
	expect(called(KERNEL_TEXT + 48, 0, &others, NULL) == -1);
	expect(called(KERNEL_TEXT + 48, 0, &free, NULL) == -1);
	expect(called(KERNEL_TEXT + 64, 0, NULL, NULL) == -1);
	the_task.memcg = &root;
	expect(called(KERNEL_TEXT, 0, NULL, NULL) == -1);
	the_task.memcg = &group;
	expect(policy_end(p));
	expect(called(KERNEL_TEXT, 0, NULL, NULL) == -1);
	expect(called(KERNEL_TEXT + 16, 0, &fault, NULL) == -1);
}

/* What is called in place calls the kernel's function, which goes on. */
void redirected_once(void)
{
	struct prefetch_ext_policy *p;

	number_cgroups();
	p = policy_new(&drops_only);
	expect(called(KERNEL_TEXT, OUR_TEXT - 1, NULL, NULL) == 0);
	expect(called(KERNEL_TEXT, OUR_TEXT, NULL, NULL) == -1);
	expect(called(KERNEL_TEXT, OUR_TEXT + 0xfff, NULL, NULL) == -1);
	expect(called(KERNEL_TEXT, OUR_TEXT + 0x1000, NULL, NULL) == 0);
	expect(policy_end(p));
}

/* ftrace gives up: calls to the module stay in the kernel's text, so the module does, too. */
void hooks_that_stay(void)
{
	struct ftrace_ops ops = { 0 };
	int before = entered;

	expect(cache_ext_trace(&ops, "gone") == -ENOENT && !cache_ext_trace(&ops, "there"));
	cache_ext_untrace(&ops);
	expect(entered == before);
	unhooking = -ENODEV;
	cache_ext_untrace(&ops);
	expect(entered == before + 1);
	unhooking = 0;
}
