/*
 * version.h - version(): a function of two instructions that says which one of
 * them ran, and the word that turns `li a0,1` into `li a0,2`.
 *
 * Each is four bytes wide and aligned to them, so one store replaces it whole.
 */
#ifndef GUEST_VERSION_H
#define GUEST_VERSION_H

#include <stdint.h>

enum { LI_A0_1 = 0x00100513, LI_A0_2 = 0x00200513, RET = 0x00008067 };

unsigned long version(void);
#define VERSION_WORD (*(volatile uint32_t *)(uintptr_t)version)

#endif
