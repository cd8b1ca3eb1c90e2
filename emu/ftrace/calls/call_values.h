/*
 * call_values.h - the arguments and results of calls, as a hart has them in registers, and the
 * strings that arguments point to.
 */
#ifndef FTRACE_CALL_VALUES_H
#define FTRACE_CALL_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct hart;

/* Registers that are read when a function begins: numbers of load/prototypes.h. */
enum { CALL_VALUES_MAX = 8, CALL_TEXT_BYTES = 32 };
struct call_registers {
    uint8_t count, numbers[CALL_VALUES_MAX];
    uint8_t texts; /* a bit for each: it is the address of a string, which is read, too */
};

/* Bytes of the guest's memory, up to the first zero. */
struct call_text {
    uint8_t len;
    bool known, cut; /* known: the memory could be read; cut: there is no zero in these bytes */
    char bytes[CALL_TEXT_BYTES];
};

/* The values of registers at the begin of a function, or of a0, a1 and fa0 at its return. */
struct call_values {
    uint64_t at[CALL_VALUES_MAX];
    uint8_t count, texts;
    struct call_text text[CALL_VALUES_MAX]; /* as many as bits in `texts', in their order */
};
enum { CALL_RESULT_A0, CALL_RESULT_A1, CALL_RESULT_FA0, CALL_RESULTS };

/* Reads the registers; of *v only as many texts are written as there are. */
void call_values_read(struct hart *h, const struct call_registers *r, struct call_values *v);
void call_values_read_results(const struct hart *h, struct call_values *v);

#endif
