/*
 * site.c - the commands `site' and `icache': the bytes in memory at a place in code, and those that
 * each hart would fetch there.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "debug/frames/place.h"
#include "ftrace/cost/account.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

enum { HISTORY_SHOWN = 20 };

static struct hart *hart_of(const struct debugger *d, unsigned hart)
{
    return cluster_hart(machine_cluster(d->config.machine), hart);
}

/* ---- instructions and their bytes ---- */

/* Prints an instruction as the assembler has it: c.nop is another instruction than nop. */
static void print_insn(struct debugger *d, uint64_t va, uint32_t word, unsigned size)
{
    enum { BYTES_WIDTH = 12 };
    struct disasm_names names = place_names(&d->guest);
    char text[DISASM_MAX];

    (void)disasm(va, word, &names, text);
    for (char *c = text; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    for (unsigned i = 0; i < size; i++)
        fprintf(d->out, "%02x ", word >> (8 * i) & 0xff);
    fprintf(d->out, "%*s%s%s\n", (int)(BYTES_WIDTH - 3 * size), "",
            size == 2 && !strcmp(text, "nop") ? "c." : "", text);
}

/*
 * Prints the instructions in these bytes, the first one on the present line, the others on a line
 * each.
 */
static void print_insns(struct debugger *d, uint64_t va, const uint8_t *bytes, unsigned size,
                        int indent)
{
    for (unsigned at = 0, len; at < size; at += len) {
        uint16_t low, high = 0;

        memcpy(&low, bytes + at, sizeof low);
        len = insn_size(low);
        if (len == 4 && at + 4 <= size)
            memcpy(&high, bytes + at + 2, sizeof high);
        else
            len = 2;
        fprintf(d->out, "%*s", at ? indent : 0, "");
        print_insn(d, va + at, low | (uint32_t)high << 16, len);
    }
}

/* ---- the bytes that a hart would fetch ---- */

struct fetched {
    uint8_t bytes[SITE_BYTES_MAX];
    bool stale;   /* some bytes were written since the hart's last fence.i */
    bool old;     /* some bytes differ from memory */
    bool unknown; /* of some bytes it is unknown whether the hart has the former ones */
    struct hart_parcel newest; /* of the stale parcels */
};

static void look(struct debugger *d, unsigned hart, uint64_t pa, unsigned size, struct fetched *f)
{
    *f = (struct fetched){0};
    for (unsigned i = 0; i < size; i += 2) {
        struct hart_parcel p;

        if (!hart_look_at(hart_of(d, hart), pa + i, &p))
            continue;
        memcpy(f->bytes + i, &p.fetched, 2);
        f->old = f->old || p.fetched != p.memory;
        f->unknown = f->unknown || (p.stale && !p.old_known);
        if (p.stale && (!f->stale || p.stamp > f->newest.stamp))
            f->newest = p;
        f->stale = f->stale || p.stale;
    }
}

static void print_since(struct debugger *d, const struct fetched *f)
{
    enum { INDENT = 12 };

    fprintf(d->out, "%*sstale", INDENT, "");
    if (f->newest.writer_known) {
        fprintf(d->out, " since the store by ");
        print_writer(d, &f->newest.who);
    } else {
        fprintf(d->out, "; the store is not known any more");
    }
    fprintf(d->out, "\n");
}

static void print_hart_view(struct debugger *d, unsigned hart, uint64_t va, uint64_t pa,
                            unsigned size)
{
    enum { INDENT = 12 };
    struct fetched f;

    fprintf(d->out, "    hart %-2u ", hart);
    if (!target_hart(d->target, hart).started) {
        fprintf(d->out, "has not been started\n");
        return;
    }
    look(d, hart, pa, size, &f);
    if (f.old)
        print_insns(d, va, f.bytes, size, INDENT);
    else
        fprintf(d->out, "as memory%s\n", f.unknown ? "; it has not fetched this before" : "");
    if (f.stale)
        print_since(d, &f);
}

/* Prints the bytes in memory, then those of each hart. */
static void print_views(struct debugger *d, uint64_t va, uint64_t pa, const uint8_t *bytes,
                        unsigned size)
{
    enum { INDENT = 12 };

    fprintf(d->out, "    memory  ");
    print_insns(d, va, bytes, size, INDENT);
    for (unsigned hart = 0; hart < target_hart_count(d->target); hart++)
        print_hart_view(d, hart, va, pa, size);
}

/* The site of the function that begins at the address; NO_SITE: it has none. */
static uint32_t site_of_function(const struct debugger *d, uint64_t va)
{
    uint64_t address = place_canonical(&d->guest, va);
    const struct symbol *f = symbols_function_at(d->config.symbols, address);

    for (uint32_t id = 0; f && f->addr == address && id < site_count(sites_of(d)); id++) {
        const struct site *s = site_get(sites_of(d), id);

        if (!s->gone && s->kind == SITE_FUNCTION && s->va >= f->addr && s->va < f->end)
            return id;
    }
    return NO_SITE;
}

static void show_views_of_site(struct debugger *d, uint32_t id)
{
    const struct site *s = site_get(sites_of(d), id);
    uint8_t bytes[SITE_BYTES_MAX];

    print_place(d, s->va);
    fprintf(d->out, ", a site\n");
    if (selected_read(d, s->va, bytes, s->size))
        print_views(d, s->va, s->pa, bytes, s->size);
    else
        fprintf(d->out, "    not readable\n");
}

/* A site is shown whole, also if the address is in it, or if it is that of its function. */
void do_icache(struct debugger *d, const char *args)
{
    uint64_t va, pa;
    uint8_t bytes[4];
    uint32_t site;
    unsigned size;

    if (!arg_code(d, &args, "an address", &va) || !arg_end(d, args))
        return;
    if (va & 1 || !selected_physical(d, va, &pa) || !selected_read(d, va, bytes, 2)) {
        complain_of_address(d, va & 1 ? TARGET_ODD_ADDRESS : TARGET_NOT_MAPPED, va);
        return;
    }
    site = site_find(sites_of(d), pa, 2);
    if (site != NO_SITE) {
        show_views_of_site(d, site);
        return;
    }
    size = insn_size((uint16_t)(bytes[0] | bytes[1] << 8));
    if (size == 4 && !selected_read(d, va, bytes, size))
        size = 2;
    print_place(d, va);
    fprintf(d->out, "\n");
    print_views(d, va, pa, bytes, size);
    site = site_of_function(d, va);
    if (site != NO_SITE)
        show_views_of_site(d, site);
}

/* ---- a site ---- */

void print_site_counts(struct debugger *d, uint32_t id)
{
    const struct account *a = watch_account(d->config.ftrace);
    const char *before = "";

    for (enum site_state state = SITE_INIT; a && state <= SITE_ON; state++) {
        struct state_account s = account_get(a, id, state);

        if (!s.entries)
            continue;
        fprintf(d->out, "%s%s: %" PRIu64 " entries, %" PRIu64 " cycles", before,
                site_state_name(state), s.entries, s.cycles);
        if (s.resumed)
            fprintf(d->out, ", with the tracer %" PRIu64, s.through_sum);
        before = "; ";
    }
    if (!*before)
        fprintf(d->out, "never executed");
}

static void print_change(struct debugger *d, const struct site *s, const struct patch *p,
                         size_t number)
{
    uint64_t target = 0;
    enum site_state old = site_state(sites_of(d), s, p->old_bytes, NULL);
    enum site_state new = site_state(sites_of(d), s, p->new_bytes, &target);
    char name[NAME_MAX_LEN];

    fprintf(d->out, "    #%-6zu %s -> %s", number, site_state_name(old), site_state_name(new));
    if (target) {
        place_name(&d->guest, target, name, sizeof name);
        fprintf(d->out, " (%s)", name[0] ? name : "?");
    }
    fprintf(d->out, ", %u store%s, ", p->stores, p->stores == 1 ? "" : "s");
    print_writer(d, &p->who);
    fprintf(d->out, "\n");
}

static void print_history(struct debugger *d, uint32_t id)
{
    const struct patch_log *log = watch_patches(d->config.ftrace);
    size_t count = patch_log_count(log), found = 0, first = count;

    while (first && found < HISTORY_SHOWN)
        found += patch_log_get(log, --first)->site == id;
    for (size_t i = first; i < count; i++)
        if (patch_log_get(log, i)->site == id)
            print_change(d, site_get(sites_of(d), id), patch_log_get(log, i), i + 1);
    if (!found)
        fprintf(d->out, "    never patched\n");
}

static void show_site(struct debugger *d, uint32_t id)
{
    const struct site *s = site_get(sites_of(d), id);
    uint8_t bytes[SITE_BYTES_MAX];

    print_site(d, id);
    if (!selected_read(d, s->va, bytes, s->size)) {
        fprintf(d->out, "    not readable\n");
        return;
    }
    print_views(d, s->va, s->pa, bytes, s->size);
    print_history(d, id);
}

/* Shows the site that contains the address. */
static bool show_site_at(struct debugger *d, const char *args)
{
    uint64_t va, pa;
    uint32_t id;

    if (!arg_code(d, &args, "a function or an address", &va) || !arg_end(d, args))
        return false;
    id = selected_physical(d, va, &pa) ? site_find(sites_of(d), pa, 2) : NO_SITE;
    if (id == NO_SITE) {
        complain(d, "there is no site of that name, and none at 0x%" PRIx64, va);
        return false;
    }
    show_site(d, id);
    return true;
}

void do_site(struct debugger *d, const char *args)
{
    char name[NAME_MAX_LEN];
    const char *rest = args;
    size_t shown = 0;

    if (arg_word(&rest, name, sizeof name) && !*rest)
        for (uint32_t id = 0; id < site_count(sites_of(d)); id++)
            if (name_matches(name, site_get(sites_of(d), id)->function)) {
                show_site(d, id);
                shown++;
            }
    if (!shown)
        (void)show_site_at(d, args);
}
