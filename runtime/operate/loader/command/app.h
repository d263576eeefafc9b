/* SPDX-License-Identifier: MIT */
/* The parts of libcpol (runtime/operate/app) that write arrays. The loader is linked with them (program.py). */
#ifndef LOADER_APP_H
#define LOADER_APP_H

#include "../../app/internal.h"

#endif
