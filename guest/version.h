/*
 * version.h - version(), a function of two instructions that returns which version of it ran,
 * and the store that turns `li a0,1` into `li a0,2`.
 *
 * The instructions are four bytes long and aligned, so one store replaces one of them.
 */
#ifndef GUEST_VERSION_H
#define GUEST_VERSION_H

#include <stdint.h>

enum { LI_A0_1 = 0x00100513, LI_A0_2 = 0x00200513, RET = 0x00008067 };

unsigned long version(void);
#define VERSION_WORD (*(volatile uint32_t *)(uintptr_t)version)

#endif
