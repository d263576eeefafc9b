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

const char cpol_license[] SEC("license") = "GPL";

#endif
