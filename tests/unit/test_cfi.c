/*
 * test_cfi.c - call frame information, compared with what libdw reads from the same file, at each
 * address of a small program that is compiled here; and from a file that is damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "load/cfi.h"
#include "load/lines_dwarf.h"

/* Frames of fixed and of variable size, with variable arguments, with early returns, and none. */
static const char source[] =
    "int other(char *p, long n, ...);\n"
    "int fixed(long n) { char a[100]; return other(a, n) + a[n]; }\n"
    "int large(long n) { char a[9000]; return other(a, n) + a[n] + fixed(n); }\n"
    "int variable(long n) { char a[n]; return other(a, n) + a[1] + fixed(n); }\n"
    "int arguments(long n, ...) { __builtin_va_list l; __builtin_va_start(l, n);\n"
    "    return other(0, n, __builtin_va_arg(l, long)) + fixed(n); }\n"
    "int early(long n) { if (n < 3) return 1; long s = fixed(n);\n"
    "    if (s > 5) return large(n) + s; for (long i = 0; i < n; i++) s += fixed(i) * s;\n"
    "    return s * n; }\n"
    "int leaf(long n) { return n * 3; }\n"
    "int other(char *p, long n, ...) { return p ? *p : n; }\n"
    "__asm__(\".globl odd\\n odd: .cfi_startproc\\n nop\\n .cfi_undefined ra\\n nop\\n\"\n"
    "    \" .cfi_register ra, t0\\n nop\\n .cfi_val_offset s1, 16\\n nop\\n .cfi_same_value "
    "s2\\n\"\n"
    "    \" nop\\n .cfi_offset s2, -24\\n nop\\n .cfi_restore s2\\n nop\\n .cfi_endproc\\n\"\n"
    "    \"expressed: .cfi_startproc\\n nop\\n .cfi_escape 0x0f,3,0x72,16,0x06\\n nop\\n\"\n"
    "    \" .cfi_endproc\\n\");\n"
    "void _start(void) { early(leaf(7)); variable(3); arguments(3, 4L); for (;;); }\n";

enum { TEXT = 0x80000000, TEXT_BYTES = 0x1000 };

struct world {
    char dir[32];
    struct lines *l;
};

static void shell(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void build(struct world *w, const char *flags)
{
    char *path, *command;
    FILE *f;

    *w = (struct world){.dir = "/tmp/test_cfi_XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    path = xasprintf("%s/small.c", w->dir);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(source, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(path);
    command = xasprintf("cd %s && riscv64-unknown-elf-gcc -g -march=rv64imac -mabi=lp64 -nostdlib "
                        "-mcmodel=medany -Ttext=0x80000000 %s small.c -lgcc -o small.elf",
                        w->dir, flags);
    shell(command);
    free(command);
    path = xasprintf("%s/small.elf", w->dir);
    w->l = lines_new(path);
    free(path);
}

static void wreck(struct world *w)
{
    char *command = xasprintf("rm -r %s", w->dir);

    lines_free(w->l);
    shell(command);
    free(command);
}

/* A rule as libdw describes it; false: an expression. */
static bool rule_of(Dwarf_Frame *frame, int reg, enum cfi_rule *rule, int64_t *value)
{
    Dwarf_Op memory[3], *ops;
    size_t count;

    assert_int_equal(dwarf_frame_register(frame, reg, memory, &ops, &count), 0);
    *value = 0;
    if (!count) {
        *rule = ops ? CFI_UNDEFINED : CFI_SAME;
        return true;
    }
    if (ops[0].atom == DW_OP_regx) {
        *rule = CFI_IN_REGISTER;
        *value = (int64_t)ops[0].number;
        return true;
    }
    *rule = ops[count - 1].atom == DW_OP_stack_value ? CFI_FROM_CFA : CFI_IN_MEMORY;
    if (count > 1 && ops[1].atom == DW_OP_plus_uconst)
        *value = (int64_t)ops[1].number;
    return ops[0].atom == DW_OP_call_frame_cfa;
}

static void compare_registers(const struct cfi_row *row, Dwarf_Frame *frame)
{
    for (int reg = 1; reg < CFI_REGISTERS; reg++) {
        enum cfi_rule rule, own = row->registers[reg].rule;
        int64_t value;

        if (reg == 2) /* sp is the CFA */
            continue;
        assert_true(rule_of(frame, reg, &rule, &value));
        if (own == CFI_UNSPECIFIED) { /* libdw knows which registers a call may change */
            assert_true(rule == CFI_SAME || (rule == CFI_UNDEFINED && reg != 1));
            continue;
        }
        assert_int_equal(own, rule);
        assert_int_equal(row->registers[reg].value, value);
    }
}

/* Returns what was answered at the address. */
static enum cfi_answer compare(const struct cfi *c, Dwarf_CFI *libdw, uint64_t pc)
{
    struct cfi_row row;
    enum cfi_answer answer = cfi_find(c, pc, &row);
    Dwarf_Frame *frame = NULL;
    bool known = dwarf_cfi_addrframe(libdw, pc, &frame) == 0;
    Dwarf_Op *ops;
    size_t count;

    assert_int_equal(answer != CFI_NONE, known);
    if (answer == CFI_FOUND) {
        assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
        assert_int_equal(count, 1);
        assert_int_equal(ops[0].atom, DW_OP_bregx);
        assert_int_equal(ops[0].number, row.cfa_register);
        assert_int_equal(ops[0].number2, row.cfa_offset);
        compare_registers(&row, frame);
    }
    free(frame);
    return answer;
}

static void check_all(const char *flags)
{
    unsigned answers[CFI_OTHER + 1] = {0};
    Dwarf_CFI *libdw;
    struct world w;

    build(&w, flags);
    libdw = dwarf_getcfi(lines_dwarf(w.l));
    assert_non_null(libdw);
    assert_non_null(lines_cfi(w.l));
    for (uint64_t pc = TEXT - 2; pc < TEXT + TEXT_BYTES; pc++)
        answers[compare(lines_cfi(w.l), libdw, pc)]++;
    assert_true(answers[CFI_FOUND] > 300);
    assert_true(answers[CFI_NONE] > 2);
    assert_int_equal(answers[CFI_OTHER], 2); /* after .cfi_escape */
    wreck(&w);
}

static void all_addresses_are_as_libdw_has_them(void **state)
{
    (void)state;
    check_all("-O2");
}

static void so_they_are_with_frame_pointers(void **state)
{
    (void)state;
    check_all("-O0 -fno-omit-frame-pointer");
}

static void a_file_without_the_section_has_none(void **state)
{
    struct world w;

    (void)state;
    build(&w, "-O2 -Wl,--strip-debug");
    assert_null(lines_cfi(w.l));
    wreck(&w);
}

/* The section of a file, copied. */
static uint8_t *copy_section(const struct world *w, size_t *size)
{
    char *command = xasprintf("cd %s && riscv64-unknown-elf-objcopy -O binary "
                              "--only-section=.debug_frame --set-section-flags .debug_frame=alloc "
                              "small.elf frames",
                              w->dir);
    char *path = xasprintf("%s/frames", w->dir);
    uint8_t *bytes = xmalloc(1 << 16);
    FILE *f;

    shell(command);
    f = fopen(path, "r");
    assert_non_null(f);
    *size = fread(bytes, 1, 1 << 16, f);
    assert_int_equal(fclose(f), 0);
    assert_true(*size > 100);
    free(command);
    free(path);
    return bytes;
}

static void a_damaged_section_is_read_to_no_harm(void **state)
{
    struct world w;
    uint8_t *bytes;
    size_t size;

    (void)state;
    build(&w, "-O2");
    bytes = copy_section(&w, &size);
    for (size_t at = 0; at < size; at++)
        for (unsigned change = 0; change < 3; change++) {
            static const uint8_t masks[] = {0xff, 0x01, 0x80};
            uint8_t *damaged = xmalloc(size - at % 3); /* exactly as long, for the sanitizer */
            struct cfi *c;

            memcpy(damaged, bytes, size - at % 3);
            if (at < size - at % 3)
                damaged[at] ^= masks[change];
            c = cfi_new(damaged, size - at % 3);
            for (uint64_t pc = TEXT; c && pc < TEXT + TEXT_BYTES / 4; pc += 16) {
                struct cfi_row row;

                if (cfi_find(c, pc, &row) == CFI_FOUND)
                    assert_true(row.cfa_register < CFI_REGISTERS);
            }
            cfi_free(c);
            free(damaged);
        }
    free(bytes);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_addresses_are_as_libdw_has_them),
        cmocka_unit_test(so_they_are_with_frame_pointers),
        cmocka_unit_test(a_file_without_the_section_has_none),
        cmocka_unit_test(a_damaged_section_is_read_to_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
