/* vector.h - vector instructions in the workloads: their compiler knows none, the assembler does.
 */
#ifndef GUEST_BENCH_VECTOR_H
#define GUEST_BENCH_VECTOR_H

#define VECTOR(insns) ".option push\n.option arch, +v\n" insns ".option pop\n"
#define NOINLINE      __attribute__((noinline, noclone))

#endif
