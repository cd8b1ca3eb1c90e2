/*
 * fuzz_kernel.c - a fake kernel: the functions by which a kernel tells of its tables, called with
 * tables that lie. No crash, no endless loop, no access outside of guest memory; a snapshot has the
 * same state again; the report and the rings can be written.
 *
 * The image has a function for each name that the emulator follows, and a sound table of each kind:
 * of sites, jump labels, modules and their symbols, programs of BPF, tasks, records of ftrace,
 * kprobes, and rings. An input is a list of acts: words that are changed, calls, stores to code.
 * A byte of an act is the kind of a number, two more the number.
 */
#include <string.h>

#include "base/compiler.h"
#include "cpu/isa/isa.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/module_names.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"
#include "fuzz/world.h"
#include "isa/encode.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "machine/snapshot.h"
#include "mem/bus.h"
#include "rings/peek.h"
#include "rings/rings_dat.h"

/* Places in RAM. Text first, then the tables of the image, then what a kernel allocates. */
enum {
    PAGE = 4096,
    FUNCTION_BYTES = 32,
    SITES = 2 * PAGE,
    KEYS = SITES + 0x200,
    BTF = 3 * PAGE,
    DATA = 6 * PAGE,
    IMAGE_BYTES = 7 * PAGE,
    MODULE = 8 * PAGE,
    MODULE_TEXT = 10 * PAGE,
    MODULE_SITES = 12 * PAGE,
    MODULE_KEYS = MODULE_SITES + 0x400,
    MODULE_SYMBOLS = MODULE_SITES + 0x800,
    KSYM = 13 * PAGE,
    TASK = 14 * PAGE,
    RINGS = 15 * PAGE,
    RECORDS = 18 * PAGE,
    POOL_END = 20 * PAGE,
    RAM_BYTES = 256 << 10, /* the device tree has the last 64 KiB */
};

enum { ACTS_MAX = 64, INSNS_OF_CALL = 8, WORDS = 8 };

/* Functions that tell of tables; then those with sites, and what ftrace patches. */
static const char *const functions[] = {
    "stop_here",
    "store_there",
    "ftrace_process_locs",
    "ftrace_free_mem",
    "ftrace_release_mod",
    "do_init_module",
    "free_module",
    "jump_label_module_notify",
    "jump_label_add_module",
    "bpf_ksym_add",
    "bpf_ksym_del",
    "free_initmem",
    "mutex_unlock",
    "mutex_lock",
    "register_kprobe",
    "arch_arm_kprobe",
    "arch_disarm_kprobe",
    "ftrace_update_ftrace_func",
    "arch_ftrace_update_code",
    "patch_text",
    "patch_text_nosync",
    "patch_insn_write",
    "flush_icache_all",
    "flush_icache_range",
    "stop_machine",
    "module_memory_free",
    "execmem_free",
    "__switch_to",
    "schedule",
    "return_to_handler",
    "ftrace_caller",
    "ftrace_regs_caller",
    "ftrace_graph_call",
    "ftrace_call",
    "prepare_ftrace_return",
    "first",
    "second",
    "third",
    "panic",
    "__warn",
};

enum { STOP_HERE = 0, STORE_THERE = 1, FIRST_CALLED = 2 };

/* Variables: a name and where it is, from DATA. */
static const struct {
    const char *name;
    unsigned at;
} variables[] = {
    {"modules", 0x00},
    {"init_task", 0x100},
    {"ftrace_pages_start", 0x20},
    {"ftrace_ops_list", 0x28},
    {"ftrace_list_end", 0x30},
    {"ftrace_disabled", 0x38},
    {"ftrace_enabled", 0x3c},
    {"ftrace_lock", 0x40},
    {"text_mutex", 0x60},
    {"kprobe_mutex", 0x80},
    {"jump_label_mutex", 0xa0},
    {"kprobe_table", 0x400},
    {"kprobes_all_disarmed", 0xc0},
    {"global_trace", 0x600},
    {"ftrace_events", 0x680},
    {"event_sched_switch", 0x690},
    {"ftrace_common_fields", 0x6a0},
    {"savedcmd", 0x6b0},
    {"trace_bprintk_fmt_list", 0x6c0},
    {"__start___trace_bprintk_fmt", 0x6d0},
    {"__stop___trace_bprintk_fmt", 0x6e0},
    {"__start___tracepoint_str", 0x6f0},
    {"__stop___tracepoint_str", 0x6f0},
};

/* Structs and their members, eight bytes each in this order. */
static const char *const structs[] = {
    "task_struct: thread_info comm pid stack curr_ret_stack __state state mm tasks thread",
    "thread_info: preempt_count",
    "thread_struct: ra sp s",
    "ftrace_page: next records index",
    "dyn_ftrace: ip flags",
    "ftrace_ops: next flags func_hash",
    "ftrace_ops_hash: filter_hash notrace_hash",
    "ftrace_hash: count buckets size_bits flags",
    "ftrace_func_entry: hlist ip",
    "kprobe: hash_next hlist list addr flags",
    "trace_array: next name array_buffer list",
    "array_buffer: buffer",
    "trace_buffer: cpu buffers",
    ("ring_buffer_per_cpu: nr_pages pages slots commit reader_page reading reader_seq head cursor "
     "next_event lost head_page commit_page overrun last_overrun read_stamp"),
    "rb_cursor: offset stamp",
    "buffer_page: list page first read",
    "list_head: next prev",
    "trace_event_call: list class name event print_fmt data flags",
    "trace_event: type",
    "tracepoint: name",
    "trace_event_class: system get_fields fields",
    "ftrace_event_field: link name type offset size is_signed",
    "syscall_metadata: enter_fields",
    "trace_bprintk_fmt: list fmt",
    "saved_cmdlines_buffer: size entries map_cmdline_to_pid cmdline_num saved_cmdlines",
    "saved_cmdline: pid comm",
};

static uint64_t function_at(unsigned i)
{
    return WORLD_RAM + (uint64_t)i * FUNCTION_BYTES;
}

static unsigned function_named(const char *name)
{
    for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
        if (!strcmp(functions[i], name))
            return i;
    return STOP_HERE;
}

/* ---- the image ---- */

static void put(uint8_t *image, size_t at, uint64_t value)
{
    memcpy(image + at, &value, sizeof value);
}

static void put_half(uint8_t *image, size_t at, uint32_t value)
{
    memcpy(image + at, &value, sizeof value);
}

static void put_text(uint8_t *image)
{
    for (unsigned i = 0; i < ARRAY_LEN(functions); i++) {
        uint8_t *f = image + i * FUNCTION_BYTES;

        for (unsigned n = 0; n < 4; n++)
            put_half(f, 2 * n, 0x00010001); /* c.nop, four of them are a site */
        put_half(f, 8, i == STORE_THERE ? SD(A0, A1, 0) : 0x00000013);
        put_half(f, 12, i == STORE_THERE ? FENCE_I : 0x00000013);
        put_half(f, 16, JALR(ZERO, RA, 0));
    }
    put_half(image, 8, JAL(ZERO, 0)); /* stop_here stays there */
}

static void put_tables(uint8_t *image)
{
    static const char *const sites[] = {"first", "second", "third", "ftrace_process_locs"};

    for (unsigned i = 0; i < ARRAY_LEN(sites); i++)
        put(image, SITES + 8 * i, function_at(function_named(sites[i])));
    put_half(image, KEYS, (uint32_t)(function_named("third") * FUNCTION_BYTES + 8 - KEYS));
    put_half(image, KEYS + 4, (uint32_t)(function_named("third") * FUNCTION_BYTES - KEYS - 4));
    put(image, KEYS + 8, DATA + 0xd0 - KEYS - 8);
}

/* Describes the structs: a type of each, its names after all types. */
static size_t put_btf(uint8_t *btf)
{
    static const uint8_t magic[8] = {0x9f, 0xeb, 1, 0, 24};
    static char names[PAGE];
    uint32_t types = 0, used = 1;

    for (unsigned i = 0; i < ARRAY_LEN(structs); i++) {
        char text[256], *word = text, *end;
        uint8_t *type = btf + 24 + types;
        uint32_t members = 0;

        snprintf(text, sizeof text, "%s", structs[i]);
        for (; word; word = end ? end + 1 : NULL) {
            end = strchr(word, ' ');
            if (end)
                *end = '\0';
            put_half(type, word == text ? 0 : 12 * members, used);
            if (word != text)
                put_half(type, 12 * members + 8, 64 * (members - 1));
            word[strcspn(word, ":")] = '\0';
            snprintf(names + used, sizeof names - used, "%s", word);
            used += (uint32_t)strlen(word) + 1;
            members++;
        }
        put_half(type, 4, 4U << 24 | (members - 1)); /* a struct */
        put_half(type, 8, 8 * (members - 1));
        types += 12 * members;
    }
    memcpy(btf, magic, sizeof magic);
    put_half(btf, 12, types);
    put_half(btf, 16, types);
    put_half(btf, 20, used);
    memcpy(btf + 24 + types, names, used);
    return 24 + types + used;
}

static void make_names(char *names, size_t size)
{
    size_t used = 0;

    for (unsigned i = 0; i < ARRAY_LEN(functions); i++)
        used += (size_t)snprintf(names + used, size - used, "%016lx T %s\n",
                                 (unsigned long)function_at(i), functions[i]);
    for (unsigned i = 0; i < ARRAY_LEN(variables); i++)
        used +=
            (size_t)snprintf(names + used, size - used, "%016lx D %s\n",
                             (unsigned long)WORLD_RAM + DATA + variables[i].at, variables[i].name);
    snprintf(names + used, size - used,
             "%016lx T _stext\n%016lx T _etext\n%016lx D __start_mcount_loc\n"
             "%016lx D __stop_mcount_loc\n%016lx D __start___jump_table\n"
             "%016lx D __stop___jump_table\n",
             (unsigned long)WORLD_RAM, (unsigned long)WORLD_RAM + SITES,
             (unsigned long)WORLD_RAM + SITES, (unsigned long)WORLD_RAM + SITES + 32,
             (unsigned long)WORLD_RAM + KEYS, (unsigned long)WORLD_RAM + KEYS + 16);
}

/* ---- what a kernel has allocated ---- */

struct run {
    struct world w;
    struct symbols *symbols;
    struct lines *lines;
    struct tasks *tasks;
    struct bpf_text *programs;
    struct module_names *module_names;
    struct ftrace_stream stream;
    struct watch *watch;
    struct input in;
    bool linux_rings;
};

static void poke(const struct run *r, uint64_t pa, uint64_t value, unsigned size)
{
    const struct writer who = {.kind = WRITER_FIRMWARE};

    (void)!bus_write(cluster_bus(machine_cluster(r->w.m)), pa, &value, size, &who);
}

static void poke_at(const struct run *r, unsigned at, uint64_t value)
{
    poke(r, WORLD_RAM + at, value, 8);
}

static void allocate_module(const struct run *r)
{
    enum { NODE = 8, NAME = 24, AREAS = 80, TABLES = 200 };

    poke_at(r, DATA, WORLD_RAM + MODULE + NODE);
    poke_at(r, MODULE + NODE, WORLD_RAM + DATA);
    poke_at(r, MODULE + NAME, 'm');
    poke_at(r, MODULE + AREAS, WORLD_RAM + MODULE_TEXT);
    poke_at(r, MODULE + AREAS + 8, PAGE);
    poke_at(r, MODULE + TABLES, WORLD_RAM + MODULE_SYMBOLS);
    poke_at(r, MODULE + TABLES + 8, 4);
    poke_at(r, MODULE + TABLES + 16, WORLD_RAM + MODULE_SYMBOLS + 0x100);
    poke_at(r, MODULE + TABLES + 32, WORLD_RAM + MODULE_KEYS);
    poke_at(r, MODULE + TABLES + 40, 2);
    for (unsigned i = 0; i < 4; i++) {
        unsigned f = MODULE_TEXT + 64 * i;

        poke_at(r, f, UINT64_C(0x0001000100010001));
        poke_at(r, f + 8, UINT64_C(0x0000001300000013));
        poke_at(r, MODULE_SITES + 8 * i, WORLD_RAM + f);
        poke_at(r, MODULE_SYMBOLS + 16 * i, WORLD_RAM + f);
        poke_at(r, MODULE_SYMBOLS + 16 * i + 8, 64 | (uint64_t)(2 * i) << 32);
        poke_at(r, MODULE_SYMBOLS + 0x100 + 2 * i, 'a' + i);
        poke(r, WORLD_RAM + MODULE_KEYS + 16 * i, (uint64_t)(f + 8 - MODULE_KEYS - 16 * i), 4);
        poke(r, WORLD_RAM + MODULE_KEYS + 16 * i + 4, (uint64_t)(f - MODULE_KEYS - 16 * i - 4), 4);
        poke_at(r, MODULE_KEYS + 16 * i + 8, (uint64_t)DATA + 0xd0 - MODULE_KEYS - 16 * i - 8);
    }
    poke_at(r, KSYM, WORLD_RAM + MODULE_TEXT + 0x800);
    poke_at(r, KSYM + 8, WORLD_RAM + MODULE_TEXT + 0x900);
    poke_at(r, KSYM + 16, 'p');
}

/* Rings of a hart: two pages, the second one being written. */
static void allocate_rings(const struct run *r)
{
    enum { TRACE = DATA + 0x600, BUFFER = RINGS, RING = RINGS + 0x100, HEADERS = RINGS + 0x200 };

    poke_at(r, TRACE + 16, WORLD_RAM + BUFFER);
    poke_at(r, BUFFER, WORLD_RAM + RING);
    poke_at(r, BUFFER + 8, WORLD_RAM + BUFFER);
    poke_at(r, RING, 2);
    poke_at(r, RING + 8, WORLD_RAM + HEADERS);
    poke_at(r, RING + 16, WORLD_RAM + RINGS + 0x300);
    poke_at(r, RING + 24, 1);
    for (unsigned i = 0; i < 2; i++) {
        unsigned data = RINGS + PAGE * (1 + i), header = HEADERS + 32 * i;

        poke_at(r, RINGS + 0x300 + 8 * i, (uint64_t)i << 20 | i << 1);
        poke_at(r, header, WORLD_RAM + HEADERS + 32 * (1 - i));
        poke_at(r, header + 8, WORLD_RAM + data);
        poke_at(r, RING + 88 + 8 * i, WORLD_RAM + header);
        poke_at(r, data + 8, 64);
        poke_at(r, data + 16, 3);
    }
    poke_at(r, RING + 32, WORLD_RAM + HEADERS);
    poke_at(r, DATA + 0x680, WORLD_RAM + RINGS + 0x400);
    poke_at(r, RINGS + 0x400, WORLD_RAM + DATA + 0x680);
    poke_at(r, DATA + 0x6b0, WORLD_RAM + RINGS + 0x500);
    poke_at(r, RINGS + 0x500, 2);
    poke_at(r, DATA + 0x6c0, WORLD_RAM + DATA + 0x6c0);
}

static void allocate(const struct run *r)
{
    allocate_module(r);
    allocate_rings(r);
    poke_at(r, TASK + 8, UINT64_C(0x6b736174)); /* "task" */
    poke_at(r, TASK + 16, 7);
    poke_at(r, DATA + 0x108, UINT64_C(0x72657070617773)); /* "swapper" */
    poke_at(r, DATA + 0x20, WORLD_RAM + RECORDS);
    poke_at(r, RECORDS + 8, WORLD_RAM + RECORDS + 0x100);
    poke_at(r, RECORDS + 16, 3);
    for (unsigned i = 0; i < 3; i++)
        poke_at(r, RECORDS + 0x100 + 16 * i, function_at(function_named("first") + i));
    poke_at(r, DATA + 0x28, WORLD_RAM + RECORDS + 0x800);
    poke_at(r, RECORDS + 0x800, WORLD_RAM + DATA + 0x30);
    poke_at(r, RECORDS + 0x808, 1);
    poke_at(r, RECORDS + 0x810, WORLD_RAM + RECORDS + 0x900);
    poke_at(r, DATA + 0x3c, 1);
}

/* ---- acts ---- */

/* A number as a table may have it: mostly an address of a table, sometimes one that is none. */
static uint64_t number(struct run *r)
{
    unsigned kind = input_byte(&r->in);
    uint64_t n = input_number(&r->in, 2);

    switch (kind % 16) {
    case 0: return 0;
    case 1: return UINT64_MAX - n % 64;
    case 2: return n;
    case 3: return n << 48 | n;
    case 4: return WORLD_RAM + RAM_BYTES - 32 + n % 64;
    case 5: return WORLD_RAM - 32 + n % 64;
    case 6: return function_at((unsigned)n % ARRAY_LEN(functions)) + (n >> 8 & 15);
    case 7: return WORLD_RAM + DATA + n % PAGE;
    case 8: return 0x10000000 + n % 64;
    case 9: return WORLD_RAM + MODULE_SITES + n % PAGE;
    case 10: return WORLD_RAM + MODULE;
    case 11: return WORLD_RAM + KSYM;
    case 12: return WORLD_RAM + MODULE_TEXT + n % PAGE;
    case 13: return UINT64_C(1) << (n % 64);
    case 14: return ((n & 1) << 16 | 0x17) | UINT64_C(0x000080e7) << 32; /* a pair, far away */
    default: return WORLD_RAM + MODULE + (n % (POOL_END - MODULE) & ~UINT64_C(7));
    }
}

static void change_word(struct run *r)
{
    unsigned size = 1U << input_byte(&r->in) % 4;
    uint64_t at = number(r), value = number(r);

    poke(r, at, value, size);
}

/* Damages one of the words that lead to a table. */
static void change_link(struct run *r)
{
    static const unsigned links[] = {
        DATA,          DATA + 0x20,   DATA + 0x28,  DATA + 0x608, MODULE + 8,     MODULE + 24,
        MODULE + 80,   MODULE + 88,   MODULE + 200, MODULE + 208, MODULE + 232,   MODULE + 240,
        KSYM,          KSYM + 8,      DATA + 0x600, DATA + 0x610, RINGS,          RINGS + 0x100,
        RINGS + 0x108, RINGS + 0x200, RECORDS,      RECORDS + 16, RECORDS + 0x800};

    poke_at(r, links[input_byte(&r->in) % ARRAY_LEN(links)], number(r));
}

static void call(struct run *r, struct hart *h, unsigned function)
{
    hart_set_reg(h, REG_RA, function_at(STOP_HERE) + 8);
    hart_set_pc(h, function_at(function));
    (void)machine_run(r->w.m, machine_insns(r->w.m) + INSNS_OF_CALL, UINT64_MAX);
}

static void call_any(struct run *r, struct hart *h)
{
    unsigned function =
        FIRST_CALLED + input_byte(&r->in) % ((unsigned)ARRAY_LEN(functions) - FIRST_CALLED);

    for (unsigned i = 0; i < 3; i++)
        hart_set_reg(h, REG_A0 + i, number(r));
    call(r, h, function);
}

/* Tells of a table as a kernel does, with one of three numbers a lie. */
static void tell(struct run *r, struct hart *h)
{
    static const char *const told[] = {"ftrace_process_locs", "ftrace_free_mem",
                                       "jump_label_module_notify", "do_init_module",
                                       "jump_label_add_module"};
    unsigned which = input_byte(&r->in) % ARRAY_LEN(told), lie = input_byte(&r->in) % 4;
    uint64_t values[3] = {WORLD_RAM + MODULE, WORLD_RAM + MODULE_SITES,
                          WORLD_RAM + MODULE_SITES + 32};

    if (which == 2) {
        values[1] = 1 + (lie >> 1);
        values[2] = WORLD_RAM + MODULE;
    }
    if (lie < 3)
        values[lie] = number(r);
    for (unsigned i = 0; i < 3; i++)
        hart_set_reg(h, REG_A0 + i, values[i]);
    call(r, h, function_named(told[which]));
}

static void store(struct run *r, struct hart *h)
{
    hart_set_reg(h, REG_A0, number(r));
    hart_set_reg(h, REG_A1, number(r));
    call(r, h, STORE_THERE);
}

static void change_task(struct run *r, struct hart *h)
{
    hart_set_reg(h, REG_TP, input_byte(&r->in) & 1 ? WORLD_RAM + TASK : number(r));
    hart_set_reg(h, REG_SP, input_byte(&r->in) & 1 ? WORLD_RAM + POOL_END : number(r));
    call(r, h, function_named("first") + input_byte(&r->in) % 3);
}

/* Goes on from the present state as a snapshot has it. */
static void restore(struct run *r)
{
    struct snapshot *s = machine_snapshot(r->w.m);
    uint64_t hash = machine_state_hash(r->w.m);

    CHECK(machine_restore(r->w.m, s));
    CHECK(machine_state_hash(r->w.m) == hash);
    snapshot_free(r->w.m, s);
}

static void act(struct run *r)
{
    struct hart *h = world_hart(&r->w, 0);

    switch (input_byte(&r->in) % WORDS) {
    case 0: change_word(r); break;
    case 1:
    case 2: change_link(r); break;
    case 3: call_any(r, h); break;
    case 4:
    case 5: tell(r, h); break;
    case 6: input_byte(&r->in) & 1 ? store(r, h) : change_task(r, h); break;
    default: restore(r); break;
    }
}

/* ---- a run ---- */

static void join(struct run *r)
{
    machine_join_snapshots(r->w.m, (struct state_part){r->watch, watch_state_io});
    machine_join_snapshots(r->w.m, (struct state_part){r->programs, bpf_text_state_io});
    machine_join_snapshots(r->w.m, (struct state_part){r->module_names, module_names_state_io});
}

static void begin(struct run *r)
{
    static const struct diag silent = {.quiet = true};
    static uint8_t image[IMAGE_BYTES];
    static char names[PAGE];
    const char *map;
    struct watch_config config = {
        .findings_max = 8, .patches_max = 64, .account = true, .audit = true};

    memset(image, 0, sizeof image);
    put_text(image);
    put_tables(image);
    CHECK(put_btf(image + BTF) <= DATA - BTF);
    world_new(&r->w, image, sizeof image,
              (struct machine_config){.harts = 2, .memory = RAM_BYTES, .firmware = FIRMWARE_NONE});
    make_names(names, sizeof names);
    map = scratch_file(SCRATCH_SYMBOLS, names, strlen(names));
    CHECK(symbols_read_map(map, &silent, &r->symbols) == EXIT_PASS);
    r->lines = lines_new(map);
    config.cluster = machine_cluster(r->w.m);
    config.image = machine_image(r->w.m);
    config.symbols = r->symbols;
    config.lines = r->lines;
    config.stream = &r->stream;
    r->tasks = config.tasks = tasks_new(config.image, r->symbols, r->lines);
    config.programs = r->programs = bpf_text_new(config.cluster, config.image, r->symbols);
    r->watch = watch_new(&config, &silent);
    r->module_names = module_names_new(config.cluster, config.image, r->symbols, r->programs);
    join(r);
    for (unsigned i = 0; i < 2; i++)
        hart_reset(world_hart(&r->w, i), function_at(STOP_HERE) + 8, PRIV_M);
    allocate(r);
}

static void end(struct run *r)
{
    struct report whole = {
        .run =
            {.version = "0", .image = "", .firmware = "", .fetch = "", .timing = "", .ended = ""},
        .cluster = machine_cluster(r->w.m),
        .watch = r->watch,
        .symbols = r->symbols,
        .rows = 3};
    struct peek peek = {.cluster = machine_cluster(r->w.m),
                        .image = machine_image(r->w.m),
                        .symbols = r->symbols,
                        .lines = r->lines};
    FILE *out = fopen("/dev/null", "w");

    report_text(&whole, out);
    report_findings(&whole, out);
    CHECK(report_json(&whole, out));
    (void)!rings_dat_write(&peek, out);
    peek_end(&peek);
    fclose(out);
    watch_free(r->watch);
    module_names_free(r->module_names);
    bpf_text_free(r->programs);
    machine_free(r->w.m);
    tasks_free(r->tasks);
    lines_free(r->lines);
    symbols_free(r->symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct run r = {.in = {bytes, size}};

    begin(&r);
    for (unsigned i = 0; i < ACTS_MAX && r.in.left; i++)
        act(&r);
    end(&r);
    return 0;
}
