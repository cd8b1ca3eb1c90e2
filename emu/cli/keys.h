/*
 * keys.h - which of the bytes typed at a terminal are for us: those behind
 * Ctrl-A. Pure: no terminal is needed to try it.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CTRL(letter) ((letter) - '@')

enum key_deed {
    KEY_SEND,    /* it is the guest's */
    KEY_SWALLOW, /* Ctrl-A itself, and what means nothing behind it */
    KEY_QUIT,
    KEY_DEBUG,
    KEY_HELP,
};

struct keys {
    bool escaped;      /* the last byte was Ctrl-A */
    bool ctrl_c_stops; /* Ctrl-C is a KEY_DEBUG, as in every debugger */
};

/* What to do about the next byte. */
enum key_deed keys_take(struct keys *k, uint8_t byte);

/* A line for each key. */
void keys_print_help(FILE *out);

#endif
