/* SPDX-License-Identifier: GPL-2.0 */
#include <linux/bpf.h>
#include <linux/moduleparam.h>
