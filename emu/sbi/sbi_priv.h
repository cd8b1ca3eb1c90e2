/*
 * sbi_priv.h - internal to the firmware: its state, and arguments and results of a call.
 */
#ifndef SBI_SBI_PRIV_H
#define SBI_SBI_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/harts.h"
#include "cpu/hart.h"
#include "cpu/hpm.h"
#include "sbi/sbi.h"

struct state_io;

enum sbi_error {
    SBI_SUCCESS = 0,
    SBI_FAILED = -1,
    SBI_NOT_SUPPORTED = -2,
    SBI_INVALID_PARAM = -3,
    SBI_DENIED = -4,
    SBI_INVALID_ADDRESS = -5,
    SBI_ALREADY_AVAILABLE = -6,
    SBI_ALREADY_STARTED = -7,
    SBI_ALREADY_STOPPED = -8,
    SBI_DENIED_LOCKED = -14,
};

/* SBI, "Hart State Management". */
enum hart_state { HART_STARTED = 0, HART_STOPPED = 1, HART_SUSPENDED = 4 };

/* ---- performance monitoring (chapter 11) ---- */

/* Counter 0 is cycle, 1 is instret, then hpmcounter3 and so on; the others count firmware events.
 */
enum { PMU_CYCLE, PMU_INSTRET, PMU_HPM, PMU_FIRMWARE = PMU_HPM + HPM_COUNTERS };
enum { PMU_FIRMWARE_COUNTERS = 16 };
enum { PMU_COUNTERS = PMU_FIRMWARE + PMU_FIRMWARE_COUNTERS };

enum pmu_event {
    PMU_SET_TIMER = 5,
    PMU_IPI_SENT = 6,
    PMU_IPI_RECEIVED = 7,
    PMU_FENCE_I_SENT = 8,
    PMU_FENCE_I_RECEIVED = 9,
    PMU_SFENCE_SENT = 10,
    PMU_SFENCE_RECEIVED = 11,
    PMU_SFENCE_ASID_SENT = 12,
    PMU_SFENCE_ASID_RECEIVED = 13,
    PMU_EVENTS = 22, /* events of the specification from here on never happen here */
};

struct pmu {
    uint32_t configured, started; /* by counter */
    uint16_t event[PMU_FIRMWARE_COUNTERS];
    uint64_t value[PMU_FIRMWARE_COUNTERS];
};

struct sbi {
    struct sbi_board board;
    unsigned harts;
    enum hart_state state[HARTS_MAX];
    uint64_t suspended_at[HARTS_MAX]; /* the hart's retired instructions at hart_suspend */
    uint8_t locked[HARTS_MAX];        /* firmware features that must not change, a bit each */
    struct pmu pmu[HARTS_MAX];
};

/* Arguments and results of a call. */
struct call {
    struct sbi *sbi;
    struct hart *hart;
    uint64_t arg[6];
    int64_t error;
    uint64_t value;
    bool legacy; /* returns its result in a0 only */
    bool gone;   /* the hart does not return from this call */
};

static inline void fail(struct call *c, enum sbi_error error)
{
    c->error = error;
}

/* fwft.c */
enum { CSR_MENVCFG = 0x30a };
#define MENVCFG_LPE  (UINT64_C(1) << 2)
#define MENVCFG_SSE  (UINT64_C(1) << 3)
#define MENVCFG_PMM  (UINT64_C(3) << 32)
#define MENVCFG_ADUE (UINT64_C(1) << 61)
void fwft_set(struct call *c);
void fwft_get(struct call *c);

/* pmu.c: one function for each call, and the events that other calls report to it. */
void pmu_num_counters(struct call *c);
void pmu_counter_info(struct call *c);
void pmu_config_matching(struct call *c);
void pmu_start(struct call *c);
void pmu_stop(struct call *c);
void pmu_firmware_read(struct call *c);
void pmu_firmware_read_high(struct call *c);
void pmu_event_info(struct call *c);
void pmu_count(struct sbi *s, unsigned hart, enum pmu_event event);
void pmu_reset(struct sbi *s, unsigned hart);
void pmu_state_io(struct state_io *io, struct pmu *p);

#endif
