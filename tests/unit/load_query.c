/*
 * load_query.c - prints what emu/load knows of addresses, for load_against_binutils.sh.
 *
 *     load_query ELF < addresses
 *
 * For each address in base 16 one line: symbol, function, file, line; "??" and
 * 0 where nothing is known. As addr2line does, the innermost inlined function
 * is the one named.
 */
#include <inttypes.h>
#include <stdio.h>

#include "load/lines.h"
#include "load/symbols.h"

static void answer(const struct symbols *s, struct lines *l, uint64_t addr)
{
    struct line_place p = {0};
    const char *symbol = symbols_at(s, addr, NULL), *function;

    if (!lines_at(l, addr, &p))
        p.file = "??";
    function = p.inlined ? p.inlined : p.function;
    printf("%s %s %s %u\n", symbol ? symbol : "??", function ? function : "??", p.file, p.line);
}

int main(int argc, char **argv)
{
    const struct diag d = {.out = stderr, .program = "load_query"};
    struct symbols *s;
    struct lines *l;
    uint64_t addr;
    enum exit_status status;

    if (argc != 2)
        return EXIT_USAGE;
    status = symbols_read(argv[1], &d, &s);
    if (status != EXIT_PASS)
        return (int)status;
    l = lines_new(argv[1]);
    while (scanf("%" SCNx64, &addr) == 1)
        answer(s, l, addr);
    lines_free(l);
    symbols_free(s);
    return EXIT_PASS;
}
