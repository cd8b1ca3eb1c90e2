/*
 * csr_bits.h - fields of control and status registers (ISA vol. II, 3.1 and 4.1).
 */
#ifndef CPU_CSR_BITS_H
#define CPU_CSR_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hpm.h"

#define MSTATUS_SIE    (UINT64_C(1) << 1)
#define MSTATUS_MIE    (UINT64_C(1) << 3)
#define MSTATUS_SPIE   (UINT64_C(1) << 5)
#define MSTATUS_MPIE   (UINT64_C(1) << 7)
#define MSTATUS_SPP    (UINT64_C(1) << 8)
#define MSTATUS_MPP    (UINT64_C(3) << 11)
#define MSTATUS_VS     (UINT64_C(3) << 9)
#define MSTATUS_FS     (UINT64_C(3) << 13)
#define MSTATUS_MPRV   (UINT64_C(1) << 17)
#define MSTATUS_SUM    (UINT64_C(1) << 18)
#define MSTATUS_MXR    (UINT64_C(1) << 19)
#define MSTATUS_TVM    (UINT64_C(1) << 20)
#define MSTATUS_TW     (UINT64_C(1) << 21)
#define MSTATUS_TSR    (UINT64_C(1) << 22)
#define MSTATUS_SPELP  (UINT64_C(1) << 23) /* where there are landing pads (Zicfilp) */
#define MSTATUS_MPELP  (UINT64_C(1) << 41)
#define MSTATUS_UXL_64 (UINT64_C(2) << 32)
#define MSTATUS_SXL_64 (UINT64_C(2) << 34)

#define MSTATUS_SD (UINT64_C(1) << 63)

/* The bits of mstatus that software may change, and those that S-mode sees as sstatus. */
#define MSTATUS_WRITABLE                                                                   \
    (MSTATUS_SIE | MSTATUS_MIE | MSTATUS_SPIE | MSTATUS_MPIE | MSTATUS_SPP | MSTATUS_MPP | \
     MSTATUS_VS | MSTATUS_FS | MSTATUS_MPRV | MSTATUS_SUM | MSTATUS_MXR | MSTATUS_TVM |    \
     MSTATUS_TW | MSTATUS_TSR)
#define SSTATUS_WRITABLE \
    (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_VS | MSTATUS_FS | MSTATUS_SUM | MSTATUS_MXR)
#define SSTATUS_VISIBLE (SSTATUS_WRITABLE | MSTATUS_UXL_64 | MSTATUS_SD)

/* What is read as mstatus: SD summarises the dirty extension state, which FS and VS describe. */
static inline uint64_t mstatus_read(uint64_t mstatus)
{
    bool dirty = (mstatus & MSTATUS_FS) == MSTATUS_FS || (mstatus & MSTATUS_VS) == MSTATUS_VS;

    return mstatus | (dirty ? MSTATUS_SD : 0);
}

/*
 * QUIET: bits of sstatus that, when they change, affect nothing but interrupts. CHANGING: all bits
 * of mstatus that a write of sstatus may change.
 */
#define SSTATUS_QUIET    (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP)
#define SSTATUS_CHANGING (SSTATUS_WRITABLE | MSTATUS_SPELP)

static inline uint64_t sstatus_read(uint64_t mstatus)
{
    return mstatus_read(mstatus) & (SSTATUS_VISIBLE | MSTATUS_SPELP);
}

#define ENVCFG_LPE (UINT64_C(1) << 2) /* landing pads are enforced (Zicfilp) */
#define ENVCFG_SSE (UINT64_C(1) << 3) /* the shadow stack is active (Zicfiss) */

/* menvcfg and senvcfg: the cache-block instructions permitted in lower modes (vol. I, 19.4). */
#define ENVCFG_CBIE  (UINT64_C(3) << 4)  /* cbo.inval; see CBIE_FLUSH */
#define ENVCFG_CBCFE (UINT64_C(1) << 6)  /* cbo.clean, cbo.flush */
#define ENVCFG_CBZE  (UINT64_C(1) << 7)  /* cbo.zero */
#define ENVCFG_PMM   (UINT64_C(3) << 32) /* bits of addresses that the next lower mode ignores */
enum { PMM_OFF = 0, PMM_RESERVED = 1, PMM_7 = 2, PMM_16 = 3 };
enum { CBIE_ILLEGAL = 0, CBIE_FLUSH = 1, CBIE_RESERVED = 2, CBIE_INVAL = 3 };

#define MI_S_BITS UINT64_C(0x222) /* SSI, STI, SEI in mip, mie, mideleg */
#define MI_M_BITS UINT64_C(0x888)
#define MI_LCOFI  (UINT64_C(1) << 13)

/* mseccfg: MLPE is LPE of M-mode; whether U and S may read `seed` (scalar cryptography 1.0, 4.1).
 */
#define MSECCFG_USEED (UINT64_C(1) << 8)
#define MSECCFG_SSEED (UINT64_C(1) << 9)
#define MSECCFG_MLPE  (UINT64_C(1) << 10)

enum { SATP_MODE_SHIFT = 60, SATP_BARE = 0, SATP_SV39 = 8, SATP_SV48 = 9, SATP_SV57 = 10 };
enum { SATP_ASID_SHIFT = 44 };
#define SATP_PPN_MASK ((UINT64_C(1) << 44) - 1)

/* mstateen0 to 3: whether S-mode may use sstateen, and senvcfg (vol. II, 5). */
#define STATEEN_SE     (UINT64_C(1) << 63)
#define STATEEN_ENVCFG (UINT64_C(1) << 62)
enum { STATEENS = 4 };

#define ENVCFG_FIOM   (UINT64_C(1) << 0)
#define MENVCFG_ADUE  (UINT64_C(1) << 61)
#define MENVCFG_PBMTE (UINT64_C(1) << 62)
#define MENVCFG_STCE  (UINT64_C(1) << 63)

enum { INHIBIT_CY = 1, INHIBIT_IR = 4, COUNTER_TIME = 1 };
#define INHIBIT_HPM (((UINT64_C(1) << HPM_COUNTERS) - 1) << HPM_FIRST)

#define PTE_V         (UINT64_C(1) << 0)
#define PTE_R         (UINT64_C(1) << 1)
#define PTE_W         (UINT64_C(1) << 2)
#define PTE_X         (UINT64_C(1) << 3)
#define PTE_RWX       (PTE_R | PTE_W | PTE_X)
#define PTE_U         (UINT64_C(1) << 4)
#define PTE_G         (UINT64_C(1) << 5)
#define PTE_A         (UINT64_C(1) << 6)
#define PTE_D         (UINT64_C(1) << 7)
#define PTE_SOFTWARE  (UINT64_C(3) << 8)
#define PTE_PPN_SHIFT 10
#define PTE_PPN       (UINT64_C(0xfffffffffff) << PTE_PPN_SHIFT)
#define PTE_RESERVED  (UINT64_C(0x7f) << 54)
#define PTE_PBMT      (UINT64_C(3) << 61)
#define PTE_N         (UINT64_C(1) << 63)

#endif
