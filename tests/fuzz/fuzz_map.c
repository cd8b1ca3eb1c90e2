/*
 * fuzz_map.c - symbol files: nm, System.map, kallsyms, and invalid ones.
 */
#include <inttypes.h>

#include "fuzz/check.h"
#include "fuzz/input.h"
#include "fuzz/scratch.h"
#include "load/symbols.h"

static void check_look_up(const struct symbols *s, uint64_t addr)
{
    uint64_t offset = UINT64_MAX;
    const char *name = symbols_at(s, addr, &offset);
    const struct symbol *found = symbols_lookup(s, addr);
    const struct symbol *function = symbols_function_at(s, addr);

    CHECK(!name == !found);
    if (found)
        CHECK(found->name == name && found->kind != SYMBOL_ABSOLUTE &&
              found->addr + offset == addr);
    if (function)
        CHECK(function->kind == SYMBOL_FUNC && function->addr <= addr);
}

/* Each symbol is found by name and by address. */
static void check_symbol(const struct symbols *s, size_t i)
{
    const struct symbol *y = symbols_get(s, i);
    uint64_t addr;

    CHECK(y->name[0] && y->end >= y->addr);
    CHECK(!i || symbols_get(s, i - 1)->addr <= y->addr);
    CHECK(symbols_find(s, y->name, &addr));
    CHECK(y->kind == SYMBOL_ABSOLUTE || symbols_lookup(s, y->addr));
    check_look_up(s, y->addr);
    check_look_up(s, y->addr - 1);
    check_look_up(s, y->end);
    check_look_up(s, y->end - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct diag silent = {.quiet = true, .program = "fuzz"};
    struct diag d = silent;
    struct symbols *s = NULL;
    enum exit_status status;

    d.out = fopen("/dev/null", "w");
    status = symbols_read(scratch_file(SCRATCH_SYMBOLS, bytes, size), &d, &s);
    CHECK(status == EXIT_PASS || status == EXIT_BAD_FILE);
    if (status == EXIT_PASS) {
        for (size_t i = 0; i < symbols_count(s); i++)
            check_symbol(s, i);
        check_look_up(s, 0);
        check_look_up(s, UINT64_MAX);
        symbols_free(s);
    }
    fclose(d.out);
    return 0;
}
