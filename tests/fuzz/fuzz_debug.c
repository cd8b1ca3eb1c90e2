/*
 * fuzz_debug.c - lines typed at the debugger. The guest calls a function that
 * ftrace could patch, in a short loop, and ends by itself whatever its pc is set to.
 */
#include "debug/commands/debugger.h"
#include "ftrace/watch.h"
#include "fuzz/world.h"
#include "isa/encode.h"
#include "load/symbols.h"

enum { LINES_BYTES_MAX = 400, HARTS = 2 };

/* t0 counts 15 rounds, with loads, stores and an atomic operation; the hart that comes to the end
 * first tells the finisher. */
static const uint32_t program[] = {
    ADDI(T0, T0, 1),     ANDI(T0, T0, 15),        JAL(RA, 20),
    BNE(T0, ZERO, -12),  LUI(T1, 0x100),          LUI(T2, 5),
    ADDI(T2, T2, 0x555), SW(T2, T1, 0),           ADDI(SP, SP, -16),
    SD(RA, SP, 8),       AMOADD_D(0, T2, T0, SP), LW(T2, SP, 4),
    LD(RA, SP, 8),       ADDI(SP, SP, 16),        JALR(ZERO, RA, 0),
};

static const char names[] = "0000000080000000 T _start\n"
                            "0000000080000020 T function\n"
                            "0000000080000028 t inner\n"
                            "0000000080000100 D data\n";

static void hold_session(struct world *w, const char *commands, FILE *out)
{
    static const struct diag silent = {.quiet = true};
    struct symbols *symbols = NULL;
    struct watch_config config = {.cluster = machine_cluster(w->m),
                                  .findings_max = 2,
                                  .patches_max = 64,
                                  .image = machine_image(w->m),
                                  .account = true,
                                  .audit = true};
    struct debugger_config debugger = {.machine = w->m,
                                       .max_insns = UINT64_MAX,
                                       .max_cycles = UINT64_MAX,
                                       .out = out,
                                       .commands_file = commands};
    const char *map = scratch_file(SCRATCH_SYMBOLS, names, sizeof names - 1);

    CHECK(symbols_read_map(map, &silent, &symbols) == EXIT_PASS);
    config.symbols = debugger.symbols = symbols;
    debugger.ftrace = watch_new(&config, &silent);
    CHECK(debugger_run(&debugger).code != 1);
    watch_free(debugger.ftrace);
    machine_free(w->m);
    symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct world w = {.m = NULL};
    struct machine_config config = {
        .harts = HARTS, .memory = 256 << 10, .firmware = FIRMWARE_NONE, .seed = 1};
    FILE *out = fopen("/dev/null", "w");

    if (size > LINES_BYTES_MAX)
        size = LINES_BYTES_MAX;
    world_new(&w, program, sizeof program, config);
    hart_set_reg(world_hart(&w, 0), SP, WORLD_RAM + 0x1000);
    hart_set_reg(world_hart(&w, 1), SP, WORLD_RAM + 0x2000);
    hold_session(&w, scratch_file(SCRATCH_COMMANDS, bytes, size), out);
    fclose(out);
    return 0;
}
