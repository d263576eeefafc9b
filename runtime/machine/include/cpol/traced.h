/* SPDX-License-Identifier: MIT */
/* Sizes of what tracing programs tell the loader of tasks and files (runtime/operate/tracing). */
#ifndef CPOL_TRACED_H
#define CPOL_TRACED_H

#define TRACED_COMM 16
#define TRACED_PATH 1024 /* of the parts of a path, the last one first, each with its NUL */

#endif
