/*
 * code.c - instructions as text.
 */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "cpu/isa/disasm.h"

static void name_place(void *ctx, uint64_t address, char *text, size_t size)
{
    const struct model *m = ctx;
    char place[LOG_PLACE_MAX];

    text[0] = '\0';
    if (!log_symbol_at(m->log, address))
        return;
    log_place(m->log, address, place);
    snprintf(text, size, "%s", place);
}

unsigned code_lines(const struct model *m, uint64_t address, const uint8_t *bytes, unsigned size,
                    char lines[CODE_LINES][CODE_MAX])
{
    const struct disasm_names names = {name_place, (void *)m};
    unsigned count = 0, at = 0;

    while (at + 2 <= size && count < CODE_LINES) {
        char text[DISASM_MAX];
        uint32_t word = 0;
        unsigned left = size - at < 4 ? size - at : 4, len;

        memcpy(&word, &bytes[at], left);
        len = disasm(address + at, word, &names, text);
        if (len > left) {
            snprintf(text, sizeof text, "(half of an instruction)");
            len = 2;
        }
        for (char *t = text; *t; t++)
            *t = *t == '\t' ? ' ' : *t;
        if (len == 4)
            snprintf(lines[count++], CODE_MAX, "%08x  %s", word, text);
        else
            snprintf(lines[count++], CODE_MAX, "%04x      %s", word & 0xffff, text);
        at += len;
    }
    return count;
}
