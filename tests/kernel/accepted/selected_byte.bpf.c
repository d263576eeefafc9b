// SPDX-License-Identifier: GPL-2.0
#define BYTE
#include "selected.bpf.c"
