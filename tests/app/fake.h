/* SPDX-License-Identifier: MIT */
/* Included before libcpol's sources: pins and cgroups are folders that tests make. */
#ifndef FAKE_H
#define FAKE_H

#define CPOL_PINS fake_pins()
#define CPOL_CGROUPS fake_cgroups()
#define CPOL_OWN_CGROUP fake_own_cgroup()

const char *fake_pins(void);    /* $FAKE_PINS */
const char *fake_cgroups(void); /* $FAKE_CGROUPS */
const char *fake_own_cgroup(void); /* $FAKE_OWN_CGROUP, or else the real file */

/* A handler of the policy runs between these. */
void fake_handler_begin(void);
void fake_handler_end(void);

#endif
