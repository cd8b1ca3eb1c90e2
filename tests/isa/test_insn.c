/*
 * test_insn.c - every row of the instruction table, by example.
 *
 * cases.def holds the examples, encode.h the encodings, the files of insn the code of examples
 * that are more than one word; all were written from the manual. Each example runs in M-mode, in
 * S-mode and in U-mode, the latter two under Sv39, each time in a new world: first by the slow path
 * of translation and decoding, then by the filled caches, then within
 * a longer run, as part of a block.
 * All 32 registers, pc, and the memory around an access are compared. A row
 * with fewer than CASES_WANTED examples fails, so none is added without a test.
 */
#include <stdlib.h>
#include <string.h>

#include "cpu/isa/isa.h"
#include "isa/insn/special.h"

enum { CASES_WANTED = 4, TRIALS_MAX = 7 };

/* ---- a trial: one word, before and after ---- */

enum { TO_PAGE_END = (int)(PAGE_END - DATA), OUTSIDE = (int)(RAM_BASE + RAM_SIZE - DATA) };
enum { HERE = 1 }; /* a distance that no jump can have: pc stays where it is */

struct trial {
    uint32_t word; /* 0: no trial */
    unsigned reg[2];
    uint64_t value[2];
    unsigned dest;
    uint64_t result;
    int distance; /* of a jump; 0: on to the next instruction */
    bool memory;  /* before and after are the eight bytes at DATA + where */
    int64_t where;
    uint64_t before, after;
    uint64_t cause; /* 0: no trap. Otherwise tval is DATA + where */
};

/* ---- the modes ---- */

static const struct {
    enum privilege mode;
    const char *name;
} modes[] = {{PRIV_M, "M"}, {PRIV_S, "S"}, {PRIV_U, "U"}};

static uint64_t untouched(unsigned reg)
{
    return reg ? UINT64_C(0xc0de00000000) + reg * UINT64_C(0x10001) : 0;
}

static void set_registers(struct hart *h, const struct trial *t)
{
    for (unsigned reg = 0; reg < 32; reg++)
        hart_set_reg(h, reg, untouched(reg));
    for (unsigned n = 0; n < 2; n++)
        hart_set_reg(h, t->reg[n], t->value[n]);
}

static uint64_t expected_register(const struct trial *t, unsigned reg)
{
    if (reg == ZERO)
        return 0;
    if (reg == t->dest && !t->cause)
        return t->result;
    for (unsigned n = 2; n-- > 0;)
        if (reg == t->reg[n])
            return t->value[n];
    return untouched(reg);
}

static uint64_t expected_pc(const struct trial *t)
{
    if (t->cause)
        return M_VECTOR;
    if (t->distance == HERE)
        return CODE;
    if (t->distance)
        return CODE + (uint64_t)(int64_t)t->distance;
    return CODE + ((t->word & 3) == 3 ? 4 : 2);
}

static bool outside(const struct trial *t)
{
    return t->where >= OUTSIDE;
}

static void set_memory(struct world *w, const struct trial *t)
{
    uint64_t at = DATA + (uint64_t)t->where;

    for (int n = -2; n <= 2; n++)
        poke(w, at + (uint64_t)(8 * n), n ? FILL : t->before, 8);
}

static bool memory_is_right(const struct world *w, const struct trial *t)
{
    uint64_t at = DATA + (uint64_t)t->where;
    bool right = true;

    for (int n = -2; n <= 2; n++)
        right &= peek(w, at + (uint64_t)(8 * n), 8) == (n ? FILL : t->after);
    return right;
}

static bool trap_is_right(struct hart *h, const struct trial *t, enum privilege mode)
{
    return hart_mode(h) == PRIV_M && csr(h, MCAUSE) == t->cause && csr(h, MEPC) == CODE &&
           csr(h, MTVAL) == DATA + (uint64_t)t->where && (csr(h, MSTATUS) >> 11 & 3) == mode;
}

static bool registers_are_right(struct hart *h, const struct trial *t)
{
    bool right = true;

    for (unsigned reg = 0; reg < 32; reg++)
        if (hart_reg(h, reg) != expected_register(t, reg)) {
            print_error("    x%u is %#llx, not %#llx\n", reg, (unsigned long long)hart_reg(h, reg),
                        (unsigned long long)expected_register(t, reg));
            right = false;
        }
    return right;
}

static bool came_out_right(struct world *w, const struct trial *t, enum privilege mode)
{
    struct hart *h = w->hart;
    bool right = registers_are_right(h, t);

    if (hart_pc(h) != expected_pc(t)) {
        print_error("    pc is %#llx, not %#llx (mcause %llu)\n", (unsigned long long)hart_pc(h),
                    (unsigned long long)expected_pc(t), (unsigned long long)csr(h, MCAUSE));
        right = false;
    }
    if (t->memory && !outside(t) && !memory_is_right(w, t)) {
        print_error("    memory is wrong\n");
        right = false;
    }
    if (t->cause ? !trap_is_right(h, t, mode) : hart_mode(h) != mode) {
        print_error("    the trap is wrong\n");
        right = false;
    }
    return right;
}

/* At the target of the word is `j .`, unless that would overwrite the word. */
static bool put_spin(struct world *w, const struct trial *t)
{
    uint64_t at = expected_pc(t);

    if (at == CODE)
        return true;
    if (at > CODE - 4 && at < w->put_at)
        return false;
    poke(w, at, JAL(ZERO, 0), 4);
    return true;
}

static bool run_trial(struct world *w, const struct trial *t, enum privilege mode, uint64_t budget)
{
    uint64_t retired;

    if (hart_mode(w->hart) != mode)
        enter(w->hart, mode, CODE);
    retired = hart_insns(w->hart);
    set_registers(w->hart, t);
    if (t->memory && !outside(t))
        set_memory(w, t);
    run(w, budget);
    if (!came_out_right(w, t, mode))
        return false;
    if (!t->cause && hart_insns(w->hart) != retired + budget) {
        print_error("    %llu instructions were counted\n",
                    (unsigned long long)(hart_insns(w->hart) - retired));
        return false;
    }
    return true;
}

/* Executes it alone, alone again, and as part of a longer run that ends in a loop. */
static bool try_once(const struct trial *t, enum privilege mode)
{
    struct world w = world_in_mode(mode);
    bool right, may_spin;

    put(&w, t->word);
    may_spin = put_spin(&w, t);
    right = run_trial(&w, t, mode, 1) && run_trial(&w, t, mode, 1) &&
            (!may_spin || (run_trial(&w, t, mode, 20) && run_trial(&w, t, mode, 20)));
    world_free(&w);
    return right;
}

/* ---- the table of cases ---- */

struct insn_case {
    unsigned row;
    const char *text;
    struct trial trials[TRIALS_MAX];
    void (*special)(struct world *w);
    bool in_every_mode; /* of `special`; trials always are */
};

#define U(v)                 ((uint64_t)(v))
#define SAME(a, b, word)     (U(a) == U(b) ? (word) : 0)
#define REGS(r1, v1, r2, v2) .reg = {r1, r2}, .value = {U(v1), U(v2)}
#define MEMORY(at, old, new) .memory = true, .where = (at), .before = U(old), .after = U(new)

#define TRIAL(code, rd, r, ...)                                   \
    {                                                             \
        .word = (code), .dest = (rd), .result = U(r), __VA_ARGS__ \
    }

#define RR(name, CODE_OF, a, b, r)                                            \
    {ROW_##name,                                                              \
     #name " of " #a " and " #b,                                              \
     {TRIAL(CODE_OF(A0, A1, A2), A0, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(A1, A1, A2), A1, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(A2, A1, A2), A2, r, REGS(A1, a, A2, b)),                  \
      TRIAL(CODE_OF(ZERO, A1, A2), ZERO, 0, REGS(A1, a, A2, b)),              \
      TRIAL(SAME(a, b, CODE_OF(A1, A1, A1)), A1, r, REGS(A1, a, ZERO, 0)),    \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO, A2)), T6, r, REGS(ZERO, 0, A2, b)),  \
      TRIAL(SAME(b, 0, CODE_OF(T6, A1, ZERO)), T6, r, REGS(A1, a, ZERO, 0))}, \
     NULL,                                                                    \
     true},
#define RI(name, CODE_OF, a, imm, r)                                             \
    {ROW_##name,                                                                 \
     #name " of " #a " and " #imm,                                               \
     {TRIAL(CODE_OF(A0, A1, imm), A0, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(A1, A1, imm), A1, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(ZERO, A1, imm), ZERO, 0, REGS(A1, a, ZERO, 0)),              \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO, imm)), T6, r, REGS(ZERO, 0, ZERO, 0))}, \
     NULL,                                                                       \
     true},
#define R1(name, CODE_OF, a, r)                                             \
    {ROW_##name,                                                            \
     #name " of " #a,                                                       \
     {TRIAL(CODE_OF(A0, A1), A0, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(A1, A1), A1, r, REGS(A1, a, ZERO, 0)),                  \
      TRIAL(CODE_OF(ZERO, A1), ZERO, 0, REGS(A1, a, ZERO, 0)),              \
      TRIAL(SAME(a, 0, CODE_OF(T6, ZERO)), T6, r, REGS(ZERO, 0, ZERO, 0))}, \
     NULL,                                                                  \
     true},
#define ONE(name, code, r1, v1, r2, v2, rd, r) \
    {ROW_##name, #code, {TRIAL(code, rd, r, REGS(r1, v1, r2, v2))}, NULL, true},
#define GOES(taken, to) .distance = (taken) ? (to) : 0
#define BRANCH(name, CODE_OF, a, b, taken)                                                     \
    {ROW_##name,                                                                               \
     #name " of " #a " and " #b,                                                               \
     {TRIAL(CODE_OF(A1, A2, 8), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, 8)),                  \
      TRIAL(CODE_OF(A1, A2, -16), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, -16)),              \
      TRIAL(CODE_OF(A1, A2, 4094), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, 4094)),            \
      TRIAL(CODE_OF(A1, A2, -4096), ZERO, 0, REGS(A1, a, A2, b), GOES(taken, -4096)),          \
      TRIAL(SAME(a, b, CODE_OF(A1, A1, 6)), ZERO, 0, REGS(A1, a, ZERO, 0), GOES(taken, 6)),    \
      TRIAL(SAME(a, 0, CODE_OF(ZERO, A2, 6)), ZERO, 0, REGS(ZERO, 0, A2, b), GOES(taken, 6)),  \
      TRIAL(SAME(b, 0, CODE_OF(A1, ZERO, 6)), ZERO, 0, REGS(A1, a, ZERO, 0), GOES(taken, 6))}, \
     NULL,                                                                                     \
     true},
#define BRANCH1(name, code, r1, v1, to)                               \
    {ROW_##name,                                                      \
     #code " of " #v1,                                                \
     {TRIAL(code, ZERO, 0, REGS(r1, v1, ZERO, 0), .distance = (to))}, \
     NULL,                                                            \
     true},
#define BASE(at, imm) (DATA + U(at) - U(imm))
#define LOAD(name, CODE_OF, bytes, at, imm, r)                             \
    {ROW_##name,                                                           \
     #name " of " #bytes " at " #at,                                       \
     {TRIAL(CODE_OF(A0, A1, imm), A0, r, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, bytes, bytes)),                                     \
      TRIAL(CODE_OF(A1, A1, imm), A1, r, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, bytes, bytes))},                                    \
     NULL,                                                                 \
     true},
#define LOAD1(name, code, base, at, imm, bytes, rd, r)                                   \
    {ROW_##name,                                                                         \
     #code " of " #bytes " at " #at,                                                     \
     {TRIAL(code, rd, r, REGS(base, BASE(at, imm), ZERO, 0), MEMORY(at, bytes, bytes))}, \
     NULL,                                                                               \
     true},
#define STORE(name, CODE_OF, v, at, imm, bytes)                                            \
    {ROW_##name,                                                                           \
     #name " of " #v " at " #at,                                                           \
     {TRIAL(CODE_OF(A2, A1, imm), ZERO, 0, REGS(A1, BASE(at, imm), A2, v),                 \
            MEMORY(at, FILL, bytes)),                                                      \
      TRIAL(SAME(v, 0, CODE_OF(ZERO, A1, imm)), ZERO, 0, REGS(A1, BASE(at, imm), ZERO, 0), \
            MEMORY(at, FILL, bytes))},                                                     \
     NULL,                                                                                 \
     true},
#define STORE1(name, code, base, at, imm, reg2, v, bytes)                                 \
    {ROW_##name,                                                                          \
     #code " of " #v " at " #at,                                                          \
     {TRIAL(code, ZERO, 0, REGS(base, BASE(at, imm), reg2, v), MEMORY(at, FILL, bytes))}, \
     NULL,                                                                                \
     true},
#define AMO_TRIAL(code, rd, r, v, old, new) \
    TRIAL(code, rd, r, REGS(A1, DATA, A2, v), MEMORY(0, old, new))
#define AMO(name, CODE_OF, old, v, r, new)                        \
    {ROW_##name,                                                  \
     #name " of " #old " and " #v,                                \
     {AMO_TRIAL(CODE_OF(0, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(1, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(2, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(3, A0, A2, A1), A0, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, A2, A2, A1), A2, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, A1, A2, A1), A1, r, v, old, new),      \
      AMO_TRIAL(CODE_OF(0, ZERO, A2, A1), ZERO, 0, v, old, new)}, \
     NULL,                                                        \
     true},
#define AMO_TRAPS(name, CODE_OF, at, why)                                   \
    {ROW_##name,                                                            \
     #name " at " #at,                                                      \
     {TRIAL(CODE_OF(0, A0, A2, A1), ZERO, 0, REGS(A1, DATA + U(at), A2, 1), \
            MEMORY(at, FILL, FILL), .cause = (why))},                       \
     NULL,                                                                  \
     true},
#define SPECIAL(name, function) {ROW_##name, #function, {{0}}, function, true},
#define MODES(name, function)   {ROW_##name, #function, {{0}}, function, false},

static const struct insn_case cases[] = {
#include "cases.def"
};

/* One test for each row. The world of a special case stays when an assertion ends the case. */
struct row_test {
    unsigned row;
    bool world_stands;
    struct world world;
    char *name;
};

static void run_special(struct row_test *t, const struct insn_case *c)
{
    for (size_t m = 0; m < (c->in_every_mode ? ARRAY_LEN(modes) : 1); m++) {
        t->world = world_in_mode(modes[m].mode);
        t->world_stands = true;
        c->special(&t->world);
        t->world_stands = false;
        world_free(&t->world);
    }
}

static bool run_trials(const struct insn_case *c)
{
    bool right = true;

    for (unsigned n = 0; n < TRIALS_MAX; n++)
        for (size_t m = 0; m < ARRAY_LEN(modes) && c->trials[n].word; m++)
            if (!try_once(&c->trials[n], modes[m].mode)) {
                print_error("  %s (word %08x) in %s-mode\n", c->text, (unsigned)c->trials[n].word,
                            modes[m].name);
                right = false;
            }
    return right;
}

static void run_row(void **state)
{
    struct row_test *t = *state;
    const char *name = row_info(t->row)->name;
    unsigned found = 0, wrong = 0;

    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        if (cases[n].row != t->row)
            continue;
        found++;
        if (cases[n].special)
            run_special(t, &cases[n]);
        else
            wrong += !run_trials(&cases[n]);
    }
    if (found < CASES_WANTED)
        fail_msg("%s has %u cases, not %d", name, found, CASES_WANTED);
    if (wrong)
        fail_msg("%s: %u of %u cases are wrong", name, wrong, found);
}

static int end_row(void **state)
{
    struct row_test *t = *state;

    if (t->world_stands)
        world_free(&t->world);
    return 0;
}

static const char *const claims[ROW_COUNT] = {
#define I(ext, name, match, mask, format, class) [ROW_##name] = #name "_does_what_the_manual_says",
#define C(ext, name, match, mask, format, base)  [ROW_##name] = #name "_does_what_the_manual_says",
#include "cpu/isa/insn.def"
#undef I
#undef C
};

int main(void)
{
    struct CMUnitTest tests[ROW_COUNT];
    struct row_test rows[ROW_COUNT];
    size_t count = 0;

    memset(tests, 0, sizeof tests);
    for (unsigned row = 0; row < ROW_COUNT; row++) {
        rows[row] = (struct row_test){.row = row};
        if (row_info(row)->op >= FIRST_VECTOR_OP)
            continue; /* test_vector.c, tests/diff/vectortest.py */
        if (op_floating(row_info(row)->op) != FLOATING_X)
            continue; /* test_float_insn.c */
        tests[count++] = (struct CMUnitTest){.name = claims[row],
                                             .test_func = run_row,
                                             .teardown_func = end_row,
                                             .initial_state = &rows[row]};
    }
    return _cmocka_run_group_tests("every integer row of insn.def", tests, count, NULL, NULL);
}
