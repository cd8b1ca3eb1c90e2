/*
 * layout.h - `static`, as in Linux 4.16: -pg, and nothing is ever patched.
 *
 * Every function calls _mcount behind its prologue, traced or not, and _mcount
 * asks each time whether anybody listens.
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#define HAVE_FUNCTION_GRAPH_FP_TEST 1

#ifndef __ASSEMBLY__

void _mcount(void);

#endif
#endif
