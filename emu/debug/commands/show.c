/*
 * show.c - the commands that show and set state: registers, memory, backtrace,
 * harts, the machine.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cpu/isa/isa.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"

/* ---- registers ---- */

static void print_register(struct debugger *d, const char *name, uint64_t value, bool changed)
{
    const char *bold = changed && d->config.colour ? "\033[1m" : "";

    fprintf(d->out, "%s%4s%c0x%016" PRIx64 "%s", bold, name, changed ? '*' : ' ', value,
            bold[0] ? "\033[0m" : "");
}

/* Prints four columns, filled downwards, so that a0 to a7 are in one column. */
static void print_integer_registers(struct debugger *d)
{
    enum { ROWS = 8, COLUMNS = 4 };
    const struct register_file *before = &d->before[d->selected];

    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned reg = column * ROWS + row;
            uint64_t value = selected_register(d, reg);

            print_register(d, reg_name(reg), value, value != before->value[reg]);
            fprintf(d->out, "%s", column + 1 < COLUMNS ? "  " : "\n");
        }
    print_register(d, "pc", selected_pc(d), selected_pc(d) != before->value[TARGET_REG_PC]);
    fprintf(d->out, "\n");
}

/*
 * Whether a CSR is listed: of the many event counters and selectors only those in use; hpmcounterN
 * is the same as mhpmcounterN.
 */
static bool is_worth_a_line(const char *name, uint64_t value)
{
    return strncmp(name, "hpm", 3) != 0 && (strncmp(name, "mhpm", 4) != 0 || value);
}

static void print_csrs(struct debugger *d)
{
    enum { COLUMNS = 3 };
    unsigned shown = 0;

    for (unsigned number = TARGET_REG_CSR; number < TARGET_REG_PRIV; number++) {
        struct target_register r;
        uint64_t value;

        if (!target_register(d->target, number, &r))
            continue;
        value = selected_register(d, number);
        if (is_worth_a_line(r.name, value))
            fprintf(d->out, "%14s 0x%016" PRIx64 "%s", r.name, value,
                    ++shown % COLUMNS ? "" : "\n");
    }
    fprintf(d->out, "%s", shown % COLUMNS ? "\n" : "");
}

/* Returns the value of a register, as single precision if it is NaN-boxed. */
static double float_value(uint64_t pattern)
{
    uint32_t low = (uint32_t)pattern;
    double d;
    float s;

    if (pattern >> 32 == UINT32_MAX) {
        memcpy(&s, &low, sizeof s);
        return (double)s;
    }
    memcpy(&d, &pattern, sizeof d);
    return d;
}

static void print_float_registers(struct debugger *d)
{
    enum { ROWS = 16, COLUMNS = 2 };

    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned column = 0; column < COLUMNS; column++) {
            unsigned reg = column * ROWS + row;
            uint64_t pattern = selected_register(d, TARGET_REG_F0 + reg);

            fprintf(d->out, "%4s 0x%016" PRIx64 " %-22.17g%s", freg_name(reg), pattern,
                    float_value(pattern), column + 1 < COLUMNS ? "  " : "\n");
        }
}

void do_registers(struct debugger *d, const char *args)
{
    bool all = arg_keyword(&args, "all"), csr = !all && arg_keyword(&args, "csr");
    bool floats = !all && !csr && arg_keyword(&args, "float");

    if (!arg_end(d, args))
        return;
    if (!csr && !floats)
        print_integer_registers(d);
    if (all || floats)
        print_float_registers(d);
    if (all || csr)
        print_csrs(d);
}

/* ---- memory ---- */

enum { LINE = 16 };

/* A line of a memory dump; bytes that cannot be read are marked. */
struct memory_line {
    uint64_t va;
    unsigned len;
    uint8_t bytes[LINE];
    bool there[LINE];
};

static bool read_line(const struct debugger *d, struct memory_line *l)
{
    bool all = true;

    for (unsigned i = 0; i < l->len; i++)
        all &= l->there[i] = selected_read(d, l->va + i, &l->bytes[i], 1);
    return all;
}

static void print_unit(FILE *out, const struct memory_line *l, unsigned at, unsigned unit)
{
    fprintf(out, " ");
    for (unsigned i = unit; i-- > 0;) /* as a number, so the highest byte first */
        if (at + i >= l->len)
            fprintf(out, "  ");
        else if (l->there[at + i])
            fprintf(out, "%02x", l->bytes[at + i]);
        else
            fprintf(out, "??");
}

static void print_memory_line(struct debugger *d, const struct memory_line *l, unsigned unit)
{
    fprintf(d->out, "0x%016" PRIx64 ":", l->va);
    for (unsigned at = 0; at < LINE; at += unit)
        print_unit(d->out, l, at, unit);
    fprintf(d->out, "  ");
    for (unsigned i = 0; i < l->len; i++)
        fputc(l->there[i] && isprint(l->bytes[i]) ? l->bytes[i] : '.', d->out);
    fprintf(d->out, "\n");
}

static void print_memory(struct debugger *d, uint64_t va, uint64_t len, unsigned unit)
{
    struct memory_line l;
    bool all = true;

    while (len) {
        l = (struct memory_line){.va = va, .len = len < LINE ? (unsigned)len : LINE};
        all &= read_line(d, &l);
        print_memory_line(d, &l, unit);
        va += l.len;
        len -= l.len;
    }
    d->next_memory = va;
    if (!all)
        fprintf(d->out, "?? is not RAM: not mapped, or a device, which a read might change\n");
}

void do_memory(struct debugger *d, const char *args)
{
    enum { BYTES_MAX = 1 << 20, BYTES = 64 };
    uint64_t va, count = 0;
    unsigned unit;

    if (!arg_value(d, &args, "an address", &va))
        return;
    unit = arg_unit(&args);
    if (!unit) {
        if (!arg_count(d, &args, &count))
            return;
        unit = arg_unit(&args);
    }
    if (!arg_end(d, args))
        return;
    unit = unit ? unit : 1;
    count = count ? count : BYTES / unit;
    if (count > BYTES_MAX / unit) {
        complain(d, "at most %d bytes at a time", BYTES_MAX);
        return;
    }
    print_memory(d, d->repeated ? d->next_memory : va, count * unit, unit);
}

/* ---- harts and machine ---- */

static const char *mode_name(enum privilege mode)
{
    return mode == PRIV_M ? "M" : mode == PRIV_S ? "S" : "U";
}

static const char *waiting_text(enum hart_wait waits)
{
    static const char *const texts[] = {
        [HART_WAITS_NOT] = "",
        [HART_WAITS_INTERRUPT] = " waits for an interrupt",
        [HART_WAITS_STORE] = " waits for a store",
    };

    return texts[waits];
}

static void print_hart(struct debugger *d, unsigned hart)
{
    const struct target_hart h = target_hart(d->target, hart);

    fprintf(d->out, "%s hart %-2u %s ", hart == d->selected ? "=>" : "  ", hart,
            h.started ? mode_name(h.mode) : "-");
    if (!h.started)
        fprintf(d->out, "not started");
    else
        print_place(d, h.pc);
    fprintf(d->out, "%s\n", h.started ? waiting_text(h.waits) : "");
}

void do_harts(struct debugger *d, const char *args)
{
    if (!arg_end(d, args))
        return;
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        print_hart(d, hart);
}

void info_machine(struct debugger *d, const char *args)
{
    if (!arg_end(d, args))
        return;
    fprintf(d->out, "%" PRIu64 " instructions, %" PRIu64 " cycles\n", target_insns(d->target),
            target_cycles(d->target));
    if (d->config.modes)
        fprintf(d->out, "modes: %s\n", d->config.modes);
    if (d->config.command)
        fprintf(d->out, "again: %s\n", d->config.command);
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++) {
        const struct target_hart h = target_hart(d->target, hart);

        fprintf(d->out,
                "%s hart %-2u %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64
                " of them idle\n",
                hart == d->selected ? "=>" : "  ", hart, h.insns, h.cycles, h.idle_cycles);
    }
}
