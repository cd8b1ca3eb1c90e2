/*
 * live_text.c - see live_text.h.
 */
#include "ftrace/kernel/live_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/guest_table.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Limits: areas at the same time, functions that were not run yet, bytes of one area. */
enum { AREAS_MAX = 4096, WAITING_MAX = 4096, AREA_BYTES_MAX = 16 << 20 };

enum kernel_call { CALL_INIT, CALL_FREE_INIT, CALL_RELEASE, CALL_FREE, CALL_BPF_ADD, CALL_BPF_DEL };

/* A function of BPF that no hart has run yet. */
struct waiting {
    uint64_t va, size, pa;
    uint32_t probe; /* not part of the state */
};

/* A page of an area that was added, for the state. */
struct live_area {
    struct text_area area;
    uint64_t first_page; /* its index in `pages` */
};

struct live_text {
    struct cluster *cluster;
    const struct symbols *symbols;
    struct text_map *text;
    struct kernel_probes *calls;
    struct probe_owner owner;
    struct live_listener listener;
    VEC_OF(struct waiting) waiting;
    VEC_OF(struct live_area) areas;
    VEC_OF(uint64_t) pages; /* physical addresses, of all areas */
    uint64_t left_out;
};

/* ---- areas ---- */

static size_t page_count(uint64_t va, uint64_t size)
{
    return (size_t)((va + size - 1) / PAGE_BYTES - va / PAGE_BYTES + 1);
}

/* Forgets the pages of the area, which is no more. */
static void drop_pages(struct live_text *l, const struct live_area *gone)
{
    size_t count = page_count(gone->area.va, gone->area.size);

    for (size_t i = (size_t)gone->first_page + count; i < l->pages.len; i++)
        l->pages.at[i - count] = l->pages.at[i];
    l->pages.len -= count;
    for (size_t i = 0; i < l->areas.len; i++)
        if (l->areas.at[i].first_page > gone->first_page)
            l->areas.at[i].first_page -= count;
}

static void remove_areas(struct live_text *l, uint64_t owner, uint64_t start, uint64_t end)
{
    text_map_remove_areas(l->text, owner, start, end);
    for (size_t i = l->areas.len; i-- > 0;) {
        struct live_area a = l->areas.at[i];

        if (a.area.owner != owner || a.area.va < start || a.area.va >= end)
            continue;
        l->areas.at[i] = l->areas.at[--l->areas.len];
        drop_pages(l, &a);
    }
}

/* Adds an area, all of whose pages the hart maps. */
static void add_area(struct live_text *l, struct hart *h, const struct text_area *area)
{
    size_t count = page_count(area->va, area->size), first = l->pages.len;

    if (l->areas.len == AREAS_MAX) {
        l->left_out++;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t va = (area->va / PAGE_BYTES + i) * PAGE_BYTES, pa;

        if (!guest_place(h, va, PAGE_BYTES, ACCESS_LOAD, &pa)) {
            l->pages.len = first;
            return;
        }
        VEC_PUSH(&l->pages, pa);
        cluster_declare_code(l->cluster, pa, PAGE_BYTES);
    }
    VEC_PUSH(&l->areas, ((struct live_area){*area, first}));
    text_map_add_area(l->text, area, &l->pages.at[first]);
}

static void tell(const struct live_text *l, struct hart *h, enum text_kind kind, uint64_t va,
                 uint64_t size, uint64_t writable)
{
    const struct live_event e = {h, kind, va, size, writable};

    if (l->listener.complete)
        l->listener.complete(l->listener.ctx, &e);
}

static bool is_executable(struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_FETCH, &pa);
}

static bool is_writable(struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_STORE, &pa);
}

/* ---- modules ---- */

/*
 * The size of the area that may begin at these words: its address, and within the next two the
 * size (modules.h), here a number of whole pages. 0: none begins there. A pointer may look like
 * one, so an area ends at the first page that is not mapped, too: there is one between two of them.
 */
static uint64_t area_size(const uint64_t *words)
{
    uint32_t halves[6];
    uint64_t size = 0;

    memcpy(halves, words, sizeof halves);
    if (!words[0] || words[0] % PAGE_BYTES)
        return 0;
    for (unsigned i = 2; i < sizeof halves / sizeof *halves; i++)
        if (halves[i] % PAGE_BYTES == 0 && halves[i] <= AREA_BYTES_MAX && halves[i] > size)
            size = halves[i];
    return size;
}

/* The end of the executable pages from `va` on, all of which can be written, or none. */
static uint64_t end_of_run(struct hart *h, uint64_t va, uint64_t end, bool writable)
{
    uint64_t at = va;

    while (at < end && is_executable(h, at) && is_writable(h, at) == writable)
        at += PAGE_BYTES;
    return at;
}

/*
 * Takes up the executable pages of an area of the module. A kernel whose modules have executable
 * data (`told_apart` false) protects nothing: what can be written there is not judged.
 */
static void take_up_area(struct live_text *l, struct hart *h, uint64_t module, uint64_t va,
                         uint64_t size, bool told_apart)
{
    uint64_t pa;

    for (uint64_t at = va, end; at < va + size && hart_translate(h, at, ACCESS_LOAD, &pa);
         at = end > at ? end : at + PAGE_BYTES) {
        bool writable = is_writable(h, at);

        end = end_of_run(h, at, va + size, writable);
        if (end == at || text_map_find(l->text, at, &pa) != TEXT_NONE)
            continue;
        if (!writable)
            add_area(l, h, &(struct text_area){TEXT_MODULE, at, end - at, module});
        if (!writable || told_apart)
            tell(l, h, TEXT_MODULE, at, end - at, writable ? at : 0);
    }
}

static void take_up_module(struct live_text *l, struct hart *h, uint64_t module)
{
    bool told_apart = !is_executable(h, module);
    struct module_areas areas;

    if (!module_areas_read(l->cluster, h, module, &areas))
        return;
    remove_areas(l, module, 0, UINT64_MAX);
    for (unsigned i = 0; i + 3 <= MODULE_AREAS; i++) {
        uint64_t size = area_size(&areas.words[i]);

        if (guest_range(areas.words[i], size, AREA_BYTES_MAX))
            take_up_area(l, h, module, areas.words[i], size, told_apart);
    }
}

/* ---- functions of BPF ---- */

static void stop_waiting(struct live_text *l, size_t i)
{
    cluster_uproot(l->cluster, l->waiting.at[i].probe);
    l->waiting.at[i] = l->waiting.at[--l->waiting.len];
}

static void complete_function(struct live_text *l, struct hart *h, const struct waiting *w)
{
    uint64_t writable = 0;

    remove_areas(l, 0, w->va, w->va + w->size);
    add_area(l, h, &(struct text_area){TEXT_BPF, w->va, w->size, 0});
    for (uint64_t page = w->va / PAGE_BYTES; page <= (w->va + w->size - 1) / PAGE_BYTES; page++)
        if (!writable && is_writable(h, page * PAGE_BYTES) && is_executable(h, page * PAGE_BYTES))
            writable = page * PAGE_BYTES;
    tell(l, h, TEXT_BPF, w->va, w->size, writable);
}

/*
 * The first hart comes to the function. The probe is not needed any more; it may be removed while
 * it is being called, as its number is not given away before the hart leaves the block.
 */
static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct live_text *l = ctx;

    (void)id;
    (void)cookie;
    for (size_t i = l->waiting.len; i-- > 0;) {
        struct waiting w = l->waiting.at[i];

        if (w.va != pc)
            continue;
        stop_waiting(l, i);
        complete_function(l, h, &w);
    }
    return PROBE_GO_ON;
}

static void wait_for(struct live_text *l, struct waiting w)
{
    w.probe = cluster_plant(l->cluster, w.pa, &l->owner, 0);
    VEC_PUSH(&l->waiting, w);
}

static void function_comes(struct live_text *l, struct hart *h, uint64_t start, uint64_t end)
{
    struct waiting w = {.va = start, .size = end - start};

    if (!guest_range(start, w.size, AREA_BYTES_MAX) || start % 2 ||
        !guest_place(h, start, 2, ACCESS_LOAD, &w.pa))
        return;
    if (l->waiting.len == WAITING_MAX)
        l->left_out++;
    else
        wait_for(l, w);
}

static void function_goes(struct live_text *l, uint64_t start, uint64_t end)
{
    for (size_t i = l->waiting.len; i-- > 0;)
        if (l->waiting.at[i].va >= start && l->waiting.at[i].va < end)
            stop_waiting(l, i);
    remove_areas(l, 0, start, end);
}

static void bpf_call(struct live_text *l, struct hart *h, uint64_t ksym, bool comes)
{
    uint64_t bounds[2];

    if (!guest_read(h, ksym, bounds, sizeof bounds))
        return;
    function_goes(l, bounds[0], bounds[1]);
    if (comes)
        function_comes(l, h, bounds[0], bounds[1]);
}

/* ---- the kernel's calls ---- */

static void on_call(void *ctx, unsigned which, struct hart *h)
{
    struct live_text *l = ctx;
    uint64_t a0 = hart_reg(h, REG_A0), a1 = hart_reg(h, REG_A1), a2 = hart_reg(h, REG_A2);

    switch ((enum kernel_call)which) {
    case CALL_INIT: take_up_module(l, h, a0); break;
    case CALL_FREE_INIT:
        if (a0)
            remove_areas(l, a0, a1, a2);
        break;
    case CALL_FREE: kernel_probes_await(l->calls, which, h); /* fall through */
    case CALL_RELEASE:
        if (a0)
            remove_areas(l, a0, 0, UINT64_MAX);
        break;
    case CALL_BPF_ADD:
    case CALL_BPF_DEL: bpf_call(l, h, a0, which == CALL_BPF_ADD); break;
    }
}

/* free_module() has returned. */
static void on_return(void *ctx, unsigned which, struct hart *h)
{
    const struct live_text *l = ctx;

    (void)which;
    if (l->listener.freed)
        l->listener.freed(l->listener.ctx, h);
}

struct live_text *live_text_new(struct cluster *c, const struct image *im,
                                const struct symbols *symbols, struct text_map *text,
                                struct live_listener listener)
{
    static const char *const names[] = {
        [CALL_INIT] = "do_init_module",        [CALL_FREE_INIT] = "ftrace_free_mem",
        [CALL_RELEASE] = "ftrace_release_mod", [CALL_FREE] = "free_module",
        [CALL_BPF_ADD] = "bpf_ksym_add",       [CALL_BPF_DEL] = "bpf_ksym_del",
    };
    struct live_text *l = xcalloc(1, sizeof *l);

    *l = (struct live_text){.cluster = c, .symbols = symbols, .text = text, .listener = listener};
    l->owner = (struct probe_owner){l, NULL, hit};
    l->calls = kernel_probes_new(c, im, symbols, names, sizeof names / sizeof *names, on_call, l);
    kernel_probes_on_return(l->calls, on_return);
    return l;
}

void live_text_free(struct live_text *l)
{
    if (!l)
        return;
    while (l->waiting.len)
        stop_waiting(l, l->waiting.len - 1);
    kernel_probes_free(l->calls);
    VEC_FREE(&l->waiting);
    VEC_FREE(&l->areas);
    VEC_FREE(&l->pages);
    free(l);
}

uint64_t live_text_left_out(const struct live_text *l)
{
    return l->left_out;
}

/* ---- state ---- */

static void waiting_io(struct state_io *io, struct waiting *w)
{
    STATE_IO(io, w->va);
    STATE_IO(io, w->size);
    STATE_IO(io, w->pa);
}

static void area_io(struct state_io *io, struct live_area *a)
{
    STATE_IO_BELOW(io, a->area.kind, TEXT_BPF + 1);
    STATE_IO(io, a->area.va);
    STATE_IO(io, a->area.size);
    STATE_IO(io, a->area.owner);
    STATE_IO(io, a->first_page);
}

static bool is_area(const struct live_text *l, const struct live_area *a)
{
    return a->area.size && a->area.size <= AREA_BYTES_MAX && a->first_page <= l->pages.len &&
           page_count(a->area.va, a->area.size) <= l->pages.len - a->first_page;
}

/* Whether a probe may be planted at the function. */
static bool may_wait(const struct live_text *l, const struct waiting *w)
{
    return w->pa % 2 == 0 && bus_ram_at(cluster_bus(l->cluster), w->pa);
}

static void give_back(struct live_text *l)
{
    for (size_t i = 0; i < l->areas.len; i++) {
        const struct text_area *a = &l->areas.at[i].area;

        if (is_area(l, &l->areas.at[i]))
            text_map_add_area(l->text, a, &l->pages.at[l->areas.at[i].first_page]);
    }
    for (size_t i = 0; i < l->waiting.len; i++)
        l->waiting.at[i].probe = may_wait(l, &l->waiting.at[i])
                                     ? cluster_plant(l->cluster, l->waiting.at[i].pa, &l->owner, 0)
                                     : CLUSTER_NO_PROBE;
}

void live_text_state_io(struct state_io *io, struct live_text *l)
{
    state_io_section(io, "live-text", 2);
    for (size_t i = 0; io->loading && i < l->areas.len; i++)
        text_map_remove_areas(l->text, l->areas.at[i].area.owner, 0, UINT64_MAX);
    for (size_t i = 0; io->loading && i < l->waiting.len; i++)
        cluster_uproot(l->cluster, l->waiting.at[i].probe);
    STATE_IO_VEC(io, &l->waiting, WAITING_MAX, waiting_io);
    STATE_IO_VEC(io, &l->areas, AREAS_MAX, area_io);
    STATE_IO_PLAIN_VEC(io, &l->pages, SIZE_MAX);
    STATE_IO(io, l->left_out);
    kernel_probes_state_io(io, l->calls);
    for (size_t i = 0; i < l->areas.len; i++)
        if (!is_area(l, &l->areas.at[i]))
            state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < l->waiting.len; i++)
        if (!may_wait(l, &l->waiting.at[i]))
            state_io_fail(io, STATE_OUT_OF_RANGE);
    if (io->loading)
        give_back(l);
}
