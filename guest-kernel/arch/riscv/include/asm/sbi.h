/* sbi.h - calls of the firmware (RISC-V Supervisor Binary Interface). */
#ifndef ASM_SBI_H
#define ASM_SBI_H

#include <linux/types.h>

struct sbiret {
    long error;
    long value;
};

enum sbi_reset_reason { SBI_RESET_NO_REASON = 0, SBI_RESET_SYSTEM_FAILURE = 1 };

/* Looks up the optional extensions; before all other calls. */
void sbi_init(void);
/* What the hart's registers of these names say. */
unsigned long sbi_get_mvendorid(void);
unsigned long sbi_get_marchid(void);
unsigned long sbi_get_mimpid(void);
void sbi_console_putchar(int ch);
int sbi_console_getchar(void); /* -1: no input */
void sbi_set_timer(u64 stime_value);

/* Bit n of a mask is hart id n. Memory accesses before the call are ordered before it. */
void sbi_send_ipi(unsigned long hart_mask);
void sbi_remote_fence_i(unsigned long hart_mask);
void sbi_remote_sfence_vma(unsigned long hart_mask, unsigned long start, unsigned long size);

bool sbi_hsm_available(void);
int sbi_hsm_hart_start(unsigned long hartid, unsigned long start_pa, unsigned long opaque);
/* The extension of counters; the functions are drivers/perf/riscv_pmu_sbi.c's. */
bool sbi_pmu_available(void);
struct sbiret sbi_pmu(unsigned long fid, unsigned long arg0, unsigned long arg1, unsigned long arg2,
                      unsigned long arg3, unsigned long arg4);
_Noreturn void sbi_restart(void);
_Noreturn void sbi_shutdown(enum sbi_reset_reason reason);

#endif
