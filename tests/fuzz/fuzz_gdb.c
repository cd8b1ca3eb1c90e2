/*
 * fuzz_gdb.c - what comes from gdb. An input that begins with a zero byte is a stream of raw bytes;
 * any other one has the contents of a packet in each line (`\` and two digits for a byte that is
 * none), and gets the frames here. The guest is that of fuzz_debug.c; replies must be packets.
 */
#include <string.h>

#include "debug/commands/debugger.h"
#include "debug/target/target.h"
#include "ftrace/watch.h"
#include "fuzz/world.h"
#include "gdb/packet.h"
#include "gdb/server.h"
#include "isa/encode.h"
#include "load/symbols.h"

enum { BYTES_MAX = 4000, HARTS = 2, INSNS_MAX = 3000, CYCLES_MAX = 1000000 };

/* t0 counts 15 rounds, with loads, stores and an atomic operation; the hart that comes to the end
 * first tells the finisher. */
static const uint32_t program[] = {
    ADDI(T0, T0, 1),     ANDI(T0, T0, 15),        JAL(RA, 24),
    BNE(T0, ZERO, -12),  LUI(T1, 0x100),          LUI(T2, 5),
    ADDI(T2, T2, 0x555), SW(T2, T1, 0),           ADDI(SP, SP, -16),
    SD(RA, SP, 8),       AMOADD_D(0, T2, T0, SP), LW(T2, SP, 4),
    LD(RA, SP, 8),       ADDI(SP, SP, 16),        JALR(ZERO, RA, 0),
};

static const char names[] = "0000000080000000 T _start\n"
                            "0000000080000020 T function\n"
                            "0000000080000028 t inner\n"
                            "0000000080000100 D data\n";

/* ---- the connection ---- */

struct wire {
    const uint8_t *at;
    size_t left;
    bool raw;
    reply_text packet;           /* in its frame, not read yet */
    size_t given;                /* of it */
    struct packet_reader answer; /* takes the replies */
};

static uint8_t digit(uint8_t c)
{
    return c >= 'a' ? (uint8_t)(c - 'a' + 10) : (uint8_t)(c - '0');
}

/* One byte of a line; `\7d' is the byte 0x7d. */
static uint8_t line_byte(struct wire *w)
{
    uint8_t byte = w->at[0];
    size_t len = byte == '\\' && w->left >= 3 ? 3 : 1;

    if (len == 3)
        byte = (uint8_t)(digit(w->at[1]) << 4 | (digit(w->at[2]) & 15));
    w->at += len;
    w->left -= len;
    return byte;
}

/* `monitor save' and `restore' would write and read files of the host. */
static bool names_file(const void *bytes, size_t len)
{
    static const char save[] = "7361", restore[] = "726573";

    return len &&
           (memmem(bytes, len, save, strlen(save)) || memmem(bytes, len, restore, strlen(restore)));
}

static unsigned long packets_taken; /* for the figures of a long run */

static void take_line(struct wire *w)
{
    reply_text line = {0};

    while (w->left && *w->at != '\n')
        VEC_PUSH(&line, (char)line_byte(w));
    if (w->left) {
        w->at++;
        w->left--;
    }
    w->packet.len = w->given = 0;
    packet_wrap(&w->packet, line.at, names_file(line.at, line.len) ? 0 : line.len);
    packets_taken++;
    VEC_FREE(&line);
}

/* A packet at a time, so that the machine is run in between. */
static size_t read_wire(void *ctx, void *to, size_t room)
{
    struct wire *w = ctx;
    size_t len;

    if (w->raw) {
        len = w->left < room ? w->left : room;
        memcpy(to, w->at, len);
        w->at += len;
        w->left -= len;
        return len;
    }
    if (w->given == w->packet.len && w->left)
        take_line(w);
    len = w->packet.len - w->given < room ? w->packet.len - w->given : room;
    if (len)
        memcpy(to, w->packet.at + w->given, len);
    w->given += len;
    return len;
}

static bool wire_is_ready(void *ctx)
{
    (void)ctx;
    return false;
}

/* Replies are acknowledgements and packets with a true checksum. */
static bool write_wire(void *ctx, const void *from, size_t len)
{
    struct wire *w = ctx;
    const uint8_t *bytes = from;

    for (size_t i = 0; i < len; i++) {
        enum packet_item item = packet_take(&w->answer, bytes[i], false);

        CHECK(item == ITEM_NONE || item == ITEM_PACKET || (item == ITEM_NAK && len == 1));
    }
    return true;
}

__attribute__((destructor)) static void say_packets(void)
{
    fprintf(stderr, "stat::packets:                  %lu\n", packets_taken);
}

/* ---- the session ---- */

static void serve(struct debugger *d, const uint8_t *bytes, size_t size)
{
    static struct wire w;
    const struct gdb_link link = {read_wire, wire_is_ready, write_wire, &w};
    const struct gdb_config config = {.debugger = d};
    struct gdb_server *g = gdb_new(&config);

    w = (struct wire){.at = bytes, .left = size, .raw = size && !bytes[0]};
    if (gdb_serve(g, &link) == GDB_DETACHED)
        (void)!gdb_run_free(g);
    CHECK(target_point_count(debugger_target(d)) <= TARGET_POINTS_MAX);
    gdb_free(g);
    VEC_FREE(&w.packet);
}

static void hold_session(struct world *w, const uint8_t *bytes, size_t size, FILE *out)
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
                                       .max_insns = INSNS_MAX,
                                       .max_cycles = CYCLES_MAX,
                                       .history_max = 1 << 20,
                                       .out = out};
    const char *map = scratch_file(SCRATCH_SYMBOLS, names, sizeof names - 1);
    struct debugger *d;

    CHECK(symbols_read_map(map, &silent, &symbols) == EXIT_PASS);
    config.symbols = debugger.symbols = symbols;
    debugger.ftrace = watch_new(&config, &silent);
    d = debugger_new(&debugger);
    serve(d, bytes, size);
    debugger_free(d);
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

    if (size > BYTES_MAX)
        size = BYTES_MAX;
    if (size && !bytes[0] && names_file(bytes, size))
        size = 0;
    world_new(&w, program, sizeof program, config);
    hart_set_reg(world_hart(&w, 0), SP, WORLD_RAM + 0x1000);
    hart_set_reg(world_hart(&w, 1), SP, WORLD_RAM + 0x2000);
    hold_session(&w, bytes, size, out);
    fclose(out);
    return 0;
}
