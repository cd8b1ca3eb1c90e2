/*
 * fuzz_machine.c - random words as a guest, on one to three harts: no crash,
 * no endless loop, no access outside of guest memory. And two claims: a run in
 * pieces is the same run, and so is one with ftrace's parts (ftrace/watch.h),
 * in every register, cycle and byte of memory.
 *
 * Page 0 of RAM is the program, page 1 the trap handler, which continues after
 * the instruction that trapped, at that offset in page 0 whatever its page was.
 * Then two page tables that map everything to itself, one for each size of a
 * root, and data.
 */
#include "base/compiler.h"
#include "base/rng.h"
#include "cpu/isa/disasm.h"
#include "cpu/isa/isa.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "fuzz/world.h"
#include "isa/encode.h"
#include "load/symbols.h"
#include "mem/bus.h"

enum {
    PAGE = 4096,
    PROGRAM = 0,
    HANDLER = PAGE,
    CALL = HANDLER + 0x100,
    ROOT = 2 * PAGE,
    DATA = 3 * PAGE,
    TABLE = DATA + PAGE / 2,
    IMAGE = 4 * PAGE
};
enum { RAM_BYTES = 256 << 10 }; /* the device tree has the last 64 KiB */
enum { PROGRAM_BYTES_MAX = 512, HEADER_BYTES = 16, INSNS_MAX = 1000, HARTS_RUN = 3 };
enum {
    CSRS = 4096,
    MSTATUS = 0x300,
    MIE = 0x304,
    MTVEC = 0x305,
    MEPC = 0x341,
    SATP = 0x180,
    MEDELEG = 0x302
};
enum { STVEC = 0x105, PMPCFG0 = 0x3a0, PMPADDR0 = 0x3b0, MCOUNTEREN = 0x306, MENVCFG = 0x30a };
enum { MSTATUS_FS = 0x6000, SV39 = 8, PMP_OPEN = 0x1f, LEAF = 0xcf };

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t room);

/* mepc = start of RAM + (mepc + 4) % PAGE; it changes two registers, which does not matter. */
static const uint32_t handler[] = {
    CSRRS(T6, MEPC, ZERO), ADDI(T6, T6, 4),       SLLI(T6, T6, 52),
    SRLI(T6, T6, 52),      ADDI(T5, ZERO, 1),     SLLI(T5, T5, 31),
    ADD(T6, T6, T5),       CSRRW(ZERO, MEPC, T6), MRET,
};

/*
 * What ftrace would patch, whatever the program has there. The last one is none of the program's,
 * but a call of _mcount, by which the layout is known. With the trampoline's two pairs seven sites.
 */
static const uint64_t sites[] = {WORLD_RAM + 8, WORLD_RAM + 0x18, WORLD_RAM + 0x22,
                                 WORLD_RAM + 0x40, WORLD_RAM + CALL};
static const uint32_t call_mcount[] = {AUIPC(RA, 0xfffff), JALR(RA, RA, 0x30 - (CALL - PAGE))};
static const char names[] = "0000000080000000 T first\n"
                            "0000000080000010 T second\n"
                            "0000000080000030 T _mcount\n"
                            "0000000080000034 t third\n"
                            "0000000080000050 t ftrace_call\n"
                            "0000000080000060 t ftrace_graph_call\n"
                            "0000000080003800 d __start_mcount_loc\n"
                            "0000000080003828 d __stop_mcount_loc\n";

/* The first bytes of an input. */
struct header {
    unsigned harts, fetch, timing, mode;
    bool translated, watched;
    uint8_t seed;
    uint64_t extensions;
};

static struct header read_header(struct input *in)
{
    static const uint8_t modes[] = {PRIV_M, PRIV_M, PRIV_S, PRIV_U};
    struct header h = {.harts = 1 + input_below(in, HARTS_RUN),
                       .fetch = input_below(in, FETCH_RANDOM + 1),
                       .timing = input_below(in, TIMING_INORDER + 1),
                       .mode = modes[input_below(in, sizeof modes)],
                       .translated = input_byte(in) & 1,
                       .watched = input_byte(in) & 1,
                       .seed = input_byte(in),
                       .extensions = EXTS_ALL};
    unsigned without = input_below(in, 2 * EXT_COUNT);

    if (without < EXT_COUNT && without > EXT_I)
        h.extensions &= ~(UINT64_C(1) << without);
    in->at += in->left < 8 ? in->left : 8;
    in->left -= in->left < 8 ? in->left : 8;
    return h;
}

static void make_image(struct input *in, uint8_t image[IMAGE])
{
    uint64_t entry;

    memset(image, 0, IMAGE);
    (void)input_bytes(in, image, PROGRAM_BYTES_MAX);
    memcpy(image + HANDLER, handler, sizeof handler);
    for (uint64_t gib = 0; gib < 4; gib++) {
        entry = gib << 28 | LEAF;
        memcpy(image + ROOT + gib * sizeof entry, &entry, sizeof entry);
    }
    for (unsigned i = 0; i < PAGE; i++)
        image[DATA + i] = (uint8_t)(i * 7);
    memcpy(image + TABLE, sites, sizeof sites);
    memcpy(image + CALL, call_mcount, sizeof call_mcount);
}

/* Initial registers: addresses of memory and devices, numbers. */
static void prepare_registers(struct hart *h)
{
    static const uint64_t places[] = {WORLD_RAM,
                                      WORLD_RAM + DATA,
                                      WORLD_RAM + DATA + 1,
                                      WORLD_RAM + 64,
                                      0x2000000,
                                      0x200bff8,
                                      0xc000000,
                                      0xc200000,
                                      0x10000000,
                                      0x10001000,
                                      0x10008000,
                                      0x101000,
                                      0x2f00000,
                                      UINT64_MAX,
                                      1,
                                      WORLD_RAM + ROOT,
                                      WORLD_RAM + RAM_BYTES - 4};

    for (unsigned reg = 1; reg < 32; reg++) {
        hart_set_reg(h, reg, places[reg % ARRAY_LEN(places)]);
        hart_set_freg(h, reg, places[reg % ARRAY_LEN(places)] << (reg & 31));
    }
}

static void set_csr(struct hart *h, unsigned csr, uint64_t value)
{
    (void)!hart_set_csr(h, csr, value); /* fails for CSRs of missing extensions */
}

static void prepare_hart(struct hart *h, const struct header *header)
{
    hart_reset(h, WORLD_RAM + PROGRAM, (enum privilege)header->mode);
    prepare_registers(h);
    set_csr(h, MTVEC, WORLD_RAM + HANDLER);
    set_csr(h, STVEC, WORLD_RAM + 32);
    set_csr(h, MSTATUS, MSTATUS_FS);
    set_csr(h, MCOUNTEREN, 7);
    set_csr(h, MENVCFG, UINT64_MAX);
    set_csr(h, PMPADDR0, UINT64_MAX);
    set_csr(h, PMPCFG0, PMP_OPEN);
    set_csr(h, SATP, header->translated ? (uint64_t)SV39 << 60 | (WORLD_RAM + ROOT) >> 12 : 0);
}

struct run {
    struct world w;
    struct watch *watch; /* NULL: none */
    struct symbols *symbols;
};

static void look_on(struct run *r)
{
    static const struct diag silent = {.quiet = true};
    struct watch_config config = {.cluster = machine_cluster(r->w.m),
                                  .findings_max = 2,
                                  .patches_max = 64,
                                  .image = machine_image(r->w.m),
                                  .account = true,
                                  .audit = true};
    const char *map = scratch_file(SCRATCH_SYMBOLS, names, sizeof names - 1);

    CHECK(symbols_read_map(map, &silent, &r->symbols) == EXIT_PASS);
    config.symbols = r->symbols;
    r->watch = watch_new(&config, &silent);
    CHECK(site_count(watch_sites(r->watch)) == ARRAY_LEN(sites) + 2);
}

static void report(const struct run *r)
{
    struct report whole = {
        .run =
            {.version = "0", .image = "", .firmware = "", .fetch = "", .timing = "", .ended = ""},
        .cluster = machine_cluster(r->w.m),
        .watch = r->watch,
        .symbols = r->symbols,
        .rows = 3};
    FILE *out = fopen("/dev/null", "w");

    report_text(&whole, out);
    report_findings(&whole, out);
    CHECK(report_json(&whole, out));
    fclose(out);
}

static void start(struct run *r, const struct header *h, bool watched, const uint8_t *image,
                  struct input typed)
{
    *r = (struct run){.w.typed = typed};
    world_new(&r->w, image, IMAGE,
              (struct machine_config){.harts = h->harts,
                                      .memory = RAM_BYTES,
                                      .firmware = FIRMWARE_NONE,
                                      .seed = h->seed,
                                      .cluster = {.fetch = (enum fetch_mode)h->fetch,
                                                  .fetch_seed = h->seed,
                                                  .timing = (enum timing_model)h->timing,
                                                  .extensions = h->extensions},
                                      .virtio_console = h->seed & 1});
    for (unsigned i = 0; i < h->harts; i++)
        prepare_hart(world_hart(&r->w, i), h);
    if (watched)
        look_on(r);
}

static void finish(struct run *r)
{
    if (r->watch)
        report(r);
    watch_free(r->watch);
    machine_free(r->w.m);
    symbols_free(r->symbols);
}

static bool goes_on(struct stop stop)
{
    return stop.reason == STOP_INSNS;
}

/* In pieces whose lengths are drawn from the seed. */
static struct stop run_in_pieces(struct machine *m, uint8_t seed)
{
    struct rng rng = {seed};
    struct stop stop;
    uint64_t end = 0;

    do {
        end += 1 + rng_below(&rng, 1 << rng_below(&rng, 8));
        stop = machine_run(m, end < INSNS_MAX ? end : INSNS_MAX, UINT64_MAX);
    } while (goes_on(stop) && end < INSNS_MAX);
    return stop;
}

/* All CSRs that have a name. */
static void check_same_csrs(struct hart *a, struct hart *b)
{
    static uint16_t named[CSRS];
    static size_t count;

    if (!count)
        for (unsigned csr = 0; csr < CSRS; csr++)
            if (csr_name(csr))
                named[count++] = (uint16_t)csr;
    for (size_t i = 0; i < count; i++) {
        uint64_t in_a = 0, in_b = 0;

        CHECK(hart_csr(a, named[i], &in_a) == hart_csr(b, named[i], &in_b));
        CHECK(in_a == in_b);
    }
}

static void check_same_hart(struct hart *a, struct hart *b)
{
    CHECK(hart_pc(a) == hart_pc(b));
    CHECK(hart_mode(a) == hart_mode(b));
    CHECK(hart_insns(a) == hart_insns(b));
    CHECK(hart_cycles(a) == hart_cycles(b));
    for (unsigned reg = 0; reg < 32; reg++) {
        CHECK(hart_reg(a, reg) == hart_reg(b, reg));
        CHECK(hart_freg(a, reg) == hart_freg(b, reg));
    }
    check_same_csrs(a, b);
}

static void check_same(const struct run *a, struct stop stop_a, const struct run *b,
                       struct stop stop_b)
{
    const struct ram *ram_a = bus_ram(cluster_bus(machine_cluster(a->w.m)));
    const struct ram *ram_b = bus_ram(cluster_bus(machine_cluster(b->w.m)));

    CHECK(stop_a.reason == stop_b.reason && stop_a.code == stop_b.code);
    CHECK(machine_insns(a->w.m) == machine_insns(b->w.m));
    CHECK(machine_cycles(a->w.m) == machine_cycles(b->w.m));
    for (unsigned i = 0; i < cluster_hart_count(machine_cluster(a->w.m)); i++)
        check_same_hart(world_hart(&a->w, i), world_hart(&b->w, i));
    CHECK(a->w.shown_hash == b->w.shown_hash);
    CHECK(memcmp(ram_a->bytes, ram_b->bytes, ram_a->size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, size};
    struct header h = read_header(&in);
    uint8_t image[IMAGE];
    struct run whole, pieces;
    struct stop stop_whole, stop_pieces;

    make_image(&in, image);
    /*
     * With a page table at hand a program soon writes to it and does without the fence. What it
     * gets then depends on what is cached, and so on who looks on.
     */
    start(&whole, &h, h.watched, image, in);
    start(&pieces, &h, h.translated ? h.watched : !h.watched, image, in);
    stop_whole = machine_run(whole.w.m, INSNS_MAX, UINT64_MAX);
    stop_pieces = run_in_pieces(pieces.w.m, h.seed);
    check_same(&whole, stop_whole, &pieces, stop_pieces);
    finish(&whole);
    finish(&pieces);
    return 0;
}

/* ---- inputs that are programs ---- */

/* A row of the table with random operands, mostly of few registers, so that they depend on each
 * other. */
static uint32_t random_insn(struct rng *rng)
{
    const struct row_info *row = row_info((unsigned)rng_below(rng, ROW_COUNT));
    uint32_t operands = (uint32_t)rng_next(rng);

    if (rng_next(rng) & 1)
        operands &= 0xfeffffffU;
    return row->match | (operands & ~row->mask);
}

/* Puts an instruction over another, or between two. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    struct rng rng = {seed};
    uint32_t word = random_insn(&rng);
    size_t len = (word & 3) == 3 ? 4 : 2, at;

    if (size < HEADER_BYTES + 4 || rng_below(&rng, 3) == 0)
        return LLVMFuzzerMutate(bytes, size, room);
    at = HEADER_BYTES + 2 * rng_below(&rng, (size - HEADER_BYTES) / 2);
    if (size + len > room || at + len > size)
        return LLVMFuzzerMutate(bytes, size, room);
    if (rng_next(&rng) & 1) {
        memmove(bytes + at + len, bytes + at, size - at);
        size += len;
    }
    memcpy(bytes + at, &word, len);
    return size;
}
