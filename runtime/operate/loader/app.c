/* SPDX-License-Identifier: MIT */
#include "app.h"

#include "../app/array.c"
#include "../app/error.c"
#include "../app/kernel.c"
