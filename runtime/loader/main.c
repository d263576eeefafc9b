/* SPDX-License-Identifier: MIT */
/* The loader: attaches compiled policies to cgroups, and shows and detaches what is attached. Small and native, to start fast. */
#include <getopt.h>
#include <string.h>

#include "commands.h"

#define EXIT_USAGE 2
#define MAX_SETTINGS 256

static const char usage[] = "usage: cpol-loader attach OBJECT CGROUP [--set name=value]...\n"
			    "       cpol-loader detach CGROUP | --id ID\n"
			    "       cpol-loader list [--json]\n"
			    "       cpol-loader stat CGROUP | --id ID [--json]\n"
			    "with -v: all that libbpf says\n";

static int bad_usage(const char *problem)
{
	fprintf(stderr, "cpol-loader: %s\n%s", problem, usage);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "set", required_argument, NULL, 's' }, { "json", no_argument, NULL, 'j' },
		{ "id", required_argument, NULL, 'i' },	 { "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },	 {},
	};
	static const char *settings[MAX_SETTINGS];
	struct attach_options attach = { .settings = settings };
	bool json = false;
	uint64_t id = 0;
	int option, status, words;

	while ((option = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		switch (option) {
		case 's':
			if (attach.n_settings == MAX_SETTINGS)
				return bad_usage("too many --set");
			attach.settings[attach.n_settings++] = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'i':
			if (!parse_u64(optarg, &id) || !id)
				return bad_usage("--id needs a number");
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			return bad_usage("wrong option");
		}
	}
	argv += optind;
	words = argc - optind;
	if (words == 3 && !strcmp(argv[0], "attach") && !id && !json) {
		attach.object = argv[1];
		attach.cgroup = argv[2];
		status = command_attach(&attach);
	} else if (attach.n_settings) {
		return bad_usage("--set goes with attach");
	} else if (words == (id ? 1 : 2) && !strcmp(argv[0], "detach") && !json) {
		status = command_detach(argv[1], id);
	} else if (words == 1 && !strcmp(argv[0], "list") && !id) {
		status = command_list(json);
	} else if (words == (id ? 1 : 2) && !strcmp(argv[0], "stat")) {
		status = command_stat(argv[1], id, json);
	} else {
		return bad_usage("wrong arguments");
	}
	if (fflush(stdout) || ferror(stdout)) {
		fail("cannot write to standard output");
		return 1;
	}
	return status ? 1 : 0;
}
