/*
 * rings_dat.h - the guest's rings as trace.dat (`rvftrace run --rings FILE').
 */
#ifndef RINGS_RINGS_DAT_H
#define RINGS_RINGS_DAT_H

#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "rings/peek.h"

/*
 * Writes the present contents of the rings; `out' keeps its error flag. False: no rings were found;
 * p->missing may have the reason.
 */
MUST_USE bool rings_dat_write(struct peek *p, FILE *out);

#endif
