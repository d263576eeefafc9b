/* SPDX-License-Identifier: GPL-2.0 */
/* The module is in use: from a call of the first until one of the second. use.c */
#ifndef _CACHE_EXT_USE_H
#define _CACHE_EXT_USE_H

void cache_ext_enter(void);
void cache_ext_leave(void);

#endif /* _CACHE_EXT_USE_H */
