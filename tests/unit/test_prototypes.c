/*
 * test_prototypes.c - the parameters of functions that are compiled here: by DWARF against what the
 * compiler does, and by the BTF that clang writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "load/image.h"
#include "load/lines.h"
#include "load/prototypes.h"
#include "load/symbols.h"

struct world {
    char dir[40];
    char *file;
    struct lines *lines;
    struct symbols *symbols;
    struct image image;
    struct prototypes *prototypes;
};

static const char source[] =
    "enum colour { RED, GREEN = 5, BLACK = -1 };\n"
    "struct pair { long a, b; }; struct big { long a[3]; };\n"
    "#define F __attribute__((noinline))\n"
    "F long many(int a, const char *s, struct pair p, enum colour c, _Bool d, struct big g,\n"
    "            unsigned char z, int last)\n"
    "{ return a + (long)s + p.b + c + d + g.a[1] + z + last; }\n"
    "F struct big make(short x) { struct big b = {{x}}; return b; }\n"
    "F double mixed(float a, int b, double c) { return a + b + c; }\n"
    "F int variadic(const char *f, ...) { return f[0]; }\n"
    "F __int128 wide(char a, __int128 b) { return b + a; }\n"
    "F void nothing(void) { __asm__ volatile(\"\"); }\n"
    "static F int changed(int a, int unused, int b) { return a * b + (int)sizeof unused; }\n"
    "int caller(int a) { return changed(a, 1, a + 2) + changed(a, 2, a); }\n"
    "void _start(void) { for (;;); }\n";

static const char bpf_source[] = "enum colour { RED, GREEN = 5, BLACK = -1 };\n"
                                 "typedef const char text;\n"
                                 "long few(int a, text *s, enum colour c, _Bool d, void *q) { "
                                 "return a + *s + c + d + (long)q; }\n"
                                 "unsigned char small(unsigned char z) { return z; }\n"
                                 "void nothing(void) {}\n";

static void shell(const char *format, const char *dir, const char *flags)
{
    char *command = xasprintf(format, dir, flags);

    assert_int_equal(system(command), 0);
    free(command);
}

static void begin(struct world *w, const char *text)
{
    char *name;
    FILE *f;

    *w = (struct world){.dir = "/tmp/test_prototypes_XXXXXX"};
    assert_non_null(mkdtemp(w->dir));
    name = xasprintf("%s/a.c", w->dir);
    w->file = xasprintf("%s/a.elf", w->dir);
    f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(name);
}

static void open_world(struct world *w)
{
    struct diag d = {.out = stderr, .program = "t"};

    assert_int_equal(symbols_read(w->file, &d, &w->symbols), EXIT_PASS);
    w->prototypes = prototypes_new(w->lines, &w->image, w->symbols);
}

static void build(struct world *w, const char *flags)
{
    begin(w, source);
    shell("cd %s && riscv64-unknown-elf-gcc -g -O2 -nostdlib -mcmodel=medany -Ttext=0x80000000 %s "
          "a.c -lgcc -o a.elf",
          w->dir, flags);
    w->lines = lines_new(w->file);
    w->image.file.bytes = xcalloc(1, 1);
    open_world(w);
}

static void end(struct world *w)
{
    prototypes_free(w->prototypes);
    lines_free(w->lines);
    symbols_free(w->symbols);
    free(w->image.file.bytes);
    free(w->file);
    shell("rm -r %s %s", w->dir, "");
}

static struct prototype find(const struct world *w, const char *name)
{
    struct prototype p;
    uint64_t address = 0;

    assert_true(symbols_find(w->symbols, name, &address));
    assert_true(prototypes_find(w->prototypes, address, true, &p));
    return p;
}

static void assert_parameter(const struct parameter *p, const char *name, enum value_kind kind,
                             uint32_t size, unsigned count, unsigned first)
{
    assert_string_equal(p->name, name);
    assert_int_equal(p->type.kind, kind);
    assert_int_equal(p->type.size, size);
    assert_int_equal(p->count, count);
    if (count)
        assert_int_equal(p->registers[0], first);
    if (count > 1)
        assert_int_equal(p->registers[1], first + 1);
}

static void assert_enumeration(const struct world *w, const struct value_type *type)
{
    size_t count;
    const struct enumerator *e = prototypes_enumeration(w->prototypes, type->enumeration, &count);

    assert_int_equal(count, 3);
    assert_string_equal(e[1].name, "GREEN");
    assert_int_equal(e[1].value, 5);
    assert_string_equal(e[2].name, "BLACK");
    assert_int_equal(e[2].value, -1);
}

static void integers_pointers_and_structs_are_in_a0_to_a7(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build(&w, "-march=rv64imac -mabi=lp64");
    p = find(&w, "many");
    assert_int_equal(p.count, 8);
    assert_parameter(&p.parameters[0], "a", VALUE_SIGNED, 4, 1, 10);
    assert_parameter(&p.parameters[1], "s", VALUE_TEXT, 8, 1, 11);
    assert_parameter(&p.parameters[2], "p", VALUE_AGGREGATE, 16, 2, 12);
    assert_parameter(&p.parameters[3], "c", VALUE_SIGNED, 4, 1, 14);
    assert_parameter(&p.parameters[4], "d", VALUE_BOOL, 1, 1, 15);
    assert_parameter(&p.parameters[5], "g", VALUE_POINTER, 8, 1, 16); /* by reference */
    assert_parameter(&p.parameters[6], "z", VALUE_UNSIGNED, 1, 1, 17);
    assert_int_equal(p.parameters[7].count, 0); /* on the stack */
    assert_int_equal(p.result.type.kind, VALUE_SIGNED);
    assert_int_equal(p.result.registers[0], 10);
    assert_enumeration(&w, &p.parameters[3].type);
    end(&w);
}

static void a_large_result_takes_the_first_register(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build(&w, "-march=rv64imac -mabi=lp64");
    p = find(&w, "make");
    assert_parameter(&p.parameters[0], "x", VALUE_SIGNED, 2, 1, 11);
    assert_int_equal(p.result.count, 0);
    p = find(&w, "wide");
    assert_parameter(&p.parameters[1], "b", VALUE_SIGNED, 16, 2, 11);
    assert_int_equal(p.result.count, 2);
    assert_int_equal(p.result.registers[1], 11);
    p = find(&w, "nothing");
    assert_int_equal(p.count, 0);
    assert_int_equal(p.result.type.kind, VALUE_VOID);
    p = find(&w, "variadic");
    assert_true(p.variadic);
    assert_int_equal(p.count, 1);
    end(&w);
}

static void floating_point_is_where_the_abi_has_it(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build(&w, "-march=rv64gc -mabi=lp64d");
    p = find(&w, "mixed");
    assert_parameter(&p.parameters[0], "a", VALUE_FLOAT, 4, 1, REGISTER_F0 + 10);
    assert_parameter(&p.parameters[1], "b", VALUE_SIGNED, 4, 1, 10);
    assert_parameter(&p.parameters[2], "c", VALUE_FLOAT, 8, 1, REGISTER_F0 + 11);
    assert_int_equal(p.result.registers[0], REGISTER_F0 + 10);
    end(&w);
    build(&w, "-march=rv64imac -mabi=lp64");
    p = find(&w, "mixed");
    assert_parameter(&p.parameters[2], "c", VALUE_FLOAT, 8, 1, 12);
    assert_int_equal(p.result.registers[0], 10);
    end(&w);
}

/* The compiler drops the unused parameter, so that the next one is in a1. */
static void a_clone_has_the_registers_that_dwarf_gives(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build(&w, "-march=rv64imac -mabi=lp64 -fno-ipa-cp");
    p = find(&w, "changed.isra.0");
    assert_int_equal(p.count, 3);
    for (unsigned i = 0; i < p.count; i++)
        if (!strcmp(p.parameters[i].name, "unused"))
            assert_int_equal(p.parameters[i].count, 0);
        else
            assert_parameter(&p.parameters[i], p.parameters[i].name, VALUE_SIGNED, 4, 1,
                             p.parameters[i].name[0] == 'a' ? 10 : 11);
    end(&w);
}

/* A file with that BTF somewhere in it. */
static void build_btf(struct world *w)
{
    enum { SKEW = 13 };
    struct diag d = {.out = stderr, .program = "t"};
    struct file btf = {0};
    char *section;

    begin(w, bpf_source);
    shell("cd %s && clang -target bpf -O2 -g -c a.c -o a.elf %s &&"
          " objcopy -I elf64-little -O binary --only-section=.BTF --set-section-flags .BTF=alloc"
          " a.elf btf",
          w->dir, "");
    section = xasprintf("%s/btf", w->dir);
    assert_int_equal(file_read(section, &d, &btf), EXIT_PASS);
    w->image.file.bytes = xcalloc(1, btf.size + SKEW);
    memcpy(w->image.file.bytes + SKEW, btf.bytes, btf.size);
    w->image.file.size = btf.size + SKEW;
    file_free(&btf);
    free(section);
    w->lines = lines_new("/dev/null");
    open_world(w);
}

static void a_kernel_without_dwarf_is_described_by_its_btf(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build_btf(&w);
    p = find(&w, "few");
    assert_int_equal(p.count, 5);
    assert_parameter(&p.parameters[0], "a", VALUE_SIGNED, 4, 1, 10);
    assert_parameter(&p.parameters[1], "s", VALUE_TEXT, 8, 1, 11);
    assert_parameter(&p.parameters[2], "c", VALUE_SIGNED, 4, 1, 12);
    assert_parameter(&p.parameters[3], "d", VALUE_BOOL, 1, 1, 13);
    assert_parameter(&p.parameters[4], "q", VALUE_POINTER, 8, 1, 14);
    assert_enumeration(&w, &p.parameters[2].type);
    assert_int_equal(p.result.type.size, 8);
    p = find(&w, "small");
    assert_int_equal(p.result.type.kind, VALUE_UNSIGNED);
    p = find(&w, "nothing");
    assert_int_equal(p.result.type.kind, VALUE_VOID);
    end(&w);
}

static void damaged_btf_is_not_followed(void **state)
{
    struct world w;
    struct prototype p;

    (void)state;
    build_btf(&w);
    prototypes_free(w.prototypes);
    for (size_t at = 37; at < w.image.file.size; at++) {
        uint64_t address;
        uint8_t before = w.image.file.bytes[at];

        w.image.file.bytes[at] ^= 0xff;
        w.prototypes = prototypes_new(w.lines, &w.image, w.symbols);
        assert_true(symbols_find(w.symbols, "few", &address));
        if (prototypes_find(w.prototypes, address, true, &p))
            assert_true(p.count <= PARAMETERS_MAX);
        prototypes_free(w.prototypes);
        w.image.file.bytes[at] = before;
    }
    w.prototypes = NULL;
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_pointers_and_structs_are_in_a0_to_a7),
        cmocka_unit_test(a_large_result_takes_the_first_register),
        cmocka_unit_test(floating_point_is_where_the_abi_has_it),
        cmocka_unit_test(a_clone_has_the_registers_that_dwarf_gives),
        cmocka_unit_test(a_kernel_without_dwarf_is_described_by_its_btf),
        cmocka_unit_test(damaged_btf_is_not_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
