/*
 * kernel_clock.h - for programs that run a guest kernel on one hart and measure something in it by
 * the machine's clock: the run, and the kernel's functions.
 *
 * One hart's cycles are the kernel's clock. Of several harts each may be behind the clock that all
 * read, and is set forward while it reads it.
 */
#ifndef TESTS_MACHINE_KERNEL_CLOCK_H
#define TESTS_MACHINE_KERNEL_CLOCK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cpu/hart.h"
#include "load/symbols.h"
#include "machine/machine.h"

struct kernel_clock {
    const char *image;
    struct machine *machine;
    struct symbols *symbols;
};

struct longest {
    uint64_t cycles, from, to; /* two addresses of code */
};

static struct diag diag;

static void kernel_clock_show(void *ctx, const uint8_t *bytes, size_t len)
{
    (void)ctx;
    fwrite(bytes, 1, len, stdout);
}

/* Arguments of main: [-a bootargs] KERNEL. False: they are wrong, or there is no such kernel. */
static bool kernel_clock_init(struct kernel_clock *k, int argc, char **argv)
{
    struct machine_config config = {
        .harts = 1, .memory = 128 << 20, .console = {.put = kernel_clock_show}};

    diag = (struct diag){.program = argv[0], .out = stderr};
    for (int o; (o = getopt(argc, argv, "a:")) != -1;)
        switch (o) {
        case 'a': config.bootargs = optarg; break;
        default: return false;
        }
    if (optind + 1 != argc)
        return false;
    k->image = config.image = argv[optind];
    return machine_new(&config, &diag, &k->machine) == EXIT_PASS &&
           symbols_read(config.image, &diag, &k->symbols) == EXIT_PASS;
}

/* The address of a function of the kernel. */
static uint64_t kernel_clock_address(const struct kernel_clock *k, const char *name)
{
    uint64_t addr;

    if (!symbols_find(k->symbols, name, &addr)) {
        fprintf(stderr, "%s: no function %s\n", diag.program, name);
        exit(1);
    }
    return addr;
}

static void kernel_clock_print(const struct kernel_clock *k, const char *what,
                               const struct longest *l)
{
    const char *from = symbols_at(k->symbols, l->from, NULL),
               *to = symbols_at(k->symbols, l->to, NULL);

    printf("machine: %s: %" PRIu64 " ns from %s to %s\n", what, l->cycles, from ? from : "?",
           to ? to : "?");
}

/* Runs to the end, then calls print(). Returns main's value. */
static int kernel_clock_run(struct kernel_clock *k, struct listener *l, void (*print)(void *ctx))
{
    struct stop stop;

    cluster_listen(machine_cluster(k->machine), l);
    stop = machine_run(k->machine, UINT64_MAX, UINT64_MAX);
    print(l->ctx);
    machine_free(k->machine);
    symbols_free(k->symbols);
    return stop.reason == STOP_EXIT ? (int)stop.code : 1;
}

#endif
