/* reboot.h - the end. */
#ifndef LINUX_REBOOT_H
#define LINUX_REBOOT_H

_Noreturn void machine_power_off(void);
/* Tells the machine that the run failed. */
_Noreturn void machine_fail(void);

#endif
