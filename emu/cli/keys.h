/*
 * keys.h - which of the bytes typed at a terminal are commands to rvftrace: those that follow
 * Ctrl-A. Pure: no terminal is needed to test it.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CTRL(letter) ((letter) - '@')

enum key_action {
    KEY_SEND,    /* the guest gets it */
    KEY_SWALLOW, /* Ctrl-A itself, and a byte after it that is no command */
    KEY_QUIT,
    KEY_DEBUG,
    KEY_HELP,
};

struct keys {
    bool escaped;      /* the last byte was Ctrl-A */
    bool ctrl_c_stops; /* Ctrl-C is a KEY_DEBUG, as in every debugger */
};

/* What to do about the next byte. */
enum key_action keys_take(struct keys *k, uint8_t byte);

/* A line for each key. */
void keys_print_help(FILE *out);

#endif
