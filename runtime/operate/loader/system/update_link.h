/* SPDX-License-Identifier: MIT */
#ifndef LOADER_UPDATE_LINK_H
#define LOADER_UPDATE_LINK_H

/*
 * bpf_link_update(), again for some seconds while the policy of the link has not begun. `only`: if the link still has this map; -1: any.
 * 0, or -errno.
 */
int update_link(int link, int ops, int only);

#endif
