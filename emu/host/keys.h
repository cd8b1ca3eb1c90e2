/*
 * keys.h - commands to rvftrace among the bytes typed at a terminal: keys after Ctrl-A. Pure: needs
 * no terminal.
 */
#ifndef CLI_KEYS_H
#define CLI_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CTRL(letter) ((letter) - '@')

enum key_action {
    KEY_SEND,    /* pass the byte to the guest */
    KEY_SWALLOW, /* ignore it: Ctrl-A itself, and a byte after it that is not a command */
    KEY_QUIT,
    KEY_DEBUG,
    KEY_HELP,
};

struct keys {
    bool escaped;      /* the last byte was Ctrl-A */
    bool ctrl_c_stops; /* Ctrl-C is KEY_DEBUG: in a session of the debugger */
};

/* The action for the next byte. */
enum key_action keys_take(struct keys *k, uint8_t byte);

/* Prints a line for each key. */
void keys_print_help(FILE *out);

#endif
