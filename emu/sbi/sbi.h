/*
 * sbi.h - the built-in firmware: what M-mode does for a kernel, done by the
 * emulator (RISC-V SBI specification 2.0).
 *
 * Extensions: base, TIME, IPI, RFENCE, HSM with suspend, PMU, SRST, DBCN and the legacy console,
 * timer, IPI and fence calls. A remote fence reaches the auditor as such.
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

/* Handles the ecall that `h`, in S-mode, has just executed; its pc is the next instruction's
 * already. */
void sbi_call(struct sbi *s, struct hart *h);

/* Starts the kernel on one hart: S-mode at pc, a0 the hart, a1 the device tree. */
void sbi_boot(struct sbi *s, unsigned hart, uint64_t pc, uint64_t dtb);

/*
 * A hart as firmware hands it to S-mode: traps delegated; cycle, time and instret readable
 * in S-mode and in U-mode (a kernel that wants it otherwise writes scounteren itself).
 */
void sbi_reset_hart(struct hart *h, uint64_t pc, uint64_t a1);

/* Saves or restores the state of the harts (HSM) and of the counters (PMU). */
void sbi_state_io(struct state_io *io, struct sbi *s);

#endif
