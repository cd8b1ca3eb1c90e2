/*
 * snapshot_check.c - a run that continues from a snapshot is the same as the uninterrupted run.
 *
 *     snapshot_check [-c core file] [-h harts] [-f stale|coherent|random] [-s seed] [-m MiB] [-n
 * snapshots]
 *                    [-a bootargs] [-i input] [-t] [-d disk[,snapshot]] [-w file] IMAGE
 *
 * E0: the run from start to end. E1: the same, with snapshots taken at random instructions.
 * E2: from each of these snapshots, in random order, to the end; half of them in pieces. All must
 * agree in cycles, instructions, console output, report, trace and the content of the disk, which
 * is the same before each run from the start; and a state that is saved again right after its
 * restore must be the same bytes.
 * E3, with -w: some of the snapshots are also written to a file, from which another machine goes on
 * to the end. It must agree in all of this but the trace. Prints failures, or figures and "ok".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "commands/cores.h"
#include "cpu/hart.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "load/symbols.h"
#include "machine/machine.h"
#include "machine/snapshot.h"
#include "machine/snapshot_file.h"
#include "mem/bus.h"
#include "mem/ram.h"

enum { SNAPSHOTS_MAX = 256 };

struct options {
    struct machine_config config;
    const char *input, *file;
    bool trace;
    unsigned snapshots;
    uint64_t seed;
};

/* A machine with its listeners and its console. */
struct world {
    const struct options *options;
    struct machine *m;
    struct symbols *symbols;
    struct watch *watch;
    uint64_t trace; /* hash of the calls and returns so far */
    VEC_OF(uint8_t) shown;
    size_t typed; /* bytes of the input that were given */
};

struct outcome {
    enum stop_reason reason;
    unsigned code;
    uint64_t insns, cycles;
    uint64_t shown, report, trace, disk; /* hashes */
};

/* The content of the disk at power-on. */
static VEC_OF(uint8_t) disk;

/* What the run from start to end has shown. */
static VEC_OF(uint8_t) shown;

/* ---- calls ---- */

static void hash_number(uint64_t *hash, uint64_t n)
{
    *hash = fnv1a(*hash, (const uint8_t *)&n, sizeof n);
}

static void hash_moment(uint64_t *hash, const struct call_moment *at)
{
    hash_number(hash, at->hart);
    hash_number(hash, at->clocks.cycle);
    hash_number(hash, at->clocks.insns);
    hash_number(hash, at->clocks.ahead);
    hash_number(hash, at->when);
    hash_number(hash, at->stack);
}

static void on_enter(void *world, const struct call *c, const struct call_moment *at)
{
    struct world *w = world;

    hash_number(&w->trace, (uint64_t)c->kind << 32 | c->state);
    hash_number(&w->trace, c->pc);
    hash_number(&w->trace, c->back);
    hash_number(&w->trace, c->sp);
    hash_number(&w->trace, c->tail_of);
    hash_number(&w->trace, c->site);
    hash_number(&w->trace, c->cause);
    hash_moment(&w->trace, at);
}

static void on_leave(void *world, const struct call *c, const struct call_moment *at,
                     enum call_end how)
{
    struct world *w = world;

    hash_number(&w->trace, c->pc);
    hash_number(&w->trace, (uint64_t)how + 1);
    hash_moment(&w->trace, at);
}

static void calls_hash_io(void *world, struct state_io *io)
{
    struct world *w = world;

    STATE_IO(io, w->trace);
}

static struct diag diag = {.program = "snapshot_check"};

static void die(const char *why)
{
    printf("not ok - %s\n", why);
    exit(1);
}

/* ---- the console ---- */

static void show(void *ctx, const uint8_t *bytes, size_t len)
{
    struct world *w = ctx;

    for (size_t i = 0; i < len; i++)
        VEC_PUSH(&w->shown, bytes[i]);
}

/*
 * A host that gives each byte only once, as a terminal does, and at moments that the second run
 * does not have: after a restore the machine must not need it.
 */
static int type(void *ctx, const struct moment *at)
{
    struct world *w = ctx;

    if (at->cycles < 20000000 + 1000000 * w->typed)
        return -1;
    return w->options->input && w->options->input[w->typed] ? w->options->input[w->typed++] : -1;
}

static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    const struct world *w = ctx;
    uint64_t next = 20000000 + 1000000 * w->typed;

    if (!w->options->input || !w->options->input[w->typed])
        return until;
    return next > at->cycles && next < until ? next : until;
}

/* ---- the disk ---- */

static FILE *open_disk(const struct options *o, const char *mode)
{
    FILE *f = fopen(o->config.drives[0].path, mode);

    if (!f)
        die("no disk");
    return f;
}

static void read_disk(const struct options *o)
{
    FILE *f = open_disk(o, "rb");
    int byte;

    disk.len = 0;
    while ((byte = fgetc(f)) != EOF)
        VEC_PUSH(&disk, (uint8_t)byte);
    fclose(f);
}

static void reset_disk(const struct options *o)
{
    FILE *f = open_disk(o, "r+b");

    if (fwrite(disk.at, 1, disk.len, f) != disk.len || fclose(f))
        die("the disk cannot be written");
}

static uint64_t hash_disk(const struct options *o)
{
    uint64_t hash = FNV1A_START;
    uint8_t buffer[4096];
    FILE *f = open_disk(o, "rb");
    size_t n;

    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        hash = fnv1a(hash, buffer, n);
    fclose(f);
    return hash;
}

/* ---- creation ---- */

static bool hear(void *ctx, const struct moment *at)
{
    (void)ctx;
    (void)at;
    return false;
}

static void build(struct world *w, const struct options *o)
{
    struct machine_config config = o->config;
    struct watch_config watch = {
        .account = true, .audit = true, .findings_max = 100, .patches_max = 100000};

    *w = (struct world){.options = o, .trace = FNV1A_START};
    if (config.drive_count)
        reset_disk(o);
    config.console = (struct console){
        .put = show, .get = type, .wait = wait_for_input, .interrupted = hear, .ctx = w};
    if (machine_new(&config, &diag, &w->m) != EXIT_PASS)
        die("no machine");
    if (machine_image(w->m)->kind == IMAGE_ELF &&
        symbols_read(config.image, &diag, &w->symbols) != EXIT_PASS)
        die("no symbols");
    watch.cluster = machine_cluster(w->m);
    watch.image = machine_image(w->m);
    watch.symbols = w->symbols;
    if (o->trace)
        watch.calls = (struct calls_listener){
            .ctx = w, .enter = on_enter, .leave = on_leave, .state_io = calls_hash_io};
    w->watch = watch_new(&watch, &diag);
    machine_join_snapshots(w->m, (struct state_part){w->watch, watch_state_io});
}

static void take_down(struct world *w)
{
    watch_free(w->watch);
    machine_free(w->m);
    symbols_free(w->symbols);
    VEC_FREE(&w->shown);
}

/* ---- results ---- */

static uint64_t hash_report(const struct world *w, struct stop stop)
{
    struct report r = {.run = {.version = "0",
                               .image = w->options->config.image,
                               .firmware = "builtin",
                               .fetch = "any",
                               .timing = "inorder",
                               .ended = "exit",
                               .exit_code = stop.code},
                       .cluster = machine_cluster(w->m),
                       .watch = w->watch,
                       .symbols = w->symbols};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    uint64_t hash;

    if (!report_json(&r, out) || fclose(out))
        die("no report");
    hash = fnv1a(FNV1A_START, (const uint8_t *)text, size);
    free(text);
    return hash;
}

static struct outcome outcome_of(struct world *w, struct stop stop)
{
    return (struct outcome){.reason = stop.reason,
                            .code = stop.code,
                            .insns = machine_insns(w->m),
                            .cycles = machine_cycles(w->m),
                            .shown = fnv1a(FNV1A_START, w->shown.at, w->shown.len),
                            .report = hash_report(w, stop),
                            .trace = w->trace,
                            .disk = w->options->config.drive_count ? hash_disk(w->options) : 0};
}

static unsigned differences;

static void differ(const char *run, uint64_t at, const char *what, uint64_t a, uint64_t b)
{
    if (a == b)
        return;
    differences++;
    printf("not ok - %s, snapshot at %" PRIu64 ": %s %" PRIx64 " and not %" PRIx64 "\n", run, at,
           what, b, a);
}

static void compare(const char *run, uint64_t at, const struct outcome *a, const struct outcome *b)
{
    differ(run, at, "reason", a->reason, b->reason);
    differ(run, at, "exit code", a->code, b->code);
    differ(run, at, "instructions", a->insns, b->insns);
    differ(run, at, "cycles", a->cycles, b->cycles);
    differ(run, at, "console", a->shown, b->shown);
    differ(run, at, "report", a->report, b->report);
    differ(run, at, "trace", a->trace, b->trace);
    differ(run, at, "disk", a->disk, b->disk);
}

static struct stop go(struct world *w, uint64_t insns)
{
    return machine_run(w->m, insns, UINT64_MAX);
}

/* ---- the whole state ---- */

/* Words, not bytes: memory is large. */
static uint64_t hash_memory(const struct world *w)
{
    const struct ram *r = bus_ram(cluster_bus(machine_cluster(w->m)));
    const uint64_t *words = (const uint64_t *)(const void *)r->bytes;
    uint64_t hash = FNV1A_START;

    for (uint64_t page = 0; page < r->size >> PAGE_SHIFT; page++) {
        const struct ram_page *p = &r->pages[page];

        hash = (hash ^ p->stamp ^ (uint64_t)(p->flags & RAM_PAGE_STATE) << 32 ^
                (uint64_t)p->shared << 40) *
               0x100000001b3;
        hash = (hash ^ p->opener.pc ^ p->opener.cycle << 8 ^ p->opener.hart) * 0x100000001b3;
        for (unsigned i = 0; i < PAGE_BYTES / 8; i++)
            hash = (hash ^ words[page * (PAGE_BYTES / 8) + i]) * 0x100000001b3;
    }
    return hash;
}

/* ---- the runs ---- */

struct point {
    struct snapshot *snapshot;
    uint64_t insns, memory, parts;
    size_t shown, typed;
    char *file;           /* NULL: none was written */
    VEC_OF(uint8_t) disk; /* then */
};

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other programs do not count */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

struct figures {
    double slowest_ms, sum_ms, restore_ms, write_ms, read_ms;
    size_t state, largest;
    unsigned files;
};

enum { FILES_MAX = 2 };

static void write_file(struct world *w, struct point *p, struct figures *f)
{
    const struct options *o = w->options;
    char *line = xasprintf("of instruction %" PRIu64, p->insns);
    double start = now_ms();

    p->file = xasprintf("%s.%u", o->file, f->files++);
    if (snapshot_file_write(w->m, p->file, &(struct snapshot_lines){&line, 1}, &diag) != EXIT_PASS)
        die("no snapshot was written");
    f->write_ms += now_ms() - start;
    free(line);
    if (o->config.drive_count) {
        FILE *d = open_disk(o, "rb");

        for (int byte; (byte = fgetc(d)) != EOF;)
            VEC_PUSH(&p->disk, (uint8_t)byte);
        fclose(d);
    }
}

static void take(struct world *w, struct point *p, struct figures *f)
{
    double start = now_ms(), ms;

    p->snapshot = machine_snapshot(w->m);
    ms = now_ms() - start;
    f->slowest_ms = ms > f->slowest_ms ? ms : f->slowest_ms;
    f->sum_ms += ms;
    p->insns = machine_insns(w->m);
    p->parts = machine_state_hash(w->m);
    p->memory = hash_memory(w);
    p->shown = w->shown.len;
    p->typed = w->typed;
    f->state = snapshot_bytes(w->m, p->snapshot);
}

static void restore(struct world *w, const struct point *p, struct figures *f)
{
    double start = now_ms();

    if (!machine_restore(w->m, p->snapshot))
        die("a restore failed");
    f->restore_ms += now_ms() - start;
    w->shown.len = p->shown;
    if (machine_console_count(w->m) != p->shown)
        die("the console's count is not restored");
    differ("E2", p->insns, "state", p->parts, machine_state_hash(w->m));
    differ("E2", p->insns, "memory", p->memory, hash_memory(w));
}

/* Another machine, as it was at the point in the first one. */
static void build_from_file(struct world *w, const struct options *o, const struct point *p,
                            struct figures *f)
{
    struct snapshot_file *file;
    double start;

    build(w, o);
    if (o->config.drive_count) {
        FILE *d = open_disk(o, "r+b");

        if (fwrite(p->disk.at, 1, p->disk.len, d) != p->disk.len || fclose(d))
            die("the disk cannot be written");
    }
    start = now_ms();
    if (snapshot_file_open(p->file, &diag, &file) != EXIT_PASS ||
        snapshot_file_restore(file, w->m, p->insns % 2) != EXIT_PASS)
        die("a snapshot was refused");
    f->read_ms += now_ms() - start;
    snapshot_file_close(file);
    for (size_t i = 0; i < p->shown; i++)
        VEC_PUSH(&w->shown, shown.at[i]);
    w->typed = p->typed;
    differ("E3", p->insns, "memory", p->memory, hash_memory(w));
}

static struct stop go_in_pieces(struct world *w, struct rng *r)
{
    struct stop stop;

    do
        stop = go(w, machine_insns(w->m) + 1 + rng_below(r, 3000000));
    while (stop.reason == STOP_INSNS);
    return stop;
}

static void choose_points(const struct options *o, struct rng *r, uint64_t end, uint64_t *at)
{
    for (unsigned i = 0; i < o->snapshots; i++)
        at[i] = rng_below(r, end + 1);
    qsort(at, o->snapshots, sizeof *at, by_number);
}

static void check(const struct options *o)
{
    static struct point points[SNAPSHOTS_MAX];
    static uint64_t at[SNAPSHOTS_MAX];
    struct point filed[FILES_MAX];
    struct rng r = {o->seed + 77};
    struct figures f = {0};
    struct outcome e0, e1, e2;
    struct world w;

    build(&w, o);
    e0 = outcome_of(&w, go(&w, UINT64_MAX));
    if (o->input && w.typed < strlen(o->input))
        die("not all of the input was taken");
    if (e0.reason != STOP_EXIT)
        die("the guest did not end the run");
    take_down(&w);
    choose_points(o, &r, e0.insns, at);
    build(&w, o);
    for (unsigned i = 0; i < o->snapshots; i++) {
        (void)go(&w, at[i]);
        take(&w, &points[i], &f);
        if (o->file && i % 2 && f.files < FILES_MAX)
            write_file(&w, &points[i], &f);
        if (points[i].file)
            filed[f.files - 1] = points[i];
    }
    e1 = outcome_of(&w, go(&w, UINT64_MAX));
    compare("E1", 0, &e0, &e1);
    for (size_t i = 0; i < w.shown.len; i++)
        VEC_PUSH(&shown, w.shown.at[i]);
    for (unsigned i = 0; i < o->snapshots; i++) {
        size_t bytes = snapshot_bytes(w.m, points[i].snapshot);

        f.largest = bytes > f.largest ? bytes : f.largest;
    }
    for (unsigned left = o->snapshots; left && differences < 20; left--) {
        unsigned i = (unsigned)rng_below(&r, left);
        struct point p = points[i];

        restore(&w, &p, &f);
        e2 = outcome_of(&w, i % 2 ? go_in_pieces(&w, &r) : go(&w, UINT64_MAX));
        compare("E2", p.insns, &e0, &e2);
        points[i] = points[left - 1];
        if (i % 3)
            snapshot_free(w.m, p.snapshot);
    }
    take_down(&w);
    for (unsigned i = 0; i < f.files && differences < 20; i++) {
        build_from_file(&w, o, &filed[i], &f);
        e2 = outcome_of(&w, i % 2 ? go_in_pieces(&w, &r) : go(&w, UINT64_MAX));
        e2.trace = e0.trace;
        compare("E3", filed[i].insns, &e0, &e2);
        take_down(&w);
        free(filed[i].file);
        VEC_FREE(&filed[i].disk);
    }
    printf("# %" PRIu64 " instructions, %u snapshots: taking %.2f ms on average, %.2f at most; "
           "restoring %.2f ms; %zu KiB when taken, %zu KiB at most in the end\n",
           e0.insns, o->snapshots, f.sum_ms / o->snapshots, f.slowest_ms,
           f.restore_ms / o->snapshots, f.state >> 10, f.largest >> 10);
    if (f.files)
        printf("# %u files: writing %.2f ms on average, restoring %.2f ms\n", f.files,
               f.write_ms / f.files, f.read_ms / f.files);
    if (o->config.drive_count && o->config.drives[0].mode == DRIVE_WRITABLE &&
        e0.disk == fnv1a(FNV1A_START, disk.at, disk.len))
        die("the guest has not written to the disk");
    if (differences)
        exit(1);
    printf("ok - %s\n", o->config.image);
}

static enum fetch_mode fetch_mode(const char *name)
{
    return !strcmp(name, "stale")    ? FETCH_STALE
           : !strcmp(name, "random") ? FETCH_RANDOM
                                     : FETCH_COHERENT;
}

static void add_drive(struct machine_config *c, char *text)
{
    struct machine_drive *d = &c->drives[c->drive_count++];
    char *comma = strchr(text, ',');

    d->mode = comma ? DRIVE_SNAPSHOT : DRIVE_WRITABLE;
    if (comma)
        *comma = '\0';
    snprintf(d->path, sizeof d->path, "%s", text);
}

static void set_core(struct machine_config *config, const char *name)
{
    struct core *core;

    if (cores_read(name, &diag, &core) != EXIT_PASS)
        die("no core");
    config->cluster.timing = TIMING_CORE;
    config->cluster.core = core;
}

int main(int argc, char **argv)
{
    struct options o = {
        .config = {.harts = 1, .memory = 128 << 20, .cluster.timing = TIMING_INORDER},
        .snapshots = 8};

    diag.out = stderr;
    for (int c; (c = getopt(argc, argv, "c:h:f:s:m:n:a:i:td:r:w:o:")) != -1;)
        switch (c) {
        case 'c': set_core(&o.config, optarg); break;
        case 'h': o.config.harts = (unsigned)atoi(optarg); break;
        case 'f': o.config.cluster.fetch = fetch_mode(optarg); break;
        case 's':
            o.seed = o.config.seed = o.config.cluster.fetch_seed = o.config.cluster.stores_seed =
                (uint64_t)atoll(optarg);
            break;
        case 'o': o.config.cluster.stores = *optarg == 'd' ? STORES_DELAYED : STORES_RANDOM; break;
        case 'm': o.config.memory = (uint64_t)atoll(optarg) << 20; break;
        case 'n': o.snapshots = (unsigned)atoi(optarg); break;
        case 'a': o.config.bootargs = optarg; break;
        case 'i': o.input = optarg; break;
        case 't': o.trace = true; break;
        case 'w': o.file = optarg; break;
        case 'd': add_drive(&o.config, optarg); break;
        case 'r': o.config.initrd = optarg; break;
        default: return 64;
        }
    if (optind + 1 != argc || !o.snapshots || o.snapshots > SNAPSHOTS_MAX)
        return 64;
    o.config.image = argv[optind];
    if (o.config.drive_count)
        read_disk(&o);
    check(&o);
    return 0;
}
