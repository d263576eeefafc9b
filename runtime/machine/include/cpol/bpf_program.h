/* SPDX-License-Identifier: GPL-2.0-only */
/* The form of a struct_ops program, the map's name and the license. */
#ifndef CPOL_BPF_PROGRAM_H
#define CPOL_BPF_PROGRAM_H

#define CPOL_PROGRAM_(section, result, name) SEC(section) result name(const u64 *ctx)
#define CPOL_PROGRAM(member) CPOL_PROGRAM_("struct_ops/" #member, void, cpol_##member)

/* The name of the policy's map in libbpf and bpftool. */
#ifndef CPOL_MAP_NAME
#define CPOL_MAP_NAME policy
#endif

#define CPOL_NAME_AT(i) ((i) < sizeof(CPOL_POLICY) ? CPOL_POLICY[i] : 0)

/* The member `name` of the ops: at most 15 characters of the policy's name. */
#define CPOL_NAME                                                                                                              \
	{ CPOL_NAME_AT(0), CPOL_NAME_AT(1), CPOL_NAME_AT(2), CPOL_NAME_AT(3), CPOL_NAME_AT(4), CPOL_NAME_AT(5),                \
	  CPOL_NAME_AT(6), CPOL_NAME_AT(7), CPOL_NAME_AT(8), CPOL_NAME_AT(9), CPOL_NAME_AT(10), CPOL_NAME_AT(11),              \
	  CPOL_NAME_AT(12), CPOL_NAME_AT(13), CPOL_NAME_AT(14) }

const char cpol_license[] SEC("license") = "GPL";

#endif
