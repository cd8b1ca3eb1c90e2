/*
 * site_life.c - see site_life.h.
 */
#include "ftrace/sites/site_life.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/sites/sites.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Ids are not reused, so the number of added sites is limited. */
enum { LEARNT_MAX = 1 << 18, TRAMPOLINES_MAX = 2 };

struct site_life {
    struct cluster *cluster;
    struct site_table *sites;
    const struct image *image;
    const struct symbols *symbols;
    uint64_t trampolines[TRAMPOLINES_MAX]; /* virtual addresses */
    unsigned trampoline_count;
    uint64_t text, text_end; /* the image's text that stays; both 0: not known */
    struct kernel_probes *free_initmem;
    bool frees_init; /* the kernel has free_initmem() */
    bool init_freed; /* and has called it */
    unsigned learnt;
    uint64_t left_out;
};

static void on_free_initmem(void *life, unsigned which, struct hart *h)
{
    struct site_life *l = life;

    (void)which;
    (void)h;
    l->init_freed = true;
}

/* Finds the text that stays, and when the kernel gives back the text that only booting needs. */
static void find_text(struct site_life *l)
{
    static const char *const names[] = {"free_initmem"};
    uint64_t va;

    if (!symbols_find(l->symbols, "_stext", &l->text) ||
        !symbols_find(l->symbols, "_etext", &l->text_end))
        l->text = l->text_end = 0;
    l->frees_init = symbols_find(l->symbols, names[0], &va);
    l->free_initmem =
        kernel_probes_new(l->cluster, l->image, l->symbols, names, 1, on_free_initmem, l);
}

struct site_life *site_life_new(struct cluster *c, struct site_table *sites, const struct image *im,
                                const struct symbols *symbols)
{
    static const char *const names[TRAMPOLINES_MAX] = {"ftrace_caller", "ftrace_regs_caller"};
    struct site_life *l = xcalloc(1, sizeof *l);

    *l = (struct site_life){.cluster = c, .sites = sites, .image = im, .symbols = symbols};
    for (unsigned i = 0; i < TRAMPOLINES_MAX; i++)
        l->trampoline_count +=
            symbols_find(symbols, names[i], &l->trampolines[l->trampoline_count]);
    find_text(l);
    return l;
}

void site_life_free(struct site_life *l)
{
    if (!l)
        return;
    kernel_probes_free(l->free_initmem);
    free(l);
}

void site_life_state_io(struct state_io *io, struct site_life *l)
{
    state_io_section(io, "site-life", 3);
    STATE_IO(io, l->init_freed);
    STATE_IO_BELOW(io, l->learnt, LEARNT_MAX + 1);
    STATE_IO(io, l->left_out);
}

uint64_t site_life_left_out(const struct site_life *l)
{
    return l->left_out;
}

static bool read_memory(const struct site_life *l, uint64_t pa, uint8_t *bytes, unsigned size)
{
    return bus_read(cluster_bus(l->cluster), pa, bytes, size);
}

/* ---- sites that are gone ---- */

static bool is_image_site_present(const struct site_life *l, const struct site *s)
{
    if (l->text_end && s->va >= l->text && s->va < l->text_end)
        return true;
    return l->text_end && l->frees_init && !l->init_freed;
}

bool site_life_is_present(const struct site_life *l, struct hart *h, uint32_t id)
{
    const struct site *s = site_get(l->sites, id);
    char name[MODULE_NAME_MAX];
    uint64_t pa;

    if (s->gone)
        return false;
    if (!s->module)
        return is_image_site_present(l, s);
    return hart_translate(h, s->va, ACCESS_LOAD, &pa) && pa == s->pa &&
           module_name_at(l->cluster, h, l->symbols, s->va, name);
}

/*
 * Removes the sites that the store has destroyed because their memory was freed; `id` is the first
 * one that it hits, and there may be two. Returns the first site that is left, or NO_SITE.
 */
static uint32_t remove_ended(struct site_life *l, const struct code_write *w, uint32_t id)
{
    uint64_t end = w->pa + w->size;
    struct hart *h = cluster_hart(l->cluster, w->who.kind == WRITER_HART ? w->who.hart : 0);
    uint32_t first = NO_SITE;

    while (id != NO_SITE) {
        const struct site *s = site_get(l->sites, id);
        uint64_t pa = s->pa + s->size;
        uint8_t bytes[SITE_BYTES_MAX];

        if (!read_memory(l, s->pa, bytes, s->size) ||
            (!site_may_hold(s, bytes) && !site_life_is_present(l, h, id)))
            site_remove(l->sites, id);
        else if (first == NO_SITE)
            first = id;
        id = pa < end ? site_find(l->sites, pa, (unsigned)(end - pa)) : NO_SITE;
    }
    return first;
}

/* ---- new sites ---- */

/*
 * Whether the code at va is the image's. What only booting needed is freed, and a module's code may
 * be there later: in the image's memory, at another address.
 */
static bool is_of_image(const struct site_life *l, uint64_t va, uint64_t pa)
{
    uint64_t own;

    return image_pa_to_va(l->image, pa, &own) && own == va;
}

/* The offset of the pair in a site. */
static unsigned pair_offset(const struct site_life *l)
{
    return site_traits(l->sites)->pair;
}

/*
 * Whether the pair at pa, in the mapping of `h`, calls a trampoline. Then its virtual address *va
 * is known: the trampoline's minus `distance`, the distance from the pair to its target.
 */
static bool find_address(const struct site_life *l, struct hart *h, uint64_t pa, uint64_t distance,
                         uint64_t *va)
{
    for (unsigned i = 0; i < l->trampoline_count; i++) {
        uint64_t there;

        *va = l->trampolines[i] - distance;
        if ((*va - pa) % PAGE_BYTES == 0 &&
            (hart_translate(h, *va, ACCESS_FETCH, &there) ||
             hart_translate(h, *va, ACCESS_LOAD, &there)) &&
            there == pa)
            return true;
    }
    return false;
}

/* The distance from the pair to its target; false: the bytes are not a call. */
static bool pair_distance(const uint8_t bytes[SITE_BYTES], uint64_t *distance)
{
    enum { OPCODE = 0x7f, AUIPC = 0x17, JALR = 0x67 };
    struct insn auipc, jalr;
    uint32_t words[2];

    memcpy(words, bytes, sizeof words);
    if ((words[0] & OPCODE) != AUIPC || (words[1] & OPCODE) != JALR)
        return false;
    if (!insn_decode(words[0], &auipc) || !insn_decode(words[1], &jalr) ||
        !insn_is_pair(&auipc, &jalr))
        return false;
    *distance = pair_target(0, &auipc, &jalr);
    return true;
}

/* Adds the site at this address; `names`: those of its module, NULL: it is in none. */
static uint32_t add(struct site_life *l, uint64_t pa, uint64_t va,
                    const struct module_symbols *names)
{
    struct site s = {.kind = SITE_FUNCTION,
                     .size = site_traits(l->sites)->size,
                     .pa = pa,
                     .va = va,
                     .module = ""};
    const struct symbol *function = symbols_function_at(l->symbols, va);
    struct module_function in_module;
    uint8_t before[4];
    uint32_t id;

    if (l->learnt == LEARNT_MAX) {
        l->left_out++;
        return NO_SITE;
    }
    if (site_traits(l->sites)->place == SITE_AFTER_PROLOGUE)
        s.ra_copy = read_memory(l, pa - 4, before, 4) ? (uint8_t)site_ra_copy(before) : 0;
    s.function = function ? function->name : "";
    if (names)
        s.module = module_symbols_module(names);
    if (!function && names && module_symbols_at(names, va + pair_offset(l), &in_module))
        s.function = in_module.name;
    id = site_add(l->sites, &s);
    l->learnt += id != NO_SITE;
    return id;
}

/*
 * Whether the site is still the one that the kernel has there: the memory may have been another
 * module's.
 */
static bool is_same(const struct site_life *l, const struct site *s, uint64_t va,
                    const struct module_symbols *names)
{
    struct module_function f;

    return s->va == va && names && s->module && !strcmp(s->module, module_symbols_module(names)) &&
           module_symbols_at(names, va + pair_offset(l), &f) && !strcmp(s->function, f.name);
}

uint32_t site_life_add(struct site_life *l, struct hart *h, uint64_t va,
                       const struct module_symbols *names)
{
    unsigned size = site_traits(l->sites)->size;
    uint64_t pa;
    uint32_t id;

    if (va % 2 || !guest_place(h, va, size, ACCESS_LOAD, &pa) || is_of_image(l, va, pa) ||
        is_of_image(l, va + size - 1, pa + size - 1))
        return NO_SITE;
    for (; (id = site_find(l->sites, pa, size)) != NO_SITE; site_remove(l->sites, id)) {
        const struct site *known = site_get(l->sites, id);

        if (!known->module && is_image_site_present(l, known))
            return NO_SITE;
        if (is_same(l, known, va, names))
            return id;
    }
    return add(l, pa, va, names);
}

/* Adds a site if the bytes at pa are one; returns it, or NO_SITE. */
static uint32_t learn_at(struct site_life *l, struct hart *h, uint64_t pa)
{
    struct module_symbols *names;
    uint8_t bytes[SITE_BYTES];
    uint64_t distance, va;
    uint32_t id;

    /* Most stores are to data in a page with code. */
    if (!read_memory(l, pa, bytes, sizeof bytes) || !pair_distance(bytes, &distance) ||
        !find_address(l, h, pa, distance, &va) || is_of_image(l, va, pa) ||
        !guest_range(va - pair_offset(l), site_traits(l->sites)->size, PAGE_BYTES) ||
        !guest_is_ram(h, pa - pair_offset(l), site_traits(l->sites)->size))
        return NO_SITE;
    names = module_symbols_new(l->cluster, h, l->symbols, va);
    id = add(l, pa - pair_offset(l), va - pair_offset(l), names);
    module_symbols_free(names);
    return id;
}

/*
 * Looks for a new site at a store. A pair may be written in pieces of any size, in ascending or
 * descending order: the last store ends at the end of the pair, or of its first half. In `pfe16` a
 * store of eight bytes may also end after the instruction that follows the pair.
 */
static uint32_t learn(struct site_life *l, const struct code_write *w)
{
    uint64_t end = w->pa + w->size;
    struct hart *h;
    uint32_t id;

    if (!l->trampoline_count || w->who.kind != WRITER_HART)
        return NO_SITE;
    h = cluster_hart(l->cluster, w->who.hart);
    id = learn_at(l, h, end - SITE_BYTES);
    if (id == NO_SITE)
        id = learn_at(l, h, end - SITE_BYTES / 2);
    if (id == NO_SITE && pair_offset(l) && w->size == SITE_BYTES)
        id = learn_at(l, h, end - SITE_BYTES - pair_offset(l));
    return id;
}

uint32_t site_life_store(struct site_life *l, const struct code_write *w)
{
    uint32_t id = site_find(l->sites, w->pa, w->size);

    return id != NO_SITE ? remove_ended(l, w, id) : learn(l, w);
}
