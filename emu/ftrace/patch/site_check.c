/*
 * site_check.c - see site_check.h.
 *
 * Each site has a probe at its first instruction, which judges the whole site, and one at its jalr,
 * for the hart that comes there without the auipc before it: after a trap, or if the two are in
 * different blocks. What the jalr calls is then a matter of its register.
 *
 * It has no state of its own: what is known of a site is forgotten with the block that it is about.
 */
#include "ftrace/patch/site_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/sites/site_probes.h"
#include "ftrace/sites/sites.h"
#include "load/image.h"
#include "load/symbols.h"

/* The probes of a site. */
enum { AT_START, AT_JALR, PROBES_OF_SITE };

/* The odd bytes that a hart has fetched at a site. */
struct odd {
    enum site_oddity oddity;
    uint64_t target, meant;
    uint8_t bytes[SITE_BYTES_MAX];
};

/*
 * A cache: the last address in the image's text that was found to be one that the site of a
 * function may call. That is known again until a site is added. 0: there is none.
 */
struct sound_target {
    uint64_t va;
    size_t sites; /* in the table then */
};

struct site_check {
    struct cluster *cluster;
    const struct ftrace_stream *stream;
    const struct site_table *sites;
    const struct image *image;
    const struct symbols *symbols;
    struct probe_owner owner;
    struct site_probes *probes;
    VEC_OF(struct odd) odd;
    struct map odd_at; /* probe and hart -> index */
    struct sound_target *sound;
};

/* The offset of the pair in a site. */
static unsigned pair_offset(const struct site_check *k, const struct site *s)
{
    return site_resume_offset(k->sites, s) - SITE_BYTES;
}

/* ---- targets ---- */

static bool begins_symbol(const struct site_check *k, uint64_t va)
{
    uint64_t offset;

    return symbols_at(k->symbols, va, &offset) && !offset;
}

/* Whether the address is in a function of the image. */
static bool is_text(const struct site_check *k, uint64_t va)
{
    uint64_t pa;

    return image_va_to_pa(k->image, va, &pa) && symbols_function_at(k->symbols, va);
}

/*
 * Whether a function with a site begins at the address; the site may be a few instructions after
 * it.
 */
static bool is_traced_function(const struct site_check *k, uint64_t va)
{
    const struct symbol *function = symbols_function_at(k->symbols, va);
    uint64_t pa;
    uint32_t id;

    if (!function || function->addr != va || !image_va_to_pa(k->image, va, &pa))
        return false;
    for (uint64_t at = pa; at < pa + (function->end - va);
         at = site_get(k->sites, id)->pa + site_get(k->sites, id)->size) {
        id = site_find(k->sites, at, (unsigned)(function->end - va - (at - pa)));
        if (id == NO_SITE)
            return false;
        if (site_get(k->sites, id)->kind == SITE_FUNCTION)
            return true;
    }
    return false;
}

/*
 * Whether a site may call that address. Code outside of the image's text, as of a module or one
 * that was generated, is not known. In the text a function must begin there; for a function's site
 * that is a trampoline, which has no site of its own.
 */
static bool may_call(const struct site_check *k, const struct site *s, uint64_t target)
{
    if (!k->symbols || !is_text(k, target))
        return true;
    return begins_symbol(k, target) && (s->kind != SITE_FUNCTION || !is_traced_function(k, target));
}

/*
 * Whether it is a place that sites of this kind call: a trampoline of ftrace; or, for the calls in
 * the trampolines, the tracer that ftrace has chosen or one that it has always, or what enters
 * calls for the graph tracer. That something begins at an address does not make it one.
 */
static bool is_callee(const struct site_check *k, struct hart *h, const struct site *s, uint64_t va)
{
    static const char *const trampolines[] = {"ftrace_caller", "ftrace_regs_caller", NULL},
                             *const tracers[] = {"ftrace_stub", "ftrace_ops_list_func",
                                                 "arch_ftrace_ops_list_func",
                                                 "ftrace_ops_assist_func", NULL},
                             *const graph[] = {"ftrace_stub", "prepare_ftrace_return",
                                               "ftrace_graph_func", NULL};
    bool traces = s->kind == SITE_TRACE_CALL || s->kind == SITE_REGS_CALL;
    const char *const *names = s->kind == SITE_FUNCTION ? trampolines : traces ? tracers : graph;
    uint64_t at, chosen;

    for (; *names; names++)
        if (symbols_find(k->symbols, *names, &at) && at == va)
            return true;
    return traces && symbols_find(k->symbols, "ftrace_trace_function", &at) &&
           hart_peek(h, at, &chosen, sizeof chosen) && chosen == va;
}

/* Whether the target misses a place that the site may call by one of these distances. */
static bool misses(const struct site_check *k, struct hart *h, const struct site *s,
                   struct odd *odd, const int64_t *by, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        odd->meant = odd->target + (uint64_t)by[i];
        if (k->symbols && is_callee(k, h, s, odd->meant))
            return true;
    }
    return false;
}

/*
 * Finds the mistake behind a wrong target: an auipc that was not rounded for the sign of the low
 * half leads to the page before or after, an offset that lost its upper bits to an address without
 * code.
 */
static enum site_oddity judge_target(const struct site_check *k, struct hart *h,
                                     const struct site *s, struct odd *odd)
{
    static const int64_t page[] = {0x1000, -0x1000};
    static const int64_t far[] = {INT64_C(1) << 31, -(INT64_C(1) << 31), INT64_C(1) << 32,
                                  -(INT64_C(1) << 32)};
    uint64_t pa;

    if (s->kind == SITE_FUNCTION && odd->target == k->sound->va &&
        site_count(k->sites) == k->sound->sites)
        return SITE_SOUND;
    if (may_call(k, s, odd->target)) {
        if (s->kind == SITE_FUNCTION && is_text(k, odd->target))
            *k->sound = (struct sound_target){odd->target, site_count(k->sites)};
        return !is_text(k, odd->target) && !hart_translate(h, odd->target, ACCESS_FETCH, &pa) &&
                       misses(k, h, s, odd, far, ARRAY_LEN(far))
                   ? SITE_RANGE
                   : SITE_SOUND;
    }
    return misses(k, h, s, odd, page, ARRAY_LEN(page)) ? SITE_CARRY : SITE_TARGET;
}

/* ---- what a hart fetches ---- */

/* Reads the bytes of the site: those in `code` as fetched, the others from memory. */
static bool read_site(const struct site *s, const struct probe_code *code, unsigned offset,
                      uint8_t bytes[SITE_BYTES_MAX])
{
    for (unsigned i = 0; i < s->size; i++) {
        if (i >= offset && i - offset < code->size)
            bytes[i] = code->bytes[i - offset];
        else if (!hart_peek(code->hart, code->pc - offset + i, &bytes[i], 1))
            return false;
    }
    return true;
}

static uint64_t key_of(uint32_t probe, const struct hart *h)
{
    return (uint64_t)probe << 32 | hart_id(h);
}

static void remember(struct site_check *k, uint32_t probe, const struct hart *h,
                     const struct odd *odd)
{
    uint64_t index;

    if (map_get(&k->odd_at, key_of(probe, h), &index)) {
        k->odd.at[index] = *odd;
        return;
    }
    map_put(&k->odd_at, key_of(probe, h), k->odd.len);
    VEC_PUSH(&k->odd, *odd);
}

static bool is_linking_jalr(const uint8_t *bytes, struct insn *jalr)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return insn_decode(word, jalr) && jalr->op == OP_jalr && jalr->rd;
}

/* Whether the pair links through the register that the trampoline expects. */
static bool links_well(const struct site_check *k, const struct site *s, const uint8_t *bytes)
{
    enum { JALR = 0x67, JALR_BITS = 0x707f, RD_SHIFT = 7, RD_MAX = 31 };
    const uint8_t *at = bytes + pair_offset(k, s) + 4;
    struct insn jalr;
    uint32_t word;

    memcpy(&word, at, sizeof word);
    if ((word & JALR_BITS) == JALR) /* to decode an instruction takes long */
        return (word >> RD_SHIFT & RD_MAX) == site_link(k->sites, s);
    return is_linking_jalr(at, &jalr) && jalr.rd == site_link(k->sites, s);
}

/* Judges the bytes in odd->bytes. */
static enum site_oddity judge(const struct site_check *k, struct hart *h, const struct site *s,
                              struct odd *odd)
{
    enum site_state state = site_state(k->sites, s, odd->bytes, &odd->target);

    if (state == SITE_OTHER && site_has_breakpoint(s, odd->bytes))
        return SITE_SOUND;
    if (state == SITE_OTHER || (state == SITE_ON && !links_well(k, s, odd->bytes)))
        return SITE_BYTES_ODD;
    return state == SITE_ON ? judge_target(k, h, s, odd) : SITE_SOUND;
}

void site_check_judge(const struct site_check *k, struct hart *h, uint32_t id, const uint8_t *bytes,
                      struct site_odd_event *odd)
{
    const struct site *s = site_get(k->sites, id);
    struct odd found = {.oddity = SITE_SOUND};

    memcpy(found.bytes, bytes, s->size);
    *odd = (struct site_odd_event){.site = id, .pc = s->va, .oddity = judge(k, h, s, &found)};
    odd->target = found.target;
    odd->meant = found.meant;
    memcpy(odd->bytes, found.bytes, sizeof odd->bytes);
}

static struct probe_plan plan_start(struct site_check *k, uint32_t id,
                                    const struct probe_code *code)
{
    const struct site *s = site_get(k->sites, id);
    struct odd odd = {.oddity = SITE_SOUND};

    if (!read_site(s, code, 0, odd.bytes))
        return (struct probe_plan){.action = PROBE_IGNORE};
    odd.oddity = judge(k, code->hart, s, &odd);
    if (odd.oddity == SITE_SOUND)
        return (struct probe_plan){.action = PROBE_IGNORE};
    remember(k, PROBES_OF_SITE * id + AT_START, code->hart, &odd);
    return (struct probe_plan){.action = PROBE_CALL};
}

/*
 * Plans the probe of the jalr: in a block that begins with it, its target is known only when it is
 * executed.
 */
static struct probe_plan plan_jalr(struct site_check *k, uint32_t id, const struct probe_code *code)
{
    const struct site *s = site_get(k->sites, id);
    unsigned offset = pair_offset(k, s) + 4;
    struct odd odd = {.oddity = SITE_BASE};
    struct insn jalr;

    if (!code->starts_block || !read_site(s, code, offset, odd.bytes) ||
        !is_linking_jalr(odd.bytes + offset, &jalr))
        return (struct probe_plan){.action = PROBE_IGNORE};
    remember(k, PROBES_OF_SITE * id + AT_JALR, code->hart, &odd);
    return (struct probe_plan){.action = PROBE_CALL};
}

static struct probe_plan plan(void *ctx, uint32_t probe, const struct probe_code *code)
{
    struct site_check *k = ctx;
    uint32_t id = probe / PROBES_OF_SITE;
    const struct site *s = site_get(k->sites, id);

    /* not where freed memory is mapped elsewhere, with other code */
    if (s->gone || code->pc != s->va + (code->pa - s->pa))
        return (struct probe_plan){.action = PROBE_IGNORE};
    return probe % PROBES_OF_SITE == AT_START ? plan_start(k, id, code) : plan_jalr(k, id, code);
}

static void emit(const struct site_check *k, uint32_t id, struct hart *h, uint64_t pc,
                 const struct odd *odd)
{
    struct ftrace_event e = {.kind = FTRACE_SITE_ODD,
                             .site_odd = {.hart = h,
                                          .site = id,
                                          .oddity = odd->oddity,
                                          .pc = pc,
                                          .target = odd->target,
                                          .meant = odd->meant}};

    memcpy(e.site_odd.bytes, odd->bytes, sizeof e.site_odd.bytes);
    ftrace_emit(k->stream, &e);
}

static enum probe_verdict hit(void *ctx, uint32_t probe, uint8_t cookie, struct hart *h,
                              uint64_t pc)
{
    struct site_check *k = ctx;
    uint32_t id = probe / PROBES_OF_SITE;
    const struct site *s = site_get(k->sites, id);
    uint64_t index, written;
    struct odd odd;
    struct insn jalr;

    (void)cookie;
    if (!map_get(&k->odd_at, key_of(probe, h), &index))
        return PROBE_GO_ON;
    odd = k->odd.at[index];
    if (probe % PROBES_OF_SITE == AT_JALR) {
        if (!is_linking_jalr(odd.bytes + pair_offset(k, s) + 4, &jalr))
            return PROBE_GO_ON;
        odd.target = (hart_reg(h, jalr.rs1) + (uint64_t)(int64_t)jalr.imm) & ~UINT64_C(1);
        odd.oddity = judge_target(k, h, s, &odd);
        if (odd.oddity == SITE_SOUND)
            return PROBE_GO_ON;
        if (site_state(k->sites, s, odd.bytes, &written) != SITE_ON || written != odd.target)
            odd.oddity = SITE_BASE;
    }
    emit(k, id, h, pc, &odd);
    return PROBE_GO_ON;
}

/* ---- probes ---- */

static bool place(void *ctx, const struct site *s, unsigned which, uint64_t *pa)
{
    const struct site_check *k = ctx;

    *pa = which == AT_START ? s->pa : s->pa + pair_offset(k, s) + 4;
    return true;
}

static void on_change(void *ctx, uint32_t id)
{
    const struct site_check *k = ctx;

    site_probes_changed(k->probes, id);
}

void site_check_state_io(struct state_io *io, struct site_check *k)
{
    if (io->loading)
        site_probes_restored(k->probes);
}

struct site_check *site_check_new(struct cluster *c, struct site_table *sites,
                                  const struct image *im, const struct symbols *symbols,
                                  const struct ftrace_stream *stream)
{
    struct site_check *k = xcalloc(1, sizeof *k);

    k->cluster = c;
    k->stream = stream;
    k->sites = sites;
    k->image = im;
    k->symbols = symbols;
    k->sound = xcalloc(1, sizeof *k->sound);
    k->owner = (struct probe_owner){k, plan, hit};
    k->probes = site_probes_new(&(struct site_probes_config){.cluster = c,
                                                             .sites = sites,
                                                             .owner = &k->owner,
                                                             .per_site = PROBES_OF_SITE,
                                                             .place = place,
                                                             .ctx = k});
    site_table_listen(sites, (struct site_listener){on_change, k});
    return k;
}

void site_check_free(struct site_check *k)
{
    if (!k)
        return;
    site_probes_free(k->probes);
    VEC_FREE(&k->odd);
    map_free(&k->odd_at);
    free(k->sound);
    free(k);
}
