/*
 * filter.c - a program for Linux that gives a socket a filter, so that the kernel's BPF JIT makes
 * code of it, and sends datagrams through it. Needs no library. Its status is 0 if the filter let
 * pass what it should.
 */
#include <stddef.h>

enum {
    SYS_EXIT = 93,
    SYS_SOCKETPAIR = 199,
    SYS_SENDTO = 206,
    SYS_RECVFROM = 207,
    SYS_SETSOCKOPT = 208
};
enum { AF_UNIX = 1, SOCK_DGRAM = 2, SOL_SOCKET = 1, SO_ATTACH_FILTER = 26, MSG_DONTWAIT = 0x40 };
enum { SENT = 100 };

static long syscall(long number, long a, long b, long c, long d, long e)
{
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a3 __asm__("a3") = d;
    register long a4 __asm__("a4") = e;
    register long a5 __asm__("a5") = 0;
    register long a7 __asm__("a7") = number;

    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
                     : "memory");
    return a0;
}

struct instruction {
    unsigned short code;
    unsigned char if_true, if_false;
    unsigned k;
};

void _start(void)
{
    /* Lets the datagram pass if its first byte is odd: ldb [0]; and #1; jeq #0; ret #0; ret #64 */
    static const struct instruction filter[] = {
        {0x30, 0, 0, 0}, {0x54, 0, 0, 1}, {0x15, 0, 1, 0}, {0x06, 0, 0, 0}, {0x06, 0, 0, 64},
    };
    const struct {
        unsigned short count;
        const struct instruction *at;
    } program = {sizeof filter / sizeof filter[0], filter};
    char byte;
    int ends[2];
    long passed = 0;

    if (syscall(SYS_SOCKETPAIR, AF_UNIX, SOCK_DGRAM, 0, (long)ends, 0) ||
        syscall(SYS_SETSOCKOPT, ends[1], SOL_SOCKET, SO_ATTACH_FILTER, (long)&program,
                sizeof program))
        syscall(SYS_EXIT, 2, 0, 0, 0, 0);
    for (int i = 0; i < SENT; i++) {
        byte = (char)i;
        syscall(SYS_SENDTO, ends[0], (long)&byte, 1, 0, 0);
        passed += syscall(SYS_RECVFROM, ends[1], (long)&byte, 1, MSG_DONTWAIT, 0) == 1 && byte & 1;
    }
    syscall(SYS_EXIT, passed != SENT / 2, 0, 0, 0, 0);
}
