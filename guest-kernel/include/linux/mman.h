/* mman.h - flags of mmap() and mprotect(), with Linux's values. */
#ifndef LINUX_MMAN_H
#define LINUX_MMAN_H

#define PROT_NONE  0x0
#define PROT_READ  0x1
#define PROT_WRITE 0x2
#define PROT_EXEC  0x4

#define MAP_SHARED          0x01
#define MAP_PRIVATE         0x02
#define MAP_TYPE            0x0f
#define MAP_FIXED           0x10
#define MAP_ANONYMOUS       0x20
#define MAP_FIXED_NOREPLACE 0x100000

/* The lowest address that a program may map, so that NULL pointers fault. */
#define MMAP_MIN_ADDR 0x10000UL

#endif
