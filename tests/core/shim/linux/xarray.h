/* SPDX-License-Identifier: GPL-2.0 */
/* Only for files that run in a kernel: ../../graph/kernel.h. */
