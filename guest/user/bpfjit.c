/*
 * bpfjit.c - programs that are compiled do what the interpreter does: each program is loaded twice,
 * with /proc/sys/net/core/bpf_jit_enable set to 0 and to 1, and run with the same numbers. The
 * results and the map must be the same.
 *
 *     bpfjit                  with the option stacktrace of tracing: what is known of compiled
 *                             programs; the programs of bpf_cases.h
 *     bpfjit random N [SEED]  random programs, which store all registers and their stack in the map
 *     bpfjit file PATH        the programs of a file that `bpf_fuzz write' of tests/bpf has made
 *     bpfjit text N           the text of such programs: a line `text ADDRESS WORD...' for each
 *     bpfjit detach N         attaches a program and frees it, while another hart is in it
 */
#include "bpf_cases.h"
#include "bpf_insn.h"
#include "bpf_numbers.h"
#include "bpf_syscall.h"
#include "libc.h"

enum {
    REGS_MAP = 53,                 /* an array with one value: */
    VALUES = 24,                   /* numbers in it, */
    SLOTS = 12,                    /* first the words of the stack, then R0 to R9 */
    PROG_MAX = 2400,               /* instructions */
    FIRST_SLOT = -8 * SLOTS,       /* on the stack */
    FIRST_SAVED = FIRST_SLOT - 80, /* R0 to R9, at the end */
};

#define TRACING "/sys/kernel/tracing"

static int set_jit(const char *value)
{
    static int fd = -1;

    if (fd < 0)
        fd = open("/proc/sys/net/core/bpf_jit_enable", O_WRONLY, 0);
    return write(fd, value, 1) == 1;
}

static int load(const struct bpf_insn *insns, unsigned int len, bool jit)
{
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT};

    set_jit(jit ? "1" : "0");
    attr.insns = (unsigned long)insns;
    attr.insn_cnt = len;
    attr.license = (unsigned long)"GPL";
    memcpy(attr.prog_name, "random", 7);
    return bpf(BPF_PROG_LOAD, &attr);
}

static int run(int fd, const uint64_t *ctx, unsigned int *result)
{
    union bpf_attr attr = {.test = {.prog_fd = fd, .ctx_size_in = 12 * 8}};
    int err;

    attr.test.ctx_in = (unsigned long)ctx;
    err = bpf(BPF_PROG_TEST_RUN, &attr);
    *result = attr.test.retval;
    return err;
}

static int info_of(int fd, struct bpf_prog_info *info)
{
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = sizeof(*info)}};

    attr.info.info = (unsigned long)info;
    return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static bool is_compiled(int fd)
{
    struct bpf_prog_info info = {.type = 0};

    return !info_of(fd, &info) && info.jited_prog_len;
}

/* ---- random programs ---- */

static struct bpf_insn insns[PROG_MAX];
static unsigned int len;

static unsigned int below(unsigned int n)
{
    return (random_bits() >> 16) % n;
}

/* Numbers at which something changes, their neighbours, and any. */
static uint64_t number(void)
{
    static const uint64_t special[] = {0,
                                       1,
                                       2047,
                                       2048,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xfffffffffffff800};

    switch (below(4)) {
    case 0: return random_bits();
    case 1: return -(uint64_t)below(4);
    default: return special[below(ARRAY_SIZE(special))] + below(3) - 1;
    }
}

static void put(struct bpf_insn insn)
{
    insns[len++] = insn;
}

#define EMIT(...) put((struct bpf_insn)__VA_ARGS__)

static void put_imm64(int reg, uint64_t value, int what)
{
    EMIT(BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, reg, what, 0, (s32)(uint32_t)value));
    EMIT(BPF_INSN(0, 0, 0, 0, (s32)(uint32_t)(value >> 32)));
}

static int any_reg(void)
{
    return below(10);
}

static void arithmetic(void)
{
    static const u8 ops[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR,  BPF_AND,  BPF_LSH,
                             BPF_RSH, BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH, BPF_END};
    u8 class = below(2) ? BPF_ALU64 : BPF_ALU, op = ops[below(ARRAY_SIZE(ops))];
    s32 imm = below(op == BPF_SUB ? 3 : 12) ? (s32)number() : (s32)0x80000000;

    if (op == BPF_END) {
        EMIT(BPF_INSN(BPF_ALU | op | (below(2) ? BPF_TO_BE : BPF_TO_LE), any_reg(), 0, 0,
                      16 << below(3)));
    } else if (op == BPF_NEG) {
        EMIT(BPF_INSN(class | op, any_reg(), 0, 0, 0));
    } else if (below(2)) {
        int src = any_reg();

        if (below(6) == 0) /* the lower half is 0 */
            EMIT(ALU64_IMM(BPF_LSH, src, 32));
        EMIT(BPF_INSN(class | op | BPF_X, any_reg(), src, 0, 0));
    } else {
        if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH)
            imm = below(class == BPF_ALU ? 32 : 64);
        if ((op == BPF_DIV || op == BPF_MOD) && !imm)
            imm = -1;
        EMIT(BPF_INSN(class | op | BPF_K, any_reg(), 0, 0, imm));
    }
}

/* An aligned place of that size on the stack. */
static int place_of(u8 size)
{
    static const u8 bytes[] = {4, 2, 1, 8};

    return FIRST_SLOT + below(8 * SLOTS / bytes[size >> 3]) * bytes[size >> 3];
}

static void memory(void)
{
    static const u8 sizes[] = {BPF_B, BPF_H, BPF_W, BPF_DW};
    u8 size = sizes[below(4)];

    switch (below(3)) {
    case 0: EMIT(LDX_MEM(size, any_reg(), R10, place_of(size))); break;
    case 1: EMIT(STX_MEM(size, R10, any_reg(), place_of(size))); break;
    default: EMIT(ST_MEM(size, R10, place_of(size), number()));
    }
}

static const u8 atomics[] = {BPF_ADD,
                             BPF_AND,
                             BPF_OR,
                             BPF_XOR,
                             BPF_ADD | BPF_FETCH,
                             BPF_AND | BPF_FETCH,
                             BPF_OR | BPF_FETCH,
                             BPF_XOR | BPF_FETCH,
                             BPF_XCHG,
                             BPF_CMPXCHG};

static void atomic(void)
{
    u8 size = below(2) ? BPF_W : BPF_DW;
    int off = place_of(size);

    if (below(2)) /* so that the exchange succeeds */
        EMIT(LDX_MEM(size, R0, R10, off));
    /* The exchange that compares is the one with the most instructions. */
    EMIT(ATOMIC_OP(size, atomics[min(below(14), ARRAY_SIZE(atomics) - 1)], R10, any_reg(), off));
    if (below(2)) /* before R0 is changed again */
        EMIT(STX_MEM(BPF_DW, R10, R0, place_of(BPF_DW)));
}

/* By an address in a register, which becomes a number again: of the map, or of the stack. */
static void by_address(void)
{
    int reg = any_reg(), value = (reg + 1 + below(9)) % 10;

    if (below(2)) {
        put_imm64(reg, (uint64_t)(8 * below(VALUES)) << 32 | REGS_MAP, BPF_PSEUDO_MAP_VALUE);
    } else {
        EMIT(MOV64_REG(reg, R10));
        EMIT(ALU64_IMM(BPF_ADD, reg, FIRST_SLOT));
    }
    switch (below(3)) {
    case 0: EMIT(LDX_MEM(BPF_W, value, reg, 4)); break;
    case 1: EMIT(STX_MEM(BPF_DW, reg, value, 0)); break;
    default: EMIT(ATOMIC_OP(BPF_DW, atomics[below(9)], reg, value, 0));
    }
    EMIT(MOV64_IMM(reg, number()));
}

/* A helper, after which R0 to R5 are numbers again. */
static void call_helper(void)
{
    int i;

    EMIT(CALL(BPF_FUNC_get_current_uid_gid));
    for (i = R1; i <= R5; i++)
        if (below(2))
            EMIT(MOV64_REG(i, R6 + below(4)));
        else
            put_imm64(i, number(), 0);
}

static void instruction(void)
{
    switch (below(12)) {
    case 0: put_imm64(any_reg(), number(), 0); break;
    case 1:
    case 2: memory(); break;
    case 3: atomic(); break;
    case 4: by_address(); break;
    case 5: call_helper(); break;
    default: arithmetic();
    }
}

/* Leaves out a few instructions, or very many. */
static void condition(unsigned int jumps)
{
    static const u8 ops[] = {BPF_JEQ,  BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
                             BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE};
    u8 code = (below(2) ? BPF_JMP : BPF_JMP32) | ops[below(ARRAY_SIZE(ops))];
    unsigned int n = jumps ? below(5) : 1100, at;
    int a = any_reg(), b = any_reg();
    s32 imm = number();

    if (below(2)) /* both are the same */
        EMIT(MOV64_REG(a, b));
    at = len;
    if (below(2))
        EMIT(BPF_INSN(code | BPF_X, a, b, 0, 0));
    else
        EMIT(BPF_INSN(code | BPF_K, a, 0, 0, imm));
    while (n--)
        if (jumps)
            instruction();
        else
            EMIT(ALU64_IMM(BPF_XOR, R3, 0x123));
    if (below(4) == 0) { /* the other one, too, by a jump without a condition */
        EMIT(JA(1));
        EMIT(MOV64_IMM(any_reg(), number()));
    }
    insns[at].off = len - at - 1;
}

/* All words of the stack are set. */
static void fill_stack(void)
{
    int i;

    for (i = 0; i < SLOTS; i++)
        EMIT(ST_MEM(BPF_DW, R10, FIRST_SLOT + 8 * i, number()));
}

static void body(unsigned int pieces)
{
    unsigned int jumps = 0;

    while (pieces--) {
        if (below(6) || jumps == 5)
            instruction();
        else
            condition(++jumps);
    }
    if (below(12) == 0)
        condition(0);
}

static void store_all(void)
{
    int i;

    for (i = R0; i <= R9; i++)
        EMIT(STX_MEM(BPF_DW, R10, i, FIRST_SAVED + 8 * i));
    put_imm64(R1, REGS_MAP, BPF_PSEUDO_MAP_VALUE);
    for (i = 0; i < SLOTS + 10; i++) {
        int from = i < SLOTS ? FIRST_SLOT + 8 * i : FIRST_SAVED + 8 * (i - SLOTS);

        EMIT(LDX_MEM(BPF_DW, R2, R10, from));
        EMIT(STX_MEM(BPF_DW, R1, R2, 8 * i));
    }
}

static void make_program(void)
{
    int i;

    len = 0;
    for (i = R0; i <= R9; i++)
        if (i != R1)
            EMIT(LDX_MEM(BPF_DW, i, R1, 8 * i));
    EMIT(LDX_MEM(BPF_DW, R1, R1, 8));
    fill_stack();
    body(2 + below(14));
    store_all();
    EMIT(MOV64_IMM(R0, 5));
    if (below(4) == 0) { /* two ends */
        EMIT(JMP_IMM(BPF_JEQ, R0, 4, 1));
        EMIT(EXIT());
    }
    EMIT(EXIT());
}

/* ---- both ways ---- */

struct outcome {
    int err;
    unsigned int result;
    uint64_t values[VALUES], array[8], hash[8];
};

static void run_once(int fd, const uint64_t *ctx, struct outcome *o)
{
    static const uint64_t zero[VALUES];
    const unsigned int key = 0;
    const uint64_t hash_key = 0;

    memset(o, 0, sizeof(*o));
    map_op(BPF_MAP_UPDATE_ELEM, REGS_MAP, &key, (void *)zero, 0);
    map_op(BPF_MAP_UPDATE_ELEM, BPF_CASE_MAP, &key, (void *)zero, 0);
    map_op(BPF_MAP_UPDATE_ELEM, BPF_CASE_HASH, &hash_key, (void *)zero, 0);
    o->err = run(fd, ctx, &o->result);
    map_op(BPF_MAP_LOOKUP_ELEM, REGS_MAP, &key, o->values, 0);
    map_op(BPF_MAP_LOOKUP_ELEM, BPF_CASE_MAP, &key, o->array, 0);
    map_op(BPF_MAP_LOOKUP_ELEM, BPF_CASE_HASH, &hash_key, o->hash, 0);
}

static unsigned int accepted, compiled;

static bool same_outcome(const struct outcome *a, const struct outcome *b)
{
    unsigned int i;

    if (!memcmp(a, b, sizeof(*a)))
        return true;
    printf("# interpreted: error %d, result %u; compiled: error %d, result %u\n", a->err, a->result,
           b->err, b->result);
    for (i = 0; i < VALUES; i++)
        if (a->values[i] != b->values[i])
            printf("# %s%u: interpreted %lx, compiled %lx\n", i < SLOTS ? "word " : "R",
                   i < SLOTS ? i : i - SLOTS, (unsigned long)a->values[i],
                   (unsigned long)b->values[i]);
    return false;
}

/* Whether the program does the same both ways. */
static bool agrees(const struct bpf_insn *prog, unsigned int n)
{
    struct outcome interpreted, jited;
    int slow = load(prog, n, false), fast = load(prog, n, true);
    bool same = (slow < 0) == (fast < 0);
    uint64_t ctx[12];
    unsigned int i, round;

    for (round = 0; same && slow >= 0 && round < 3; round++) {
        for (i = 0; i < ARRAY_SIZE(ctx); i++)
            ctx[i] = number();
        run_once(slow, ctx, &interpreted);
        run_once(fast, ctx, &jited);
        same = same_outcome(&interpreted, &jited);
    }
    if (slow >= 0) {
        accepted++;
        compiled += is_compiled(fast) && !is_compiled(slow);
        close(slow);
        close(fast);
    }
    return same;
}

static bool cases_agree(void)
{
    unsigned int i;
    bool all = true;

    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++)
        if (!agrees(bpf_cases[i].insns, bpf_cases[i].len)) {
            printf("# %s\n", bpf_cases[i].name);
            all = false;
        }
    return all;
}

/* As numbers: code, registers, offset and immediate. */
static void show_program(void)
{
    unsigned int i;

    for (i = 0; i < len; i++)
        printf("# %3u: %02x R%u R%u %d %d\n", i, insns[i].code, insns[i].dst_reg, insns[i].src_reg,
               insns[i].off, insns[i].imm);
}

static bool random_ones_agree(unsigned long count)
{
    unsigned long i;

    for (i = 0; i < count; i++) {
        uint64_t seed = random_state;

        make_program();
        if (!agrees(insns, len)) {
            show_program();
            printf("# program %lu, seed %lu: %u instructions\n", i, (unsigned long)seed, len);
            return false;
        }
    }
    return true;
}

static int test_random(unsigned long count)
{
    check("random programs do the same", random_ones_agree(count));
    check("most of them are accepted", accepted * 2 > count);
    check("and all of these are compiled", compiled == accepted);
    printf("random programs: %lu, accepted %u\n", count, accepted);
    return check_result();
}

static bool read_all(int fd, void *to, size_t size)
{
    size_t done = 0;
    ssize_t got;

    while (done < size && (got = read(fd, (char *)to + done, size - done)) > 0)
        done += got;
    return done == size;
}

/* What a helper returns must not depend on time, hart or chance. */
static void make_repeatable(void)
{
    unsigned int i;

    for (i = 0; i < len; i++)
        if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg &&
            (insns[i].imm == BPF_FUNC_ktime_get_ns || insns[i].imm == BPF_FUNC_get_prandom_u32 ||
             insns[i].imm == BPF_FUNC_get_smp_processor_id))
            insns[i].imm = BPF_FUNC_get_current_uid_gid;
}

static bool those_of_file_agree(const char *path)
{
    int fd = open(path, O_RDONLY, 0);
    bool all = true;

    while (all && read_all(fd, &len, sizeof(len)) && len <= PROG_MAX &&
           read_all(fd, insns, len * sizeof(insns[0]))) {
        make_repeatable();
        all = agrees(insns, len);
        if (!all)
            show_program();
    }
    close(fd);
    return all;
}

static int test_file(const char *path)
{
    check("programs of the fuzzer do the same", those_of_file_agree(path));
    check("all of those that are accepted are compiled", accepted && compiled == accepted);
    printf("programs of the fuzzer: accepted %u\n", accepted);
    return check_result();
}

/* ---- what is known of compiled programs ---- */

static const struct bpf_insn sums[] = {MOV64_IMM(R0, 3), MOV64_IMM(R1, 4),
                                       ALU64_REG(BPF_ADD, R0, R1), EXIT()};

/* Finds the line of a file that has the text; empty: none has. */
static char *line_with(const char *path, const char *wanted, char *line, size_t size)
{
    static char text[4096];
    int fd = open(path, O_RDONLY, 0);
    size_t n = 0;
    ssize_t got = 0, i;
    bool found = false;

    while (!found && (got = read(fd, text, sizeof(text))) > 0)
        for (i = 0; i < got && !found; i++) {
            if (text[i] != '\n' && n < size - 1) {
                line[n++] = text[i];
                continue;
            }
            line[n] = 0;
            found = strstr(line, wanted);
            n = 0;
        }
    close(fd);
    if (!found)
        line[0] = 0;
    return line;
}

/* That of /proc/kallsyms with an address. */
static char *kallsyms_line(uint64_t addr, char *line, size_t size)
{
    char wanted[20];

    snprintf(wanted, sizeof(wanted), "%016lx ", (unsigned long)addr);
    return line_with("/proc/kallsyms", wanted, line, size);
}

static void test_name(uint64_t start, int fd)
{
    char line[128];
    size_t n;

    kallsyms_line(start, line, sizeof(line));
    n = strlen(line);
    check("its name has its tag", !strncmp(line + 17, "t bpf_prog_", 11) &&
                                      n == 17 + 11 + 16 + 13 &&
                                      !strcmp(line + n - 13, "_random\t[bpf]"));
    close(fd);
    check("a program that is gone has none", !kallsyms_line(start, line, sizeof(line))[0]);
}

static void test_info(void)
{
    static uint32_t text[64];
    uint64_t start = 0, ctx[12] = {0};
    struct bpf_prog_info info = {.jited_prog_insns = (unsigned long)text};
    unsigned int result;
    int fd = load(sums, ARRAY_SIZE(sums), true);

    check("a program is compiled", fd >= 0 && is_compiled(fd));
    check("and returns what it should", !run(fd, ctx, &result) && result == 7);
    info.jited_prog_len = sizeof(text);
    info.nr_jited_ksyms = 1;
    info.jited_ksyms = (unsigned long)&start;
    check("its text is told", !info_of(fd, &info) && info.jited_prog_len > 20 && text[0]);
    check("and where it is", info.nr_jited_ksyms == 1 && start);
    test_name(start, fd);
    fd = load(sums, ARRAY_SIZE(sums), false);
    memset(&info, 0, sizeof(info));
    check("an interpreted program has no text", !info_of(fd, &info) && !info.jited_prog_len);
    close(fd);
    check("bpf_jit_enable is 0 or 1", !set_jit("2"));
}

/* A helper that writes an event, whose stack leads through the program. */
static const struct bpf_insn prints[] = {ST_MEM(BPF_DW, R10, -8, 0x6968), MOV64_REG(R1, R10),
                                         ALU64_IMM(BPF_ADD, R1, -8),      MOV64_IMM(R2, 3),
                                         CALL(BPF_FUNC_trace_printk),     EXIT()};

static void test_print(void)
{
    int fd = load(prints, ARRAY_SIZE(prints), true);
    uint64_t ctx[12] = {0};
    unsigned int result;
    char line[128];

    check("a helper that is called returns its result", !run(fd, ctx, &result) && result == 2);
    check("its event's stack has the program",
          line_with(TRACING "/trace", "_random", line, sizeof(line))[0] &&
              !strncmp(line, " => bpf_prog_", 13));
    close(fd);
}

/* Jumps about as far as a branch reaches: each that becomes shorter brings others nearer. */
static void make_far_jumps(void)
{
    unsigned int over;

    len = 0;
    EMIT(LDX_MEM(BPF_DW, R3, R1, 0));
    EMIT(LDX_MEM(BPF_DW, R4, R1, 8));
    EMIT(MOV64_IMM(R0, 0));
    while (len < PROG_MAX - 2) {
        over = 450 + below(300);
        switch (below(3)) {
        case 0: EMIT(JMP_REG(BPF_JSGT, R3, R4, min(over, PROG_MAX - 3 - len))); break;
        case 1: EMIT(ALU64_IMM(BPF_XOR, R3, number())); break;
        default: EMIT(ALU64_IMM(BPF_ADD, R0, len)); break;
        }
    }
    EMIT(EXIT());
}

static bool far_jumps_agree(void)
{
    unsigned int i;

    for (i = 0; i < 2; i++) {
        make_far_jumps();
        if (!agrees(insns, len))
            return false;
    }
    return accepted == 2;
}

static int test_all(void)
{
    test_info();
    test_print();
    check("so do programs with many jumps about as far as a branch reaches", far_jumps_agree());
    check("the programs of bpf_cases.h do the same", cases_agree());
    check("each that is accepted is compiled", accepted > 20 && compiled == accepted);
    return check_result();
}

/* ---- for disassemblers ---- */

static void show_text(const struct bpf_insn *prog, unsigned int n)
{
    static uint32_t text[16384];
    struct bpf_prog_info info = {.jited_prog_insns = (unsigned long)text};
    uint64_t start = 0;
    unsigned int i;
    int fd = load(prog, n, true);

    if (fd < 0)
        return;
    info.jited_prog_len = sizeof(text);
    info.nr_jited_ksyms = 1;
    info.jited_ksyms = (unsigned long)&start;
    info_of(fd, &info);
    printf("text %lx", (unsigned long)start);
    for (i = 0; i < info.jited_prog_len / 4; i++)
        printf(" %08x", text[i]);
    printf("\n");
    close(fd);
}

static int show_texts(unsigned long count)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(bpf_cases); i++)
        show_text(bpf_cases[i].insns, bpf_cases[i].len);
    while (count--) {
        make_program();
        show_text(insns, len);
    }
    return 0;
}

/* ---- programs that come and go ---- */

/* Long enough to be met, in itself and in a helper. */
static void make_busy(void)
{
    len = 0;
    while (len < PROG_MAX - 1)
        EMIT(CALL(BPF_FUNC_get_smp_processor_id));
    EMIT(EXIT());
}

static int attach(int prog)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (unsigned long)"sys_enter", .prog_fd = prog}};

    return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* With another program at the event, so that its tracepoint stays on. */
static int come_and_go(unsigned long count)
{
    static const struct bpf_insn nothing[] = {MOV64_IMM(R0, 0), EXIT()};
    int other = load(nothing, ARRAY_SIZE(nothing), true), link = attach(other);
    pid_t child = fork();

    if (!child)
        for (;;)
            getpid();
    make_busy();
    while (count--) {
        int prog = load(insns, len, true), busy_link = attach(prog);

        close(prog);
        sched_yield();
        close(busy_link);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(link);
    close(other);
    printf("programs came and went\n");
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 2 ? strtoul(argv[2]) : 100;

    map_at(BPF_CASE_MAP, BPF_MAP_TYPE_ARRAY, 4, 64, 1);
    map_at(BPF_CASE_HASH, BPF_MAP_TYPE_HASH, 8, 64, 4);
    map_at(REGS_MAP, BPF_MAP_TYPE_ARRAY, 4, 8 * VALUES, 1);
    if (argc > 3)
        random_state = strtoul(argv[3]);
    if (argc < 2)
        return test_all();
    if (!strcmp(argv[1], "random"))
        return test_random(count);
    if (!strcmp(argv[1], "file") && argc > 2)
        return test_file(argv[2]);
    if (!strcmp(argv[1], "text"))
        return show_texts(count);
    return come_and_go(count);
}
