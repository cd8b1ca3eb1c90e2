/*
 * sbi.h - the built-in firmware: the emulator itself answers a kernel's SBI
 * calls, without code in M-mode (RISC-V SBI specification 3.0).
 *
 * Extensions: base, TIME, IPI, RFENCE, HSM with suspend, PMU, SRST, DBCN, FWFT and the legacy
 * console, timer, IPI and fence calls. A remote fence is an event for the auditor.
 */
#ifndef SBI_SBI_H
#define SBI_SBI_H

#include <stddef.h>
#include <stdint.h>

struct cluster;
struct hart;
struct sbi;
struct state_io;

/* Which call ends the run. */
enum sbi_end {
    SBI_END_SHUTDOWN, /* system reset (SRST), type shutdown */
    SBI_END_REBOOT,   /* the same, type cold or warm reboot */
    SBI_END_LEGACY,   /* the legacy call sbi_shutdown */
};

/* What the firmware asks of the board that it runs on. */
struct sbi_board {
    void *ctx;
    struct cluster *cluster;
    void (*set_timer)(void *ctx, unsigned hart, uint64_t mtime); /* raises STI then */
    void (*send_ipi)(void *ctx, unsigned hart);                  /* raises SSI */
    void (*start_hart)(void *ctx, unsigned hart, uint64_t pc, uint64_t a1);
    void (*stop_hart)(void *ctx, unsigned hart);
    /* Ends the run after the current instruction; `code` is its exit status. */
    void (*end)(void *ctx, enum sbi_end how, unsigned code);
    void (*put)(void *ctx, const uint8_t *bytes, size_t len); /* console output */
    int (*get)(void *ctx); /* the next byte of console input; -1: there is none */
};

struct sbi *sbi_new(const struct sbi_board *board, unsigned harts);
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
