/*
 * fdt_given.h - a device tree that the user gives, in place of the one that fdt_build makes.
 */
#ifndef LOAD_FDT_GIVEN_H
#define LOAD_FDT_GIVEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

struct board;

/*
 * Reads a flattened tree and compares it with the board. Refused: what is no tree, and one with
 * other harts, with memory that the board does not have, or with another timebase. A device that
 * the board does not have at that address, and an extension that its harts do not have, is warned
 * of. /chosen gets the board's bootargs, initrd and kaslr-seed where it has them; the rest stays.
 * EXIT_PASS: *fdt is from malloc, with FDT_SLACK unused bytes at its end, *size in bytes.
 */
MUST_USE enum exit_status fdt_read(const char *path, const struct board *board,
                                   const struct diag *d, uint8_t **fdt, size_t *size);

#endif
