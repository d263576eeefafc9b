// SPDX-License-Identifier: GPL-2.0
#define BYTE
#include "offered.bpf.c"
