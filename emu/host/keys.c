/*
 * keys.c - see keys.h; the keys are the rows of keys.def.
 */
#include "host/keys.h"

#include <stddef.h>

#include "base/compiler.h"

static const struct key {
    uint8_t byte;
    enum key_action action;
    const char *name, *help;
} rows[] = {
#define KEY(byte, action, name, help) {byte, KEY_##action, name, help},
#include "host/keys.def"
#undef KEY
};

static enum key_action action_after_escape(uint8_t byte)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].byte == byte)
            return rows[i].action;
    return KEY_SWALLOW;
}

enum key_action keys_take(struct keys *k, uint8_t byte)
{
    bool escaped = k->escaped;

    k->escaped = !escaped && byte == CTRL('A');
    if (escaped)
        return action_after_escape(byte);
    if (k->ctrl_c_stops && byte == CTRL('C'))
        return KEY_DEBUG;
    return k->escaped ? KEY_SWALLOW : KEY_SEND;
}

void keys_print_help(FILE *out)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        fprintf(out, "Ctrl-A %-6s  %s\n", rows[i].name, rows[i].help);
}
