/* verdicts.c - what the verifier accepts, the log, and errors of loading. */
#include "../bpf_cases.h"
#include "bpftest.h"

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

void test_cases(void)
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
void test_log_text(void)
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

void test_load_errors(void)
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

void test_any_alignment(void)
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

void test_tail_call_with_record(void)
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

/* As in Linux 6.1 on RISC-V. */
void test_tail_call(void)
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
