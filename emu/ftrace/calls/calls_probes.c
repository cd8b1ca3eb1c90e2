/*
 * calls_probes.c - the probes by which calls.c sees functions begin, at sites of the image and of
 * modules, and return handlers end.
 */
#include "cpu/cluster.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/calls/calls_priv.h"
#include "ftrace/sites/site_probes.h"
#include "load/image.h"
#include "load/symbols.h"

/* ---- sites ---- */

static void plant_at_site(struct calls *c, uint32_t id)
{
    const struct site *s = site_get(c->sites, id);
    bool wanted = s->kind == SITE_FUNCTION && !s->gone;

    for (unsigned i = 0; i < PROBES_OF_SITE; i++)
        VEC_PUSH(&c->site_probes,
                 wanted ? cluster_plant(c->cluster, s->pa + (i ? calls_last_offset(c, s) : 0),
                                        &c->at_site, PROBES_OF_SITE * id + i)
                        : CLUSTER_NO_PROBE);
}

void calls_uproot_sites(struct calls *c, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        cluster_uproot(c->cluster, c->site_probes.at[i]);
        c->site_probes.at[i] = CLUSTER_NO_PROBE;
    }
}

void calls_plant_first(struct calls *c, uint32_t id)
{
    const struct site *s = site_get(c->sites, id);

    if (s->kind != SITE_FUNCTION || (c->is_planted && c->is_planted[id]))
        return;
    if (c->is_planted)
        c->is_planted[id] = 1;
    calls_plant(c, s->pa, &c->at_site, PROBES_OF_SITE * id);
    calls_plant(c, s->pa + calls_last_offset(c, s), &c->at_site, PROBES_OF_SITE * id + 1);
}

/*
 * Whether a hart may now or later fetch the site as one that is on: its last instruction is a jalr.
 * That holds also of a hart that fetches a mixture of these bytes and others.
 */
static bool may_be_on(const struct calls *c, uint32_t id, const uint8_t *bytes)
{
    enum { JALR = 0x67, OPCODE = 0x7f };

    return (bytes[calls_last_offset(c, site_get(c->sites, id))] & OPCODE) == JALR;
}

/*
 * Blocks that were decoded before have no call by the site: when it is on, they are decoded again.
 */
void calls_site_stored(struct calls *c, uint32_t id, const uint8_t *bytes)
{
    if (c->is_planted && id < c->first_count && !c->is_planted[id] && may_be_on(c, id, bytes))
        calls_plant_first(c, id);
}

static bool place_at_site(void *ctx, const struct site *s, unsigned which, uint64_t *pa)
{
    const struct calls *c = ctx;

    *pa = s->pa + (which ? calls_last_offset(c, s) : 0);
    return s->kind == SITE_FUNCTION;
}

/* Has probes at all sites of the image. */
static void plant_at_all(struct calls *c)
{
    c->at_all = site_probes_new(&(struct site_probes_config){.cluster = c->cluster,
                                                             .sites = c->sites,
                                                             .owner = &c->at_site,
                                                             .per_site = PROBES_OF_SITE,
                                                             .place = place_at_site,
                                                             .ctx = c});
}

void calls_plant_image(struct calls *c)
{
    if (!c->is_planted)
        plant_at_all(c);
    for (uint32_t id = 0; c->is_planted && id < c->first_count; id++) {
        const struct site *s = site_get(c->sites, id);
        uint8_t bytes[SITE_BYTES_MAX];

        if (!image_read(c->image, s->va, bytes, s->size) || may_be_on(c, id, bytes))
            calls_plant_first(c, id);
    }
}

/* The probes of the image's sites stay. */
void calls_site_changed(struct calls *c, uint32_t id)
{
    size_t first = (size_t)PROBES_OF_SITE * (id - c->first_count);

    if (c->listener.enter || id < c->first_count)
        return;
    if (!site_get(c->sites, id)->gone)
        plant_at_site(c, id);
    else
        calls_uproot_sites(c, first, first + PROBES_OF_SITE);
}

void calls_plant_added_sites(struct calls *c)
{
    calls_uproot_sites(c, 0, c->site_probes.len);
    c->site_probes.len = 0;
    for (uint32_t id = c->first_count; !c->listener.enter && id < site_count(c->sites); id++)
        plant_at_site(c, id);
}

/* ---- the ends of return handlers ---- */

static bool read_parcel(void *ctx, uint64_t va, uint16_t *parcel)
{
    const struct calls *c = ctx;

    return image_read(c->image, va, parcel, sizeof *parcel);
}

/* Whether these can be the bits of auipc, jalr or c.jr: to decode an instruction takes long. */
static bool may_jump(uint32_t word)
{
    enum { AUIPC = 0x17, JALR = 0x67, OPCODE = 0x7f, C_JR = 0x8002, C_JR_BITS = 0xf07f };

    return insn_size((uint16_t)word) == 4 ? (word & OPCODE) == AUIPC || (word & OPCODE) == JALR
                                          : (word & C_JR_BITS) == C_JR;
}

void calls_plant_handler_ends(struct calls *c, uint64_t handler)
{
    const struct symbol *symbol = symbols_function_at(c->symbols, handler);
    struct insn i, before = {0};
    uint64_t pa;

    for (uint64_t va = handler; symbol && va < symbol->end; va += i.size) {
        uint32_t word;

        if (!insn_read(read_parcel, c, va, &word))
            return;
        if (!may_jump(word)) {
            before = (struct insn){0};
            i.size = (uint8_t)insn_size((uint16_t)word);
            continue;
        }
        (void)insn_decode(word, &i);
        if (i.op == OP_jalr && i.rd == REG_ZERO && !i.imm && !insn_is_pair(&before, &i) &&
            image_va_to_pa(c->image, va, &pa))
            VEC_PUSH(&c->handler_ends, cluster_plant(c->cluster, pa, &c->at_handler_end, i.rs1));
        before = i;
    }
}

void calls_uproot_handler_ends(struct calls *c)
{
    for (size_t i = 0; i < c->handler_ends.len; i++)
        cluster_uproot(c->cluster, c->handler_ends.at[i]);
    c->handler_ends.len = 0;
}
