/*
 * sifive-test.c - the board's test finisher: ends the machine with a status.
 *
 * The firmware's reset can say failure, but not which.
 */
#include <asm/fixmap.h>
#include <linux/compiler.h>
#include <linux/reboot.h>

enum { FINISHER_FAIL = 0x3333, FINISHER_CODE_SHIFT = 16 };

static volatile u32 *finisher; /* set once at boot, if at all */

void sifive_test_init(unsigned long phys)
{
    finisher = set_fixmap_offset(FIX_FINISHER, phys);
}

void machine_exit(unsigned int status)
{
    if (!status)
        machine_power_off();
    if (finisher)
        *finisher = status << FINISHER_CODE_SHIFT | FINISHER_FAIL;
    machine_fail();
}
