/*
 * perf_event.h - what programs and the kernel share of perf: struct perf_event_attr, the commands
 * of ioctl, the page in front of a ring, and its records. Layouts and numbers are Linux 6.1's.
 */
#ifndef UAPI_LINUX_PERF_EVENT_H
#define UAPI_LINUX_PERF_EVENT_H

#include <linux/types.h>

/* Types of events; the kernel numbers further PMUs from PERF_TYPE_MAX on. */
enum {
    PERF_TYPE_HARDWARE = 0,
    PERF_TYPE_SOFTWARE = 1,
    PERF_TYPE_TRACEPOINT = 2,
    PERF_TYPE_HW_CACHE = 3,
    PERF_TYPE_RAW = 4,
    PERF_TYPE_BREAKPOINT = 5,
    PERF_TYPE_MAX = 6,
};

/* config of PERF_TYPE_HARDWARE. */
enum {
    PERF_COUNT_HW_CPU_CYCLES = 0,
    PERF_COUNT_HW_INSTRUCTIONS = 1,
    PERF_COUNT_HW_CACHE_REFERENCES = 2,
    PERF_COUNT_HW_CACHE_MISSES = 3,
    PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
    PERF_COUNT_HW_BRANCH_MISSES = 5,
    PERF_COUNT_HW_BUS_CYCLES = 6,
    PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
    PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
    PERF_COUNT_HW_REF_CPU_CYCLES = 9,
    PERF_COUNT_HW_MAX = 10,
};

/* config of PERF_TYPE_HW_CACHE: cache | operation << 8 | result << 16. */
enum {
    PERF_COUNT_HW_CACHE_L1D = 0,
    PERF_COUNT_HW_CACHE_L1I = 1,
    PERF_COUNT_HW_CACHE_LL = 2,
    PERF_COUNT_HW_CACHE_DTLB = 3,
    PERF_COUNT_HW_CACHE_ITLB = 4,
    PERF_COUNT_HW_CACHE_BPU = 5,
    PERF_COUNT_HW_CACHE_NODE = 6,
    PERF_COUNT_HW_CACHE_MAX = 7,
};
enum {
    PERF_COUNT_HW_CACHE_OP_READ = 0,
    PERF_COUNT_HW_CACHE_OP_WRITE = 1,
    PERF_COUNT_HW_CACHE_OP_PREFETCH = 2,
    PERF_COUNT_HW_CACHE_OP_MAX = 3,
};
enum {
    PERF_COUNT_HW_CACHE_RESULT_ACCESS = 0,
    PERF_COUNT_HW_CACHE_RESULT_MISS = 1,
    PERF_COUNT_HW_CACHE_RESULT_MAX = 2,
};

/* config of PERF_TYPE_SOFTWARE. */
enum {
    PERF_COUNT_SW_CPU_CLOCK = 0,
    PERF_COUNT_SW_TASK_CLOCK = 1,
    PERF_COUNT_SW_PAGE_FAULTS = 2,
    PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
    PERF_COUNT_SW_CPU_MIGRATIONS = 4,
    PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
    PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
    PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
    PERF_COUNT_SW_EMULATION_FAULTS = 8,
    PERF_COUNT_SW_DUMMY = 9,
    PERF_COUNT_SW_BPF_OUTPUT = 10,
    PERF_COUNT_SW_CGROUP_SWITCHES = 11,
    PERF_COUNT_SW_MAX = 12,
};

/* Members of a sample. */
#define PERF_SAMPLE_IP             (1ull << 0)
#define PERF_SAMPLE_TID            (1ull << 1)
#define PERF_SAMPLE_TIME           (1ull << 2)
#define PERF_SAMPLE_ADDR           (1ull << 3)
#define PERF_SAMPLE_READ           (1ull << 4)
#define PERF_SAMPLE_CALLCHAIN      (1ull << 5)
#define PERF_SAMPLE_ID             (1ull << 6)
#define PERF_SAMPLE_CPU            (1ull << 7)
#define PERF_SAMPLE_PERIOD         (1ull << 8)
#define PERF_SAMPLE_STREAM_ID      (1ull << 9)
#define PERF_SAMPLE_RAW            (1ull << 10)
#define PERF_SAMPLE_BRANCH_STACK   (1ull << 11)
#define PERF_SAMPLE_REGS_USER      (1ull << 12)
#define PERF_SAMPLE_STACK_USER     (1ull << 13)
#define PERF_SAMPLE_WEIGHT         (1ull << 14)
#define PERF_SAMPLE_DATA_SRC       (1ull << 15)
#define PERF_SAMPLE_IDENTIFIER     (1ull << 16)
#define PERF_SAMPLE_TRANSACTION    (1ull << 17)
#define PERF_SAMPLE_REGS_INTR      (1ull << 18)
#define PERF_SAMPLE_PHYS_ADDR      (1ull << 19)
#define PERF_SAMPLE_AUX            (1ull << 20)
#define PERF_SAMPLE_CGROUP         (1ull << 21)
#define PERF_SAMPLE_DATA_PAGE_SIZE (1ull << 22)
#define PERF_SAMPLE_CODE_PAGE_SIZE (1ull << 23)
#define PERF_SAMPLE_WEIGHT_STRUCT  (1ull << 24)
#define PERF_SAMPLE_MAX            (1ull << 25)

#define PERF_FORMAT_TOTAL_TIME_ENABLED 1u
#define PERF_FORMAT_TOTAL_TIME_RUNNING 2u
#define PERF_FORMAT_ID                 4u
#define PERF_FORMAT_GROUP              8u
#define PERF_FORMAT_LOST               16u
#define PERF_FORMAT_MAX                32u

#define PERF_ATTR_SIZE_VER0 64

struct perf_event_attr {
    u32 type;
    u32 size;
    u64 config;
    union {
        u64 sample_period;
        u64 sample_freq;
    };
    u64 sample_type;
    u64 read_format;
    u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1, exclude_kernel : 1,
        exclude_hv : 1, exclude_idle : 1, mmap : 1, comm : 1, freq : 1, inherit_stat : 1,
        enable_on_exec : 1, task : 1, watermark : 1, precise_ip : 2, mmap_data : 1,
        sample_id_all : 1, exclude_host : 1, exclude_guest : 1, exclude_callchain_kernel : 1,
        exclude_callchain_user : 1, mmap2 : 1, comm_exec : 1, use_clockid : 1, context_switch : 1,
        write_backward : 1, namespaces : 1, ksymbol : 1, bpf_event : 1, aux_output : 1, cgroup : 1,
        text_poke : 1, build_id : 1, inherit_thread : 1, remove_on_exec : 1, sigtrap : 1,
        __reserved_1 : 26;
    union {
        u32 wakeup_events;
        u32 wakeup_watermark;
    };
    u32 bp_type;
    union {
        u64 bp_addr;
        u64 kprobe_func;
        u64 uprobe_path;
        u64 config1;
    };
    union {
        u64 bp_len;
        u64 kprobe_addr;
        u64 probe_offset;
        u64 config2;
    };
    u64 branch_sample_type;
    u64 sample_regs_user;
    u32 sample_stack_user;
    s32 clockid;
    u64 sample_regs_intr;
    u32 aux_watermark;
    u16 sample_max_stack;
    u16 __reserved_2;
    u32 aux_sample_size;
    u32 __reserved_3;
    u64 sig_data;
};

/* flags of perf_event_open(2). */
#define PERF_FLAG_FD_NO_GROUP 1ul
#define PERF_FLAG_FD_OUTPUT   2ul
#define PERF_FLAG_PID_CGROUP  4ul
#define PERF_FLAG_FD_CLOEXEC  8ul

#define PERF_EVENT_IOC_ENABLE            0x2400u
#define PERF_EVENT_IOC_DISABLE           0x2401u
#define PERF_EVENT_IOC_REFRESH           0x2402u
#define PERF_EVENT_IOC_RESET             0x2403u
#define PERF_EVENT_IOC_PERIOD            0x40082404u
#define PERF_EVENT_IOC_SET_OUTPUT        0x2405u
#define PERF_EVENT_IOC_SET_FILTER        0x40082406u
#define PERF_EVENT_IOC_ID                0x80082407u
#define PERF_EVENT_IOC_SET_BPF           0x40042408u
#define PERF_EVENT_IOC_PAUSE_OUTPUT      0x40042409u
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES 0x4008240bu

enum { PERF_IOC_FLAG_GROUP = 1 };

/* The first page of a mapping; the ring follows. */
struct perf_event_mmap_page {
    u32 version, compat_version;
    u32 lock; /* odd: the members below change */
    u32 index;
    s64 offset;
    u64 time_enabled, time_running;
    union {
        u64 capabilities;
        struct {
            u64 cap_bit0 : 1, cap_bit0_is_deprecated : 1, cap_user_rdpmc : 1, cap_user_time : 1,
                cap_user_time_zero : 1, cap_user_time_short : 1, cap_____res : 58;
        };
    };
    u16 pmc_width, time_shift;
    u32 time_mult;
    u64 time_offset, time_zero;
    u32 size, __reserved_1;
    u64 time_cycles, time_mask;
    u8 __reserved[116 * 8];
    u64 data_head; /* written by the kernel, after the data */
    u64 data_tail; /* written by the program, after it has read */
    u64 data_offset, data_size;
    u64 aux_head, aux_tail, aux_offset, aux_size;
};

struct perf_event_header {
    u32 type;
    u16 misc;
    u16 size;
};

#define PERF_RECORD_MISC_CPUMODE_MASK 7
#define PERF_RECORD_MISC_KERNEL       1
#define PERF_RECORD_MISC_USER         2
#define PERF_RECORD_MISC_MMAP_DATA    (1 << 13)
#define PERF_RECORD_MISC_COMM_EXEC    (1 << 13)
#define PERF_RECORD_MISC_EXACT_IP     (1 << 14)

enum {
    PERF_RECORD_MMAP = 1,
    PERF_RECORD_LOST = 2,
    PERF_RECORD_COMM = 3,
    PERF_RECORD_EXIT = 4,
    PERF_RECORD_THROTTLE = 5,
    PERF_RECORD_UNTHROTTLE = 6,
    PERF_RECORD_FORK = 7,
    PERF_RECORD_READ = 8,
    PERF_RECORD_SAMPLE = 9,
    PERF_RECORD_MMAP2 = 10,
    PERF_RECORD_KSYMBOL = 17,
};

/* Of PERF_RECORD_KSYMBOL: whose text it is, and that it goes. */
enum { PERF_RECORD_KSYMBOL_TYPE_BPF = 1 };
#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER 1

/* Of PERF_RECORD_BPF_EVENT. */
enum perf_bpf_event_type { PERF_BPF_EVENT_PROG_LOAD = 1, PERF_BPF_EVENT_PROG_UNLOAD = 2 };

/* Marks in callchains: what follows is of the kernel, or of the program. */
#define PERF_CONTEXT_KERNEL ((u64)-128)
#define PERF_CONTEXT_USER   ((u64)-512)
#define PERF_CONTEXT_MAX    ((u64)-4095)

#endif
