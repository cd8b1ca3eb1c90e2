/* reboot.h - power off, reset, and the exit status of the machine. */
#ifndef LINUX_REBOOT_H
#define LINUX_REBOOT_H

#include <linux/types.h>

_Noreturn void machine_power_off(void);
_Noreturn void machine_restart(void);
/* Powers off and reports a failure. */
_Noreturn void machine_fail(void);
/* Powers off with this exit status, if the board can report one; 0: success. */
_Noreturn void machine_exit(unsigned int status);
void sifive_test_init(unsigned long phys);

#endif
