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

/* src_reg of a 64-bit immediate. */
#define BPF_PSEUDO_MAP_FD    1
#define BPF_PSEUDO_MAP_VALUE 2

#define BPF_MAXINSNS 4096

/* ---- commands and types ---- */

enum bpf_cmd {
    BPF_MAP_CREATE = 0,
    BPF_MAP_LOOKUP_ELEM = 1,
    BPF_MAP_UPDATE_ELEM = 2,
    BPF_MAP_DELETE_ELEM = 3,
    BPF_MAP_GET_NEXT_KEY = 4,
    BPF_PROG_LOAD = 5,
    BPF_PROG_TEST_RUN = 10,
    BPF_OBJ_GET_INFO_BY_FD = 15,
    BPF_RAW_TRACEPOINT_OPEN = 17,
};

enum bpf_map_type {
    BPF_MAP_TYPE_UNSPEC = 0,
    BPF_MAP_TYPE_HASH = 1,
    BPF_MAP_TYPE_ARRAY = 2,
    BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
};

enum bpf_prog_type {
    BPF_PROG_TYPE_UNSPEC = 0,
    BPF_PROG_TYPE_KPROBE = 2,
    BPF_PROG_TYPE_TRACEPOINT = 5,
    BPF_PROG_TYPE_PERF_EVENT = 7,
    BPF_PROG_TYPE_RAW_TRACEPOINT = 17,
};

/* Flags of an update. */
#define BPF_ANY     0
#define BPF_NOEXIST 1
#define BPF_EXIST   2

/* Flags of a map. */
#define BPF_F_RDONLY_PROG (1U << 7)
#define BPF_F_WRONLY_PROG (1U << 8)

/* Flags of a program. */
#define BPF_F_STRICT_ALIGNMENT (1U << 0)

/* Flags of bpf_perf_event_output(). */
#define BPF_F_INDEX_MASK  0xffffffffULL
#define BPF_F_CURRENT_CPU BPF_F_INDEX_MASK

#define BPF_OBJ_NAME_LEN 16U
#define BPF_TAG_SIZE     8U

/* Functions of the kernel that a program calls by number. */
enum bpf_func_id {
    BPF_FUNC_unspec = 0,
    BPF_FUNC_map_lookup_elem = 1,
    BPF_FUNC_map_update_elem = 2,
    BPF_FUNC_map_delete_elem = 3,
    BPF_FUNC_ktime_get_ns = 5,
    BPF_FUNC_trace_printk = 6,
    BPF_FUNC_get_prandom_u32 = 7,
    BPF_FUNC_get_smp_processor_id = 8,
    BPF_FUNC_get_current_pid_tgid = 14,
    BPF_FUNC_get_current_uid_gid = 15,
    BPF_FUNC_get_current_comm = 16,
    BPF_FUNC_perf_event_output = 25,
    BPF_FUNC_get_current_task = 35,
    BPF_FUNC_probe_read_kernel = 113,
    BPF_FUNC_probe_read_kernel_str = 115,
    __BPF_FUNC_MAX_ID = 116,
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
    } test;
    struct { /* BPF_OBJ_GET_INFO_BY_FD */
        u32 bpf_fd;
        u32 info_len;
        __aligned_u64_t info;
    } info;
    struct { /* BPF_RAW_TRACEPOINT_OPEN */
        u64 name;
        u32 prog_fd;
    } raw_tracepoint;
    u64 size_of_6_1[18]; /* the whole union has 144 bytes */
} __attribute__((aligned(8)));

/* ---- the answers of BPF_OBJ_GET_INFO_BY_FD ---- */

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
} __attribute__((aligned(8)));

/* The context of a program of type perf_event. */
struct bpf_perf_event_data {
    unsigned long regs[32]; /* pc, then x1 to x31 */
    u64 sample_period;
    u64 addr;
};

#endif
