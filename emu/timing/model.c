/*
 * model.c - see model.h.
 */
#include "timing/model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"

/* The note of a line in a data cache. */
enum { LINE_CHANGED = 1, LINE_OWNED = 2 /* no other hart has it */ };

enum { PAGE_SHIFT_4K = 12, PAGE_4K = 1 << PAGE_SHIFT_4K };

/* ---- life ---- */

static void init_lines(struct cache *c, const struct core_cache *config)
{
    cache_init(c, config->size / config->line, config->ways, config->policy);
}

static void forget_holders(struct shared_model *s)
{
    for (unsigned i = 0; i < HOLDERS; i++)
        s->holders[i].line = CACHE_EMPTY;
}

static struct holders *holders_of(struct shared_model *s, uint64_t line)
{
    return &s->holders[line % HOLDERS];
}

/* The hart has the line in its cache or filter from now on. */
static void note_holder(const struct model *m, uint64_t line)
{
    struct holders *known = holders_of(m->shared, line);

    if (known->line == line)
        known->harts |= UINT64_C(1) << m->number;
}

struct shared_model *shared_model_new(const struct core *core)
{
    struct shared_model *s = xcalloc(1, sizeof *s);

    s->core = core;
    init_lines(&s->l2, &core->l2);
    forget_holders(s);
    return s;
}

void shared_model_free(struct shared_model *s)
{
    if (!s)
        return;
    cache_free(&s->l2);
    free(s);
}

void shared_model_state_io(struct state_io *io, struct shared_model *s)
{
    state_io_section(io, "shared timing", 1);
    cache_state_io(io, &s->l2);
}

static unsigned log_2(uint32_t n)
{
    return (unsigned)__builtin_ctz(n);
}

/* Enough lines for most of a data cache, and few enough to be cleared quickly. */
static unsigned filter_lines(uint32_t line)
{
    enum { BYTES = 32 * 1024, LEAST = 512 };

    if (BYTES / line < LEAST)
        return LEAST;
    return BYTES / line < FILTER_LINES ? BYTES / line : FILTER_LINES;
}

struct model *model_new(struct shared_model *shared)
{
    const struct core *core = shared->core;
    struct model *m = xcalloc(1, sizeof *m);

    m->core = core;
    m->shared = shared;
    assert(shared->hart_count < HARTS_MAX);
    m->number = shared->hart_count;
    shared->harts[shared->hart_count++] = m;
    init_lines(&m->icache, &core->icache);
    init_lines(&m->dcache, &core->dcache);
    cache_init(&m->itlb, core->itlb_entries, core->itlb_ways, core->tlb_policy);
    cache_init(&m->dtlb, core->dtlb_entries, core->dtlb_ways, core->tlb_policy);
    cache_init(&m->tlb2, core->tlb2_entries, core->tlb2_ways, core->tlb_policy);
    predictor_init(&m->predictor, core);
    m->buffered = core->write == WRITE_through && core->store_entries;
    stores_init(&m->stores);
    m->ooo = core->window ? ooo_new(core) : NULL;
    m->line_shift = log_2(core->dcache.line);
    m->filter_mask = filter_lines(core->dcache.line) - 1;
    for (unsigned i = 0; i < ARRAY_LEN(m->line_mask); i++)
        m->line_mask[i] = ~(uint64_t)(core->dcache.line - 1) | ((UINT64_C(1) << i) - 1);
    m->fetch_line_shift = log_2(core->icache.line);
    model_reset(m);
    return m;
}

void model_free(struct model *m)
{
    if (!m)
        return;
    cache_free(&m->icache);
    cache_free(&m->dcache);
    cache_free(&m->itlb);
    cache_free(&m->dtlb);
    cache_free(&m->tlb2);
    predictor_free(&m->predictor);
    stores_free(&m->stores);
    ooo_free(m->ooo);
    free(m);
}

void model_reset(struct model *m)
{
    cache_clear(&m->icache);
    cache_clear(&m->dcache);
    cache_clear(&m->itlb);
    cache_clear(&m->dtlb);
    cache_clear(&m->tlb2);
    predictor_reset(&m->predictor);
    memset(m->divisions, 0, sizeof m->divisions);
    m->division_older = 0;
    m->owed = 0;
    stores_reset(&m->stores);
    m->last_miss = UINT64_MAX;
    m->stride = 0;
    m->fetch_epoch++;
    pipe_reset(&m->pipe);
    if (m->ooo)
        ooo_reset(m->ooo);
    model_clear_filter(m);
}

void model_restart(struct model *m)
{
    pipe_reset(&m->pipe);
    if (m->ooo)
        ooo_flush(m->ooo, m->ooo->retired);
}

uint64_t model_mispredictions(const struct model *m)
{
    return m->predictor.wrong + (m->ooo ? m->ooo->predictor.wrong : 0);
}

void model_state_io(struct state_io *io, struct model *m)
{
    state_io_section(io, "timing", 13);
    STATE_IO_SAME(io, m->core->hash);
    state_io_bytes(io, &m->pipe, sizeof m->pipe);
    cache_state_io(io, &m->icache);
    cache_state_io(io, &m->dcache);
    cache_state_io(io, &m->itlb);
    cache_state_io(io, &m->dtlb);
    cache_state_io(io, &m->tlb2);
    predictor_state_io(io, &m->predictor);
    for (unsigned i = 0; i < MODEL_COUNTS; i++)
        STATE_IO(io, m->counts[i]);
    state_io_bytes(io, m->divisions, sizeof m->divisions);
    STATE_IO_BELOW(io, m->division_older, DIVISIONS);
    stores_state_io(io, &m->stores);
    STATE_IO(io, m->last_miss);
    STATE_IO(io, m->stride);
    for (unsigned i = 0; i < MODEL_PARTS; i++)
        STATE_IO(io, m->parts[i]);
    STATE_IO(io, m->owed);
    if (m->ooo)
        ooo_state_io(io, m->ooo);
    if (io->loading) {
        forget_holders(m->shared);
        model_clear_filter(m);
        m->fetch_epoch++;
    }
}

/* ---- the filter ---- */

void model_clear_filter(struct model *m)
{
    for (unsigned i = 0; i <= m->filter_mask; i++)
        m->filter.loads[i] = m->filter.stores[i] = FILTER_NONE;
}

void model_clear_filtered_stores(struct model *m)
{
    if (!m->stores_filtered)
        return;
    for (unsigned i = 0; i <= m->filter_mask; i++)
        m->filter.stores[i] = FILTER_NONE;
    m->stores_filtered = false;
}

static unsigned lines_in_page(const struct model *m)
{
    return PAGE_4K >> m->line_shift;
}

/* Drops a physical line, at all virtual addresses. */
static void filter_drop(struct model *m, uint64_t line, bool stores_only)
{
    unsigned step = lines_in_page(m);

    for (unsigned i = (unsigned)line & (step - 1); i <= m->filter_mask; i += step) {
        if (!stores_only)
            m->filter.loads[i] = FILTER_NONE;
        m->filter.stores[i] = FILTER_NONE;
    }
}

static bool is_ordered(uint32_t policy)
{
    return policy == REPLACEMENT_lru || policy == REPLACEMENT_plru;
}

/* With a replacement policy that notes uses, only the last line used may skip the cache. */
static void filter_put(struct model *m, uint64_t *at, uint64_t tag)
{
    if (m->last_filtered)
        *m->last_filtered = FILTER_NONE;
    *at = tag;
    if (is_ordered(m->core->dcache.policy) || is_ordered(m->core->tlb_policy))
        m->last_filtered = at;
}

void model_filter_load(struct model *m, uint64_t va, const uint8_t *host, uint64_t tag)
{
    uint64_t at = va >> m->line_shift & m->filter_mask;

    filter_put(m, &m->filter.loads[at], tag);
    m->filter.load_offset[at] = (uintptr_t)host - va;
}

void model_filter_store(struct model *m, uint64_t va, uint64_t pa, const uint8_t *host,
                        uint64_t tag)
{
    uint64_t at = va >> m->line_shift & m->filter_mask;

    m->stores_filtered = true;
    note_holder(m, pa >> m->line_shift);
    filter_put(m, &m->filter.stores[at], tag);
    m->filter.store_offset[at] = (uintptr_t)host - va;
    m->filter.physical_offset[at] = pa - va;
}

/* ---- the levels below ---- */

/* The cycles until a line of `line` bytes has come, or with critical_first its first beat. */
static uint32_t from_memory(const struct core *core, uint32_t line, bool critical_first)
{
    uint32_t beats = line > core->memory_width ? line / core->memory_width : 1;

    return core->memory_first + (critical_first ? 0 : (beats - 1) * core->memory_beat);
}

static uint32_t from_next_level(struct model *m, uint64_t pa, const struct core_cache *c,
                                bool critical_first)
{
    struct shared_model *s = m->shared;
    const struct core *core = s->core;
    uint64_t gone, note, key;

    m->counts[MODEL_NEXT_READS]++;
    m->counts[MODEL_MEMORY_READS]++;
    if (!core->l2.size)
        return c->miss + from_memory(core, c->line, critical_first);
    key = pa / core->l2.line;
    if (cache_find(&s->l2, key) >= 0) {
        m->counts[MODEL_MEMORY_READS]--;
        return c->miss + core->l2_latency;
    }
    (void)cache_put(&s->l2, key, &gone, &note);
    if (core->l2.prefetch == PREFETCH_next_line && cache_peek(&s->l2, key + 1) < 0)
        (void)cache_put(&s->l2, key + 1, &gone, &note);
    return c->miss + core->l2_latency + core->l2.miss +
           from_memory(core, core->l2.line, critical_first);
}

/* ---- data ---- */

/* Takes the line, or the right to change it, from a hart. False: the hart does not have it. */
static bool take_from(struct model *other, uint64_t line, bool to_store, bool *changed)
{
    int64_t at;

    filter_drop(other, line, !to_store);
    at = cache_peek(&other->dcache, line);
    if (at < 0)
        return false;
    if (other->dcache.notes[at] & LINE_CHANGED)
        *changed = true;
    if (to_store)
        cache_remove(&other->dcache, line);
    else
        other->dcache.notes[at] = 0;
    return true;
}

/* The same from all other harts; returns cycles if one had changed it. */
static uint32_t take_from_others(struct model *m, uint64_t line, bool to_store, bool *shared)
{
    struct shared_model *s = m->shared;
    struct holders *known = holders_of(s, line);
    uint64_t own = UINT64_C(1) << m->number, harts, kept = 0;
    bool changed = false;

    *shared = false;
    if (s->hart_count == 1)
        return 0;
    harts = known->line == line ? known->harts : UINT64_MAX >> (HARTS_MAX - s->hart_count);
    for (harts &= ~own; harts; harts &= harts - 1) {
        unsigned i = (unsigned)__builtin_ctzll(harts);

        if (!take_from(s->harts[i], line, to_store, &changed))
            continue;
        *shared = true;
        kept |= to_store ? 0 : UINT64_C(1) << i;
    }
    *known = (struct holders){line, kept | own};
    return changed ? m->core->shared_line : 0;
}

/* Brings a missing line into the cache; returns the cycles of the line that it displaces. */
static uint32_t bring_line(struct model *m, uint64_t line, uint64_t state)
{
    uint64_t gone, note;
    int64_t at = cache_put(&m->dcache, line, &gone, &note);

    if (at < 0)
        return 0;
    m->dcache.notes[at] = state;
    note_holder(m, line);
    if (gone == CACHE_EMPTY)
        return 0;
    filter_drop(m, gone, false);
    return note & LINE_CHANGED ? m->core->write_back_cycles : 0;
}

static void prefetch_line(struct model *m, uint64_t line)
{
    bool shared;

    if (cache_peek(&m->dcache, line) >= 0)
        return;
    (void)take_from_others(m, line, false, &shared);
    (void)from_next_level(m, line << m->line_shift, &m->core->dcache, false);
    (void)bring_line(m, line, shared ? 0 : LINE_OWNED);
}

/* Prefetches the lines that are likely next after a miss, without a stall. */
static void prefetch(struct model *m, uint64_t line)
{
    const struct core_cache *c = &m->core->dcache;
    uint64_t stride = line - m->last_miss;
    bool again = stride == m->stride;

    m->stride = stride;
    m->last_miss = line;
    if (c->prefetch == PREFETCH_next_line)
        stride = 1;
    else if (c->prefetch == PREFETCH_none || !again || stride + 8 > 16)
        return;
    for (uint32_t i = 1; i <= c->ahead; i++)
        prefetch_line(m, line + i * stride);
    if (c->prefetch == PREFETCH_stride)
        m->last_miss = line + c->ahead * stride;
}

/* Removes the last line from the filter before another line is used, perhaps by a walk. */
static void forget_last_filtered(struct model *m)
{
    if (m->last_filtered)
        *m->last_filtered = FILTER_NONE;
    m->last_filtered = NULL;
}

uint32_t model_load(struct model *m, uint64_t pa)
{
    const struct core *core = m->core;
    uint64_t line = pa >> m->line_shift;
    uint32_t cycles;
    bool shared;

    forget_last_filtered(m);
    if (!m->dcache.sets || cache_find(&m->dcache, line) >= 0)
        return 0;
    m->counts[MODEL_LOAD_MISSES]++;
    cycles = take_from_others(m, line, false, &shared);
    cycles += from_next_level(m, pa, &core->dcache, core->critical_first);
    cycles += bring_line(m, line, shared ? 0 : LINE_OWNED);
    if (core->dcache.prefetch)
        prefetch(m, line);
    return cycles;
}

static uint32_t store_through(struct model *m, uint64_t pa, unsigned size, uint64_t now)
{
    uint64_t line = pa >> m->line_shift;
    bool shared;

    (void)take_from_others(m, line, true, &shared);
    if (cache_find(&m->dcache, line) < 0) {
        m->counts[MODEL_STORE_MISSES]++;
        if (m->core->write_allocate)
            (void)bring_line(m, line, 0);
    }
    return m->buffered ? stores_add(&m->stores, m->core, pa, size, now) : 0;
}

uint32_t model_store(struct model *m, uint64_t pa, unsigned size, uint64_t now)
{
    const struct core *core = m->core;
    uint64_t line = pa >> m->line_shift;
    uint32_t cycles;
    bool shared;
    int64_t at;

    if (core->write == WRITE_through)
        return store_through(m, pa, size, now);
    if (!m->dcache.sets)
        return 0;
    at = cache_find(&m->dcache, line);
    if (at >= 0 && m->dcache.notes[at] & LINE_OWNED) {
        m->dcache.notes[at] |= LINE_CHANGED;
        return 0;
    }
    cycles = take_from_others(m, line, true, &shared);
    if (at >= 0) {
        m->dcache.notes[at] = LINE_OWNED | LINE_CHANGED;
        return shared ? core->shared_line : 0;
    }
    m->counts[MODEL_STORE_MISSES]++;
    if (core->store_stalls)
        cycles += from_next_level(m, pa, &core->dcache, false);
    else
        (void)from_next_level(m, pa, &core->dcache, false);
    if (core->write_allocate) {
        cycles += bring_line(m, line, LINE_OWNED | LINE_CHANGED);
        if (core->dcache.prefetch)
            prefetch(m, line);
    }
    return cycles;
}

uint32_t model_atomic(struct model *m, uint64_t pa, uint64_t now)
{
    uint64_t line = pa >> m->line_shift;
    bool shared;

    (void)take_from_others(m, line, true, &shared);
    filter_drop(m, line, false);
    cache_remove(&m->dcache, line);
    return model_drain_stores(m, now);
}

uint32_t model_drain_stores(struct model *m, uint64_t now)
{
    return m->core->store_entries ? stores_drain(&m->stores, m->core, now) : 0;
}

void model_device_writes(struct shared_model *s, uint64_t pa, uint64_t size)
{
    for (unsigned i = 0; i < s->hart_count; i++) {
        struct model *m = s->harts[i];
        uint64_t line = pa >> m->line_shift, last = (pa + size - 1) >> m->line_shift;

        for (; m->dcache.sets && line <= last; line++) {
            filter_drop(m, line, false);
            cache_remove(&m->dcache, line);
        }
    }
}

/* ---- fetch ---- */

bool model_has_line(struct model *m, uint64_t pa)
{
    return !m->icache.sets || cache_find(&m->icache, pa >> m->fetch_line_shift) >= 0;
}

static void put_fetched(struct model *m, uint64_t line)
{
    uint64_t gone, note;

    (void)cache_put(&m->icache, line, &gone, &note);
    if (gone != CACHE_EMPTY)
        m->fetch_epoch++;
}

uint32_t model_fetch_line(struct model *m, uint64_t pa)
{
    const struct core_cache *c = &m->core->icache;
    uint64_t line = pa >> m->fetch_line_shift;
    uint32_t cycles;

    if (!m->icache.sets || cache_find(&m->icache, line) >= 0)
        return 0;
    m->counts[MODEL_FETCH_MISSES]++;
    cycles = from_next_level(m, pa, c, false);
    put_fetched(m, line);
    if (c->prefetch == PREFETCH_next_line)
        for (uint32_t i = 1; i <= c->ahead; i++)
            if (cache_peek(&m->icache, line + i) < 0) {
                (void)from_next_level(m, (line + i) << m->fetch_line_shift, c, false);
                put_fetched(m, line + i);
            }
    return cycles;
}

uint32_t model_fetch_missing(const struct model *m, uint64_t pa)
{
    const struct core *core = m->core;

    if (!m->icache.sets || cache_peek(&m->icache, pa >> m->fetch_line_shift) >= 0)
        return 0;
    if (!core->l2.size)
        return core->icache.miss + from_memory(core, core->icache.line, false);
    return core->icache.miss + core->l2_latency +
           (cache_peek(&m->shared->l2, pa / core->l2.line) >= 0
                ? 0
                : core->l2.miss + from_memory(core, core->l2.line, false));
}

void model_fence_i(struct model *m)
{
    cache_clear(&m->icache);
    m->fetch_epoch++;
}

/* ---- translation ---- */

enum { ASID_GLOBAL = UINT16_MAX };

/* The sizes of pages: 4 KiB, 64 KiB, 2 MiB, 1 GiB, and larger ones. */
static const uint8_t page_shifts[] = {12, 16, 21, 30, 39, 48};

static uint64_t page_key(uint64_t va, unsigned size, uint16_t asid)
{
    uint64_t number = va >> page_shifts[size] & ((UINT64_C(1) << 45) - 1);

    return number | (uint64_t)size << 45 | (uint64_t)asid << 48;
}

/* The TLB's key of the page that holds va; CACHE_EMPTY: the page is not in the TLB. */
static uint64_t find_page(struct cache *tlb, uint64_t va, uint16_t asid)
{
    for (unsigned size = 0; size < ARRAY_LEN(page_shifts); size++) {
        uint64_t own = page_key(va, size, asid), global = page_key(va, size, ASID_GLOBAL);

        if (cache_find(tlb, global) >= 0)
            return global;
        if (cache_find(tlb, own) >= 0)
            return own;
    }
    return CACHE_EMPTY;
}

bool model_has_page(struct model *m, struct cache *tlb, uint64_t va, uint16_t asid)
{
    (void)m;
    return find_page(tlb, va, asid) != CACHE_EMPTY;
}

/* Puts a page into the TLB, and forgets what was found through the page that leaves it. */
static void put_page(struct model *m, struct cache *tlb, uint64_t key)
{
    uint64_t gone, note;

    (void)cache_put(tlb, key, &gone, &note);
    if (gone == CACHE_EMPTY)
        return;
    if (tlb == &m->dtlb)
        model_clear_filter(m);
    else if (tlb == &m->itlb)
        m->fetch_epoch++;
}

bool model_take_page(struct model *m, struct cache *tlb, uint64_t va, uint16_t asid,
                     uint32_t *cycles)
{
    uint64_t key = find_page(&m->tlb2, va, asid);

    if (key == CACHE_EMPTY)
        return false;
    *cycles = m->core->tlb2_latency;
    put_page(m, tlb, key);
    return true;
}

static unsigned size_of_shift(unsigned shift)
{
    unsigned size = 0;

    while (size + 1 < ARRAY_LEN(page_shifts) && page_shifts[size + 1] <= shift)
        size++;
    return size;
}

void model_put_page(struct model *m, struct cache *tlb, const struct model_page *page)
{
    uint64_t key =
        page_key(page->va, size_of_shift(page->shift), page->global ? ASID_GLOBAL : page->asid);

    put_page(m, tlb, key);
    if (m->tlb2.sets && cache_peek(&m->tlb2, key) < 0)
        put_page(m, &m->tlb2, key);
}

void model_sfence(struct model *m)
{
    cache_clear(&m->itlb);
    cache_clear(&m->dtlb);
    cache_clear(&m->tlb2);
    model_clear_filter(m);
    m->fetch_epoch++;
}

/* Whether the page of a key holds the address, in any address space. */
static bool page_of_key_has(uint64_t key, uint64_t va)
{
    enum { ASID_SHIFT = 48 };

    return key != CACHE_EMPTY && !((page_key(va, key >> 45 & 7, 0) ^ key) << (64 - ASID_SHIFT));
}

static void drop_page(struct cache *tlb, uint64_t va)
{
    for (uint64_t i = 0; i < (uint64_t)tlb->sets * tlb->ways; i++)
        if (page_of_key_has(tlb->keys[i], va))
            cache_remove_at(tlb, i);
}

void model_sfence_page(struct model *m, uint64_t va)
{
    drop_page(&m->itlb, va);
    drop_page(&m->dtlb, va);
    drop_page(&m->tlb2, va);
    model_clear_filter(m);
    m->fetch_epoch++;
}

/* ---- values ---- */

uint32_t model_multiply(const struct model *m, uint64_t a, uint64_t b)
{
    bool narrow = (uint64_t)(int32_t)a == a && (uint64_t)(int32_t)b == b;

    return narrow ? 0 : m->core->mul_wide;
}

static int highest_bit(uint64_t n)
{
    return n ? 63 - __builtin_clzll(n) : -1;
}

/* The significand of a number with `bits` bits of fraction, without trailing zeros. */
static uint64_t odd_fraction(uint64_t n, unsigned bits)
{
    uint64_t m = (n & ((UINT64_C(1) << bits) - 1)) | UINT64_C(1) << bits;

    return m >> __builtin_ctzll(m);
}

/* The root of an odd square; 0: the number is no square. */
static uint64_t exact_root(uint64_t n)
{
    uint64_t root = 0;

    for (uint64_t bit = UINT64_C(1) << 27; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= n)
            root |= bit;
    return root * root == n ? root : 0;
}

uint32_t model_float_early(const struct core *core, bool is_root, bool is_double, uint64_t a,
                           uint64_t b)
{
    enum core_class class =
        is_root ? (is_double ? CORE_fsqrt_d : CORE_fsqrt) : (is_double ? CORE_fdiv_d : CORE_fdiv);
    unsigned bits = is_double ? 52 : 23, zeros = 0;
    uint32_t exact = core->fdiv_exact, full = core->latency[class];
    uint64_t quotient, x = odd_fraction(a, bits), y = odd_fraction(b, bits);

    if (is_root) {
        /* of m * 2^e with an odd m, e is even */
        zeros = (unsigned)__builtin_ctzll(a | UINT64_C(1) << bits);
        if (((a >> bits & 1) + bits - zeros) % 2 == 0)
            return 0;
        quotient = exact_root(x);
    } else {
        quotient = x % y ? 0 : x / y;
    }
    if (!quotient)
        return 0;
    exact += ((uint32_t)highest_bit(quotient) + core->fdiv_bits - 1) / core->fdiv_bits;
    return full > exact ? full - exact : 0;
}

static uint64_t magnitude(uint64_t n, bool is_signed)
{
    return is_signed && n >> 63 ? -n : n;
}

static uint32_t division_cycles(const struct core *core, uint64_t a, uint64_t b)
{
    int bits = highest_bit(a) - highest_bit(b);

    if (!b && core->div_zero)
        return core->div_zero;
    if (bits < 0) /* the quotient is 0 */
        return core->div_smaller ? core->div_smaller : core->div_base - 1;
    return core->div_base + (uint32_t)bits / core->div_bits;
}

/* Keeps the operands of the last division, or of the last two whose quotient is not 0. */
static void keep_division(struct model *m, const struct kept_division *d, uint64_t quotient_bits)
{
    unsigned older = m->core->div_results > 1 ? m->division_older : 0;

    if (m->core->div_results > 1 && !quotient_bits)
        return;
    m->divisions[older] = *d;
    m->division_older = (uint8_t)(older ^ 1);
}

/* Whether the result of that division is kept; it is then the one used last. */
static bool has_division(struct model *m, const struct kept_division *d)
{
    for (uint32_t n = 0; n < m->core->div_results; n++) {
        const struct kept_division *kept = &m->divisions[n];

        if (kept->kind != d->kind || kept->dividend != d->dividend || kept->divisor != d->divisor)
            continue;
        m->division_older = (uint8_t)(n ^ 1);
        return true;
    }
    return false;
}

uint32_t model_divide(struct model *m, uint64_t a, uint64_t b, bool is_signed, unsigned kind)
{
    const struct core *core = m->core;
    uint32_t cycles, latency = core->latency[CORE_div];
    struct kept_division d = {.dividend = a, .divisor = b, .kind = kind / 2 + 1};

    if (!core->div_base)
        return 0;
    if (core->div_repeat && has_division(m, &d)) {
        cycles = core->div_repeat;
    } else {
        uint64_t x = magnitude(a, is_signed), y = magnitude(b, is_signed);

        cycles = division_cycles(core, x, y);
        keep_division(m, &d, y && x >= y);
    }
    return cycles > latency ? cycles - latency : 0;
}
