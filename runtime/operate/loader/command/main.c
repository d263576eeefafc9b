/* SPDX-License-Identifier: MIT */
/* The loader attaches compiled policies to cgroups, shows, changes and detaches them. It is small and native, so it starts fast. */
#include <getopt.h>
#include <string.h>
#include <sysexits.h>

#include "command/commands.h"
#include "pins/origin.h"
#include "system/contract.h"

#define EXIT_USAGE 2
#define MAX_SETTINGS 256
#define MAX_SECONDS 1000000000
#define MAX_SHIFT 40
#define DEFAULT_PERCENT 10
#define WRONG_USAGE 1 /* a third result of the functions here, besides 0 and -1 */

static const char usage[] =
	"usage: cpol-loader attach OBJECT CGROUP [--set name=value]... [--input name=value,...]... [--input-group GROUP]\n"
	"                          [--tag TEXT] [--replace [--keep-old]] [--dry-run]\n"
	"       cpol-loader attach-unpinned OBJECT CGROUP [--set name=value]... [--input name=value,...]...\n"
	"       cpol-loader detach CGROUP | --id ID | --gone [--prefetch] [--tag TEXT]\n"
	"       cpol-loader govern OBJECT POLICY CGROUP NAME [PARAM]... [--margin BYTES] [--cpu PERCENT]\n"
	"       cpol-loader identify PATH...\n"
	"       cpol-loader input CGROUP [--prefetch] [--json]\n"
	"       cpol-loader input CGROUP NAME list|add|remove|clear [VALUE]... [--prefetch] [--json]\n"
	"       cpol-loader input CGROUP NAME load FILE [--format text|binary] [--prefetch] [--json]\n"
	"       cpol-loader list [--all] [--json]\n"
	"       cpol-loader observe OBJECT CGROUP [--heat SHIFT]\n"
	"       cpol-loader record OBJECT CGROUP [--seconds N] [--no-comm] [--no-names]\n"
	"       cpol-loader rollback CGROUP [--tag TEXT] [--forget] [--prefetch]\n"
	"       cpol-loader set CGROUP [--prefetch] [--json]\n"
	"       cpol-loader set CGROUP NAME=VALUE... [--prefetch]\n"
	"       cpol-loader stat CGROUP | --id ID [--state] [--prefetch] [--json]\n"
	"       cpol-loader stat --all\n"
	"--prefetch means the policy that only prefetches, also beside one that evicts\n"
	"       cpol-loader --version\n"
	"-v shows all messages of libbpf\n";

/* The parsed command line. */
struct line {
	struct attach_options attach;
	uint64_t id, seconds, heat_shift, margin, percent;
	bool json, all, gone, state, no_comm, no_names, forget, heat;
	struct which which;
	const char *format;
	const char **words; /* words that are no options, without the command's name */
	int n;
};

enum { FLAG_JSON = 1, FLAG_ID = 2, FLAG_ALL = 4, FLAG_GONE = 8, FLAG_ATTACH = 16, FLAG_STATE = 32, FLAG_RECORD = 64, FLAG_WHICH = 128, FLAG_FORMAT = 256,
       FLAG_TAG = 512, FLAG_FORGET = 1024, FLAG_HEAT = 2048, FLAG_GOVERN = 4096 };

static int flags_of(const struct line *line)
{
	const struct attach_options *attach = &line->attach;

	return (line->json ? FLAG_JSON : 0) | (line->id ? FLAG_ID : 0) | (line->all ? FLAG_ALL : 0) | (line->gone ? FLAG_GONE : 0) |
	       (line->state ? FLAG_STATE : 0) | (line->seconds || line->no_comm || line->no_names ? FLAG_RECORD : 0) |
	       (line->which.only_prefetch ? FLAG_WHICH : 0) | (line->format ? FLAG_FORMAT : 0) |
	       (attach->tag ? FLAG_TAG : 0) | (line->forget ? FLAG_FORGET : 0) | (line->heat ? FLAG_HEAT : 0) |
	       (line->margin || line->percent ? FLAG_GOVERN : 0) |
	       (attach->n_settings || attach->n_inputs || attach->input_group || attach->replace || attach->keep_old || attach->dry_run ?
			FLAG_ATTACH : 0);
}

static int run_attach(struct line *line)
{
	if (line->n != 2 || (line->attach.keep_old && !line->attach.replace))
		return WRONG_USAGE;
	line->attach.object = line->words[0];
	line->attach.cgroup = line->words[1];
	return command_attach(&line->attach);
}

/* Attaches until standard input ends, and then ends the cgroup. */
static int run_attach_unpinned(struct line *line)
{
	const struct attach_options *attach = &line->attach;

	if (line->n != 2 || attach->input_group || attach->replace || attach->keep_old || attach->dry_run)
		return WRONG_USAGE;
	line->attach.unpinned = true;
	line->attach.object = line->words[0];
	line->attach.cgroup = line->words[1];
	return command_attach(&line->attach);
}

static int run_detach(struct line *line)
{
	if (line->n + !!line->id + line->gone != 1 || (line->gone && (line->which.only_prefetch || line->attach.tag)))
		return WRONG_USAGE;
	return line->gone ? command_detach_gone() : command_detach(&line->which, line->words[0], line->id, line->attach.tag);
}

static int run_govern(struct line *line)
{
	struct govern_command command = { .margin = line->margin, .percent = line->percent ? line->percent : DEFAULT_PERCENT };

	if (line->n < 4)
		return WRONG_USAGE;
	command.object = line->words[0];
	command.policy = line->words[1];
	command.cgroup = line->words[2];
	command.name = line->words[3];
	command.params = line->words + 4;
	command.n_params = line->n - 4;
	return command_govern(&command);
}

static int run_identify(struct line *line)
{
	return line->n ? command_identify(line->words, line->n) : WRONG_USAGE;
}

static int run_input(struct line *line)
{
	struct input_options options = { .which = line->which, .json = line->json, .format = line->format };

	if (line->n < 1 || line->n == 2)
		return WRONG_USAGE;
	options.cgroup = line->words[0];
	if (line->n > 2) {
		bool list, change, load;

		options.name = line->words[1];
		options.action = line->words[2];
		options.values = line->words + 3;
		options.n_values = line->n - 3;
		list = !strcmp(options.action, "list");
		change = !strcmp(options.action, "add") || !strcmp(options.action, "remove");
		load = !strcmp(options.action, "load");
		if (!list && !(change && options.n_values) && !(load && options.n_values == 1) &&
		    !(!strcmp(options.action, "clear") && !options.n_values))
			return WRONG_USAGE;
		if (options.format && !load)
			return WRONG_USAGE;
	}
	return command_input(&options);
}

static int run_list(struct line *line)
{
	return line->n ? WRONG_USAGE : command_list(line->all, line->json);
}

static int run_observe(struct line *line)
{
	struct observe_command command = { .heat = line->heat, .heat_shift = line->heat_shift };

	if (line->n != 2)
		return WRONG_USAGE;
	command.object = line->words[0];
	command.cgroup = line->words[1];
	return command_observe(&command);
}

static int run_record(struct line *line)
{
	struct record_command command = { .seconds = line->seconds, .comm = !line->no_comm, .names = !line->no_names };

	if (line->n != 2)
		return WRONG_USAGE;
	command.object = line->words[0];
	command.cgroup = line->words[1];
	return command_record(&command);
}

static int run_rollback(struct line *line)
{
	struct rollback_options options = { .which = line->which, .tag = line->attach.tag, .forget = line->forget };

	if (line->n != 1)
		return WRONG_USAGE;
	options.cgroup = line->words[0];
	return command_rollback(&options);
}

static int run_set(struct line *line)
{
	if (line->n < 1 || (line->json && line->n > 1))
		return WRONG_USAGE;
	return command_set(&line->which, line->words[0], line->words + 1, line->n - 1, line->json);
}

static int run_stat(struct line *line)
{
	if (line->n + !!line->id + line->all != 1 || (line->all && (line->state || line->which.only_prefetch)))
		return WRONG_USAGE;
	return line->all ? command_stat_all() : command_stat(&line->which, line->words[0], line->id, line->state, line->json);
}

static const struct {
	const char *name;
	int (*run)(struct line *line);
	int flags; /* that the command takes */
} commands[] = {
	{ "attach", run_attach, FLAG_ATTACH | FLAG_TAG },
	{ "attach-unpinned", run_attach_unpinned, FLAG_ATTACH },
	{ "detach", run_detach, FLAG_ID | FLAG_GONE | FLAG_WHICH | FLAG_TAG },
	{ "govern", run_govern, FLAG_GOVERN },
	{ "identify", run_identify, 0 },
	{ "input", run_input, FLAG_JSON | FLAG_WHICH | FLAG_FORMAT },
	{ "list", run_list, FLAG_JSON | FLAG_ALL },
	{ "observe", run_observe, FLAG_HEAT },
	{ "record", run_record, FLAG_RECORD },
	{ "rollback", run_rollback, FLAG_WHICH | FLAG_TAG | FLAG_FORGET },
	{ "set", run_set, FLAG_JSON | FLAG_WHICH },
	{ "stat", run_stat, FLAG_JSON | FLAG_ID | FLAG_ALL | FLAG_STATE | FLAG_WHICH },
};

static int bad_usage(const char *problem)
{
	fprintf(stderr, "cpol-loader: %s\n%s", problem, usage);
	return EXIT_USAGE;
}

/* What is wrong; NULL: nothing. */
static const char *take_option(struct line *line, int option, const char *value)
{
	struct attach_options *attach = &line->attach;

	switch (option) {
	case 's':
		if (attach->n_settings == MAX_SETTINGS)
			return "too many --set";
		attach->settings[attach->n_settings++] = value;
		return NULL;
	case 'n':
		if (attach->n_inputs == MAX_SETTINGS)
			return "too many --input";
		attach->inputs[attach->n_inputs++] = value;
		return NULL;
	case 'g':
		attach->input_group = value;
		return NULL;
	case 'r':
		attach->replace = true;
		return NULL;
	case 'd':
		attach->dry_run = true;
		return NULL;
	case 'k':
		attach->keep_old = true;
		return NULL;
	case 'F':
		line->forget = true;
		return NULL;
	case 'w':
		attach->tag = value;
		return origin_is_tag(value) ? NULL : "--tag needs up to 127 letters, digits and :._-";
	case 'j':
		line->json = true;
		return NULL;
	case 'a':
		line->all = true;
		return NULL;
	case 'o':
		line->gone = true;
		return NULL;
	case 't':
		line->state = true;
		return NULL;
	case 'p':
		line->which.only_prefetch = true;
		return NULL;
	case 'c':
		line->no_comm = true;
		return NULL;
	case 'm':
		line->no_names = true;
		return NULL;
	case 'e':
		return parse_u64(value, &line->seconds) && line->seconds - 1 < MAX_SECONDS ? NULL : "--seconds needs a number up to 10^9";
	case 'H':
		line->heat = true;
		return parse_u64(value, &line->heat_shift) && line->heat_shift <= MAX_SHIFT ? NULL : "--heat needs a number up to 40";
	case 'M':
		return parse_u64(value, &line->margin) && line->margin ? NULL : "--margin needs a number of bytes";
	case 'C':
		return parse_u64(value, &line->percent) && line->percent - 1 < 100 ? NULL : "--cpu needs a number from 1 to 100";
	case 'i':
		return parse_u64(value, &line->id) && line->id ? NULL : "--id needs a number";
	case 'f':
		line->format = value;
		return strcmp(value, "text") && strcmp(value, "binary") ? "--format needs text or binary" : NULL;
	case 'v':
		verbose = true;
		return NULL;
	default:
		return "wrong option";
	}
}

/* The exit code, once all output is out. */
static int written(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fail("cannot write to standard output");
		return EX_IOERR;
	}
	return status ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "set", required_argument, NULL, 's' },	 { "input", required_argument, NULL, 'n' },
		{ "input-group", required_argument, NULL, 'g' }, { "replace", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },		 { "all", no_argument, NULL, 'a' },
		{ "gone", no_argument, NULL, 'o' },		 { "id", required_argument, NULL, 'i' },
		{ "state", no_argument, NULL, 't' },		 { "seconds", required_argument, NULL, 'e' },
		{ "no-comm", no_argument, NULL, 'c' },		 { "no-names", no_argument, NULL, 'm' },
		{ "prefetch", no_argument, NULL, 'p' },		 { "keep-old", no_argument, NULL, 'k' },
		{ "forget", no_argument, NULL, 'F' },
		{ "dry-run", no_argument, NULL, 'd' },		 { "tag", required_argument, NULL, 'w' },
		{ "verbose", no_argument, NULL, 'v' },		 { "help", no_argument, NULL, 'h' },
		{ "format", required_argument, NULL, 'f' },	 { "version", no_argument, NULL, 'V' },
		{ "heat", required_argument, NULL, 'H' },	 { "margin", required_argument, NULL, 'M' },
		{ "cpu", required_argument, NULL, 'C' },
		{},
	};
	static const char *settings[MAX_SETTINGS], *inputs[MAX_SETTINGS];
	struct line line = { .attach = { .settings = settings, .inputs = inputs } };
	int option, status = WRONG_USAGE;

	while ((option = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		const char *problem;

		if (option == 'h') {
			fputs(usage, stdout);
			return written(0);
		}
		if (option == 'V') {
			puts("cpol-loader " CPOL_VERSION);
			return written(0);
		}
		problem = take_option(&line, option, optarg);
		if (problem)
			return bad_usage(problem);
	}
	if (optind == argc)
		return bad_usage("wrong arguments");
	line.words = (const char **)argv + optind + 1;
	line.n = argc - optind - 1;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[optind], commands[i].name) && !(flags_of(&line) & ~commands[i].flags))
			status = commands[i].run(&line);
	if (status == WRONG_USAGE)
		return bad_usage("wrong arguments");
	return written(status);
}
