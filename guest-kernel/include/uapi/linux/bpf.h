/*
 * bpf.h - what programs and the kernel exchange by bpf(2): instructions, commands and their
 * arguments, with the numbers and the layout of Linux 6.1.
 */
#ifndef UAPI_LINUX_BPF_H
#define UAPI_LINUX_BPF_H

#include <linux/types.h>

/* ---- instructions ---- */

struct bpf_insn {
    u8 code;
    u8 dst_reg : 4;
    u8 src_reg : 4;
    short off;
    s32 imm;
};

enum {
    BPF_REG_0,
    BPF_REG_1,
    BPF_REG_2,
    BPF_REG_3,
    BPF_REG_4,
    BPF_REG_5,
    BPF_REG_6,
    BPF_REG_7,
    BPF_REG_8,
    BPF_REG_9,
    BPF_REG_10,
    MAX_BPF_REG
};
#define BPF_REG_FP BPF_REG_10

/* The three lowest bits: the class. */
#define BPF_CLASS(code) ((code)&0x07)
#define BPF_LD          0x00
#define BPF_LDX         0x01
#define BPF_ST          0x02
#define BPF_STX         0x03
#define BPF_ALU         0x04
#define BPF_JMP         0x05
#define BPF_JMP32       0x06
#define BPF_ALU64       0x07

/* Loads and stores: size and mode. */
#define BPF_SIZE(code) ((code)&0x18)
#define BPF_W          0x00
#define BPF_H          0x08
#define BPF_B          0x10
#define BPF_DW         0x18
#define BPF_MODE(code) ((code)&0xe0)
#define BPF_IMM        0x00
#define BPF_ABS        0x20
#define BPF_IND        0x40
#define BPF_MEM        0x60
#define BPF_ATOMIC     0xc0

/* Arithmetic and jumps: the operation, and whether the operand is imm (K) or a register (X). */
#define BPF_OP(code)  ((code)&0xf0)
#define BPF_SRC(code) ((code)&0x08)
#define BPF_K         0x00
#define BPF_X         0x08
#define BPF_ADD       0x00
#define BPF_SUB       0x10
#define BPF_MUL       0x20
#define BPF_DIV       0x30
#define BPF_OR        0x40
#define BPF_AND       0x50
#define BPF_LSH       0x60
#define BPF_RSH       0x70
#define BPF_NEG       0x80
#define BPF_MOD       0x90
#define BPF_XOR       0xa0
#define BPF_MOV       0xb0
#define BPF_ARSH      0xc0
#define BPF_END       0xd0
#define BPF_TO_LE     0x00
#define BPF_TO_BE     0x08
#define BPF_JA        0x00
#define BPF_JEQ       0x10
#define BPF_JGT       0x20
#define BPF_JGE       0x30
#define BPF_JSET      0x40
#define BPF_JNE       0x50
#define BPF_JSGT      0x60
#define BPF_JSGE      0x70
#define BPF_CALL      0x80
#define BPF_EXIT      0x90
#define BPF_JLT       0xa0
#define BPF_JLE       0xb0
#define BPF_JSLT      0xc0
#define BPF_JSLE      0xd0

/* imm of BPF_ATOMIC, besides BPF_ADD, BPF_AND, BPF_OR and BPF_XOR. */
#define BPF_FETCH   0x01
#define BPF_XCHG    (0xe0 | BPF_FETCH)
#define BPF_CMPXCHG (0xf0 | BPF_FETCH)

/* src_reg of a 64-bit immediate, and of a call. */
#define BPF_PSEUDO_MAP_FD        1
#define BPF_PSEUDO_MAP_VALUE     2
#define BPF_PSEUDO_BTF_ID        3
#define BPF_PSEUDO_FUNC          4
#define BPF_PSEUDO_MAP_IDX       5
#define BPF_PSEUDO_MAP_IDX_VALUE 6
#define BPF_PSEUDO_CALL          1
#define BPF_PSEUDO_KFUNC_CALL    2

#define BPF_MAXINSNS 4096

/* ---- commands and types ---- */

enum bpf_cmd {
    BPF_MAP_CREATE = 0,
    BPF_MAP_LOOKUP_ELEM = 1,
    BPF_MAP_UPDATE_ELEM = 2,
    BPF_MAP_DELETE_ELEM = 3,
    BPF_MAP_GET_NEXT_KEY = 4,
    BPF_PROG_LOAD = 5,
    BPF_OBJ_PIN = 6,
    BPF_OBJ_GET = 7,
    BPF_PROG_ATTACH = 8,
    BPF_PROG_DETACH = 9,
    BPF_PROG_TEST_RUN = 10,
    BPF_PROG_GET_NEXT_ID = 11,
    BPF_MAP_GET_NEXT_ID = 12,
    BPF_PROG_GET_FD_BY_ID = 13,
    BPF_MAP_GET_FD_BY_ID = 14,
    BPF_OBJ_GET_INFO_BY_FD = 15,
    BPF_RAW_TRACEPOINT_OPEN = 17,
    BPF_BTF_LOAD = 18,
    BPF_BTF_GET_FD_BY_ID = 19,
    BPF_MAP_LOOKUP_AND_DELETE_ELEM = 21,
    BPF_MAP_FREEZE = 22,
    BPF_BTF_GET_NEXT_ID = 23,
    BPF_LINK_CREATE = 28,
    BPF_LINK_UPDATE = 29,
    BPF_LINK_GET_FD_BY_ID = 30,
    BPF_LINK_GET_NEXT_ID = 31,
    BPF_ENABLE_STATS = 32,
    BPF_LINK_DETACH = 34,
    BPF_PROG_BIND_MAP = 35,
};

enum bpf_map_type {
    BPF_MAP_TYPE_UNSPEC = 0,
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PROG_ARRAY = 3,
    BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
    BPF_MAP_TYPE_PERCPU_HASH = 5,
    BPF_MAP_TYPE_PERCPU_ARRAY = 6,
    BPF_MAP_TYPE_STACK_TRACE = 7,
    BPF_MAP_TYPE_LRU_HASH = 9,
    BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
    BPF_MAP_TYPE_HASH_OF_MAPS = 13,
    BPF_MAP_TYPE_RINGBUF = 27,
};

enum bpf_prog_type {
    BPF_PROG_TYPE_UNSPEC = 0,
    BPF_PROG_TYPE_SOCKET_FILTER = 1,
    BPF_PROG_TYPE_KPROBE = 2,
    BPF_PROG_TYPE_TRACEPOINT = 5,
    BPF_PROG_TYPE_PERF_EVENT = 7,
    BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
};

enum { BPF_LINK_TYPE_RAW_TRACEPOINT = 1, BPF_LINK_TYPE_PERF_EVENT = 7 };
enum { BPF_PERF_EVENT = 41 }; /* bpf_attach_type */
enum { BPF_STATS_RUN_TIME = 0 };

/* Flags of an update. */
#define BPF_ANY     0
#define BPF_NOEXIST 1
#define BPF_EXIST   2
#define BPF_F_LOCK  4

/* Flags of a map. */
#define BPF_F_NO_PREALLOC   (1U << 0)
#define BPF_F_NO_COMMON_LRU (1U << 1)
#define BPF_F_NUMA_NODE     (1U << 2)
#define BPF_F_RDONLY        (1U << 3)
#define BPF_F_WRONLY        (1U << 4)
#define BPF_F_RDONLY_PROG   (1U << 7)
#define BPF_F_WRONLY_PROG   (1U << 8)
#define BPF_F_MMAPABLE      (1U << 10)
#define BPF_F_INNER_MAP     (1U << 12)

/* Flags of a program. */
#define BPF_F_STRICT_ALIGNMENT (1U << 0)
#define BPF_F_ANY_ALIGNMENT    (1U << 1)
#define BPF_F_TEST_RND_HI32    (1U << 2)
#define BPF_F_TEST_STATE_FREQ  (1U << 3)
#define BPF_F_SLEEPABLE        (1U << 4)

#define BPF_F_REPLACE         (1U << 2) /* of BPF_LINK_UPDATE */
#define BPF_F_TEST_RUN_ON_CPU (1U << 0) /* of BPF_PROG_TEST_RUN */

/* Flags of helpers. */
#define BPF_F_INDEX_MASK      0xffffffffULL
#define BPF_F_CURRENT_CPU     BPF_F_INDEX_MASK
#define BPF_F_CTXLEN_MASK     (0xfffffULL << 32)
#define BPF_F_SKIP_FIELD_MASK 0xffULL
#define BPF_F_USER_STACK      (1ULL << 8)
#define BPF_F_FAST_STACK_CMP  (1ULL << 9)
#define BPF_F_REUSE_STACKID   (1ULL << 10)
#define BPF_F_USER_BUILD_ID   (1ULL << 11)

#define BPF_OBJ_NAME_LEN 16U
#define BPF_TAG_SIZE     8U

/* Of a ring buffer: what precedes each record, and flags of the helpers. */
#define BPF_RINGBUF_BUSY_BIT    (1U << 31)
#define BPF_RINGBUF_DISCARD_BIT (1U << 30)
#define BPF_RINGBUF_HDR_SZ      8
#define BPF_RB_NO_WAKEUP        (1ULL << 0)
#define BPF_RB_FORCE_WAKEUP     (1ULL << 1)
enum { BPF_RB_AVAIL_DATA, BPF_RB_RING_SIZE, BPF_RB_CONS_POS, BPF_RB_PROD_POS };

/* Functions of the kernel that a program calls by number. */
enum bpf_func_id {
    BPF_FUNC_unspec = 0,
    BPF_FUNC_map_lookup_elem = 1,
    BPF_FUNC_map_update_elem = 2,
    BPF_FUNC_map_delete_elem = 3,
    BPF_FUNC_probe_read = 4,
    BPF_FUNC_ktime_get_ns = 5,
    BPF_FUNC_trace_printk = 6,
    BPF_FUNC_get_prandom_u32 = 7,
    BPF_FUNC_get_smp_processor_id = 8,
    BPF_FUNC_tail_call = 12,
    BPF_FUNC_get_current_pid_tgid = 14,
    BPF_FUNC_get_current_uid_gid = 15,
    BPF_FUNC_get_current_comm = 16,
    BPF_FUNC_perf_event_output = 25,
    BPF_FUNC_get_stackid = 27,
    BPF_FUNC_get_current_task = 35,
    BPF_FUNC_get_numa_node_id = 42,
    BPF_FUNC_probe_read_str = 45,
    BPF_FUNC_get_stack = 67,
    BPF_FUNC_probe_read_user = 112,
    BPF_FUNC_probe_read_kernel = 113,
    BPF_FUNC_probe_read_user_str = 114,
    BPF_FUNC_probe_read_kernel_str = 115,
    BPF_FUNC_jiffies64 = 118,
    BPF_FUNC_ktime_get_boot_ns = 125,
    BPF_FUNC_ringbuf_output = 130,
    BPF_FUNC_ringbuf_reserve = 131,
    BPF_FUNC_ringbuf_submit = 132,
    BPF_FUNC_ringbuf_discard = 133,
    BPF_FUNC_ringbuf_query = 134,
    BPF_FUNC_loop = 181,
    __BPF_FUNC_MAX_ID = 212,
};

/* ---- arguments of the commands ---- */

typedef u64 __aligned_u64_t __attribute__((aligned(8)));

union bpf_attr {
    struct { /* BPF_MAP_CREATE */
        u32 map_type;
        u32 key_size;
        u32 value_size;
        u32 max_entries;
        u32 map_flags;
        u32 inner_map_fd;
        u32 numa_node;
        char map_name[BPF_OBJ_NAME_LEN];
        u32 map_ifindex;
        u32 btf_fd;
        u32 btf_key_type_id;
        u32 btf_value_type_id;
        u32 btf_vmlinux_value_type_id;
        u64 map_extra;
    };
    struct { /* BPF_MAP_*_ELEM, BPF_MAP_GET_NEXT_KEY */
        u32 map_fd;
        __aligned_u64_t key;
        union {
            __aligned_u64_t value;
            __aligned_u64_t next_key;
        };
        u64 flags;
    };
    struct { /* BPF_PROG_LOAD */
        u32 prog_type;
        u32 insn_cnt;
        __aligned_u64_t insns;
        __aligned_u64_t license;
        u32 log_level;
        u32 log_size;
        __aligned_u64_t log_buf;
        u32 kern_version;
        u32 prog_flags;
        char prog_name[BPF_OBJ_NAME_LEN];
        u32 prog_ifindex;
        u32 expected_attach_type;
        u32 prog_btf_fd;
        u32 func_info_rec_size;
        __aligned_u64_t func_info;
        u32 func_info_cnt;
        u32 line_info_rec_size;
        __aligned_u64_t line_info;
        u32 line_info_cnt;
        u32 attach_btf_id;
        u32 attach_prog_fd;
        u32 core_relo_cnt;
        __aligned_u64_t fd_array;
        __aligned_u64_t core_relos;
        u32 core_relo_rec_size;
    };
    struct { /* BPF_PROG_TEST_RUN */
        u32 prog_fd;
        u32 retval;
        u32 data_size_in;
        u32 data_size_out;
        __aligned_u64_t data_in;
        __aligned_u64_t data_out;
        u32 repeat;
        u32 duration;
        u32 ctx_size_in;
        u32 ctx_size_out;
        __aligned_u64_t ctx_in;
        __aligned_u64_t ctx_out;
        u32 flags;
        u32 cpu;
        u32 batch_size;
    } test;
    struct { /* BPF_*_GET_NEXT_ID, BPF_*_GET_FD_BY_ID */
        union {
            u32 start_id;
            u32 prog_id;
            u32 map_id;
            u32 link_id;
        };
        u32 next_id;
        u32 open_flags;
    };
    struct { /* BPF_OBJ_GET_INFO_BY_FD */
        u32 bpf_fd;
        u32 info_len;
        __aligned_u64_t info;
    } info;
    struct { /* BPF_RAW_TRACEPOINT_OPEN */
        u64 name;
        u32 prog_fd;
    } raw_tracepoint;
    struct { /* BPF_OBJ_PIN, BPF_OBJ_GET */
        __aligned_u64_t pathname;
        u32 obj_fd;
        u32 file_flags;
    };
    struct { /* BPF_BTF_LOAD */
        __aligned_u64_t btf;
        __aligned_u64_t btf_log_buf;
        u32 btf_size;
        u32 btf_log_size;
        u32 btf_log_level;
    };
    struct { /* BPF_LINK_CREATE */
        u32 prog_fd;
        u32 target_fd;
        u32 attach_type;
        u32 flags;
        struct {
            u64 bpf_cookie;
        } perf_event;
    } link_create;
    struct { /* BPF_LINK_UPDATE */
        u32 link_fd;
        u32 new_prog_fd;
        u32 flags;
        u32 old_prog_fd;
    } link_update;
    struct { /* BPF_LINK_DETACH */
        u32 link_fd;
    } link_detach;
    struct { /* BPF_ENABLE_STATS */
        u32 type;
    } enable_stats;
    struct { /* BPF_PROG_BIND_MAP */
        u32 prog_fd;
        u32 map_fd;
        u32 flags;
    } prog_bind_map;
    u64 size_of_6_1[18]; /* the whole union has 144 bytes */
} __attribute__((aligned(8)));

/* ---- what BPF_OBJ_GET_INFO_BY_FD tells ---- */

struct bpf_prog_info {
    u32 type;
    u32 id;
    u8 tag[BPF_TAG_SIZE];
    u32 jited_prog_len;
    u32 xlated_prog_len;
    __aligned_u64_t jited_prog_insns;
    __aligned_u64_t xlated_prog_insns;
    u64 load_time;
    u32 created_by_uid;
    u32 nr_map_ids;
    __aligned_u64_t map_ids;
    char name[BPF_OBJ_NAME_LEN];
    u32 ifindex;
    u32 gpl_compatible;
    u64 netns_dev;
    u64 netns_ino;
    u32 nr_jited_ksyms;
    u32 nr_jited_func_lens;
    __aligned_u64_t jited_ksyms;
    __aligned_u64_t jited_func_lens;
    u32 btf_id;
    u32 func_info_rec_size;
    __aligned_u64_t func_info;
    u32 nr_func_info;
    u32 nr_line_info;
    __aligned_u64_t line_info;
    __aligned_u64_t jited_line_info;
    u32 nr_jited_line_info;
    u32 line_info_rec_size;
    u32 jited_line_info_rec_size;
    u32 nr_prog_tags;
    __aligned_u64_t prog_tags;
    u64 run_time_ns;
    u64 run_cnt;
    u64 recursion_misses;
    u32 verified_insns;
    u32 attach_btf_obj_id;
    u32 attach_btf_id;
} __attribute__((aligned(8)));

struct bpf_map_info {
    u32 type;
    u32 id;
    u32 key_size;
    u32 value_size;
    u32 max_entries;
    u32 map_flags;
    char name[BPF_OBJ_NAME_LEN];
    u32 ifindex;
    u32 btf_vmlinux_value_type_id;
    u64 netns_dev;
    u64 netns_ino;
    u32 btf_id;
    u32 btf_key_type_id;
    u32 btf_value_type_id;
    u32 pad;
    u64 map_extra;
} __attribute__((aligned(8)));

struct bpf_link_info {
    u32 type;
    u32 id;
    u32 prog_id;
    struct {
        __aligned_u64_t tp_name; /* in: where to store it; out: its address */
        u32 tp_name_len;
    } raw_tracepoint;
} __attribute__((aligned(8)));

struct bpf_btf_info {
    __aligned_u64_t btf; /* where to store the data */
    u32 btf_size;
    u32 id;
    __aligned_u64_t name;
    u32 name_len;
    u32 kernel_btf;
} __attribute__((aligned(8)));

/* What a program says of its functions and lines: names are in its BTF. */
struct bpf_func_info {
    u32 insn_off;
    u32 type_id;
};
struct bpf_line_info {
    u32 insn_off;
    u32 file_name_off;
    u32 line_off;
    u32 line_col; /* line << 10 | column */
};

/* The context of a program of type perf_event. */
struct bpf_perf_event_data {
    unsigned long regs[32]; /* pc, then x1 to x31 */
    u64 sample_period;
    u64 addr;
};

#endif
