/* unistd.h - system call numbers, for the kernel and for programs. */
#ifndef ASM_UNISTD_H
#define ASM_UNISTD_H

enum {
#define SYSCALL(name, nr) __NR_##name = nr,
#include <asm/syscalls.def>
#undef SYSCALL
};

#endif
