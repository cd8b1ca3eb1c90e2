/*
 * layout.h - `callops`, as in Linux from 6.16 on where the compiler can: sites name their ops.
 *
 * The sites of `atomic`, and before each function eight bytes more, on their
 * natural boundary: the address of the ops to call.  So a function that one
 * ops traces costs that ops' function and no more, however many other ops
 * there are for other functions.
 *
 *     func - 8   .dword ops
 *     func       auipc t0, ftrace_caller
 *                jalr  t0, (t0)              or nop
 */
#ifndef FTRACE_LAYOUT_CALLOPS_H
#define FTRACE_LAYOUT_CALLOPS_H

#define FTRACE_LITERAL_SIZE 8
#define FTRACE_OPS_FUNC     0

#include "../atomic/layout.h"

#endif
