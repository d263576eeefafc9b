/* SPDX-License-Identifier: GPL-2.0 */
/* Parameters that nobody sets. */
#ifndef _LINUX_MODULEPARAM_H
#define _LINUX_MODULEPARAM_H

#include <linux/kernel.h>

struct kernel_param {
	unsigned int *value;
};

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

static inline int param_set_uint_minmax(const char *text,
					const struct kernel_param *kp,
					unsigned int least, unsigned int most)
{
	(void)text, (void)kp, (void)least, (void)most;
	return -EINVAL;
}

static inline int param_get_uint(char *buffer, const struct kernel_param *kp)
{
	(void)buffer, (void)kp;
	return -EINVAL;
}

#define module_param_cb(name, ops, value, mode)                                \
	static const struct kernel_param_ops *const shim_##name                \
		__attribute__((unused)) = (ops);                               \
	unsigned int *const shim_param_##name = (value)
#define MODULE_PARM_DESC(name, text) _Static_assert(1, text)

#endif
