/*
 * cycles.h - what is measured here, and where it is kept.
 *
 * One image has rows, which a generator writes (rows.py), and workloads, which
 * are compiled from C. Each leaves a result in memory; at the end all are
 * printed: `row NAME GROUP N CYCLES INSTRUCTIONS` a line.
 */
#ifndef GUEST_CYCLES_H
#define GUEST_CYCLES_H

#include <stddef.h>
#include <stdint.h>

enum { RESULTS_MAX = 1024, ARENA_BYTES = 1 << 20 };

struct result {
    uint64_t iterations, cycles, instructions;
    uint64_t checksum; /* of a workload: so that the compiler keeps the work */
};

/* Of the rows in their order, then two of each workload: its first run and its second. */
extern struct result results[RESULTS_MAX];
extern uint8_t arena[ARENA_BYTES]; /* scratch memory, at a page's start; each uses it afresh */

void rows_run(void);
/* Written by the generator. */
extern const uint64_t row_count;
extern const char row_names[]; /* "name group" each, one after the other */

struct workload {
    const char *name;
    uint64_t (*run)(void); /* always does the same; answers a checksum */
};

extern const struct workload workloads[];
extern const size_t workload_count;

uint64_t sort_run(void);
uint64_t sieve_run(void);
uint64_t queens_run(void);
uint64_t matrix_run(void);
uint64_t crc_run(void);
uint64_t hash_run(void);
uint64_t lz_run(void);
uint64_t strings_run(void);
uint64_t format_run(void);
uint64_t json_run(void);
uint64_t list_run(void);
uint64_t tree_run(void);
uint64_t heap_run(void);
uint64_t interpreter_run(void);
uint64_t fmatrix_run(void);
uint64_t bodies_run(void);
/* The same file, compiled with each form of call sites; nobody traces. */
uint64_t calls_none_run(void);
uint64_t calls_fp_run(void);
uint64_t calls_static_run(void);
uint64_t calls_pfe16_run(void);
uint64_t calls_pfe8_run(void);

/* xorshift64; the state is never zero. */
static inline uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
