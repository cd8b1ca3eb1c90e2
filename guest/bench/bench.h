/*
 * bench.h - what the workloads share: one function each, and where it runs.
 *
 * A workload is a file with bench_run() and its two facts. It is built as
 * NAME.elf for the bare virt board (board.c), where `--append "scale=N
 * harts=N"` sets how much is done by how many, as NAME.linux, a static
 * program (linux.c) with the scale as its argument, for user-mode emulators,
 * and as NAME.native for the host itself (native.c), the same way.
 * All print `bench NAME: scale=N checksum=HEX`, and no more.
 */
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_MEMORY = 20 << 20 };

extern const char bench_name[];
extern const unsigned long bench_scale; /* as much as is done if nobody says */

/* `memory`: BENCH_MEMORY bytes for this hart alone, zero at the start. */
uint64_t bench_run(unsigned long scale, void *memory);

/* The places of a run put a line together with these. */
struct bench_line {
    char text[128];
    size_t len;
};

void bench_report(struct bench_line *line, unsigned long scale, uint64_t checksum);
/* The number behind `key` in text like "scale=3 harts=2", or `otherwise`. */
unsigned long bench_option(const char *text, const char *key, unsigned long otherwise);

static inline uint64_t bench_mix(uint64_t sum, uint64_t value)
{
    sum ^= value + 0x9e3779b97f4a7c15 + (sum << 6) + (sum >> 2);
    return sum;
}

/* xorshift64*; the state is never zero. */
static inline uint64_t bench_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d;
}

#endif
