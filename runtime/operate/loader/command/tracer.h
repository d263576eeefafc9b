/* SPDX-License-Identifier: MIT */
/* An object of tracing programs (runtime/operate/tracing), from its file to its end; and the signals that end it. */
#ifndef LOADER_TRACER_H
#define LOADER_TRACER_H

#include <bpf/libbpf.h>
#include <signal.h>

#include "system/util.h"

#define MAX_PROGRAMS 24

struct tracer {
	const char *path, *command; /* of the object; as in `cpolc record` */
	struct bpf_object *object;
	struct bpf_link *links[MAX_PROGRAMS];
	int n_links;
};

/* Opens the object, and finds the variable in .rodata that holds the programs' options. NULL: reported. */
void *tracer_open(struct tracer *tracer, const char *options, size_t size);

/* Leaves out all programs but those with these names, which end with a NULL. Before the load. */
void tracer_keep(struct tracer *tracer, const char *const *names);

/* -1: reported. `name`: what the programs are called in the message. */
int tracer_load(struct tracer *tracer, const char *name);

/* Attaches all programs. -1: reported; those that are attached stay so until tracer_detach(). */
int tracer_attach(struct tracer *tracer);

void tracer_detach(struct tracer *tracer);

/* Detaches, and closes the object. */
void tracer_close(struct tracer *tracer);

/* Events that came while the same program ran on their processor. */
uint64_t tracer_missed(const struct tracer *tracer);

extern volatile sig_atomic_t tracer_stopped; /* the signal that came; 0: none */

/* Ends cleanly on a signal, and if the parent dies, which may be a process that nobody sees. Under nohup, a hangup is no end. */
void tracer_listen(void);

#endif
