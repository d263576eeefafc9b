/* SPDX-License-Identifier: MIT */
/* The parts of libcpol (runtime/operate/app) that write arrays: app.c has them. */
#ifndef LOADER_APP_H
#define LOADER_APP_H

#include "../app/internal.h"

#endif
