/*
 * bpf.h - programs in BPF, and their maps, inside the kernel.
 *
 * A program's text is verified (kernel/bpf/verifier.c) and then interpreted (kernel/bpf/core.c).
 * Both are also built into programs of the host, which test them; so this header needs nothing of
 * tasks or files.
 */
#ifndef LINUX_BPF_H
#define LINUX_BPF_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <uapi/linux/bpf.h>

#define MAX_BPF_STACK       512
#define MAX_BPF_FUNC_ARGS   12
#define MAX_BPF_MAPS        64   /* of one program */
#define BPF_TRACE_MAX_PROGS 64   /* of one event */
#define BPF_MAX_TRACE_SIZE  8192 /* of the entry that a program of type tracepoint reads */

struct bpf_jit_image;
struct file;
struct perf_event;
struct pt_regs;
struct trace_event_call;
struct tracepoint;

/* ---- maps ---- */

struct bpf_map;

/* Operations of a type of maps. Those without a comment are called with preemption off. */
struct bpf_map_ops {
    struct bpf_map *(*alloc)(const union bpf_attr *attr);  /* or ERR_PTR; may sleep */
    void (*free)(struct bpf_map *map);                     /* may sleep */
    void *(*lookup)(struct bpf_map *map, const void *key); /* for programs */
    int (*update)(struct bpf_map *map, const void *key, const void *value, u64 flags);
    int (*remove)(struct bpf_map *map, const void *key);
    int (*get_next_key)(struct bpf_map *map, const void *key, void *next);
    /* The key and the value are for system calls only: a descriptor of a file. May sleep. */
    int (*update_fd)(struct bpf_map *map, struct file *map_file, const void *key, int fd,
                     u64 flags);
    int (*remove_fd)(struct bpf_map *map, const void *key); /* goes with update_fd */
    /* The address of the values; off is in one of them. NULL: no program may ask. */
    int (*direct_value_addr)(const struct bpf_map *map, u64 *addr, u32 off);
    void (*release)(struct bpf_map *map, struct file *map_file); /* the file is closed */
};

struct bpf_map {
    const struct bpf_map_ops *ops;
    u32 map_type, key_size, value_size, max_entries, map_flags;
    int refcnt; /* atomics only */
    char name[BPF_OBJ_NAME_LEN];
};

/* Sizes of values in a table, and of stacks. */
static inline u32 bpf_round_up(u32 n, u32 align)
{
    return (n + align - 1) / align * align;
}

/* ---- programs ---- */

struct bpf_prog {
    u32 type;
    u32 len; /* instructions */
    struct bpf_insn *insns;
    bool gpl_compatible;
    u32 stack_depth;                         /* bytes */
    u32 max_ctx_offset;                      /* bytes of the context that it reads */
    struct bpf_map *used_maps[MAX_BPF_MAPS]; /* referenced */
    u32 used_map_cnt;
    int refcnt; /* atomics only */
    char name[BPF_OBJ_NAME_LEN];
    u8 tag[BPF_TAG_SIZE];        /* the same for the same text */
    struct bpf_jit_image *jited; /* NULL: it is interpreted */
    u64 (*bpf_func)(const void *ctx, const struct bpf_prog *prog);
    u32 *active; /* by hart: it runs there at a raw tracepoint; atomics only */
};

/* kernel/bpf/core.c: interprets a verified program. Preemption is off. */
u64 __bpf_prog_run(const void *ctx, const struct bpf_prog *prog);
/* For programs of the host, with checks. */
u64 bpf_prog_run_insns(const struct bpf_prog *prog, const void *ctx);

/* Runs a verified program, as text or by the interpreter. Preemption is off. */
static inline u64 bpf_prog_run(const struct bpf_prog *prog, const void *ctx)
{
    return prog->bpf_func(ctx, prog);
}

/* ---- helpers ---- */

/* What a helper takes. A pointer to memory is followed by its size. */
enum bpf_arg_type {
    ARG_DONTCARE,
    ARG_CONST_MAP_PTR,
    ARG_PTR_TO_MAP_KEY,
    ARG_PTR_TO_MAP_VALUE,
    ARG_PTR_TO_MEM,
    ARG_PTR_TO_UNINIT_MEM, /* it fills it */
    ARG_CONST_SIZE,
    ARG_CONST_SIZE_OR_ZERO,
    ARG_PTR_TO_CTX,
    ARG_ANYTHING,
};

enum bpf_return_type {
    RET_INTEGER,
    RET_PTR_TO_MAP_VALUE_OR_NULL,
};

struct bpf_func_proto {
    const char *name;
    enum bpf_return_type ret_type;
    enum bpf_arg_type arg_type[5];
    bool gpl_only;
};

typedef u64 (*bpf_func_t)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5);
/* kernel/bpf/helpers.c: by number; one that the verifier lets a program call is not NULL. */
extern bpf_func_t bpf_helper_funcs[__BPF_FUNC_MAX_ID];

/* kernel/bpf/func_proto.c: NULL: no program can call it. */
const struct bpf_func_proto *bpf_get_func_proto(int func_id);
const char *bpf_func_name(int func_id); /* "unknown" if there is none */
/* Whether a program of this type may access the context like that. */
bool bpf_ctx_access_ok(u32 prog_type, int off, int size, bool write);
/* Whether the helper works on maps of this type. */
bool bpf_map_func_compatible(u32 map_type, int func_id);

/* ---- for what runs programs ---- */

#ifdef CONFIG_BPF_SYSCALL

/* The program of a descriptor, with a reference; or ERR_PTR. */
struct bpf_prog *bpf_prog_get(u32 fd);
/* Another reference. */
void bpf_prog_inc(struct bpf_prog *prog);
void bpf_prog_put(struct bpf_prog *prog);
/* Runs the programs of an event; 0: none of them wants it recorded. Preemption is off. */
unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx);
/* Attaches a program to an event, which takes the reference over. 0 or an error. */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog);
/* An event that is inherited runs the program of its parent at overflow. */
void perf_event_inherit_bpf_prog(struct perf_event *event);
/* Detaches the event's program, if it has one. */
void perf_event_free_bpf_prog(struct perf_event *event);

#else

static inline struct bpf_prog *bpf_prog_get(u32 fd)
{
    (void)fd;
    return ERR_PTR(-EOPNOTSUPP);
}

static inline void bpf_prog_put(struct bpf_prog *prog)
{
    (void)prog;
}

static inline unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx)
{
    (void)call;
    (void)ctx;
    return 1;
}

static inline int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog)
{
    (void)event;
    (void)prog;
    return -EOPNOTSUPP;
}

static inline void perf_event_inherit_bpf_prog(struct perf_event *event)
{
    (void)event;
}

static inline void perf_event_free_bpf_prog(struct perf_event *event)
{
    (void)event;
}

#endif

#endif
