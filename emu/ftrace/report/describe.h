/*
 * describe.h - addresses, instructions and findings as text, for reports and
 * the debugger.
 */
#ifndef FTRACE_DESCRIBE_H
#define FTRACE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cpu/isa/disasm.h"

struct fact;
struct line_place;
struct lines;
struct site_table;
struct symbols;
struct writer;

enum { PLACE_MAX = 256, MOMENT_MAX = 64 };

/* "schedule+0x1c (kernel/sched/core.c:211)", without the line or name if they are not known. */
void describe_place(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                    uint64_t va);

/*
 * The same of a call in a call stack: the return address `next`, with the line of the call; `code`
 * is in the call. For code that is no call both are the same.
 */
void describe_call(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                   uint64_t code, uint64_t next);

/* The source line of an address. The site of a function has the line of the function. */
bool describe_line(const struct symbols *symbols, struct lines *lines, uint64_t va,
                   struct line_place *place);

/* "cycle 1234, step 5678"; without a step if it is 0: not known. */
void describe_moment(char text[MOMENT_MAX], uint64_t cycle, uint64_t step);

/* "hart 1 in patch_text_nosync+0x20 at cycle 1234, step 5678". */
void describe_writer(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                     const struct writer *who);

/* Between the frames of a call stack: the first is called by the second. */
#define FRAME_SEPARATOR " <- "

/* A fact in one line: "by hart 1 at schedule+0x1c (kernel/sched/core.c:211), cycle 1234". */
enum { FACT_TEXT_MAX = 1024 };
void describe_fact(char text[FACT_TEXT_MAX], const struct site_table *sites,
                   const struct symbols *symbols, struct lines *lines, const struct fact *fact);

/* The instructions in `bytes`, joined by "; ": "nop; nop". */
void describe_code(char *text, size_t room, const struct symbols *symbols, uint64_t va,
                   const uint8_t *bytes, unsigned size);

/* For disasm(): symbol+offset. */
struct disasm_names describe_names(const struct symbols *symbols);

#endif
