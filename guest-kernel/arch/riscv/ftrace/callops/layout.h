/*
 * layout.h - `callops`, as in Linux since 6.16 if the compiler supports it: sites name their
 * ops.
 *
 * The sites of `atomic` and, in the eight aligned bytes before each function, the address of
 * the ops to call. A function that is traced by one ops calls that ops' function directly,
 * however many other ops trace other functions.
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
