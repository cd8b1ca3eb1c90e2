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

#define MAX_BPF_STACK        512
#define MAX_CALL_FRAMES      8
#define MAX_BPF_FUNC_ARGS    12
#define MAX_BPF_MAPS         64 /* of one program */
#define MAX_TAIL_CALL_CNT    33
#define BPF_TRACE_MAX_PROGS  64 /* of one event */
#define BPF_COMPLEXITY_LIMIT 1000000
#define BPF_MAX_TRACE_SIZE   8192 /* of the entry that a program of type tracepoint reads */

struct bpf_jit_image;
struct btf;
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
    /* For system calls, where a value has a part for each hart. NULL: lookup and update. */
    int (*copy_value)(struct bpf_map *map, const void *key, void *value);
    int (*update_all)(struct bpf_map *map, const void *key, const void *value, u64 flags);
    /* The key and the value are for system calls only: a descriptor of a file. May sleep. */
    int (*update_fd)(struct bpf_map *map, struct file *map_file, const void *key, int fd,
                     u64 flags);
    int (*remove_fd)(struct bpf_map *map, const void *key); /* goes with update_fd */
    /* The address of the values, of which off is in one. NULL: no program may ask. */
    int (*direct_value_addr)(const struct bpf_map *map, u64 *addr, u32 off);
    struct page *(*mmap_page)(struct bpf_map *map, unsigned long index, bool write);
    unsigned int (*poll)(struct bpf_map *map, struct file *file, void *table);
    void (*release)(struct bpf_map *map, struct file *map_file); /* the file is closed */
    void (*release_uref)(struct bpf_map *map); /* no descriptor or name is left; may sleep */
};

/* No system call writes the map any more. */
enum { BPF_MAP_FROZEN = -1 };

struct bpf_map {
    const struct bpf_map_ops *ops;
    u32 map_type, key_size, value_size, max_entries, map_flags;
    u64 map_extra;
    u32 id;
    int refcnt;      /* atomics only */
    int usercnt;     /* of which descriptors and names: programs have the others; atomics only */
    int writers;     /* system calls and mappings that write, or BPF_MAP_FROZEN; atomics only */
    struct btf *btf; /* of the types of keys and values; referenced, or NULL */
    u32 btf_key_type_id, btf_value_type_id;
    struct bpf_map *inner_map_meta; /* of a map of maps: what is in it; or NULL */
    char name[BPF_OBJ_NAME_LEN];
};

/* Sizes a value has for programs and in the tables of per-hart maps. */
static inline u32 bpf_round_up(u32 n, u32 align)
{
    return (n + align - 1) / align * align;
}

/* The value is read-only for programs and will never change. */
static inline bool bpf_map_is_rdonly(const struct bpf_map *map)
{
    return map->map_flags & BPF_F_RDONLY_PROG &&
           __atomic_load_n(&map->writers, __ATOMIC_SEQ_CST) == BPF_MAP_FROZEN;
}

/* ---- programs ---- */

/* A function of a program. */
struct bpf_subprog_info {
    u32 start;       /* its first instruction */
    u16 stack_depth; /* bytes */
};

struct bpf_prog {
    u32 type;
    u32 len; /* instructions */
    struct bpf_insn *insns;
    bool gpl_compatible;
    bool needs_stack; /* calls bpf_get_stackid() or bpf_get_stack() */
    u32 prog_flags;
    u32 expected_attach_type;
    u32 stack_depth;    /* of the main function */
    u32 max_ctx_offset; /* bytes of the context that it reads */
    u32 max_tp_access;
    u32 verified_insns;
    struct bpf_map *used_maps[MAX_BPF_MAPS]; /* referenced */
    u32 used_map_cnt;
    u32 id;
    int refcnt; /* atomics only */
    char name[BPF_OBJ_NAME_LEN];
    u8 tag[BPF_TAG_SIZE]; /* the same for the same text: kernel/bpf/tag.c */
    struct btf *btf;      /* of all below; referenced, or NULL */
    struct bpf_func_info *func_info;
    struct bpf_line_info *linfo;
    u32 func_info_cnt, nr_linfo;
    u64 load_time;
    bool has_callbacks; /* a helper calls functions of it, which only the interpreter can */
    struct bpf_subprog_info *subprogs; /* its functions, the main one first */
    u32 subprog_cnt;
    struct bpf_jit_image *jited; /* NULL: it is interpreted */
    u64 (*bpf_func)(const void *ctx, const struct bpf_prog *prog);
    /* Each hart counts for itself. */
    struct bpf_prog_stats {
        u64 cnt, nsecs, misses;
        u32 active; /* it runs there */
    } * stats;
};

/* kernel/bpf/core.c: interprets a verified program. Preemption is off. */
u64 __bpf_prog_run(const void *ctx, const struct bpf_prog *prog);
/* For programs of the host, with checks. */
u64 bpf_prog_run_insns(const struct bpf_prog *prog, const void *ctx);

/* An instruction that only the verifier makes, of a call of bpf_tail_call(). */
#define BPF_TAIL_CALL 0xf0
/* The source register of another one, of a call of bpf_loop(). */
#define BPF_CALL_LOOP 15
#define BPF_MAX_LOOPS (8 << 20) /* of one call */
/*
 * kernel/bpf/fd_array.c: the program to go on with, whose stack is empty. NULL: there is none, and
 * the call has no effect. count: how many tail calls there were.
 */
const struct bpf_prog *bpf_tail_call(u64 map, u64 index, u32 *count);

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
    ARG_PTR_TO_MEM_OR_NULL,
    ARG_PTR_TO_UNINIT_MEM, /* it fills it */
    ARG_CONST_SIZE,
    ARG_CONST_SIZE_OR_ZERO,
    ARG_PTR_TO_CTX,
    ARG_ANYTHING,
    ARG_PTR_TO_ALLOC_MEM, /* a record that it releases */
    ARG_CONST_ALLOC_SIZE_OR_ZERO,
    ARG_PTR_TO_FUNC, /* of the program */
    ARG_PTR_TO_STACK_OR_NULL,
};

enum bpf_return_type {
    RET_INTEGER,
    RET_VOID,
    RET_PTR_TO_MAP_VALUE_OR_NULL,
    RET_PTR_TO_ALLOC_MEM_OR_NULL,
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

/* kernel/bpf/func_proto.c: NULL: a program of this type must not call it. */
const struct bpf_func_proto *bpf_get_func_proto(u32 prog_type, int func_id);
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
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
/* An event that is inherited runs the program of its parent at overflow. */
void perf_event_inherit_bpf_prog(struct perf_event *event);
/* Detaches the event's program, if it has one. */
void perf_event_free_bpf_prog(struct perf_event *event);
/* At boot: the file system bpf. */
void bpf_fs_init(void);
/* PERF_EVENT_IOC_QUERY_BPF. */
int perf_event_query_prog_array(struct perf_event *event, void __user *info);

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

static inline int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
                                          u64 bpf_cookie)
{
    (void)event;
    (void)prog;
    (void)bpf_cookie;
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

static inline void bpf_fs_init(void) {}

static inline int perf_event_query_prog_array(struct perf_event *event, void __user *info)
{
    (void)event;
    (void)info;
    return -EOPNOTSUPP;
}

#endif

#endif
