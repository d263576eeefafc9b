/* SPDX-License-Identifier: GPL-2.0 */
/* What BPF calls things. */
#ifndef _CACHE_EXT_COMPAT_BPF_H
#define _CACHE_EXT_COMPAT_BPF_H

#include <linux/btf.h>

/* Where there is no such flag, kfuncs take trusted arguments without it. */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS		0
#endif

#endif /* _CACHE_EXT_COMPAT_BPF_H */
