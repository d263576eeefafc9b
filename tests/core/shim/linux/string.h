/* SPDX-License-Identifier: GPL-2.0 */
/* Included by the name of the kernel's, and by nobody as <string.h>. */
#include <linux/types.h>
