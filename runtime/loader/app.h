/* SPDX-License-Identifier: MIT */
/* The parts of libcpol (runtime/app) that write arrays: app.c has them. */
#ifndef LOADER_APP_H
#define LOADER_APP_H

#include "../app/internal.h"

#endif
