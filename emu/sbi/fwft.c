/*
 * fwft.c - firmware features (SBI 3.0, chapter 18): what S-mode may switch on that only M-mode can
 * write, landing pads and the shadow stack among them.
 *
 * A feature is a field of menvcfg, so each hart has values of its own. That hardware updates A and
 * D bits is on at reset, where the specification says off: kernels from before this extension have
 * never asked for it.
 */
#include "base/bits.h"
#include "cpu/cluster.h"
#include "cpu/isa/extension.h"
#include "sbi/sbi_priv.h"

enum feature {
    FEATURE_MISALIGNED_EXC_DELEG,
    FEATURE_LANDING_PAD,
    FEATURE_SHADOW_STACK,
    FEATURE_DOUBLE_TRAP,
    FEATURE_PTE_AD_HW_UPDATING,
    FEATURE_POINTER_MASKING_PMLEN,
    FEATURES,
};

enum { SET_LOCK = 1 };
enum { PMM_7 = 2, PMM_16 = 3 }; /* menvcfg.PMM */

/* The field of menvcfg that a feature is, and the extension without which there is none. */
static const struct feature_field {
    uint64_t extensions, field;
} fields[FEATURES] = {
    [FEATURE_LANDING_PAD] = {EXTS_Zicfilp, MENVCFG_LPE},
    [FEATURE_SHADOW_STACK] = {EXTS_Zicfiss, MENVCFG_SSE},
    [FEATURE_PTE_AD_HW_UPDATING] = {EXTS_Svadu, MENVCFG_ADUE},
    [FEATURE_POINTER_MASKING_PMLEN] = {EXTS_Smnpm, MENVCFG_PMM},
};

/* The feature's field; NULL: there is none, and the error is set. `feature` has 32 bits. */
static const struct feature_field *field_of(struct call *c)
{
    uint32_t feature = (uint32_t)c->arg[0];

    if (feature >= FEATURES)
        fail(c, SBI_DENIED);
    else if (!(cluster_extensions(hart_cluster(c->hart)) & fields[feature].extensions))
        fail(c, SBI_NOT_SUPPORTED);
    else
        return &fields[feature];
    return NULL;
}

/* How many bits of an address PMM makes the hart ignore. */
static uint64_t masked_bits(uint64_t pmm)
{
    return pmm == PMM_7 ? 7 : pmm == PMM_16 ? 16 : 0;
}

/* Finds the value of the field for a value of the feature. False: there is no such value. */
static bool encode(const struct feature_field *f, uint64_t value, uint64_t *encoded)
{
    *encoded = value;
    if (f->field != MENVCFG_PMM)
        return value <= 1;
    for (*encoded = 0; *encoded <= PMM_16; ++*encoded)
        if (masked_bits(*encoded) == value)
            return true;
    return false;
}

static bool is_delegation(const struct call *c)
{
    return (uint32_t)c->arg[0] == FEATURE_MISALIGNED_EXC_DELEG;
}

/* Misaligned accesses are exceptions of S-mode: the firmware has no code that could emulate them.
 */
static void set_delegation(struct call *c)
{
    if (c->arg[1] > 1)
        fail(c, SBI_INVALID_PARAM);
    else if (!c->arg[1])
        fail(c, SBI_DENIED);
}

static void set_field_of(struct call *c)
{
    const struct feature_field *f = field_of(c);
    uint64_t csr = 0, value = 0;

    if (!f)
        return;
    if (!encode(f, c->arg[1], &value)) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    (void)!hart_csr(c->hart, CSR_MENVCFG, &csr);
    if (get_field(csr, f->field) == value)
        return;
    if (bit(c->sbi->locked[hart_id(c->hart)], (unsigned)c->arg[0]))
        fail(c, SBI_DENIED_LOCKED);
    else
        (void)!hart_set_csr(c->hart, CSR_MENVCFG, set_field(csr, f->field, value));
}

void fwft_set(struct call *c)
{
    if (c->arg[2] & ~(uint64_t)SET_LOCK) {
        fail(c, SBI_INVALID_PARAM);
        return;
    }
    if (is_delegation(c))
        set_delegation(c);
    else
        set_field_of(c);
    if (!c->error && c->arg[2] & SET_LOCK)
        c->sbi->locked[hart_id(c->hart)] |= (uint8_t)(1U << (uint32_t)c->arg[0]);
}

void fwft_get(struct call *c)
{
    const struct feature_field *f;
    uint64_t csr = 0;

    if (is_delegation(c)) {
        c->value = 1;
        return;
    }
    f = field_of(c);
    if (!f)
        return;
    (void)!hart_csr(c->hart, CSR_MENVCFG, &csr);
    c->value = get_field(csr, f->field);
    if (f->field == MENVCFG_PMM)
        c->value = masked_bits(c->value);
}
