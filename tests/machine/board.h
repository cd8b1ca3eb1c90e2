/*
 * board.h - a machine for one test: a raw image made of a few words, and a
 * console in memory.
 */
#ifndef TESTS_MACHINE_BOARD_H
#define TESTS_MACHINE_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "isa/encode.h"
#include "machine/machine.h"
#include "mem/bus.h"

#define BOARD_RAM    UINT64_C(0x80000000)
#define BOARD_KERNEL UINT64_C(0x80200000)

enum { PROGRAM_MAX = 256, CONSOLE_MAX = 8192, NOP = 0x13 };

struct board_program {
    uint32_t words[PROGRAM_MAX];
    unsigned count;
};

struct test_board {
    struct machine *m;
    char put[CONSOLE_MAX]; /* what the guest printed */
    size_t put_len;
    const char *input; /* its input */
    struct moment stopped_at;
};

/* Adds an instruction; returns its index. */
static inline unsigned add(struct board_program *p, uint32_t word)
{
    assert_in_range(p->count, 0, PROGRAM_MAX - 1);
    p->words[p->count] = word;
    return p->count++;
}

/* Bytes from one index to another, for branches. */
static inline uint32_t distance(unsigned from, unsigned to)
{
    return 4 * (to - from);
}

static inline void board_put(void *ctx, const uint8_t *bytes, size_t len)
{
    struct test_board *b = ctx;

    assert_true(b->put_len + len < CONSOLE_MAX);
    memcpy(b->put + b->put_len, bytes, len);
    b->put_len += len;
}

static inline int board_get(void *ctx, const struct moment *at)
{
    struct test_board *b = ctx;

    (void)at;
    return b->input && *b->input ? (uint8_t)*b->input++ : -1;
}

/* Sets defaults for members that the test left at zero. */
static inline void board_new(struct test_board *b, const struct board_program *p,
                             struct machine_config config)
{
    static const struct diag silent = {.quiet = true};
    char path[] = "/tmp/test_board_XXXXXX";
    int fd = mkstemp(path);

    memset(b, 0, sizeof *b);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, p->words, p->count * sizeof p->words[0]),
                     p->count * sizeof p->words[0]);
    close(fd);
    config.image = path;
    config.memory = config.memory ? config.memory : UINT64_C(16) << 20;
    config.harts = config.harts ? config.harts : 1;
    config.console.put = board_put;
    config.console.get = board_get;
    config.console.ctx = b;
    assert_int_equal(machine_new(&config, &silent, &b->m), EXIT_PASS);
    unlink(path);
}

static inline void board_free(struct test_board *b)
{
    machine_free(b->m);
}

static inline struct hart *board_hart(const struct test_board *b, unsigned id)
{
    return cluster_hart(machine_cluster(b->m), id);
}

static inline struct bus *board_bus(const struct test_board *b)
{
    return cluster_bus(machine_cluster(b->m));
}

#endif
