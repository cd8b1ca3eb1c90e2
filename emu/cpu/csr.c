/*
 * csr.c - control and status registers, row by row from csr.def.
 */
#include "base/bits.h"
#include "base/rng.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"

/* ---- counters: stored as an offset to the hart's count; while inhibited, as their value ---- */

static bool inhibited(const struct hart *h, unsigned bit)
{
    return h->s.csr.mcountinhibit & bit;
}

static uint64_t read_cycle(struct hart *h)
{
    return (inhibited(h, INHIBIT_CY) ? 0 : hart_cycles(h)) + h->s.cycle_offset;
}

static uint64_t read_instret(struct hart *h)
{
    return (inhibited(h, INHIBIT_IR) ? 0 : hart_insns(h)) + h->s.insn_offset;
}

static uint64_t read_time(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    return env->ticks ? env->ticks(env->ctx, h) : hart_cycles(h);
}

uint64_t hart_time(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    return env->look_at_ticks ? env->look_at_ticks(env->ctx, hart_cycles(h)) : read_time(h);
}

void hart_clocks(struct hart *h, uint64_t *cycles, uint64_t *insns, uint64_t *time)
{
    const struct hart_env *env = &h->cluster->config.env;
    const struct block *b = h->cache.block;

    *cycles = h->s.cycles;
    *insns = h->s.insns + (uint64_t)(h->s.insns_budget - h->s.insns_left);
    if (h->cache.uop) {
        unsigned at = (unsigned)(h->cache.uop - b->ops);

        *cycles -= hart_block_cycles(h, b) - hart_cycles_before(h, b, at);
        *insns -= block_insns(b) - b->notes[at].insns_before;
    }
    *time = env->look_at_ticks ? env->look_at_ticks(env->ctx, *cycles) : read_time(h);
}

static uint64_t read_mcycle(struct hart *h)
{
    return read_cycle(h);
}

static void write_mcycle(struct hart *h, uint64_t value)
{
    h->s.cycle_offset = value - (inhibited(h, INHIBIT_CY) ? 0 : hart_cycles(h));
}

static uint64_t read_minstret(struct hart *h)
{
    return read_instret(h);
}

/*
 * A write by an instruction replaces the increment for that instruction (vol.
 * II, 3.1.10). Firmware and the debugger write between two instructions.
 */
static void write_minstret(struct hart *h, uint64_t value)
{
    bool by_instruction = h->cache.uop;

    h->s.insn_offset = value - (inhibited(h, INHIBIT_IR) ? 0 : hart_insns(h) + by_instruction);
}

static uint64_t read_mcountinhibit(struct hart *h)
{
    return h->s.csr.mcountinhibit;
}

/* Stopping or restarting a counter does not change its value. */
static void write_mcountinhibit(struct hart *h, uint64_t value)
{
    uint64_t cycle = read_cycle(h), instret = read_instret(h);
    uint64_t writable = INHIBIT_CY | INHIBIT_IR | (hart_has(h, EXT_Zihpm) ? INHIBIT_HPM : 0);

    h->s.csr.mcountinhibit = value & writable;
    h->s.cycle_offset = cycle - (inhibited(h, INHIBIT_CY) ? 0 : hart_cycles(h));
    h->s.insn_offset = instret - (inhibited(h, INHIBIT_IR) ? 0 : hart_insns(h));
    hpm_update(h, false);
}

static uint64_t read_mhpmcounter(struct hart *h, unsigned n)
{
    return hpm_read_counter(h, n);
}

static void write_mhpmcounter(struct hart *h, unsigned n, uint64_t value)
{
    hpm_write_counter(h, n, value);
}

static uint64_t read_hpmcounter(struct hart *h, unsigned n)
{
    return hpm_read_counter(h, n);
}

static uint64_t read_mhpmevent(struct hart *h, unsigned n)
{
    return hpm_read_event(h, n);
}

static void write_mhpmevent(struct hart *h, unsigned n, uint64_t value)
{
    hpm_write_event(h, n, value);
}

/* S-mode sees the counters that it may read. */
static uint64_t read_scountovf(struct hart *h)
{
    return hpm_overflows(h) & (h->s.mode < PRIV_M ? h->s.csr.mcounteren : UINT64_MAX);
}

/* ---- floating point: a write sets mstatus.FS to dirty ---- */

static uint64_t read_fcsr(struct hart *h)
{
    return (uint64_t)h->s.frm << 5 | h->s.fflags;
}

static void write_fcsr(struct hart *h, uint64_t value)
{
    h->s.fflags = value & 31;
    h->s.frm = value >> 5 & 7;
    h->s.csr.mstatus |= MSTATUS_FS;
}

static uint64_t read_fflags(struct hart *h)
{
    return h->s.fflags;
}

static void write_fflags(struct hart *h, uint64_t value)
{
    write_fcsr(h, (uint64_t)h->s.frm << 5 | (value & 31));
}

static uint64_t read_frm(struct hart *h)
{
    return h->s.frm;
}

static void write_frm(struct hart *h, uint64_t value)
{
    write_fcsr(h, (value & 7) << 5 | h->s.fflags);
}

/* ---- vectors: a write sets mstatus.VS to dirty ---- */

static uint64_t read_vstart(struct hart *h)
{
    return h->s.vector.vstart;
}

/* It has as many bits as the index of an element needs. */
static void write_vstart(struct hart *h, uint64_t value)
{
    h->s.vector.vstart = (uint16_t)(value & (h->s.vector.vlenb * 8U - 1));
    h->s.csr.mstatus |= MSTATUS_VS;
}

static uint64_t read_vcsr(struct hart *h)
{
    return (uint64_t)h->s.vector.vxrm << 1 | h->s.vector.vxsat;
}

static void write_vcsr(struct hart *h, uint64_t value)
{
    h->s.vector.vxsat = value & 1;
    h->s.vector.vxrm = value >> 1 & 3;
    h->s.csr.mstatus |= MSTATUS_VS;
}

static uint64_t read_vxsat(struct hart *h)
{
    return h->s.vector.vxsat;
}

static void write_vxsat(struct hart *h, uint64_t value)
{
    write_vcsr(h, (uint64_t)h->s.vector.vxrm << 1 | (value & 1));
}

static uint64_t read_vxrm(struct hart *h)
{
    return h->s.vector.vxrm;
}

static void write_vxrm(struct hart *h, uint64_t value)
{
    write_vcsr(h, (value & 3) << 1 | h->s.vector.vxsat);
}

static uint64_t read_vl(struct hart *h)
{
    return h->s.vector.vl;
}

static uint64_t read_vtype(struct hart *h)
{
    return h->s.vector.vtype;
}

static uint64_t read_vlenb(struct hart *h)
{
    return h->s.vector.vlenb;
}

/* ---- status ---- */

static uint64_t read_mstatus(struct hart *h)
{
    return mstatus_read(h->s.csr.mstatus);
}

static uint64_t status_writable(const struct hart *h)
{
    return MSTATUS_WRITABLE | (hart_has(h, EXT_Zicfilp) ? MSTATUS_SPELP | MSTATUS_MPELP : 0);
}

/* MPP is WARL: 2 is not a privilege mode, and writing it keeps the old value. */
static void write_mstatus(struct hart *h, uint64_t value)
{
    uint64_t old = h->s.csr.mstatus;

    if (get_field(value, MSTATUS_MPP) == 2)
        value = set_field(value, MSTATUS_MPP, get_field(old, MSTATUS_MPP));
    if (!hart_has(h, EXT_F))
        value &= ~MSTATUS_FS;
    if (!hart_has(h, EXT_V))
        value &= ~MSTATUS_VS;
    h->s.csr.mstatus = (old & ~status_writable(h)) | (value & status_writable(h));
    /* Load translations were cached under the old value of MXR. */
    if ((old ^ value) & MSTATUS_MXR)
        hart_flush_tlb(h);
}

static uint64_t read_sstatus(struct hart *h)
{
    return sstatus_read(h->s.csr.mstatus);
}

static void write_sstatus(struct hart *h, uint64_t value)
{
    const uint64_t writable = SSTATUS_WRITABLE | MSTATUS_SPELP;

    write_mstatus(h, (h->s.csr.mstatus & ~writable) | (value & writable));
}

static uint64_t read_medeleg(struct hart *h)
{
    return h->s.csr.medeleg;
}

static void write_medeleg(struct hart *h, uint64_t value)
{
    uint64_t always = UINT64_C(0xb3ff), check = UINT64_C(1) << EXC_SOFTWARE_CHECK;
    bool checks = hart_has(h, EXT_Zicfilp) || hart_has(h, EXT_Zicfiss);

    h->s.csr.medeleg = value & (always | (checks ? check : 0));
}

/* The interrupts that can be delegated to S-mode. */
static uint64_t s_interrupts(const struct hart *h)
{
    return MI_S_BITS | (hart_has(h, EXT_Sscofpmf) ? MI_LCOFI : 0);
}

static uint64_t read_mideleg(struct hart *h)
{
    return h->s.csr.mideleg;
}

static void write_mideleg(struct hart *h, uint64_t value)
{
    h->s.csr.mideleg = value & s_interrupts(h);
}

static uint64_t read_mie(struct hart *h)
{
    return h->s.csr.mie;
}

static void write_mie(struct hart *h, uint64_t value)
{
    h->s.csr.mie = value & (s_interrupts(h) | MI_M_BITS);
}

static uint64_t read_sie(struct hart *h)
{
    return h->s.csr.mie & h->s.csr.mideleg;
}

static void write_sie(struct hart *h, uint64_t value)
{
    write_mie(h, (h->s.csr.mie & ~h->s.csr.mideleg) | (value & h->s.csr.mideleg));
}

static uint64_t read_mip(struct hart *h)
{
    return hart_mip(h);
}

static bool has_supervisor_timer(const struct hart *h)
{
    return h->s.csr.menvcfg & MENVCFG_STCE;
}

/* SSIP, STIP, SEIP and LCOFIP are writable, but for STIP where stimecmp drives it; the M bits are
 * not. */
static void write_mip(struct hart *h, uint64_t value)
{
    uint64_t driven = has_supervisor_timer(h) ? UINT64_C(1) << IRQ_STI : 0;

    h->s.irq_soft = (uint32_t)(value & s_interrupts(h) & ~driven);
}

static uint64_t read_sip(struct hart *h)
{
    return hart_mip(h) & h->s.csr.mideleg;
}

static void write_sip(struct hart *h, uint64_t value)
{
    uint32_t writable = (uint32_t)h->s.csr.mideleg & (1U << IRQ_SSI | 1U << IRQ_LCOFI);

    h->s.irq_soft = (h->s.irq_soft & ~writable) | ((uint32_t)value & writable);
}

static uint64_t read_satp(struct hart *h)
{
    return h->s.csr.satp;
}

/* A write with an unsupported mode has no effect at all (vol. II, 4.1.11). */
static void write_satp(struct hart *h, uint64_t value)
{
    uint64_t mode = value >> SATP_MODE_SHIFT;

    if (mode != SATP_BARE && (mode < SATP_SV39 || mode > SATP_SV57))
        return;
    h->s.csr.satp = value;
    if (h->s.model)
        timed_satp(h);
    hart_flush_translations(h);
    if (is_wanted(h->cluster, EVENT_SATP)) {
        const struct event e = {.kind = EVENT_SATP, .satp = {.hart = h}};

        cluster_emit(h->cluster, &e);
    }
}

/* The bits of the single-letter extensions; U is set with S (vol. II, 3.1.1). */
static uint64_t read_misa(struct hart *h)
{
    uint64_t misa = UINT64_C(2) << 62 | UINT64_C(1) << ('U' - 'A');

    for (unsigned e = 0; e < EXT_COUNT; e++) {
        const char *name = extension_name(e);

        if (hart_has(h, e) && !name[1])
            misa |= UINT64_C(1) << (name[0] - 'A');
    }
    if (hart_has(h, EXT_Zba) && hart_has(h, EXT_Zbb) && hart_has(h, EXT_Zbs))
        misa |= UINT64_C(1) << ('B' - 'A');
    return misa;
}

/* WARL: the set of extensions is fixed. */
static void write_misa(struct hart *h, uint64_t value)
{
    (void)h;
    (void)value;
}

/* Fields of an extension that the hart does not have read as zero. */
static uint64_t envcfg_writable(const struct hart *h)
{
    return ENVCFG_FIOM | (hart_has(h, EXT_Zicbom) ? ENVCFG_CBIE | ENVCFG_CBCFE : 0) |
           (hart_has(h, EXT_Zicboz) ? ENVCFG_CBZE : 0) |
           (hart_has(h, EXT_Zicfilp) ? ENVCFG_LPE : 0) |
           (hart_has(h, EXT_Zicfiss) ? ENVCFG_SSE : 0);
}

/* CBIE and PMM are WARL: a write of the reserved value keeps the old one. `masks`: the extension
 * that has PMM. */
static void write_envcfg(const struct hart *h, uint64_t *csr, uint64_t value, enum extension masks)
{
    uint64_t writable = envcfg_writable(h) | (hart_has(h, masks) ? ENVCFG_PMM : 0);

    if (get_field(value, ENVCFG_PMM) == PMM_RESERVED)
        writable &= ~ENVCFG_PMM;
    if (get_field(value, ENVCFG_CBIE) == CBIE_RESERVED)
        value = set_field(value, ENVCFG_CBIE, get_field(*csr, ENVCFG_CBIE));
    *csr = (*csr & ~writable) | (value & writable);
}

static uint64_t read_menvcfg(struct hart *h)
{
    return h->s.csr.menvcfg;
}

void hart_time_set(struct hart *h)
{
    const struct hart_env *env = &h->cluster->config.env;

    if (env->set_timer)
        env->set_timer(env->ctx, h, has_supervisor_timer(h) ? h->s.csr.stimecmp : UINT64_MAX);
}

/* The writable fields that menvcfg has and senvcfg lacks. */
static uint64_t menvcfg_writable(const struct hart *h)
{
    return (hart_has(h, EXT_Svadu) ? MENVCFG_ADUE : 0) |
           (hart_has(h, EXT_Svpbmt) ? MENVCFG_PBMTE : 0) |
           (hart_has(h, EXT_Sstc) ? MENVCFG_STCE : 0);
}

static void write_menvcfg(struct hart *h, uint64_t value)
{
    uint64_t old = h->s.csr.menvcfg, writable = menvcfg_writable(h);

    write_envcfg(h, &h->s.csr.menvcfg, value, EXT_Smnpm);
    h->s.csr.menvcfg = (h->s.csr.menvcfg & ~writable) | (value & writable);
    if ((old ^ h->s.csr.menvcfg) & (MENVCFG_ADUE | MENVCFG_PBMTE | ENVCFG_SSE)) {
        hart_flush_translations(h);
        hart_forget_walks(h);
    }
    if ((old ^ h->s.csr.menvcfg) & MENVCFG_STCE) {
        h->s.irq_soft &= ~(1U << IRQ_STI);
        hart_time_set(h);
    }
}

static uint64_t read_stimecmp(struct hart *h)
{
    return h->s.csr.stimecmp;
}

static void write_stimecmp(struct hart *h, uint64_t value)
{
    h->s.csr.stimecmp = value;
    hart_time_set(h);
}

/* ---- trap vectors and return addresses ---- */

/* Modes 2 and 3 are reserved: such a write keeps the old value. */
static void write_tvec(uint64_t *tvec, uint64_t value)
{
    if (!(value & 2))
        *tvec = value;
}

static uint64_t read_mtvec(struct hart *h)
{
    return h->s.csr.mtvec;
}

static void write_mtvec(struct hart *h, uint64_t value)
{
    write_tvec(&h->s.csr.mtvec, value);
}

static uint64_t read_stvec(struct hart *h)
{
    return h->s.csr.stvec;
}

static void write_stvec(struct hart *h, uint64_t value)
{
    write_tvec(&h->s.csr.stvec, value);
}

/* Of a pc: instructions are aligned to two bytes, or to four without the C extension. */
static uint64_t instruction_bits(const struct hart *h)
{
    return hart_has(h, EXT_C) ? ~UINT64_C(1) : ~UINT64_C(3);
}

/* ---- the shadow stack's pointer ---- */

static uint64_t read_ssp(struct hart *h)
{
    return h->s.csr.ssp;
}

static void write_ssp(struct hart *h, uint64_t value)
{
    h->s.csr.ssp = value & ~UINT64_C(7);
}

/* ---- physical memory protection ---- */

static uint64_t read_pmpcfg(struct hart *h, unsigned n)
{
    return pmp_read_cfg(h, n);
}

static void write_pmpcfg(struct hart *h, unsigned n, uint64_t value)
{
    pmp_write_cfg(h, n, value);
}

static uint64_t read_pmpaddr(struct hart *h, unsigned n)
{
    return pmp_read_addr(h, n);
}

static void write_pmpaddr(struct hart *h, unsigned n, uint64_t value)
{
    pmp_write_addr(h, n, value);
}

static uint64_t read_mseccfg(struct hart *h)
{
    return h->s.csr.mseccfg;
}

static void write_mseccfg(struct hart *h, uint64_t value)
{
    h->s.csr.mseccfg = value & ((hart_has(h, EXT_Zkr) ? MSECCFG_USEED | MSECCFG_SSEED : 0) |
                                (hart_has(h, EXT_Zicfilp) ? MSECCFG_MLPE : 0));
}

/* Where menvcfg.SSE is clear, senvcfg.SSE reads as zero and cannot be written. */
static uint64_t read_senvcfg(struct hart *h)
{
    return h->s.csr.senvcfg & ~(h->s.csr.menvcfg & ENVCFG_SSE ? 0 : ENVCFG_SSE);
}

static void write_senvcfg(struct hart *h, uint64_t value)
{
    if (!(h->s.csr.menvcfg & ENVCFG_SSE))
        value = (value & ~ENVCFG_SSE) | (h->s.csr.senvcfg & ENVCFG_SSE);
    write_envcfg(h, &h->s.csr.senvcfg, value, EXT_Ssnpm);
}

/* Nothing of a lower mode's state is optional here but senvcfg, so no bit of sstateen is there. */
static uint64_t read_sstateen(struct hart *h, unsigned n)
{
    (void)h;
    (void)n;
    return 0;
}

static void write_sstateen(struct hart *h, unsigned n, uint64_t value)
{
    (void)h;
    (void)n;
    (void)value;
}

static uint64_t read_mstateen(struct hart *h, unsigned n)
{
    return h->s.csr.mstateen[n];
}

static void write_mstateen(struct hart *h, unsigned n, uint64_t value)
{
    h->s.csr.mstateen[n] = value & (n == 0 ? STATEEN_SE | STATEEN_ENVCFG : STATEEN_SE);
}

/*
 * 16 random bits, always ready (scalar cryptography 1.0, 4.1): they depend on the run's seed, the
 * hart and how far it has got, so that a run repeats.
 */
static uint64_t read_seed(struct hart *h)
{
    enum { ES16 = 2, STATE_SHIFT = 30 };
    struct rng r = {h->cluster->config.entropy_seed};

    r.state ^= rng_next(&(struct rng){hart_insns(h)}) + h->id;
    return (uint64_t)ES16 << STATE_SHIFT | (rng_next(&r) & 0xffff);
}

static void write_seed(struct hart *h, uint64_t value)
{
    (void)h;
    (void)value;
}

static uint64_t read_mhartid(struct hart *h)
{
    return h->id;
}

/* For registers that are read-only by their number: access_allowed refuses such a write. */
static void write_never(struct hart *h, uint64_t value)
{
    (void)h;
    (void)value;
}
static void write_hpmcounter(struct hart *h, unsigned n, uint64_t value)
{
    (void)n;
    write_never(h, value);
}
#define write_cycle     write_never
#define write_time      write_never
#define write_instret   write_never
#define write_mhartid   write_never
#define write_scountovf write_never
#define write_vl        write_never
#define write_vtype     write_never
#define write_vlenb     write_never

/* The extensions that a hart needs to have the register. False: no register has that number. */
static bool csr_needs(unsigned number, uint64_t *extensions)
{
    switch (number) {
#define ROW(ext, num)             \
    case num:                     \
        *extensions = EXTS_##ext; \
        return true;
#define FN(ext, name, num)                          ROW(ext, num)
#define FIELD(ext, name, num, mask)                 ROW(ext, num)
#define CONST(ext, name, num, constant)             ROW(ext, num)
#define RANGE(ext, name, from, to, first, constant) ROW(ext, from... to)
#define BANK(ext, name, from, to, first)            ROW(ext, from... to)
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK
#undef ROW
    default: return false;
    }
}

static uint64_t csr_value(struct hart *h, unsigned number)
{
    uint64_t value = 0;

    switch (number) {
#define FN(ext, name, num)      \
    case num:                   \
        value = read_##name(h); \
        break;
#define FIELD(ext, name, num, mask) \
    case num:                       \
        value = h->s.csr.name;      \
        break;
#define CONST(ext, name, num, constant) \
    case num:                           \
        value = constant;               \
        break;
#define RANGE(ext, name, from, to, first, constant) \
    case from ... to:                               \
        value = constant;                           \
        break;
#define BANK(ext, name, from, to, first)                 \
    case from ... to:                                    \
        value = read_##name(h, number - (from) + first); \
        break;
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK
    default: break;
    }
    return value;
}

enum { CSR_PMPCFG0 = 0x3a0, CSR_PMPADDR0 = 0x3b0, CSR_PMP_END = 0x3f0, CSR_MSECCFG = 0x747 };

/*
 * The number of PMP registers is a property of the machine: a BANK row may name more. And mseccfg
 * is there if one of its fields is.
 */
static bool is_there(const struct hart *h, unsigned number)
{
    if (number == CSR_MSECCFG)
        return hart_has(h, EXT_Zkr) || hart_has(h, EXT_Zicfilp);
    if (number >= CSR_PMPADDR0 && number < CSR_PMP_END)
        return pmp_has_addr(h, number - CSR_PMPADDR0);
    return number < CSR_PMPCFG0 || number >= CSR_PMP_END || pmp_has_cfg(h, number - CSR_PMPCFG0);
}

static bool csr_exists(const struct hart *h, unsigned number)
{
    uint64_t needs;

    return csr_needs(number, &needs) && !(needs & ~h->cluster->config.extensions) &&
           is_there(h, number);
}

static bool csr_read(struct hart *h, unsigned number, uint64_t *value)
{
    if (!csr_exists(h, number))
        return false;
    *value = csr_value(h, number);
    return true;
}

/* A register that is plain storage, and its writable bits. */
struct field {
    uint64_t *at; /* NULL: it is no such register, or the hart has none */
    uint64_t writable;
};

static struct field field_of(struct hart *h, unsigned number)
{
    switch (number) {
#define FIELD(ext, name, num, mask)                        \
    case num:                                              \
        if ((EXTS_##ext) & ~h->cluster->config.extensions) \
            break;                                         \
        return (struct field){&h->s.csr.name, mask};
#define FN(ext, name, num)
#define CONST(ext, name, num, constant)
#define RANGE(ext, name, from, to, first, constant)
#define BANK(ext, name, from, to, first)
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK
    default: break;
    }
    return (struct field){NULL, 0};
}

static void field_write(struct field f, uint64_t value)
{
    *f.at = (*f.at & ~f.writable) | (value & f.writable);
}

static void csr_write(struct hart *h, unsigned number, uint64_t value)
{
    switch (number) {
#define FN(ext, name, num)      \
    case num:                   \
        write_##name(h, value); \
        break;
#define FIELD(ext, name, num, mask)                               \
    case num:                                                     \
        field_write((struct field){&h->s.csr.name, mask}, value); \
        return; /* nothing depends on it */
#define CONST(ext, name, num, constant)
#define RANGE(ext, name, from, to, first, constant)
#define BANK(ext, name, from, to, first)                 \
    case from ... to:                                    \
        write_##name(h, number - (from) + first, value); \
        break;
#include "cpu/isa/csr.def"
#undef FN
#undef FIELD
#undef CONST
#undef RANGE
#undef BANK
    default: break;
    }
    hart_update_context(h);
    hart_update_interrupts(h);
}

enum {
    CSR_SSP = 0x011,
    CSR_SEED = 0x015,
    CSR_SSTATUS = 0x100,
    CSR_STVEC = 0x105,
    CSR_SENVCFG = 0x10a,
    CSR_SSTATEEN = 0x10c
};

/* Below M-mode a counter is readable only where the higher modes enable it (vol.
 * II, 3.1.11, 4.1.5).
 */
static bool counter_allowed(const struct hart *h, unsigned number)
{
    unsigned which = number & 0x1f;

    if (h->s.mode < PRIV_M && !bit(h->s.csr.mcounteren, which))
        return false;
    return h->s.mode != PRIV_U || bit(h->s.csr.scounteren, which);
}

/* S-mode's use of sstateen and senvcfg, where there is Ssstateen. */
static bool state_allowed(const struct hart *h, unsigned number)
{
    if (h->s.mode != PRIV_S || !hart_has(h, EXT_Ssstateen))
        return true;
    if (number >= CSR_SSTATEEN && number < CSR_SSTATEEN + STATEENS)
        return h->s.csr.mstateen[number - CSR_SSTATEEN] & STATEEN_SE;
    return number != CSR_SENVCFG || (h->s.csr.mstateen[0] & STATEEN_ENVCFG);
}

/* Only an instruction that writes reads `seed`, too: what is read is gone. */
static bool seed_allowed(const struct hart *h, bool writes)
{
    uint64_t needed = h->s.mode == PRIV_U ? MSECCFG_USEED : MSECCFG_SSEED;

    return writes && (h->s.mode == PRIV_M || (h->s.csr.mseccfg & needed));
}

/* The shadow stack's pointer, where a mode has no active shadow stack. */
static bool ssp_allowed(const struct hart *h)
{
    if (h->s.mode < PRIV_M && !(h->s.csr.menvcfg & ENVCFG_SSE))
        return false;
    return h->s.mode != PRIV_U || (h->s.csr.senvcfg & ENVCFG_SSE);
}

static bool access_allowed(const struct hart *h, unsigned number, bool writes)
{
    bool read_only = bits(number, 11, 10) == 3;

    if (h->s.mode < bits(number, 9, 8) || (writes && read_only))
        return false;
    if (number >= 0xc00 && number <= 0xc1f)
        return counter_allowed(h, number);
    if (number == 0x14d && h->s.mode == PRIV_S)
        return bit(h->s.csr.mcounteren, COUNTER_TIME) && (h->s.csr.menvcfg & MENVCFG_STCE);
    if (number >= 0x001 && number <= 0x003 && !(h->s.csr.mstatus & MSTATUS_FS))
        return false;
    if (number == CSR_SEED)
        return seed_allowed(h, writes);
    if (number == CSR_SSP)
        return ssp_allowed(h);
    if (!state_allowed(h, number))
        return false;
    if (((number >= 0x008 && number <= 0x00f) || (number >= 0xc20 && number <= 0xc22)) &&
        !(h->s.csr.mstatus & MSTATUS_VS))
        return false;
    if (number == 0x180 && h->s.mode == PRIV_S && (h->s.csr.mstatus & MSTATUS_TVM))
        return false;
    return true;
}

static void tell_write(struct hart *h, unsigned number, uint64_t old)
{
    const struct event e = {
        .kind = EVENT_CSR_WRITE,
        .csr_write = {
            .hart = h, .number = number, .old_value = old, .new_value = csr_value(h, number)}};

    cluster_emit(h->cluster, &e);
}

/* What an instruction that is no read only writes, where the register was `old`. */
static uint64_t new_value(enum csr_write kind, uint64_t old, uint64_t operand)
{
    return kind == CSR_SET ? old | operand : kind == CSR_CLEAR ? old & ~operand : operand;
}

static bool access_any(struct hart *h, unsigned number, enum csr_write kind, uint64_t operand,
                       uint64_t *old)
{
    if (!access_allowed(h, number, kind != CSR_READ_ONLY) || !csr_read(h, number, old))
        return false;
    /* csrrs and csrrc of mip change what software wrote, not the lines (vol. II, 3.1.9). */
    if (kind != CSR_READ_ONLY)
        csr_write(h, number, new_value(kind, number == 0x344 ? h->s.irq_soft : *old, operand));
    return true;
}

static bool access_field(struct hart *h, unsigned number, struct field f, enum csr_write kind,
                         uint64_t operand, uint64_t *old)
{
    if (h->s.mode < bits(number, 9, 8))
        return false;
    *old = *f.at;
    if (kind != CSR_READ_ONLY)
        field_write(f, new_value(kind, *old, operand));
    return true;
}

bool hart_csr_access(struct hart *h, unsigned number, enum csr_write kind, uint64_t operand,
                     uint64_t *old)
{
    struct field f = field_of(h, number);

    if (!(f.at ? access_field(h, number, f, kind, operand, old)
               : access_any(h, number, kind, operand, old)))
        return false;
    if (is_wanted(h->cluster, EVENT_CSR_WRITE) && kind != CSR_READ_ONLY)
        tell_write(h, number, *old);
    return true;
}

bool hart_sstatus_access(struct hart *h, enum csr_write kind, uint64_t operand, uint64_t *old)
{
    return hart_csr_access(h, CSR_SSTATUS, kind, operand, old);
}

/* Where a register that a block accesses is: from the start of the hart. */
static int32_t place_of(const struct hart *h, const uint64_t *at)
{
    return (int32_t)((const char *)at - (const char *)h);
}

static bool read_in_block(struct hart *h, unsigned number, struct csr_operation *o)
{
    const struct field f = field_of(h, number);

    if (number == CSR_SSTATUS) {
        *o = (struct csr_operation){.kind = OP_read_sstatus};
        return csr_exists(h, number);
    }
    if (!f.at || bits(number, 9, 8) != PRIV_S)
        return false;
    *o = (struct csr_operation){.kind = OP_read_csr, .imm = place_of(h, f.at)};
    return true;
}

/* csrrw of a register that is plain storage, or of stvec. */
static bool write_in_block(struct hart *h, unsigned number, struct csr_operation *o)
{
    const struct field f = field_of(h, number);

    if (number == CSR_STVEC) {
        *o = (struct csr_operation){.kind = OP_write_stvec, .imm = place_of(h, &h->s.csr.stvec)};
        return csr_exists(h, number);
    }
    if (!f.at || bits(number, 9, 8) != PRIV_S || (f.writable | 1) != UINT64_MAX)
        return false;
    *o = (struct csr_operation){.kind = f.writable & 1 ? OP_write_csr : OP_write_csr_even,
                                .imm = place_of(h, f.at)};
    return true;
}

bool hart_csr_in_block(struct hart *h, const struct insn *i, struct csr_operation *o)
{
    static const struct {
        unsigned op, kind; /* kind: of an access to sstatus that writes */
        bool writes, by_immediate;
    } all[] = {
        {OP_csrrw, OP_write_sstatus, true, false},  {OP_csrrs, OP_set_sstatus, false, false},
        {OP_csrrc, OP_clear_sstatus, false, false}, {OP_csrrwi, OP_write_sstatus, true, true},
        {OP_csrrsi, OP_set_sstatus, false, true},   {OP_csrrci, OP_clear_sstatus, false, true},
    };
    unsigned number = (unsigned)i->imm, n = 0;

    while (n < ARRAY_LEN(all) && all[n].op != i->op)
        n++;
    if (n == ARRAY_LEN(all))
        return false;
    if (!all[n].writes && !i->rs1)
        return read_in_block(h, number, o);
    if (is_wanted(h->cluster, EVENT_CSR_WRITE))
        return false;
    if (number == CSR_SSTATUS) {
        *o = (struct csr_operation){.kind = all[n].kind,
                                    .rs1 = all[n].by_immediate ? 0 : i->rs1,
                                    .imm = all[n].by_immediate ? i->rs1 : 0};
        return csr_exists(h, number);
    }
    if (i->op != OP_csrrw || !write_in_block(h, number, o))
        return false;
    o->rs1 = i->rs1;
    return true;
}

/* Reading `time` may advance the machine's time, so that no hart reads a smaller value later. */
enum { CSR_TIME = 0xc01 };

bool hart_csr(struct hart *h, unsigned number, uint64_t *value)
{
    const struct field f = field_of(h, number);

    if (f.at) {
        *value = *f.at;
        return true;
    }
    if (!csr_exists(h, number))
        return false;
    *value = number == CSR_TIME ? hart_time(h) : csr_value(h, number);
    return true;
}

bool hart_set_csr(struct hart *h, unsigned number, uint64_t value)
{
    uint64_t old;

    if (!csr_read(h, number, &old))
        return false;
    csr_write(h, number, value);
    hart_forget_cut(h);
    return true;
}
