/*
 * text_judge.c - judges what a change of text has left: whole instructions, in places that are
 * known to change.
 *
 * Instructions are counted over the text without breakpoints: what these have replaced is in
 * ftrace/patch/breakpoints.h.
 *
 * Where the kernel's own text leads to is judged when the kernel is settled: at boot, text that was
 * copied from elsewhere (alternatives) is mended afterwards.
 */
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/text/text_priv.h"
#include "ftrace/audit/text/whole_insn.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/patch/breakpoints.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* What is judged: a part of a change, [va, va + size). */
struct view {
    const struct text_rules *rules;
    const struct open_change *change;
    uint64_t va, size;
};

/* ---- text before and after ---- */

static bool read_memory(const struct text_rules *r, uint64_t pa, void *to, unsigned size)
{
    return bus_read(cluster_bus(r->audit->config.cluster), pa, to, size);
}

/* A breakpoint that text counts with, and begins at the address; NULL: there is none. */
static struct breakpoint *breakpoint_at(const struct text_rules *r, uint64_t pa)
{
    struct breakpoint *p = breakpoints_at(r->audit->breakpoints, pa);

    return p && p->in_text ? p : NULL;
}

/* What a breakpoint has replaced at an address; false: there is none. */
static bool below_breakpoint(const struct text_rules *r, uint64_t pa, uint16_t *parcel)
{
    const struct breakpoint *p;

    if (!breakpoints_any_in_text(r->audit->breakpoints))
        return false;
    p = breakpoint_at(r, pa);
    if (p) {
        memcpy(parcel, p->replaced, sizeof *parcel);
        return true;
    }
    p = breakpoint_at(r, pa - 2);
    if (!p || p->size != 4)
        return false;
    memcpy(parcel, p->replaced + 2, sizeof *parcel);
    return true;
}

/* Replaces the bytes at `va' that the change has written by those from before. */
static void undo(const struct open_change *c, uint64_t va, uint8_t bytes[2])
{
    for (unsigned i = 0; i < 2; i++)
        if (va + i - c->va < c->old.len)
            bytes[i] = c->old.at[va + i - c->va];
}

/* As it was before all changes of the hart that are not complete. */
static bool parcel_before(void *ctx, uint64_t va, uint16_t *parcel)
{
    const struct view *v = ctx;
    const struct open_changes *all = v->change ? &v->rules->harts[v->change->who.hart] : NULL;
    uint8_t bytes[2];
    uint64_t pa;

    if (!text_map_find(v->rules->audit->config.text, va, &pa))
        return false;
    if (below_breakpoint(v->rules, pa, parcel))
        return true;
    if (!read_memory(v->rules, pa, bytes, sizeof bytes))
        return false;
    for (unsigned i = 0; all && i < all->count; i++)
        undo(&all->at[i], va, bytes);
    memcpy(parcel, bytes, sizeof bytes);
    return true;
}

static bool parcel_after(void *ctx, uint64_t va, uint16_t *parcel)
{
    const struct view *v = ctx;
    bool inside = va + 2 > v->va && va < v->va + v->size;
    uint64_t pa;

    if (!text_map_find(v->rules->audit->config.text, va, &pa))
        return false;
    return (!inside && below_breakpoint(v->rules, pa, parcel)) ||
           read_memory(v->rules, pa, parcel, sizeof *parcel);
}

/* Whether one of the parcels is that of a breakpoint. */
static bool has_break(const uint8_t *bytes, unsigned size)
{
    uint16_t parcel;

    for (unsigned i = 0; i < size; i += 2) {
        memcpy(&parcel, bytes + i, sizeof parcel);
        if (parcel == (uint16_t)INSN_EBREAK || parcel == INSN_C_EBREAK)
            return true;
    }
    return false;
}

/*
 * Whether the change may be a breakpoint. Most changes are not, which their text shows in much less
 * time than the comparison with the text before.
 */
static bool may_be_breakpoint(const struct text_rules *r, const struct open_change *c)
{
    uint64_t start = c->va & ~UINT64_C(1), end = (c->va + c->old.len + 1) & ~UINT64_C(1), pa;
    uint8_t bytes[64];

    return end - start > sizeof bytes || start / PAGE_BYTES != (end - 1) / PAGE_BYTES ||
           !text_map_find(r->audit->config.text, start, &pa) ||
           !read_memory(r, pa, bytes, (unsigned)(end - start)) ||
           has_break(bytes, (unsigned)(end - start));
}

/* Finds the function that has an address; false: it is not known. */
static bool find_function(const struct text_rules *r, struct hart *h, uint64_t va, uint64_t *start,
                          uint64_t *end)
{
    const struct audit_config *config = &r->audit->config;
    const struct symbol *function =
        config->symbols ? symbols_function_at(config->symbols, va) : NULL;
    struct module_function f;
    uint64_t offset;

    *start = *end = 0;
    if (function) {
        *start = function->addr;
        *end = function->end;
    } else if (config->programs && bpf_text_name_at(config->programs, va, &offset)) {
        *start = va - offset;
        *end = va + CHANGE_BYTES_MAX;
    } else if (config->symbols && module_function_at(config->cluster, h, config->symbols, va, &f)) {
        *start = f.va;
        *end = f.end;
    }
    return *start != 0;
}

/* The change in view, without its function. */
static struct text_change bare_change_of(struct view *v)
{
    return (struct text_change){.va = v->va,
                                .size = v->size,
                                .before = parcel_before,
                                .after = parcel_after,
                                .ctx = v,
                                .decoder = v->rules->audit->decoder};
}

static struct text_change change_of(struct view *v, struct hart *h)
{
    struct text_change c = bare_change_of(v);

    (void)!find_function(v->rules, h, v->va, &c.start, &c.end);
    return c;
}

/* ---- findings ---- */

/* `va': the text that is wrong. */
static struct finding *report(struct text_rules *r, enum rule rule, const struct writer *who,
                              uint64_t va)
{
    struct audit *a = r->audit;
    const struct breach b = {.rule = rule,
                             .hart = who->hart,
                             .site = NO_SITE,
                             .pc = va,
                             .cycle = who->cycle,
                             .step = who->step,
                             .cause = audit_cause(rule, audit_patcher(a, who))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return NULL;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = *who;
    return f;
}

/* Adds the text from `va` on, as one of the two versions has it, in whole instructions. */
static void add_text(struct finding *f, enum fact_label label, const struct text_change *c,
                     uint64_t va, bool before)
{
    uint64_t end = c->va + c->size, next = va;
    struct fact *fact = audit_fact(f, label, FACT_BYTES);

    fact->va = va;
    while (va < end || va < next || fact->size < 4) {
        uint16_t parcel;

        if (!(before ? c->before : c->after)(c->ctx, va, &parcel))
            break;
        if (va == next) {
            if (fact->size + insn_size(parcel) > FACT_BYTES_MAX)
                break;
            next += insn_size(parcel);
        }
        memcpy(fact->bytes + fact->size, &parcel, sizeof parcel);
        fact->size = (uint8_t)(fact->size + sizeof parcel);
        va += sizeof parcel;
    }
}

static void add_versions(struct finding *f, const struct text_change *c, uint64_t va)
{
    add_text(f, LABEL_OLD, c, va, true);
    add_text(f, LABEL_NEW, c, va, false);
}

static enum message message_of(enum change_fault fault)
{
    static const enum message messages[CHANGE_FAULTS] = {
        [CHANGE_BREAK_INSIDE] = MESSAGE_BREAK_INSIDE,
        [CHANGE_BREAK_TOO_LONG] = MESSAGE_BREAK_TOO_LONG,
        [CHANGE_PART] = MESSAGE_PART,
        [CHANGE_REST] = MESSAGE_REST,
        [CHANGE_ILLEGAL] = MESSAGE_ILLEGAL,
        [CHANGE_NOT_RESTORED] = MESSAGE_NOT_RESTORED,
        [CHANGE_TARGET] = MESSAGE_TARGET,
    };

    return messages[fault];
}

/* Adds what is wrong with the instruction that begins at `insn`, and when that was found. */
static void add_fault(const struct text_rules *r, struct finding *f, const struct writer *who,
                      uint64_t insn, enum change_fault fault)
{
    const struct hart *h = cluster_hart(r->audit->config.cluster, who->hart);

    audit_fact(f, LABEL_BEGINS, FACT_PLACE)->va = insn;
    audit_fact_message(f, LABEL_WHY, message_of(fault));
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
}

static void report_broken(struct text_rules *r, const struct writer *who,
                          const struct text_change *c, struct change_verdict v)
{
    struct finding *f = report(r, RULE_broken_instruction, who, c->va);

    if (!f)
        return;
    add_versions(f, c, v.insn < c->va ? v.insn : c->va & ~UINT64_C(1));
    add_fault(r, f, who, v.insn, v.fault);
}

/* ---- where changed text leads to ---- */

/* Whether an instruction begins at the address that a hart in S-mode may run. */
static bool is_target(const struct view *v, struct hart *h, uint64_t va)
{
    struct view around = {.rules = v->rules, .change = v->change, .va = va};
    struct text_change c = change_of(&around, h);
    uint64_t pa;

    if (!hart_translate(h, va, ACCESS_FETCH, &pa))
        return false;
    return !c.start || !text_map_find(v->rules->audit->config.text, va, &pa) ||
           change_begins_insn(&c, c.start, va);
}

static void check_targets(struct text_rules *r, struct hart *h, const struct writer *who,
                          const struct text_change *c)
{
    uint64_t at = 0, insn, target;

    while (audit_maps_text(r->audit, h) && change_next_jump(c, &at, &insn, &target)) {
        struct finding *f;

        if (is_target(c->ctx, h, target))
            continue;
        f = report(r, RULE_broken_instruction, who, c->va);
        if (!f)
            return;
        add_text(f, LABEL_NEW, c, insn, false);
        audit_fact(f, LABEL_CALLS, FACT_PLACE)->va = target;
        add_fault(r, f, who, insn, CHANGE_TARGET);
        return;
    }
}

static void keep_early(struct text_rules *r, const struct writer *who, const struct text_change *c)
{
    if (r->early.len == EARLY_MAX)
        r->left_out++;
    else
        VEC_PUSH(&r->early, ((struct early_change){c->va, c->size, *who}));
}

void text_judge_early(struct text_rules *r, struct hart *h)
{
    for (size_t i = 0; i < r->early.len; i++) {
        const struct early_change *e = &r->early.at[i];
        struct view v = {.rules = r, .va = e->va, .size = e->size};
        struct text_change c = change_of(&v, h);

        check_targets(r, h, &e->who, &c);
    }
    VEC_FREE(&r->early);
}

/* ---- breakpoints ---- */

static void keep_breakpoint(const struct text_rules *r, const struct text_change *c, uint64_t va,
                            unsigned size)
{
    struct breakpoint new = {.size = (uint8_t)size, .armed = true}, *p;
    uint16_t parcel;

    if (!text_map_find(r->audit->config.text, va, &new.pa))
        return;
    for (unsigned at = 0; at < size; at += 2) {
        if (!c->before(c->ctx, va + at, &parcel))
            return;
        memcpy(new.replaced + at, &parcel, sizeof parcel);
    }
    p = breakpoints_at(r->audit->breakpoints, new.pa);
    if (!p || !(p->armed || p->in_text))
        p = breakpoints_keep(r->audit->breakpoints, &new);
    breakpoints_set_in_text(r->audit->breakpoints, p, true);
}

/* Whether the place belongs to a site or a jump label with contents that these may have. */
static bool is_known_form(const struct text_rules *r, uint64_t pa)
{
    const struct audit_config *config = &r->audit->config;
    uint32_t id = site_find(config->sites, pa, 2), word;
    uint64_t label = text_map_jump_label(config->text, pa, 2);
    uint8_t bytes[SITE_BYTES_MAX];

    if (id != NO_SITE) {
        const struct site *s = site_get(config->sites, id);

        return read_memory(r, s->pa, bytes, s->size) &&
               site_state(config->sites, s, bytes, NULL) != SITE_OTHER;
    }
    return label && read_memory(r, label, &word, sizeof word) &&
           (jump_insn_is_nop(word) || jump_insn_is_jump(word));
}

/* Whether a jump that takes the place of a breakpoint leads around what the breakpoint replaced. */
static bool is_jump(uint32_t word)
{
    struct insn i;

    return insn_decode(word, &i) && i.op == OP_jal && i.rd == 0;
}

/* A breakpoint that a change has overwritten, and where it is run. */
struct overwritten {
    uint64_t va;
    struct breakpoint *breakpoint;
};

/*
 * The next breakpoint that the change has overwritten, from *at on; 0 is the first. False: there is
 * no other one.
 */
static bool next_overwritten(const struct text_rules *r, const struct open_change *c, uint64_t *at,
                             struct overwritten *o)
{
    uint64_t pa;

    if (!breakpoints_any_in_text(r->audit->breakpoints))
        return false;
    for (*at = *at ? *at : (c->va & ~UINT64_C(1)) - 2; *at < c->va + c->old.len;) {
        o->va = *at;
        *at += 2;
        o->breakpoint =
            text_map_find(r->audit->config.text, o->va, &pa) ? breakpoint_at(r, pa) : NULL;
        if (o->breakpoint && o->va + o->breakpoint->size > c->va)
            return true;
    }
    return false;
}

/* Whether the breakpoint is still there, or something that may take its place. */
static bool is_sound(const struct text_rules *r, const struct overwritten *o,
                     const struct text_change *change)
{
    const struct breakpoint *p = o->breakpoint;
    uint32_t word = 0;
    uint64_t va;
    unsigned size;

    return !read_memory(r, p->pa, &word, p->size) || !memcmp(&word, p->replaced, p->size) ||
           (change_is_breakpoint(change, &va, &size) && va == o->va) || is_known_form(r, p->pa) ||
           is_jump(word);
}

/* Judges the breakpoints that the change has overwritten. True: one of them was left wrong. */
static bool check_removals(struct text_rules *r, const struct open_change *c)
{
    struct overwritten o;
    bool wrong = false;

    for (uint64_t at = 0; next_overwritten(r, c, &at, &o);) {
        struct view v = {.rules = r, .change = c, .va = o.va, .size = o.breakpoint->size};
        struct text_change change = bare_change_of(&v);
        struct finding *f;

        if (is_sound(r, &o, &change))
            continue;
        wrong = true;
        f = report(r, RULE_broken_instruction, &c->who, o.va);
        if (!f)
            continue;
        add_text(f, LABEL_EXPECTED, &change, o.va, true);
        add_text(f, LABEL_NEW, &change, o.va, false);
        add_fault(r, f, &c->who, o.va, CHANGE_NOT_RESTORED);
    }
    return wrong;
}

/* Forgets the breakpoints that are there no more. */
static void forget_removed(const struct text_rules *r, const struct open_change *c)
{
    struct overwritten o;

    for (uint64_t at = 0; next_overwritten(r, c, &at, &o);) {
        struct view v = {.rules = r, .change = c, .va = o.va, .size = o.breakpoint->size};
        const struct text_change change = bare_change_of(&v);
        uint64_t va;
        unsigned size;

        if (!change_is_breakpoint(&change, &va, &size) || va != o.va)
            breakpoints_set_in_text(r->audit->breakpoints, o.breakpoint, false);
    }
}

/* ---- complete changes ---- */

/* What the instructions of a version are. */
enum link { LINK_NONE, LINK_NOPS, LINK_JUMP };

static enum link link_of(const struct text_change *c, bool before)
{
    enum link link = LINK_NOPS;
    struct insn i;

    for (uint64_t va = c->va & ~UINT64_C(1); va < c->va + c->size; va += i.size) {
        uint32_t word;

        if (!insn_read(before ? c->before : c->after, c->ctx, va, &word) ||
            !decoder_decode(c->decoder, word, &i))
            return LINK_NONE;
        if (i.op == OP_jalr || i.op == OP_jal)
            link = LINK_JUMP;
        else if (i.op != OP_auipc && !(i.op == OP_addi && i.rd == 0))
            return LINK_NONE;
    }
    return link;
}

/*
 * Programs of BPF have places at which they are linked to each other and to their trampolines: nops
 * that become a jump or call, and back. In a module that is a site: not all of them are known, as
 * two may seem to overlap where one is in two pages.
 */
static bool is_linking(const struct open_change *c, const struct text_change *all)
{
    enum link before, after;

    if (c->kind == TEXT_IMAGE)
        return false;
    before = link_of(all, true);
    after = link_of(all, false);
    return before && after && (before == LINK_JUMP || after == LINK_JUMP);
}

static void report_stray(struct text_rules *r, const struct open_change *c,
                         const struct text_change *change)
{
    struct audit *a = r->audit;
    bool of_probe = state_rules_probe_was_freed(a, change->va);
    struct finding *f;

    if (!sites_are_patched(a->config.sites) || !audit_is_settled(a))
        return;
    f = report(r, of_probe ? RULE_wrong_probe : RULE_stray_patch, &c->who, change->va);
    if (!f)
        return;
    if (of_probe)
        audit_fact_message(f, LABEL_WRONG, MESSAGE_PROBE_RESTORED);
    add_versions(f, change, change->va & ~UINT64_C(1));
}

/* Judges a part of a change that is no site, nor anything else that has a form of its own. */
static void judge(struct text_rules *r, const struct open_change *c, uint64_t va, uint64_t size)
{
    struct hart *h = cluster_hart(r->audit->config.cluster, c->who.hart);
    struct view v = {.rules = r, .change = c, .va = va, .size = size};
    struct text_change change = change_of(&v, h);
    struct change_verdict verdict = change_judge(&change);
    uint64_t at;
    unsigned length;
    bool breakpoint = change_is_breakpoint(&change, &at, &length);

    if (verdict.fault > CHANGE_UNKNOWN)
        report_broken(r, &c->who, &change, verdict);
    else if (!breakpoint && change_is_any(&change))
        report_stray(r, c, &change);
    if (breakpoint)
        keep_breakpoint(r, &change, at, length);
    else if (verdict.fault == CHANGE_WHOLE && change_is_any(&change)) {
        if (audit_is_settled(r->audit))
            check_targets(r, h, &c->who, &change);
        else
            keep_early(r, &c->who, &change);
    }
}

/* Whether the address is in a site that begins in the page before, which may be anywhere. */
static bool is_end_of_site(const struct text_rules *r, uint64_t va)
{
    const struct audit_config *config = &r->audit->config;
    uint64_t before = va / PAGE_BYTES * PAGE_BYTES - 1, pa;
    uint32_t id;

    if (va - before >= SITE_BYTES_MAX || !text_map_find(config->text, before, &pa))
        return false;
    id = site_find(config->sites, pa, 1);
    return id != NO_SITE &&
           va - site_get(config->sites, id)->va < site_get(config->sites, id)->size;
}

/* The bytes from the address on that belong to the site, as far as they are in its page. */
static uint64_t rest_of_site(const struct site *s, uint64_t pa)
{
    uint64_t rest = s->pa + s->size - pa, page = PAGE_BYTES - pa % PAGE_BYTES;

    return rest < page ? rest : page;
}

/*
 * The bytes from the address on that other rules judge: of a site, of what names its ops, or of a
 * label. 0: this is none.
 */
static uint64_t own_form(const struct text_rules *r, uint64_t va)
{
    const struct audit_config *config = &r->audit->config;
    uint64_t pa, label;
    uint32_t id, word;

    if (!text_map_find(config->text, va, &pa))
        return 0;
    id = site_find(config->sites, pa, 1);
    if (id != NO_SITE)
        return rest_of_site(site_get(config->sites, id), pa);
    if (site_find_literal(config->sites, pa, 1) != NO_SITE || is_end_of_site(r, va))
        return 1;
    label = text_map_jump_label(config->text, pa, 1);
    return label && read_memory(r, label, &word, sizeof word) &&
           (jump_insn_is_nop(word) || jump_insn_is_jump(word));
}

/* Whether the change is all in a site of the image, and no breakpoint: that is most of them. */
static bool is_of_site(const struct text_rules *r, const struct open_change *c)
{
    return c->kind == TEXT_IMAGE && !breakpoints_any_in_text(r->audit->breakpoints) &&
           !may_be_breakpoint(r, c) && own_form(r, c->va) >= c->old.len;
}

static void judge_all(struct text_rules *r, const struct open_change *c)
{
    struct hart *h = cluster_hart(r->audit->config.cluster, c->who.hart);
    uint64_t end = c->va + c->old.len, from, own;
    unsigned size;
    struct view v = {.rules = r, .change = c, .va = c->va, .size = c->old.len};
    struct text_change change = bare_change_of(&v);

    if (check_removals(r, c))
        return;
    if (may_be_breakpoint(r, c) && change_is_breakpoint(&change, &from, &size)) {
        judge(r, c, c->va, c->old.len);
        return;
    }
    if (is_linking(c, &change)) {
        change = change_of(&v, h);
        check_targets(r, h, &c->who, &change);
        return;
    }
    for (uint64_t at = c->va; at < end;) {
        for (; at < end && (own = own_form(r, at)) != 0; at += own)
            ;
        for (from = at; at < end && !own_form(r, at); at++)
            ;
        if (at > from)
            judge(r, c, from, at - from);
    }
}

void text_judge_complete(struct text_rules *r, const struct open_change *c)
{
    if (is_of_site(r, c))
        return;
    if (!c->debugged)
        judge_all(r, c);
    forget_removed(r, c);
}

bool text_judge_is_breakpoint(const struct text_rules *r, const struct open_change *c)
{
    struct view v = {.rules = r, .change = c, .va = c->va, .size = c->old.len};
    const struct text_change change = bare_change_of(&v);
    uint64_t at;
    unsigned length;

    return may_be_breakpoint(r, c) && change_is_breakpoint(&change, &at, &length);
}

bool text_judge_is_whole(const struct text_rules *r, const struct open_change *c)
{
    struct view v = {.rules = r, .change = c, .va = c->va, .size = c->old.len};
    struct text_change change = change_of(&v, cluster_hart(r->audit->config.cluster, c->who.hart));

    return change_judge(&change).fault <= CHANGE_UNKNOWN;
}

bool text_judge_may_end(const struct text_rules *r, const struct open_change *c)
{
    return is_of_site(r, c) || text_judge_is_whole(r, c);
}
