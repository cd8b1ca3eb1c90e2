/*
 * vector_float_priv.h - what vector_float.c and vector_convert.c have in common.
 */
#ifndef CPU_VECTOR_FLOAT_PRIV_H
#define CPU_VECTOR_FLOAT_PRIV_H

#include "cpu/float_ops.h"
#include "cpu/hart_priv.h"
#include "cpu/vector_priv.h"

/* The format of numbers of 1 << size bytes. */
static inline enum float_format vop_format(unsigned size)
{
    return size == 3 ? FLOAT_D : size == 2 ? FLOAT_S : FLOAT_H;
}

/* Whether mstatus.FS is on and frm is legal. */
bool vop_float_is_on(const struct vop *v);
/* Makes the floating-point state dirty if flags were raised. */
void vop_float_end(struct vop *v, uint8_t flags_before);

#endif
