/*
 * bpf_helpers.h - what programs of BPF are written with; names and numbers are those of Linux.
 */
#ifndef BPF_HELPERS_H
#define BPF_HELPERS_H

typedef unsigned char __u8;
typedef unsigned int __u32;
typedef unsigned long long __u64;

enum {
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
};

enum { BPF_ANY = 0, BPF_NOEXIST = 1 };

/* Where a program is attached, and where its maps are declared. */
#define SEC(name) __attribute__((section(name), used))

/* A map. */
struct bpf_map_def {
    __u32 type, key_size, value_size, max_entries, map_flags;
};

/* The kernel's verifier takes programs of one function, so all others are parts of it. */
#define __always_inline inline __attribute__((always_inline))

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value,
                                         __u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static __u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static __u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;

#endif
