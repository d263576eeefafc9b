/* SPDX-License-Identifier: MIT */
/*
 * Marks places between two steps that other processes can see. Built with -DCPOL_KILL_AT (program.py, for tests), the loader kills
 * itself at the step whose number is in the environment variable CPOL_KILL_AT. Otherwise STEP does nothing.
 */
#ifndef LOADER_STEP_H
#define LOADER_STEP_H

#ifdef CPOL_KILL_AT
void step(const char *name);
#define STEP(name) step(name)
#else
#define STEP(name) ((void)0)
#endif

#endif
