/*
 * guest_text.h - strings of the guest's kernel, and the text that a call such as printk("%s", ...)
 * is about to make.
 */
#ifndef FTRACE_GUEST_TEXT_H
#define FTRACE_GUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct hart;
struct symbols;

enum { GUEST_STRING_MAX = 160 }; /* longer ones are cut; with the NUL */

/* Reads the string at va. False: it is not mapped. */
MUST_USE bool guest_string(struct hart *h, uint64_t va, char text[GUEST_STRING_MAX]);

/*
 * The hart is at the first instruction of a function whose argument number `format` is a format
 * of Linux's printk(), and those after it its values. Gives the first line of the text without its
 * level, cut to `size` bytes; "" if the format cannot be read.
 */
void guest_format(struct hart *h, const struct symbols *symbols, unsigned format, char *text,
                  size_t size);

#endif
