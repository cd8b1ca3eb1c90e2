/*
 * fuzz_sbi.c - the built-in firmware under calls that no kernel would make:
 * any extension, function and argument, from several harts, in S-mode. The next
 * instruction of a hart is an ecall, and one instruction is run.
 */
#include "fuzz/world.h"
#include "isa/encode.h"
#include "mem/bus.h"

#define CODE (WORLD_RAM + 0x200000)
#define END  (WORLD_RAM + WORLD_BYTES)

enum { CALLS_MAX = 200, ARGUMENTS = 6, SATP = 0x180, LEGACY_CALLS = 16, LOWEST_ERROR = -9 };

enum deed { CALL, RUN, POKE, TRANSLATE, DEEDS };

static const uint32_t program[] = {ECALL, JAL(ZERO, -4)};

/* Extension numbers of the specification, their neighbours, and those of the legacy calls. */
static uint64_t extension_of(struct input *in)
{
    static const uint32_t known[] = {0x10,     0x54494d45, 0x735049,   0x52464e43,
                                     0x48534d, 0x504d55,   0x53525354, 0x4442434e};
    unsigned n = input_below(in, 32);

    if (n < sizeof known / sizeof known[0])
        return known[n];
    return n < 24 ? n - 8 : input_number(in, 8);
}

/* Numbers at which arguments change their meaning. */
static uint64_t argument_of(struct input *in)
{
    static const uint64_t borders[] = {0,
                                       1,
                                       2,
                                       3,
                                       63,
                                       64,
                                       UINT32_MAX,
                                       UINT64_C(1) << 32,
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       UINT64_MAX - 1,
                                       UINT64_MAX,
                                       WORLD_RAM,
                                       WORLD_RAM - 1,
                                       END - 1,
                                       END,
                                       END - 8,
                                       END - WORLD_RAM,
                                       CODE,
                                       0x10000000,
                                       0x80000000};
    unsigned n = input_below(in, 32);

    if (n < sizeof borders / sizeof borders[0])
        return borders[n];
    return input_number(in, n & 1 ? 8 : 2);
}

/* A call that returns has an error of the specification (chapter 3); legacy ones may not.
 */
static void check_answer(const struct hart *h, uint64_t extension)
{
    int64_t error = (int64_t)hart_reg(h, A0);

    if (extension >= LEGACY_CALLS && hart_pc(h) == CODE + sizeof program[0])
        CHECK(error <= 0 && error >= LOWEST_ERROR);
}

static void call(const struct world *w, struct input *in)
{
    unsigned harts = cluster_hart_count(machine_cluster(w->m));
    struct hart *h = world_hart(w, input_below(in, harts));
    uint64_t extension = extension_of(in);

    hart_set_reg(h, A7, extension);
    hart_set_reg(h, A6, input_byte(in));
    for (unsigned n = 0; n < ARGUMENTS; n++)
        hart_set_reg(h, A0 + n, argument_of(in));
    if (hart_mode(h) != PRIV_S)
        return; /* not started yet */
    hart_set_pc(h, CODE);
    if (hart_run(h, 1, UINT64_MAX) == HART_BUDGET)
        check_answer(h, extension);
}

static void poke(const struct world *w, struct input *in)
{
    struct writer who = {.kind = WRITER_DEBUGGER};
    uint64_t pa = WORLD_RAM + input_number(in, 3), value = input_number(in, 8);

    (void)!bus_write(cluster_bus(machine_cluster(w->m)), pa, &value, sizeof value, &who);
}

static void deed(const struct world *w, struct input *in)
{
    unsigned hart = 0;

    switch ((enum deed)input_below(in, DEEDS)) {
    case CALL: call(w, in); break;
    case RUN: (void)machine_run(w->m, machine_insns(w->m) + input_byte(in), UINT64_MAX); break;
    case POKE: poke(w, in); break;
    case TRANSLATE:
        hart = input_below(in, cluster_hart_count(machine_cluster(w->m)));
        (void)!hart_set_csr(world_hart(w, hart), SATP, input_number(in, 8));
        break;
    case DEEDS: break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, size};
    struct world w = {.typed = {bytes, size}};
    static const uint8_t counts[] = {3, 1, 2, 3, 4, 2, 3, HARTS_MAX};
    struct machine_config config = {
        .harts = counts[input_below(&in, sizeof counts)], .firmware = FIRMWARE_BUILTIN, .seed = 1};

    world_new(&w, program, sizeof program, config);
    for (unsigned n = 0; n < CALLS_MAX && in.left; n++)
        deed(&w, &in);
    machine_free(w.m);
    return 0;
}
