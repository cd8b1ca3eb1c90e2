/* bpftest.c - bpf(2): maps, the verifier's verdicts, running programs, and programs at events. */
#include "bpf_cases.h"
#include "bpf_insn.h"
#include "bpf_syscall.h"
#include "libc.h"
#include <uapi/linux/perf_event.h>

#define KPROBE_PMU "/sys/bus/event_source/devices/kprobe/"

static char log_text[16384];
static unsigned int log_level = 4, prog_flags; /* of what prog_load() loads */

static int update(int fd, const void *key, void *value, uint64_t flags)
{
    return map_op(BPF_MAP_UPDATE_ELEM, fd, key, value, flags);
}

static int lookup(int fd, const void *key, void *value)
{
    return map_op(BPF_MAP_LOOKUP_ELEM, fd, key, value, 0);
}

static int delete (int fd, const void *key)
{
    return map_op(BPF_MAP_DELETE_ELEM, fd, key, NULL, 0);
}

static int next_key(int fd, const void *key, void *next)
{
    return map_op(BPF_MAP_GET_NEXT_KEY, fd, key, next, 0);
}

static int prog_load(unsigned int type, const struct bpf_insn *insns, unsigned int len)
{
    union bpf_attr attr = {.prog_type = type};

    attr.insns = (unsigned long)insns;
    attr.insn_cnt = len;
    attr.license = (unsigned long)"GPL";
    attr.log_level = log_level;
    attr.prog_flags = prog_flags;
    attr.log_size = sizeof(log_text);
    attr.log_buf = (unsigned long)log_text;
    memcpy(attr.prog_name, "test", 5);
    log_text[0] = 0;
    return bpf(BPF_PROG_LOAD, &attr);
}

static int run(int fd, uint64_t *ctx, unsigned int size, unsigned int *result)
{
    union bpf_attr attr = {.test = {.prog_fd = fd, .ctx_size_in = size}};
    int err;

    attr.test.ctx_in = (unsigned long)ctx;
    err = bpf(BPF_PROG_TEST_RUN, &attr);
    *result = attr.test.retval;
    return err;
}

static int raw_tracepoint_open(int prog, const char *name)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (unsigned long)name, .prog_fd = prog}};

    return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* ---- maps ---- */

static void test_array(void)
{
    unsigned int key = 3, next = 0;
    uint64_t value = 77, got = 0, values[8] = {0};
    int fd = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0), percpu;

    check("an array can be created", fd >= 0);
    check("a value can be stored", update(fd, &key, &value, BPF_ANY) == 0);
    check("and read", lookup(fd, &key, &got) == 0 && got == 77);
    check("a value that was never stored is zero",
          (key = 0, lookup(fd, &key, &got) == 0) && got == 0);
    check("BPF_NOEXIST is EEXIST", update(fd, &key, &value, BPF_NOEXIST) == -EEXIST);
    check("an unknown flag is EINVAL", update(fd, &key, &value, 8) == -EINVAL);
    check("an element of an array cannot be deleted", delete (fd, &key) == -EINVAL);
    check("the first key is 0", next_key(fd, NULL, &next) == 0 && next == 0);
    check("the next one is 1", next_key(fd, &key, &next) == 0 && next == 1);
    key = 3;
    check("after the last key is ENOENT", next_key(fd, &key, &next) == -ENOENT);
    key = 4;
    check("a key beyond the array is ENOENT, and E2BIG to store",
          lookup(fd, &key, &got) == -ENOENT && update(fd, &key, &value, 0) == -E2BIG);
    check("a bad address is EFAULT", update(fd, (void *)8, &value, 0) == -EFAULT);
    check("a descriptor that is no map is EINVAL, a closed one EBADF",
          lookup(0, &key, &got) == -EINVAL && lookup(63, &key, &got) == -EBADF);
    close(fd);
    check("keys of an array have 4 bytes",
          map_create(BPF_MAP_TYPE_ARRAY, 8, 8, 4, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_ARRAY, 4, 0, 4, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 0, 0) == -EINVAL);
    check("an unknown type or flag is EINVAL",
          map_create(99, 4, 8, 4, 0) == -EINVAL && map_create(2, 4, 8, 4, 1u << 20) == -EINVAL);
    percpu = map_create(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 2, 0);
    key = 1;
    values[0] = 5;
    check("a value of each hart", update(percpu, &key, values, 0) == 0 &&
                                      lookup(percpu, &key, values) == 0 && values[0] == 5);
    close(percpu);
}

static int count_keys(int fd)
{
    uint64_t key, next;
    int n = 0, err = next_key(fd, NULL, &next);

    for (; !err && n < 100; n++) {
        key = next;
        err = next_key(fd, &key, &next);
    }
    return n;
}

static void test_hash(void)
{
    uint64_t key = 1, value = 10, got;
    int fd = map_create(BPF_MAP_TYPE_HASH, 8, 8, 3, 0), lru;

    check("a hash is empty", count_keys(fd) == 0 && lookup(fd, &key, &got) == -ENOENT);
    check("BPF_EXIST of a new key is ENOENT", update(fd, &key, &value, BPF_EXIST) == -ENOENT);
    check("BPF_NOEXIST stores it once", update(fd, &key, &value, BPF_NOEXIST) == 0 &&
                                            update(fd, &key, &value, BPF_NOEXIST) == -EEXIST);
    key = 2;
    update(fd, &key, &value, 0);
    key = 3;
    update(fd, &key, &value, 0);
    key = 4;
    check("a full hash is E2BIG", update(fd, &key, &value, 0) == -E2BIG);
    check("each key is listed once", count_keys(fd) == 3);
    key = 2;
    check("a key is deleted once", delete (fd, &key) == 0 && delete (fd, &key) == -ENOENT);
    key = 4;
    check("then another one has room", update(fd, &key, &value, 0) == 0 && count_keys(fd) == 3);
    check("a value is read and deleted at a time",
          map_op(BPF_MAP_LOOKUP_AND_DELETE_ELEM, fd, &key, &got, 0) == 0 && got == 10 &&
              lookup(fd, &key, &got) == -ENOENT);
    close(fd);
    lru = map_create(BPF_MAP_TYPE_LRU_HASH, 8, 8, 3, 0);
    for (key = 1; key < 9; key++)
        update(lru, &key, &value, 0);
    key = 8;
    check("a full LRU hash drops old keys", count_keys(lru) == 3 && lookup(lru, &key, &got) == 0);
    close(lru);
    check("LRU needs its elements at once: ENOTSUPP",
          map_create(BPF_MAP_TYPE_LRU_HASH, 8, 8, 3, BPF_F_NO_PREALLOC) == -524);
}

static void test_access(void)
{
    unsigned int key = 0;
    uint64_t value = 1;
    int ro = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY);
    int wo = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_WRONLY);
    int frozen = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    union bpf_attr attr = {.map_fd = frozen};

    check("a map for reading is not written", update(ro, &key, &value, 0) == -EPERM);
    check("a map for writing is not read", lookup(wo, &key, &value) == -EPERM);
    check("a frozen map is not written",
          bpf(BPF_MAP_FREEZE, &attr) == 0 && update(frozen, &key, &value, 0) == -EPERM);
    check("a map is frozen once", bpf(BPF_MAP_FREEZE, &attr) == -EBUSY);
    close(ro);
    close(wo);
    close(frozen);
    check("a ring buffer has a power of two of pages",
          map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4097, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 12288, 0) == -EINVAL &&
              map_create(BPF_MAP_TYPE_RINGBUF, 4, 0, 4096, 0) == -EINVAL);
}

/* ---- verdicts, and results ---- */

static void use_case_maps(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 64, 1, 0);
    int hash = map_create(BPF_MAP_TYPE_HASH, 8, 64, 4, 0);
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);

    dup2(map, BPF_CASE_MAP);
    dup2(hash, BPF_CASE_HASH);
    dup2(ring, BPF_CASE_RING);
    close(map);
    close(hash);
    close(ring);
}

static bool case_holds(const struct bpf_case *c, unsigned int flags)
{
    static uint64_t ctx[12] = {11, 22, 33};
    unsigned int result = ~0u;
    int fd, err;

    log_level = c->message ? 1 : 4; /* of those that are rejected with their instructions */
    prog_flags = flags;
    fd = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, c->insns, c->len);
    prog_flags = 0;
    log_level = 4;
    if (c->message)
        return fd < 0 && strstr(log_text, c->message);
    if (fd < 0)
        return false;
    err = run(fd, ctx, sizeof(ctx), &result);
    close(fd);
    return !err && result == c->result;
}

static void test_cases(void)
{
    unsigned int i, bad = 0;

    use_case_maps();
    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++) {
        if (case_holds(&bpf_cases[i], 0) && case_holds(&bpf_cases[i], BPF_F_TEST_STATE_FREQ))
            continue;
        bad++;
        printf("# %s: %s\n", bpf_cases[i].name, log_text);
    }
    printf("# %u programs\n", i);
    check("the verifier and the interpreter treat each program as expected", !bad);
}

/* Each instruction's text in the log, as Linux writes it. */
static void test_log_text(void)
{
    static const struct bpf_insn insns[] = {
        MOV64_IMM(R0, -1),
        ST_MEM(BPF_DW, R10, -8, 7),
        ATOMIC_OP(BPF_DW, BPF_ADD, R10, R0, -8),
        LDX_MEM(BPF_B, R2, R10, -8),
        ALU32_IMM(BPF_AND, R2, 3),
        JMP32_IMM(BPF_JSLT, R2, 9, 0),
        STX_MEM(BPF_W, R10, R2, -16),
        CALL(BPF_FUNC_ktime_get_ns),
        JMP32_IMM(BPF_JSGT, R0, 60, 3),
        JMP32_IMM(BPF_JSLT, R0, 0, 2),
        ALU32_REG(BPF_MOV, R0, R0),
        ATOMIC_OP(BPF_DW, 0xe0, R10, R0, -8), /* is none */
        EXIT(),
    };
    static const char *const lines[] = {
        "0: (b7) r0 = -1                       ; R0_w=-1\n",
        "1: (7a) *(u64 *)(r10 -8) = 7          ; R10=fp0 fp-8_w=7\n",
        "2: (db) lock *(u64 *)(r10 -8) += r0   ; R0_w=-1 R10=fp0 fp-8_w=mmmmmmmm\n",
        "3: (71) r2 = *(u8 *)(r10 -8)          ; R2_w=scalar(umax=255,var_off=(0x0; 0xff)) "
        "R10=fp0\n",
        "4: (54) w2 &= 3                       ; R2_w=scalar(umax=3,var_off=(0x0; 0x3))\n",
        "5: (c6) if w2 s< 0x9 goto pc+0        ; R2_w=scalar(umax=3,var_off=(0x0; 0x3))\n",
        "6: (63) *(u32 *)(r10 -16) = r2        ; R2_w=scalar(umax=3,var_off=(0x0; 0x3)) R10=fp0 "
        "fp-16=\n",
        "7: (85) call bpf_ktime_get_ns#5       ; R0=scalar()\n",
        "8: (66) if w0 s> 0x3c goto pc+3       ; R0=scalar(s32_max=60)\n",
        "9: (c6) if w0 s< 0x0 goto pc+2        ; "
        "R0=scalar(smax=9223372032559808575,umax=18446744069414584383,"
        "var_off=(0x0; 0xffffffff0000003f),s32_min=0,s32_max=60,u32_max=60)\n",
        "10: (bc) w0 = w0                      ; R0_w=scalar(umax=60,var_off=(0x0; 0x3f))\n",
        "11: (db) BUG_db\nBPF_ATOMIC uses invalid atomic opcode e0\n",
    };
    unsigned int i, found = 0;

    log_level = 1;
    close(prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns)));
    log_level = 4;
    for (i = 0; i < ARRAY_SIZE(lines); i++)
        if (strstr(log_text, lines[i]))
            found++;
        else
            printf("# missing: %s", lines[i]);
    check("the log has each kind of instruction", found == ARRAY_SIZE(lines));
}

static void test_load_errors(void)
{
    static const struct bpf_insn ok[] = {MOV64_IMM(R0, 0), EXIT()};
    static const struct bpf_insn gpl[] = {CALL(BPF_FUNC_get_current_task), EXIT()};
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};
    char small[128];

    attr.insns = (unsigned long)ok;
    attr.insn_cnt = 2;
    attr.license = (unsigned long)"Proprietary";
    check("a program without a log", close(bpf(BPF_PROG_LOAD, &attr)) == 0);
    attr.insn_cnt = 0;
    check("no instructions are E2BIG", bpf(BPF_PROG_LOAD, &attr) == -E2BIG);
    attr.insn_cnt = 2;
    attr.prog_type = 3;
    check("an unknown type is EINVAL", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.log_size = 64;
    attr.log_level = 1;
    attr.log_buf = (unsigned long)log_text;
    check("a log of less than 128 bytes is EINVAL", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    attr.log_size = sizeof(small);
    attr.log_level = 2;
    attr.log_buf = (unsigned long)small;
    check("a log that is too small is ENOSPC", bpf(BPF_PROG_LOAD, &attr) == -ENOSPC);
    attr.log_size = sizeof(log_text);
    attr.log_level = 1;
    attr.log_buf = (unsigned long)log_text;
    check("the log has the instructions",
          close(bpf(BPF_PROG_LOAD, &attr)) == 0 &&
              strstr(log_text, "0: R1=ctx(off=0,imm=0) R10=fp0\n"
                               "0: (b7) r0 = 0                        ; R0_w=0\n"
                               "1: (95) exit\n"));
    attr.insns = (unsigned long)gpl;
    check("some helpers are for GPL programs only",
          bpf(BPF_PROG_LOAD, &attr) == -EINVAL && strstr(log_text, "GPL-restricted"));
    attr.core_relo_rec_size = 1;
    ((char *)&attr)[143] = 1;
    check("what is unknown must be zero", bpf(BPF_PROG_LOAD, &attr) == -EINVAL);
    check("an unknown command is EINVAL", bpf(77, &attr) == -EINVAL);
}

static void test_any_alignment(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 64, 1, 0);
    const struct bpf_insn load[] = {
        LD_MAP_VALUE(R1, map, 0),
        LDX_MEM(BPF_DW, R0, R1, 3),
        MOV64_IMM(R0, 0),
        EXIT(),
    };
    const struct bpf_insn add[] = {
        LD_MAP_VALUE(R1, map, 0),
        MOV64_IMM(R0, 0),
        ATOMIC_OP(BPF_DW, BPF_ADD, R1, R0, 4),
        EXIT(),
    };

    prog_flags = BPF_F_ANY_ALIGNMENT;
    check("a misaligned load is accepted if any alignment is asked for",
          close(prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, load, ARRAY_SIZE(load))) == 0);
    check("but no misaligned atomic operation",
          prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, add, ARRAY_SIZE(add)) == -EACCES &&
              strstr(log_text, "misaligned value access"));
    prog_flags = 0;
    close(map);
}

static void test_tail_call_with_record(void)
{
    int array = map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0);
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0);
    const struct bpf_insn with_record[] = {
        MOV64_REG(R6, R1),
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 8),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        JMP_IMM(BPF_JEQ, R0, 0, 5),
        MOV64_REG(R1, R6),
        LD_MAP_FD(R2, array),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_tail_call),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    check("no tail call with a record that was not given back",
          prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, with_record, ARRAY_SIZE(with_record)) ==
                  -EINVAL &&
              strstr(log_text, "tail_call would lead to reference leak"));
    close(array);
    close(ring);
}

/* ---- at events ---- */

/* Counts in element 0 of a map the calls of getpid() by this task. */
static int load_counter(int map, int pid)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 8),
        JMP_IMM(BPF_JNE, R6, __NR_getpid, 12),
        CALL(BPF_FUNC_get_current_pid_tgid),
        ALU64_IMM(BPF_RSH, R0, 32),
        JMP_IMM(BPF_JNE, R0, pid, 9),
        COUNT_IN(map),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static void call_getpid(int n)
{
    while (n-- > 0)
        getpid();
}

static void test_raw_tracepoint(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), pid = getpid();
    int prog = load_counter(map, pid), link, other;
    unsigned int key = 0;
    uint64_t count = 0;

    check("a program that counts is accepted", prog >= 0);
    check("an event that does not exist is ENOENT",
          raw_tracepoint_open(prog, "sys_nothing") == -ENOENT);
    check("an event with fewer arguments than are read is EINVAL",
          raw_tracepoint_open(prog, "rcu_utilization") == -EINVAL);
    link = raw_tracepoint_open(prog, "sys_enter");
    check("a program is attached to an event", link >= 0);
    check("but not twice", raw_tracepoint_open(prog, "sys_enter") == -EEXIST);
    call_getpid(100);
    check("it counts each call", lookup(map, &key, &count) == 0 && count == 100);
    close(prog);
    call_getpid(10);
    check("the link keeps the program", lookup(map, &key, &count) == 0 && count == 110);
    other = load_counter(map, pid);
    close(raw_tracepoint_open(other, "sys_enter"));
    call_getpid(10);
    check("a closed link runs no program", lookup(map, &key, &count) == 0 && count == 120);
    close(link);
    call_getpid(10);
    check("without links nothing is counted", lookup(map, &key, &count) == 0 && count == 120);
    close(other);
    close(map);
}

/* Of the object of an id: its information; the descriptor, or an error. */
static int info_of(int cmd, unsigned int id, void *info, unsigned int size)
{
    union bpf_attr attr = {.prog_id = id};
    int fd = bpf(cmd, &attr);

    memset(&attr, 0, sizeof(attr));
    attr.info.bpf_fd = fd;
    attr.info.info_len = size;
    attr.info.info = (unsigned long)info;
    return fd < 0 ? fd : (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr), fd);
}

static void test_info(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog = load_counter(map, getpid()), stats;
    union bpf_attr attr = {.start_id = 0};
    struct bpf_prog_info pinfo = {0};
    struct bpf_map_info minfo = {0};
    unsigned int id = 0, last = 0;
    int link, fd;

    while (attr.start_id = last, bpf(BPF_PROG_GET_NEXT_ID, &attr) == 0)
        last = attr.next_id;
    fd = info_of(BPF_PROG_GET_FD_BY_ID, last, &pinfo, sizeof(pinfo));
    check("the newest program is listed last",
          fd >= 0 && pinfo.id == last && pinfo.type == BPF_PROG_TYPE_RAW_TRACEPOINT &&
              !strcmp(pinfo.name, "test") && pinfo.gpl_compatible == 1 && pinfo.nr_map_ids == 1);
    close(fd);
    memset(&pinfo, 0, sizeof(pinfo));
    pinfo.nr_map_ids = 1;
    pinfo.map_ids = (unsigned long)&id;
    close(info_of(BPF_PROG_GET_FD_BY_ID, last, &pinfo, sizeof(pinfo)));
    close(info_of(BPF_MAP_GET_FD_BY_ID, id, &minfo, sizeof(minfo)));
    check("and so is its map", minfo.id == id && minfo.type == BPF_MAP_TYPE_ARRAY &&
                                   minfo.key_size == 4 && minfo.value_size == 8 &&
                                   minfo.max_entries == 1);
    memset(&attr, 0, sizeof(attr));
    stats = bpf(BPF_ENABLE_STATS, &attr);
    link = raw_tracepoint_open(prog, "sys_enter");
    call_getpid(50);
    close(link);
    close(stats);
    memset(&pinfo, 0, sizeof(pinfo));
    close(info_of(BPF_PROG_GET_FD_BY_ID, last, &pinfo, sizeof(pinfo)));
    check("runs are counted while statistics are on", pinfo.run_cnt >= 50 && pinfo.run_time_ns);
    close(prog);
    memset(&attr, 0, sizeof(attr));
    attr.prog_id = last;
    check("a program that is gone is ENOENT", bpf(BPF_PROG_GET_FD_BY_ID, &attr) == -ENOENT);
    close(map);
}

static bool trace_has(const char *text)
{
    static char buf[65536];
    int fd = open("/sys/kernel/tracing/trace", O_RDONLY, 0);
    long n, used = 0;

    while (used < (long)sizeof(buf) - 1 && (n = read(fd, buf + used, sizeof(buf) - 1 - used)) > 0)
        used += n;
    close(fd);
    buf[used] = 0;
    return strstr(buf, text);
}

static void test_trace_printk(void)
{
    /* "%d s= %s" */
    const struct bpf_insn insns[] = {
        LD_IMM64(R1, 0x7325203d73206425),
        STX_MEM(BPF_DW, R10, R1, -16),
        MOV64_IMM(R1, 0),
        STX_MEM(BPF_DW, R10, R1, -8),
        LD_IMM64(R1, 0x636261),
        STX_MEM(BPF_DW, R10, R1, -24),
        MOV64_REG(R1, R10),
        ALU64_IMM(BPF_ADD, R1, -16),
        MOV64_IMM(R2, 16),
        MOV64_IMM(R3, 42),
        MOV64_REG(R4, R10),
        ALU64_IMM(BPF_ADD, R4, -24),
        CALL(BPF_FUNC_trace_printk),
        EXIT(),
    };
    int prog = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
    int other = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns)), link;
    unsigned int result = 0;

    check("a program that prints is accepted", prog >= 0);
    link = raw_tracepoint_open(other, "bpf_trace_printk");
    run(prog, NULL, 0, &result);
    check("also while another one prints at that event", link >= 0 && result == 9);
    close(link);
    close(other);
    result = 0;
    run(prog, NULL, 0, &result);
    check("its message has a length", result == 9);
    check("and is in the trace", trace_has("bpf_trace_printk: 42 s= abc"));
    close(prog);
}

/* ---- at events of perf ---- */

static long read_number(const char *path)
{
    char buf[32] = "";
    int fd = open(path, O_RDONLY, 0);

    read(fd, buf, sizeof(buf) - 1);
    close(fd);
    return strtoul(buf);
}

static int open_event(unsigned int type, uint64_t config, pid_t pid, int cpu)
{
    struct perf_event_attr attr = {.type = type, .size = sizeof(attr), .config = config};

    attr.sample_period = 1;
    attr.sample_type = PERF_SAMPLE_RAW;
    attr.wakeup_events = 1;
    return syscall(__NR_perf_event_open, &attr, pid, cpu, -1, 0);
}

/* Adds the number at this offset of the context to element 0 of a map; the event is not recorded.
 */
static int load_adder(unsigned int type, int map, int off)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, off),
        ST_MEM(BPF_W, R10, -4, 0),
        MOV64_REG(R2, R10),
        ALU64_IMM(BPF_ADD, R2, -4),
        LD_MAP_FD(R1, map),
        CALL(BPF_FUNC_map_lookup_elem),
        JMP_IMM(BPF_JEQ, R0, 0, 1),
        ATOMIC_OP(BPF_DW, BPF_ADD, R0, R6, 0),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(type, insns, ARRAY_SIZE(insns));
}

static void test_perf_events(void)
{
    long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_close/id");
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), link;
    int prog = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 16);
    int far = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 24);
    int event = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    union bpf_attr attr = {.link_create = {.prog_fd = prog, .target_fd = event}};
    unsigned int key = 0;
    uint64_t sum = 0;

    check("the event of a system call is opened", event >= 0 && prog >= 0 && far >= 0);
    check("a program that reads beyond its entry is EACCES",
          syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, far) == -EACCES);
    check("a program is attached to the event",
          syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, prog) == 0);
    check("only one", syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, prog) == -EEXIST);
    close(1000);
    close(2000);
    check("it gets the arguments of the call", lookup(map, &key, &sum) == 0 && sum == 3000);
    sum = 0;
    close(event);
    update(map, &key, &sum, 0);
    close(5000);
    check("a closed event runs no program", lookup(map, &key, &sum) == 0 && sum == 0);
    event = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    attr.link_create.target_fd = event;
    attr.link_create.attach_type = BPF_PERF_EVENT;
    link = bpf(BPF_LINK_CREATE, &attr);
    check("a link attaches one, too", link >= 0);
    sum = 0;
    update(map, &key, &sum, 0);
    close(700);
    check("and it runs", lookup(map, &key, &sum) == 0 && sum == 700);
    close(link);
    sum = 0;
    update(map, &key, &sum, 0);
    close(800);
    check("until the link is closed", lookup(map, &key, &sum) == 0 && sum == 0);
    close(far);
    close(event);
    close(prog);
    close(map);
}

/* ---- PERF_EVENT_IOC_QUERY_BPF ---- */

static unsigned int prog_id(int fd)
{
    struct bpf_prog_info info = {0};
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = sizeof(info)}};

    attr.info.info = (unsigned long)&info;
    return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 ? info.id : 0;
}

static void test_query(void)
{
    long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_close/id");
    struct {
        unsigned int room, count, ids[3];
    } query = {3, 9, {0}};
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), events[2], progs[2], i;
    int clock = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, getpid(), -1);

    for (i = 0; i < 2; i++)
        events[i] = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    check("an event has no program at first",
          ioctl(events[1], PERF_EVENT_IOC_QUERY_BPF, &query) == 0 && !query.count);
    for (i = 0; i < 2; i++) {
        progs[i] = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 16);
        ioctl(events[i], PERF_EVENT_IOC_SET_BPF, (void *)(long)progs[i]);
    }
    check("it is asked for the programs of all events of its tracepoint",
          ioctl(events[0], PERF_EVENT_IOC_QUERY_BPF, &query) == 0 && query.count == 2 &&
              query.ids[0] == prog_id(progs[0]) && query.ids[1] == prog_id(progs[1]) &&
              query.ids[0] != query.ids[1] && !query.ids[2]);
    query.room = query.count = query.ids[0] = 0;
    check("without room it tells how many there are",
          ioctl(events[0], PERF_EVENT_IOC_QUERY_BPF, &query) == 0 && query.count == 2 &&
              !query.ids[0]);
    query.room = 1;
    query.ids[1] = 0;
    check("with too little room, ENOSPC, it tells some",
          ioctl(events[0], PERF_EVENT_IOC_QUERY_BPF, &query) == -ENOSPC && query.count == 2 &&
              query.ids[0] == prog_id(progs[0]) && !query.ids[1]);
    query.room = 65;
    check("room for more than there can be is E2BIG",
          ioctl(events[0], PERF_EVENT_IOC_QUERY_BPF, &query) == -E2BIG);
    query.room = 1;
    check("a clock is not asked", ioctl(clock, PERF_EVENT_IOC_QUERY_BPF, &query) == -EINVAL);
    close(clock);
    for (i = 0; i < 2; i++) {
        close(events[i]);
        close(progs[i]);
    }
    close(map);
}

/* ---- at the overflow of a counter ---- */

enum { PERIOD = 5000, SPINS = 100000 };

static int open_counter(bool inherit)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE, .size = sizeof(attr)};

    attr.config = PERF_COUNT_HW_INSTRUCTIONS;
    attr.sample_period = PERIOD;
    attr.sample_type = PERF_SAMPLE_IP;
    attr.exclude_kernel = 1;
    attr.disabled = 1;
    attr.inherit = inherit;
    return syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
}

/* More than SPINS instructions. */
static void spin(void)
{
    volatile unsigned int n = SPINS;

    while (n)
        n--;
}

static uint64_t count(int fd)
{
    uint64_t value = 0;

    read(fd, &value, sizeof(value));
    return value;
}

static void test_overflow(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), fd = open_counter(true), status;
    int wrong = load_adder(BPF_PROG_TYPE_TRACEPOINT, map, 16);
    int prog = load_adder(BPF_PROG_TYPE_PERF_EVENT, map,
                          offsetof(struct bpf_perf_event_data, sample_period));
    uint64_t sum = 0, both = 0;
    unsigned int key = 0;
    pid_t child;

    check("a program of a tracepoint is none of a counter",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)wrong) == -EINVAL);
    check("one of type perf_event is", ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == 0);
    check("a counter has one program",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == -EEXIST);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    spin();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    check("it runs at each overflow, and gets the period",
          lookup(map, &key, &sum) == 0 && sum >= SPINS && sum == count(fd) / PERIOD * PERIOD);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    child = fork();
    if (!child) {
        spin();
        _exit(0);
    }
    waitpid(child, &status, 0);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    check("and in children, whose counters are inherited",
          lookup(map, &key, &both) == 0 && both - sum >= SPINS && !(both % PERIOD));
    close(prog);
    close(fd);
    close(wrong);
    close(map);
}

/* A program that returns 0 or 1 at each overflow: how many bytes of samples are there? */
static uint64_t recorded(int result, uint64_t *overflows)
{
    const struct bpf_insn insns[] = {MOV64_IMM(R0, result), EXIT()};
    int prog = prog_load(BPF_PROG_TYPE_PERF_EVENT, insns, ARRAY_SIZE(insns));
    int fd = open_counter(false);
    struct perf_event_mmap_page *page =
        mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t bytes;

    ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog);
    close(prog);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, NULL);
    spin();
    ioctl(fd, PERF_EVENT_IOC_DISABLE, NULL);
    bytes = page->data_head;
    *overflows = count(fd) / PERIOD;
    munmap(page, 2 * PAGE_SIZE);
    close(fd);
    return bytes;
}

static void test_decision(void)
{
    enum { SAMPLE_BYTES = sizeof(struct perf_event_header) + 8 };
    uint64_t overflows = 0;

    check("a sample is not recorded if the program returns 0",
          recorded(0, &overflows) == 0 && overflows >= SPINS / PERIOD);
    check("and is if it returns 1", recorded(1, &overflows) == overflows * SAMPLE_BYTES);
}

/* ---- at a kprobe of perf's own ---- */

static void test_kprobe(void)
{
    struct perf_event_attr attr = {.type = read_number(KPROBE_PMU "type"), .size = sizeof(attr)};
    enum { A0 = 10 * 8 }; /* of pt_regs */
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int prog = load_adder(BPF_PROG_TYPE_KPROBE, map, A0), fd;
    unsigned int key = 0;
    uint64_t sum = 0;

    attr.kprobe_func = (unsigned long)"close_fd";
    attr.sample_period = 1;
    fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
    check("a program is attached to a probe that is in no file",
          ioctl(fd, PERF_EVENT_IOC_SET_BPF, (void *)(long)prog) == 0);
    close(1000);
    close(2000);
    check("it gets the registers", lookup(map, &key, &sum) == 0 && sum == 3000);
    close(fd);
    close(prog);
    close(map);
}

/* Writes the first number of the context as a record of 12 bytes. */
static int load_writer(int ring)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 0),
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 12),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        JMP_IMM(BPF_JEQ, R0, 0, 4),
        STX_MEM(BPF_DW, R0, R6, 0),
        MOV64_REG(R1, R0),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_submit),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Reserves two records at once, which are larger than the ring. Returns whether it got both. */
static int load_greedy(int ring)
{
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 4080),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        MOV64_IMM(R7, 0),
        JMP_IMM(BPF_JEQ, R0, 0, 15),
        MOV64_REG(R6, R0),
        LD_MAP_FD(R1, ring),
        MOV64_IMM(R2, 1992),
        MOV64_IMM(R3, 0),
        CALL(BPF_FUNC_ringbuf_reserve),
        JMP_IMM(BPF_JEQ, R0, 0, 5),
        ST_MEM(BPF_DW, R0, 0, -1), /* would be in the header of the first one */
        MOV64_REG(R1, R0),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_submit),
        MOV64_IMM(R7, 1),
        MOV64_REG(R1, R6),
        MOV64_IMM(R2, 0),
        CALL(BPF_FUNC_ringbuf_discard),
        MOV64_REG(R0, R7),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* A reader that says that it has read what is not written yet. */
static void test_lying_reader(void)
{
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog = load_greedy(ring);
    uint64_t *consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
    uint64_t ctx[1] = {0};
    unsigned int result = 2;

    check("a program with two records", prog >= 0 && !is_error(consumer));
    *consumer = 2000;
    run(prog, ctx, 8, &result);
    check("no record is where another one is not finished, whatever the reader says", !result);
    munmap(consumer, 4096);
    close(prog);
    close(ring);
}

static void test_ring(void)
{
    int ring = map_create(BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0), prog = load_writer(ring), i;
    uint64_t *consumer = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 0);
    char *rest = mmap(NULL, 3 * 4096, PROT_READ, MAP_SHARED, ring, 4096);
    const uint64_t *producer = (const uint64_t *)rest;
    uint64_t value, sum = 0, full = 0, ctx[1];
    unsigned int result;

    check("the reader's page and the others are mapped", !is_error(consumer) && !is_error(rest));
    check("only the reader's page for writing",
          is_error(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, 4096)));
    check("nor the others later",
          syscall(__NR_mprotect, rest, 3 * 4096, PROT_READ | PROT_WRITE) == -EACCES);
    for (i = 1; i <= 400; i++) {
        const char *record = rest + 4096 + *consumer % 4096;

        ctx[0] = i;
        run(prog, ctx, 8, &result);
        if (*producer == *consumer)
            full++;
        if (((const unsigned int *)record)[0] == 12) {
            memcpy(&value, record + 8, 8);
            sum += value;
        }
        *consumer += 24;
    }
    check("each record is read, also where the ring begins anew", sum == 400 * 401 / 2 && !full);
    for (i = 0; i < 300; i++)
        run(prog, ctx, 8, &result);
    check("a full ring takes no more",
          *producer - *consumer <= 4096 - 1 && *producer - *consumer > 4096 - 48);
    munmap(consumer, 4096);
    munmap(rest, 3 * 4096);
    close(prog);
    close(ring);
}

/* ---- probes ---- */

static void write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND, 0);

    write(fd, text, strlen(text));
    close(fd);
}

/* What a program that adds this word of the registers has added in so many calls. */
static uint64_t probe_getpid(const char *event, int off, int calls)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int prog = load_adder(BPF_PROG_TYPE_KPROBE, map, off), fd;
    unsigned int key = 0;
    uint64_t sum = 0;
    char path[80];

    snprintf(path, sizeof(path), "/sys/kernel/tracing/events/kprobes/%s/id", event);
    fd = open_event(PERF_TYPE_TRACEPOINT, read_number(path), getpid(), -1);
    if (syscall(__NR_ioctl, fd, PERF_EVENT_IOC_SET_BPF, prog) == 0)
        call_getpid(calls);
    close(fd);
    call_getpid(3);
    lookup(map, &key, &sum);
    close(prog);
    close(map);
    return sum;
}

static void test_kprobes(void)
{
    enum { PC = 0, A0 = 80 };
    uint64_t pc;

    write_text("/sys/kernel/tracing/kprobe_events", "p:bpf_in __riscv_sys_getpid");
    write_text("/sys/kernel/tracing/kprobe_events", "r:bpf_out __riscv_sys_getpid");
    pc = probe_getpid("bpf_in", PC, 1);
    check("a program at a probe gets the registers there",
          0 - pc < 0x80000000 && probe_getpid("bpf_in", PC, 10) == 10 * pc);
    check("one at a function's end gets the result",
          probe_getpid("bpf_out", A0, 10) == 10u * getpid());
    write_text("/sys/kernel/tracing/kprobe_events", "-:bpf_in");
    write_text("/sys/kernel/tracing/kprobe_events", "-:bpf_out");
}

/* ---- stacks ---- */

/* Returns the number of the stack. */
static int load_stackid(int map, uint64_t flags)
{
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R2, map),
        LD_IMM64(R3, flags),
        CALL(BPF_FUNC_get_stackid),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static void test_stacks(void)
{
    int map = map_create(BPF_MAP_TYPE_STACK_TRACE, 4, 8 * 8, 64, 0);
    int kernel = load_stackid(map, 0),
        user = load_stackid(map, BPF_F_USER_STACK | BPF_F_REUSE_STACKID), i;
    unsigned int id[2], user_id; /* the map may have one place for both stacks */
    uint64_t ips[8] = {0};

    for (i = 0; i < 2; i++)
        run(kernel, NULL, 0, &id[i]);
    check("a stack has one number", id[0] < 64 && id[0] == id[1]);
    check("and addresses of the kernel",
          lookup(map, id, ips) == 0 && 0 - ips[0] < 0x80000000 && 0 - ips[1] < 0x80000000);
    run(user, NULL, 0, &user_id);
    check("the program's stack begins at its system call",
          lookup(map, &user_id, ips) == 0 && ips[0] - (unsigned long)syscall < 64);
    check("a stack is deleted once",
          delete (map, id) == 0 && delete (map, id) == -ENOENT && lookup(map, id, ips) == -ENOENT);
    check("a stack cannot be stored", update(map, id, ips, 0) == -EINVAL);
    close(kernel);
    close(user);
    close(map);
}

/* ---- output by events of perf ---- */

enum { RING_SIZE = 2 * PAGE_SIZE };

/* Hands over the first number of the context, with 4 bytes after it. */
static int load_output(int map)
{
    const struct bpf_insn insns[] = {
        LDX_MEM(BPF_DW, R6, R1, 0),       STX_MEM(BPF_DW, R10, R6, -16),
        ST_MEM(BPF_DW, R10, -8, 0),       LD_MAP_FD(R2, map),
        LD_IMM64(R3, BPF_F_CURRENT_CPU),  MOV64_REG(R4, R10),
        ALU64_IMM(BPF_ADD, R4, -16),      MOV64_IMM(R5, 12),
        CALL(BPF_FUNC_perf_event_output), EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

/* Reads all records of a ring of perf; the sum of their numbers. */
static uint64_t drain(struct perf_event_mmap_page *page)
{
    const char *data = (const char *)page + PAGE_SIZE;
    uint64_t sum = 0, value, i;

    while (page->data_tail != page->data_head) {
        struct perf_event_header header;
        char raw[32] = "";

        memcpy(&header, data + page->data_tail % RING_SIZE, sizeof(header));
        for (i = 0; i < header.size && i < sizeof(raw); i++)
            raw[i] = data[(page->data_tail + i) % RING_SIZE];
        memcpy(&value, raw + sizeof(header) + 4, sizeof(value));
        if (header.type == PERF_RECORD_SAMPLE && header.size == sizeof(header) + 16 &&
            raw[sizeof(header)] == 12)
            sum += value;
        page->data_tail += header.size;
    }
    return sum;
}

static void test_perf_output(void)
{
    enum { HARTS = 8, RUNS = 300 };
    struct perf_event_mmap_page *page[HARTS];
    int map = map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, HARTS, 0), prog = load_output(map);
    int fd[HARTS];
    unsigned int cpu, harts, i, result = 0, bad = 0;
    uint64_t ctx[1] = {1}, sum = 0;

    check("without an event there is ENOENT",
          run(prog, ctx, 8, &result) == 0 && (int)result == -ENOENT);
    for (harts = 0; harts < HARTS; harts++) {
        cpu = harts;
        fd[cpu] = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, -1, cpu);
        if (fd[cpu] < 0)
            break;
        page[cpu] =
            mmap(NULL, PAGE_SIZE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd[cpu], 0);
        bad += is_error(page[cpu]) || update(map, &cpu, &fd[cpu], 0);
    }
    check("a map holds an event of each hart", harts && !bad);
    for (i = 1; !bad && i <= RUNS; i++) {
        ctx[0] = i;
        run(prog, ctx, 8, &result);
        bad += result != 0;
        for (cpu = 0; i % 50 == 0 && cpu < harts; cpu++)
            sum += drain(page[cpu]);
    }
    check("what a program hands over is in the ring of its hart",
          !bad && sum == RUNS * (RUNS + 1) / 2);
    for (cpu = 0; cpu < harts; cpu++) {
        munmap(page[cpu], PAGE_SIZE + RING_SIZE);
        close(fd[cpu]);
    }
    close(prog);
    close(map);
}

/* ---- the limit of programs at an event ---- */

/* A program of its own for each: one cannot be there twice. */
static int add_program(long id)
{
    static const struct bpf_insn insns[] = {MOV64_IMM(R0, 1), EXIT()};
    int prog = prog_load(BPF_PROG_TYPE_TRACEPOINT, insns, ARRAY_SIZE(insns));
    int fd = open_event(PERF_TYPE_TRACEPOINT, id, getpid(), -1);
    int err = syscall(__NR_ioctl, fd, PERF_EVENT_IOC_SET_BPF, prog);

    close(prog);
    if (err)
        close(fd);
    return err ? err : fd;
}

/* Two processes share the descriptors that it takes. */
static void test_limit(void)
{
    enum { LIMIT = 64, THEIRS = 40 };
    long id = read_number("/sys/kernel/tracing/events/syscalls/sys_enter_getpid/id");
    int ready[2], done[2], i, fd = 0, status;
    char c = 1;
    pid_t pid;

    pipe(ready);
    pipe(done);
    pid = fork();
    if (pid == 0) {
        close(done[1]);
        for (i = 0; i < THEIRS && fd >= 0; i++)
            fd = add_program(id);
        c = fd >= 0;
        write(ready[1], &c, 1);
        read(done[0], &c, 1);
        _exit(0);
    }
    close(done[0]);
    read(ready[0], &c, 1);
    for (i = 0; fd >= 0 && i <= LIMIT - THEIRS; i++)
        fd = add_program(id);
    check("an event has 64 programs, and the next one is E2BIG",
          c && fd == -E2BIG && i == LIMIT - THEIRS + 1);
    close(done[1]);
    waitpid(pid, &status, 0);
    check("when others are gone there is room", add_program(id) >= 0);
    close(ready[0]);
    close(ready[1]);
}

/* As in Linux 6.1 on RISC-V. */
static void test_tail_call(void)
{
    int array = map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 1, 0), prog;
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R2, array), MOV64_IMM(R3, 0), CALL(BPF_FUNC_tail_call), CALL_REL(1), EXIT(),
        MOV64_IMM(R0, 0),     EXIT(),
    };

    log_level = 1;
    prog = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
    log_level = 4;
    check("a program with functions has no tail calls",
          prog == -EINVAL && strstr(log_text, "tail_calls are not allowed in programs with "));
    close(array);
}

int main(void)
{
    test_array();
    test_hash();
    test_access();
    test_load_errors();
    test_any_alignment();
    test_tail_call_with_record();
    test_log_text();
    test_cases();
    test_raw_tracepoint();
    test_info();
    test_trace_printk();
    test_perf_events();
    test_query();
    test_overflow();
    test_decision();
    test_kprobe();
    test_ring();
    test_lying_reader();
    test_kprobes();
    test_stacks();
    test_perf_output();
    test_limit();
    test_tail_call();
    return check_result();
}
