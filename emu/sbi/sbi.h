/*
 * sbi.h - the built-in firmware: the emulator itself answers a kernel's SBI
 * calls, without code in M-mode (RISC-V SBI specification 2.0).
 *
 * Extensions: base, TIME, IPI, RFENCE, HSM with suspend, PMU, SRST, DBCN and the legacy console,
 * timer, IPI and fence calls. A remote fence is an event for the auditor.
 */
#ifndef SBI_SBI_H
#define SBI_SBI_H

#include <stdint.h>

struct hart;
struct machine;
struct sbi;
struct state_io;

struct sbi *sbi_new(struct machine *m, unsigned harts);
void sbi_free(struct sbi *s);

/* Handles the ecall that `h` has just executed in S-mode. Its pc is that of the next instruction.
 */
void sbi_call(struct sbi *s, struct hart *h);

/* Starts the kernel on one hart: S-mode at pc, a0 = hart, a1 = physical address dtb. */
void sbi_boot(struct sbi *s, unsigned hart, uint64_t pc, uint64_t dtb);

/*
 * Puts a hart into the state in which firmware enters S-mode: traps delegated; cycle, time and
 * instret readable in S-mode and U-mode (a kernel may clear scounteren).
 */
void sbi_reset_hart(struct hart *h, uint64_t pc, uint64_t a1);

/* Saves or restores the state of the harts (HSM) and of the counters (PMU). */
void sbi_state_io(struct state_io *io, struct sbi *s);

#endif
