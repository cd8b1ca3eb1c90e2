/*
 * bench.h - the interface of the benchmark workloads and the places where they run.
 *
 * A workload is a file with bench_run(), a name and a default scale. It is built three times:
 * as NAME.elf for the bare virt board (board.c), where `--append "scale=N harts=N"` sets the
 * amount of work and the number of harts; as NAME.linux, a static program for user-mode
 * emulators (linux.c), with the scale as argument; and as NAME.native for the host (native.c),
 * likewise. All print only `bench NAME: scale=N checksum=HEX`.
 */
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

#include <stddef.h>
#include <stdint.h>

enum { BENCH_MEMORY = 20 << 20 };

extern const char bench_name[];
extern const unsigned long bench_scale; /* default scale */

/* Runs the workload. memory: BENCH_MEMORY zeroed bytes for this hart only. */
uint64_t bench_run(unsigned long scale, void *memory);

/* The line that is printed. */
struct bench_line {
    char text[128];
    size_t len;
};

void bench_report(struct bench_line *line, unsigned long scale, uint64_t checksum);
/* Returns the number after `key` in text like "scale=3 harts=2", or `otherwise`. */
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
