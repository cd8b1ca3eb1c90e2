/*
 * keys.c - see keys.h; the keys are the rows of keys.def.
 */
#include "cli/keys.h"

#include <stddef.h>

#include "base/compiler.h"

static const struct key {
    uint8_t byte;
    enum key_deed deed;
    const char *name, *help;
} rows[] = {
#define KEY(byte, deed, name, help) {byte, KEY_##deed, name, help},
#include "cli/keys.def"
#undef KEY
};

static enum key_deed behind_escape(uint8_t byte)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].byte == byte)
            return rows[i].deed;
    return KEY_SWALLOW;
}

enum key_deed keys_take(struct keys *k, uint8_t byte)
{
    bool escaped = k->escaped;

    k->escaped = !escaped && byte == CTRL('A');
    if (escaped)
        return behind_escape(byte);
    if (k->ctrl_c_stops && byte == CTRL('C'))
        return KEY_DEBUG;
    return k->escaped ? KEY_SWALLOW : KEY_SEND;
}

void keys_print_help(FILE *out)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        fprintf(out, "Ctrl-A %-6s  %s\n", rows[i].name, rows[i].help);
}
