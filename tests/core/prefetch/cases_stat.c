// SPDX-License-Identifier: GPL-2.0
/* /proc/prefetch_ext/stat: whose lines it has, and what waits for its reader. */
#include "cases.h"

#define LINKS 1500

static struct prefetch_ext_policy *linked[LINKS];
static struct prefetch_ext_ops drops_only;
static struct seq_file text;

static unsigned int lines_of(const char *word)
{
	unsigned int nr = 0;

	for (const char *at = text.text; (at = strstr(at, word)); at++)
		nr++;
	return nr;
}

static void show(void)
{
	text.length = 0;
	expect(!show_stat(&text, NULL) && !prefetch_ext_mutex.held);
}

/* Links of policies that have ended are shown, too, and may be more than there are numbers. */
void statistics_of_all(void)
{
	prefetch_ext_stats_init();
	show();
	expect(ended_shown == 1 && !text.length);
	for (unsigned int i = 0; i < LINKS; i++) {
		struct prefetch_ext_policy *p = linked[i] = policy_new(&drops_only);

		p->life.cgroup_id = i;
		p->life.linked = i != 7;
		snprintf(p->life.name, sizeof(p->life.name), "p%u", i);
		pes_add(p, PES_DROPPED, i);
		p->stats->latency[3] = i;
		list_add_tail(&p->life.all, &prefetch_ext_policies);
		policy_ext_get(&p->life);
		p->life.published = true;
		if (i >= 10)
			expect(policy_end(p));
	}
	show();
	expect(lines_of("cgroup=") == LINKS - 1 && !lines_of("name=p7 ") && lines_of("state=attached") == 9);
	expect(lines_of(" dropped=1499 ") == 1 && lines_of(" latency=0,0,0,1499,0,") == 1 && ended_shown == 2);
	expect(!policies_freed);
	for (unsigned int i = 0; i < LINKS; i++) {
		list_del(&linked[i]->life.all);
		if (i < 10)
			expect(policy_end(linked[i]));
		policy_ext_put(&linked[i]->life);
	}
	expect(policies_freed == LINKS);
	show();
	expect(!text.length);
}

static void add_linked(unsigned int i)
{
	struct prefetch_ext_policy *p = linked[i] = policy_new(&drops_only);

	p->life.linked = p->life.published = true;
	snprintf(p->life.name, sizeof(p->life.name), "p%u", i);
	list_add_tail(&p->life.all, &prefetch_ext_policies);
}

/* p2 takes the place of p1 while the line of p0 is written: after who is attached was looked at. */
static void replace_second(void)
{
	add_linked(2);
	linked[1]->life.linked = false;
	expect(policy_end(linked[1]));
	list_del(&linked[1]->life.all);
}

/* Who is attached is told of one instant: a cgroup never seems to have no policy, nor two. */
void statistics_of_one_instant(void)
{
	prefetch_ext_stats_init();
	add_linked(0);
	add_linked(1);
	while_shown = replace_second;
	show();
	expect(!while_shown && lines_of("state=attached") == 2 && lines_of("name=p1 ") == 1 && !lines_of("exit="));
	show();
	expect(lines_of("state=attached") == 2 && lines_of("name=p2 ") == 1);
	for (unsigned int i = 0; i < 3; i += 2) {
		list_del(&linked[i]->life.all);
		expect(policy_end(linked[i]));
	}
}

/* While the init of who replaces another has to run, the other governs, and is told in its line. */
void statistics_of_an_init(void)
{
	prefetch_ext_stats_init();
	add_linked(0);
	add_linked(1);
	linked[0]->life.linked = linked[1]->life.published = false;
	linked[1]->life.initializing = true;
	show();
	expect(lines_of("cgroup=") == 1 && lines_of("name=p1 state=init faults=") == 1);
	linked[1]->life.old = &linked[0]->life;
	policy_ext_get(&linked[0]->life);
	show();
	expect(lines_of("cgroup=") == 1 && lines_of("name=p1 state=init until_then=p0 faults=") == 1);
	expect(policy_end(linked[0]));
	show();
	expect(lines_of("cgroup=") == 1 && !lines_of("until_then"));
	for (unsigned int i = 0; i < 2; i++)
		list_del(&linked[i]->life.all);
	policy_ext_put(&linked[0]->life);
	linked[1]->life.old = NULL;
	expect(policy_end(linked[1]));
}
