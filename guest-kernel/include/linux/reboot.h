/* reboot.h - the end. */
#ifndef LINUX_REBOOT_H
#define LINUX_REBOOT_H

#include <linux/types.h>

_Noreturn void machine_power_off(void);
_Noreturn void machine_restart(void);
/* Tells the machine that the run failed. */
_Noreturn void machine_fail(void);
/* With this status where the board has a way to say it; 0 is success. */
_Noreturn void machine_exit(unsigned int status);
void sifive_test_init(unsigned long phys);

#endif
