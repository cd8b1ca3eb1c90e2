/*
 * layout.h - `static`, as in Linux 4.16: -pg, and nothing is ever patched.
 *
 * Every function calls _mcount after its prologue, traced or not, and _mcount checks each time
 * whether a tracer is registered.
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#define HAVE_FUNCTION_GRAPH_FP_TEST 1

#ifndef __ASSEMBLY__

void _mcount(void);

#endif
#endif
