/*
 * sifive-test.c - the test finisher of the board: ends the machine with an exit status.
 *
 * The firmware's reset call can report failure, but no status.
 */
#include <asm/fixmap.h>
#include <linux/compiler.h>
#include <linux/reboot.h>

enum { FINISHER_FAIL = 0x3333, FINISHER_CODE_SHIFT = 16 };

static volatile u32 *finisher; /* set at boot; NULL if the board has none */

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
