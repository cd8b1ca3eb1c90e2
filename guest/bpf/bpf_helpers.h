/*
 * bpf_helpers.h - what programs of BPF are written with; names and numbers are those of Linux and
 * libbpf, so a program compiles with libbpf's header, too.
 */
#ifndef BPF_HELPERS_H
#define BPF_HELPERS_H

typedef unsigned char __u8;
typedef unsigned int __u32;
typedef unsigned long long __u64;

enum {
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
    BPF_MAP_TYPE_PERCPU_ARRAY = 6,
    BPF_MAP_TYPE_STACK_TRACE = 7,
    BPF_MAP_TYPE_RINGBUF = 27,
};

enum { BPF_ANY = 0, BPF_NOEXIST = 1 };

#define BPF_F_CURRENT_CPU 0xffffffffull

/* Where a program is attached, and where its maps are declared. */
#define SEC(name) __attribute__((section(name), used))

/* Members of a map: a number, and a type. */
#define __uint(name, number) int(*name)[number]
#define __type(name, value)  typeof(value) *name

/* A function of its own, for the verifier too; and one that is not. */
#define __noinline      __attribute__((noinline))
#define __always_inline inline __attribute__((always_inline))

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value,
                                         __u64 flags) = (void *)2;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static __u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*const bpf_get_stackid)(void *ctx, void *map, __u64 flags) = (void *)27;
static long (*const bpf_perf_event_output)(void *ctx, void *map, __u64 flags, void *data,
                                           __u64 size) = (void *)25;
static void *(*const bpf_ringbuf_reserve)(void *map, __u64 size, __u64 flags) = (void *)131;
static void (*const bpf_ringbuf_submit)(void *data, __u64 flags) = (void *)132;

#endif
