/* kprobes_test.c - probes on every kind of instruction, several on one place, misses, removal. */
#include <asm/ptrace.h>
#include <asm/stacktrace.h>
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

enum { ARG = 40 };

/* Called through a pointer: the compiler knows nothing of the result. */
static noinline u64 kprobe_target(u64 value)
{
    __asm__("" : "+r"(value));
    return value / 3 + 7;
}

static u64 (*volatile target)(u64) = kprobe_target;

static noinline u64 kprobe_outer(u64 value)
{
    return target(value) + 1;
}

static u64 (*volatile outer)(u64) = kprobe_outer;

/*
 * All that is simulated: each branch both ways, jumps with and without a link, also through the
 * link register; and loads and stores. The result depends on each of them.
 */
__asm__(".text\n"
        ".option push\n"
        ".option norelax\n"
        ".option arch, +c\n"
        ".globl kprobe_insns\n"
        ".type kprobe_insns, @function\n"
        "kprobe_insns:\n"
        "    addi  sp, sp, -32\n"
        "    sd    ra, 24(sp)\n"
        "    sd    s0, 16(sp)\n"
        "    li    s0, 0\n"
        "    li    a5, -1\n"
        "    li    a4, 1\n"
        ".macro step branch, a, b\n"
        "    slli  s0, s0, 1\n"
        "    \\branch \\a, \\b, 1f\n"
        "    addi  s0, s0, 1\n"
        "1:\n"
        ".endm\n"
        "    step beq, a4, a4\n"
        "    step beq, a4, a5\n"
        "    step bne, a4, a4\n"
        "    step bne, a4, a5\n"
        "    step blt, a5, a4\n"
        "    step blt, a4, a5\n"
        "    step bge, a5, a4\n"
        "    step bge, a4, a5\n"
        "    step bltu, a5, a4\n"
        "    step bltu, a4, a5\n"
        "    step bgeu, a5, a4\n"
        "    step bgeu, a4, a5\n"
        "    slli  s0, s0, 1\n"
        "    c.beqz a4, 2f\n"
        "    addi  s0, s0, 1\n"
        "2:  slli  s0, s0, 1\n"
        "    c.bnez a4, 3f\n"
        "    addi  s0, s0, 1\n"
        "3:  c.j   4f\n"
        "    addi  s0, s0, 1\n"
        "4:  jal   t0, 6f\n"
        "    lla   t1, 5f\n"
        "    c.jr  t1\n"
        "    addi  s0, s0, 1\n"
        "5:  lla   ra, 9f\n"
        "    c.jalr ra\n" /* the link register is the base, too */
        "    lla   t1, 7f\n"
        "    addi  t1, t1, 4\n"
        "    jalr  t1, -4(t1)\n"
        "8:  addi  s0, s0, 1\n"
        "6:  c.addi s0, 1\n"
        "    jr    t0\n"
        "9:  c.addi s0, 2\n"
        "    c.jr  ra\n"
        "7:  lla   t3, 8b\n"
        "    sub   t1, t1, t3\n"
        "    slli  s0, s0, 1\n"
        "    beqz  t1, 10f\n"
        "    addi  s0, s0, 1\n"
        "10: sd    s0, 8(sp)\n"
        "    auipc t2, 1\n"
        "    auipc t3, 0\n"
        "    sub   t2, t2, t3\n"
        "    ld    s0, 8(sp)\n"
        "    add   a0, a0, s0\n"
        "    add   a0, a0, t2\n"
        "    ld    ra, 24(sp)\n"
        "    ld    s0, 16(sp)\n"
        "    addi  sp, sp, 32\n"
        "    ret\n"
        ".size kprobe_insns, . - kprobe_insns\n"
        ".option pop\n");
u64 kprobe_insns(u64 value);

/* ---- counting ---- */

struct counter {
    struct kprobe kp;
    unsigned int pre, post;
    unsigned long epc, a0;
};

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
    struct counter *c = container_of(p, struct counter, kp);

    c->pre++;
    c->epc = regs->epc;
    c->a0 = regs->a0;
    return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
    (void)regs;
    (void)flags;
    container_of(p, struct counter, kp)->post++;
}

static struct counter counter_at(const char *symbol)
{
    return (struct counter){.kp = {.symbol_name = symbol, .pre_handler = count_pre}};
}

/* ---- cases ---- */

static void a_probe_is_called_and_the_function_unchanged(struct kunit *test)
{
    struct counter c = counter_at("kprobe_target");

    c.kp.post_handler = count_post;
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), 0);
    KUNIT_EXPECT_EQ(test, target(ARG), ARG / 3 + 7);
    KUNIT_EXPECT_EQ(test, c.pre, 1);
    KUNIT_EXPECT_EQ(test, c.post, 1);
    KUNIT_EXPECT_EQ(test, c.a0, ARG);
    KUNIT_EXPECT_EQ(test, c.epc, c.kp.addr);
    unregister_kprobe(&c.kp);
    KUNIT_EXPECT_EQ(test, target(ARG), ARG / 3 + 7);
    KUNIT_EXPECT_EQ(test, c.pre, 1);
}

/* Registers a probe at each instruction of fn; returns how many there are. */
static unsigned int probe_all(struct kunit *test, const char *fn, struct counter *c,
                              unsigned int max, unsigned int *rejected)
{
    unsigned long start = kallsyms_lookup_name(fn), size, at;
    unsigned int n = 0;

    *rejected = 0;
    if (!KUNIT_EXPECT_TRUE(test, start && kallsyms_lookup_size_offset(start, &size, NULL)))
        return 0;
    for (at = start; at < start + size && n < max; at += 2) {
        int err;

        c[n] = (struct counter){.kp = {.addr = (kprobe_opcode_t *)at, .pre_handler = count_pre}};
        err = register_kprobe(&c[n].kp);
        if (!err)
            n++;
        else if (err != -EILSEQ)
            (*rejected)++;
    }
    return n;
}

static void remove_all(struct counter *c, unsigned int n)
{
    while (n--)
        unregister_kprobe(&c[n].kp);
}

static void every_instruction_of_a_function_can_be_probed_at_once(struct kunit *test)
{
    enum { MAX = 160 };
    struct counter *c = kzalloc(MAX * sizeof(*c));
    u64 expected = kprobe_insns(ARG);
    unsigned int n, rejected, i, hit = 0;

    if (!KUNIT_EXPECT_TRUE(test, c))
        return;
    n = probe_all(test, "kprobe_insns", c, MAX, &rejected);
    KUNIT_EXPECT_GT(test, n, 60);
    KUNIT_EXPECT_LT(test, n, MAX);
    KUNIT_EXPECT_EQ(test, rejected, 0);
    KUNIT_EXPECT_EQ(test, kprobe_insns(ARG), expected);
    for (i = 0; i < n; i++)
        hit += c[i].pre;
    KUNIT_EXPECT_GT(test, hit, 60);
    remove_all(c, n);
    KUNIT_EXPECT_EQ(test, kprobe_insns(ARG), expected);
    for (i = 0; i < n; i++)
        hit -= c[i].pre;
    KUNIT_EXPECT_EQ(test, hit, 0);
    kfree(c);
}

static void several_probes_share_a_place(struct kunit *test)
{
    struct counter a = counter_at("kprobe_target"), b = a, d = a;

    KUNIT_EXPECT_EQ(test, register_kprobe(&a.kp), 0);
    KUNIT_EXPECT_EQ(test, register_kprobe(&b.kp), 0);
    d.kp.post_handler = count_post;
    d.kp.flags = KPROBE_FLAG_DISABLED;
    KUNIT_EXPECT_EQ(test, register_kprobe(&d.kp), 0);
    target(ARG);
    KUNIT_EXPECT_EQ(test, a.pre, 1);
    KUNIT_EXPECT_EQ(test, b.pre, 1);
    KUNIT_EXPECT_EQ(test, d.pre, 0);
    KUNIT_EXPECT_EQ(test, enable_kprobe(&d.kp), 0);
    unregister_kprobe(&a.kp);
    target(ARG);
    KUNIT_EXPECT_EQ(test, a.pre, 1);
    KUNIT_EXPECT_EQ(test, b.pre, 2);
    KUNIT_EXPECT_EQ(test, d.pre, 1);
    KUNIT_EXPECT_EQ(test, d.post, 1);
    unregister_kprobe(&b.kp);
    unregister_kprobe(&d.kp);
    target(ARG);
    KUNIT_EXPECT_EQ(test, d.pre, 1);
}

static void a_disabled_probe_is_not_called(struct kunit *test)
{
    struct counter c = counter_at("kprobe_target");

    KUNIT_EXPECT_EQ(test, disable_kprobe(&c.kp), -EINVAL);
    c.kp.flags = KPROBE_FLAG_DISABLED;
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), 0);
    target(ARG);
    KUNIT_EXPECT_EQ(test, c.pre, 0);
    KUNIT_EXPECT_EQ(test, enable_kprobe(&c.kp), 0);
    target(ARG);
    KUNIT_EXPECT_EQ(test, c.pre, 1);
    KUNIT_EXPECT_EQ(test, disable_kprobe(&c.kp), 0);
    target(ARG);
    KUNIT_EXPECT_EQ(test, c.pre, 1);
    unregister_kprobe(&c.kp);
    KUNIT_EXPECT_EQ(test, enable_kprobe(&c.kp), -EINVAL);
}

/* The handler calls a probed function, whose handlers are not called then. */
static int call_inner(struct kprobe *p, struct pt_regs *regs)
{
    count_pre(p, regs);
    target(1);
    return 0;
}

static void a_probe_hit_in_a_handler_is_missed(struct kunit *test)
{
    struct counter inner = counter_at("kprobe_target"), out = counter_at("kprobe_outer");

    out.kp.pre_handler = call_inner;
    KUNIT_EXPECT_EQ(test, register_kprobe(&inner.kp), 0);
    KUNIT_EXPECT_EQ(test, register_kprobe(&out.kp), 0);
    KUNIT_EXPECT_EQ(test, outer(ARG), ARG / 3 + 8);
    KUNIT_EXPECT_EQ(test, out.pre, 1);
    KUNIT_EXPECT_EQ(test, inner.pre, 1);
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
    /* By ftrace the recursion may be stopped before the probe is found. */
    KUNIT_EXPECT_LE(test, inner.kp.nmissed, 1);
#else
    KUNIT_EXPECT_EQ(test, inner.kp.nmissed, 1);
#endif
    unregister_kprobe(&out.kp);
    unregister_kprobe(&inner.kp);
}

/* Returns at once to the caller, with another result. */
static int return_early(struct kprobe *p, struct pt_regs *regs)
{
    count_pre(p, regs);
    regs->a0 = 1234;
    regs->epc = regs->ra;
    return 1;
}

static void a_handler_may_replace_the_instruction(struct kunit *test)
{
    struct counter c = counter_at("kprobe_insns");

    c.kp.pre_handler = return_early;
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), 0);
    KUNIT_EXPECT_EQ(test, kprobe_insns(ARG), 1234);
    unregister_kprobe(&c.kp);
}

static void what_cannot_be_probed_is_refused(struct kunit *test)
{
    static u64 data;
    struct counter c = counter_at("no_such_function");

    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -ENOENT);
    c.kp.symbol_name = NULL;
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -EINVAL);
    c.kp.addr = (kprobe_opcode_t *)&data;
    KUNIT_EXPECT_LT(test, register_kprobe(&c.kp), 0);
    c = counter_at("get_kprobe");
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -EINVAL);
    c = counter_at("handle_exception");
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -EINVAL);
    c = counter_at("do_page_fault");
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -EINVAL);
    c = counter_at("kprobe_insns");
    c.kp.offset = 1;
    KUNIT_EXPECT_EQ(test, register_kprobe(&c.kp), -EILSEQ);
}

/* The copy of the load faults: epc must be that of the load, whose fixup is then found. */
static void a_fault_of_the_copy_is_a_fault_of_the_instruction(struct kunit *test)
{
    enum { MAX = 200 };
    struct counter *c = kzalloc(MAX * sizeof(*c));
    unsigned int n, rejected;
    u64 word;

    if (!KUNIT_EXPECT_TRUE(test, c))
        return;
    n = probe_all(test, "__asm_copy_from_user", c, MAX, &rejected);
    KUNIT_EXPECT_GT(test, n, 4);
    KUNIT_EXPECT_NE(test, copy_from_user(&word, (const void __user *)8, sizeof(word)), 0);
    KUNIT_EXPECT_GT(test, c[0].pre, 0);
    remove_all(c, n);
    kfree(c);
}

/* ---- returns ---- */

struct returns {
    struct kretprobe rp;
    unsigned int entries, returned;
    u64 arg, result;
    bool traced; /* the trampoline is in a stack trace from the probed function */
};

static struct returns *tested;

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
    *(u64 *)ri->data = regs->a0;
    return ++tested->entries == 3; /* the third is not wanted */
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
    tested->returned++;
    tested->arg = *(u64 *)ri->data;
    tested->result = regs->a0;
    return 0;
}

static void a_return_is_seen_with_the_data_of_its_entry(struct kunit *test)
{
    struct returns r = {.rp = {.kp.symbol_name = "kprobe_outer",
                               .handler = note_return,
                               .entry_handler = note_entry,
                               .data_size = sizeof(u64)}};
    struct counter same = counter_at("kprobe_outer");

    tested = &r;
    KUNIT_EXPECT_EQ(test, register_kretprobe(&r.rp), 0);
    KUNIT_EXPECT_EQ(test, register_kprobe(&same.kp), 0);
    KUNIT_EXPECT_EQ(test, outer(ARG), ARG / 3 + 8);
    KUNIT_EXPECT_EQ(test, r.returned, 1);
    KUNIT_EXPECT_EQ(test, r.arg, ARG);
    KUNIT_EXPECT_EQ(test, r.result, ARG / 3 + 8);
    outer(ARG);
    outer(ARG);
    KUNIT_EXPECT_EQ(test, r.entries, 3);
    KUNIT_EXPECT_EQ(test, r.returned, 2);
    KUNIT_EXPECT_EQ(test, same.pre, 3);
    unregister_kprobe(&same.kp);
    unregister_kretprobe(&r.rp);
    outer(ARG);
    KUNIT_EXPECT_EQ(test, r.returned, 2);
    KUNIT_EXPECT_EQ(test, r.rp.nmissed, 0);
}

/* In the probed function's callee: the walk goes through the hooked return. */
static int take_trace(struct kprobe *p, struct pt_regs *regs)
{
    unsigned long trace[16];
    unsigned int n = stack_trace_save(trace, ARRAY_SIZE(trace), 0);

    count_pre(p, regs);
    while (n--)
        if (trace[n] == (unsigned long)arch_rethook_trampoline)
            tested->traced = true;
    return 0;
}

static void two_kretprobes_and_a_stack_trace(struct kunit *test)
{
    struct returns r = {.rp = {.kp.symbol_name = "kprobe_outer",
                               .handler = note_return,
                               .maxactive = 1,
                               .data_size = sizeof(u64)}};
    struct kretprobe second = {
        .kp.symbol_name = "kprobe_outer", .handler = note_return, .data_size = sizeof(u64)};
    struct counter inner = counter_at("kprobe_target");

    tested = &r;
    inner.kp.pre_handler = take_trace;
    KUNIT_EXPECT_EQ(test, register_kretprobe(&r.rp), 0);
    KUNIT_EXPECT_EQ(test, register_kretprobe(&second), 0);
    KUNIT_EXPECT_EQ(test, register_kprobe(&inner.kp), 0);
    KUNIT_EXPECT_EQ(test, outer(ARG), ARG / 3 + 8);
    KUNIT_EXPECT_EQ(test, r.returned, 2);
    KUNIT_EXPECT_EQ(test, inner.pre, 1);
#ifdef CONFIG_FRAME_POINTER
    KUNIT_EXPECT_FALSE(test, r.traced);
#endif
    unregister_kprobe(&inner.kp);
    unregister_kretprobe(&r.rp);
    unregister_kretprobe(&second);
    second = (struct kretprobe){.kp = {.symbol_name = "kprobe_outer", .offset = 2}};
    KUNIT_EXPECT_EQ(test, register_kretprobe(&second), -EINVAL);
}

static const struct kunit_case kprobes_cases[] = {
    KUNIT_CASE(a_probe_is_called_and_the_function_unchanged),
    KUNIT_CASE(every_instruction_of_a_function_can_be_probed_at_once),
    KUNIT_CASE(several_probes_share_a_place),
    KUNIT_CASE(a_disabled_probe_is_not_called),
    KUNIT_CASE(a_probe_hit_in_a_handler_is_missed),
    KUNIT_CASE(a_handler_may_replace_the_instruction),
    KUNIT_CASE(what_cannot_be_probed_is_refused),
    KUNIT_CASE(a_fault_of_the_copy_is_a_fault_of_the_instruction),
    KUNIT_CASE(a_return_is_seen_with_the_data_of_its_entry),
    KUNIT_CASE(two_kretprobes_and_a_stack_trace),
    {},
};

static const struct kunit_suite kprobes_suite = {"kprobes", kprobes_cases};
kunit_test_suite(kprobes_suite);
