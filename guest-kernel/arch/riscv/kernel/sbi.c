/*
 * sbi.c - the SBI calls that this kernel makes.
 *
 * Not instrumented: patching text ends in a remote fence.i, and the path to it must not contain
 * a site that is being patched.
 */
#include <asm/barrier.h>
#include <asm/sbi.h>
#include <linux/compiler.h>

enum {
    SBI_EXT_0_1_CONSOLE_PUTCHAR = 1,
    SBI_EXT_0_1_CONSOLE_GETCHAR = 2,
    SBI_EXT_BASE = 0x10,
    SBI_EXT_TIME = 0x54494d45,
    SBI_EXT_IPI = 0x735049,
    SBI_EXT_RFENCE = 0x52464e43,
    SBI_EXT_HSM = 0x48534d,
    SBI_EXT_SRST = 0x53525354,
    SBI_EXT_DBCN = 0x4442434e,
    SBI_EXT_PMU = 0x504d55,
};

enum {
    SBI_BASE_PROBE_EXT = 3,
    SBI_BASE_GET_MVENDORID = 4,
    SBI_BASE_GET_MARCHID = 5,
    SBI_BASE_GET_MIMPID = 6,
    SBI_RFENCE_FENCE_I = 0,
    SBI_RFENCE_SFENCE_VMA = 1,
    SBI_SRST_SHUTDOWN = 0,
    SBI_SRST_COLD_REBOOT = 1,
    SBI_DBCN_WRITE_BYTE = 2
};

/* Set by sbi_init() before anything else runs. */
static bool have_dbcn, have_hsm, have_pmu;

static struct sbiret sbi_ecall5(unsigned long ext, unsigned long fid, unsigned long arg0,
                                unsigned long arg1, unsigned long arg2, unsigned long arg3,
                                unsigned long arg4)
{
    register unsigned long a0 __asm__("a0") = arg0;
    register unsigned long a1 __asm__("a1") = arg1;
    register unsigned long a2 __asm__("a2") = arg2;
    register unsigned long a3 __asm__("a3") = arg3;
    register unsigned long a4 __asm__("a4") = arg4;
    register unsigned long a6 __asm__("a6") = fid;
    register unsigned long a7 __asm__("a7") = ext;

    __asm__ __volatile__("ecall"
                         : "+r"(a0), "+r"(a1)
                         : "r"(a2), "r"(a3), "r"(a4), "r"(a6), "r"(a7)
                         : "memory");
    return (struct sbiret){(long)a0, (long)a1};
}

static struct sbiret sbi_ecall4(unsigned long ext, unsigned long fid, unsigned long arg0,
                                unsigned long arg1, unsigned long arg2, unsigned long arg3)
{
    return sbi_ecall5(ext, fid, arg0, arg1, arg2, arg3, 0);
}

static struct sbiret sbi_ecall(unsigned long ext, unsigned long fid, unsigned long arg0,
                               unsigned long arg1, unsigned long arg2)
{
    return sbi_ecall4(ext, fid, arg0, arg1, arg2, 0);
}

static bool sbi_probe_extension(unsigned long ext)
{
    struct sbiret ret = sbi_ecall(SBI_EXT_BASE, SBI_BASE_PROBE_EXT, ext, 0, 0);

    return ret.error == 0 && ret.value != 0;
}

void sbi_init(void)
{
    have_dbcn = sbi_probe_extension(SBI_EXT_DBCN);
    have_hsm = sbi_probe_extension(SBI_EXT_HSM);
    have_pmu = sbi_probe_extension(SBI_EXT_PMU);
}

unsigned long sbi_get_mvendorid(void)
{
    return sbi_ecall(SBI_EXT_BASE, SBI_BASE_GET_MVENDORID, 0, 0, 0).value;
}

unsigned long sbi_get_marchid(void)
{
    return sbi_ecall(SBI_EXT_BASE, SBI_BASE_GET_MARCHID, 0, 0, 0).value;
}

unsigned long sbi_get_mimpid(void)
{
    return sbi_ecall(SBI_EXT_BASE, SBI_BASE_GET_MIMPID, 0, 0, 0).value;
}

void sbi_console_putchar(int ch)
{
    if (have_dbcn)
        sbi_ecall(SBI_EXT_DBCN, SBI_DBCN_WRITE_BYTE, ch, 0, 0);
    else
        sbi_ecall(SBI_EXT_0_1_CONSOLE_PUTCHAR, 0, ch, 0, 0);
}

int sbi_console_getchar(void)
{
    return sbi_ecall(SBI_EXT_0_1_CONSOLE_GETCHAR, 0, 0, 0, 0).error;
}

void sbi_set_timer(u64 stime_value)
{
    sbi_ecall(SBI_EXT_TIME, 0, stime_value, 0, 0);
}

void sbi_send_ipi(unsigned long hart_mask)
{
    mb(); /* stores come before the interrupt */
    sbi_ecall(SBI_EXT_IPI, 0, hart_mask, 0, 0);
}

void sbi_remote_fence_i(unsigned long hart_mask)
{
    mb(); /* the ISA requires it: stores come before the request to fetch again */
    sbi_ecall(SBI_EXT_RFENCE, SBI_RFENCE_FENCE_I, hart_mask, 0, 0);
}

void sbi_remote_sfence_vma(unsigned long hart_mask, unsigned long start, unsigned long size)
{
    mb(); /* the page table is written before the other harts walk it again */
    sbi_ecall4(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, hart_mask, 0, start, size);
}

bool sbi_hsm_available(void)
{
    return have_hsm;
}

int sbi_hsm_hart_start(unsigned long hartid, unsigned long start_pa, unsigned long opaque)
{
    return sbi_ecall(SBI_EXT_HSM, 0, hartid, start_pa, opaque).error;
}

bool sbi_pmu_available(void)
{
    return have_pmu;
}

struct sbiret sbi_pmu(unsigned long fid, unsigned long arg0, unsigned long arg1, unsigned long arg2,
                      unsigned long arg3, unsigned long arg4)
{
    return sbi_ecall5(SBI_EXT_PMU, fid, arg0, arg1, arg2, arg3, arg4);
}

/* Does not return: if the firmware has no SRST, the hart halts. */
static _Noreturn void system_reset(int type, enum sbi_reset_reason reason)
{
    sbi_ecall(SBI_EXT_SRST, 0, type, reason, 0);
    for (;;)
        wait_for_interrupt();
}

void sbi_shutdown(enum sbi_reset_reason reason)
{
    system_reset(SBI_SRST_SHUTDOWN, reason);
}

void sbi_restart(void)
{
    system_reset(SBI_SRST_COLD_REBOOT, SBI_RESET_NO_REASON);
}
