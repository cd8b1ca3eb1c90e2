/*
 * counts.c - a static Linux program: the time that calls take, in the guest's nanoseconds. On a
 * machine on which an instruction takes one (rvftrace --timing unit; qemu -icount shift=0) these
 * are instructions. counts.sh compares.
 *
 * A line for each: "count NAME NANOSECONDS", rounded down, of one round.
 */
#include "linux_program.h"

enum { SYS_READ = 63, SYS_PIPE2 = 59, SYS_GETPID = 172, SYS_CLONE = 220 };
enum { SYS_EXECVE = 221, SYS_WAIT4 = 260, SYS_MMAP = 222, SYS_MUNMAP = 215 };
enum { SIGCHLD = 17, CLONE_VM_VFORK = 0x4100, NS_PER_TICK = 100 };
enum { PAGES = 256, PAGE = 4096, READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22 };

static unsigned long now(void)
{
    unsigned long ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks)::"memory");
    return ticks * NS_PER_TICK;
}

static const char *program; /* this one */
static int ends[2];         /* of a pipe */

static void nothing(void)
{
    __asm__ volatile("");
}

static void getpid(void)
{
    linux_call(SYS_GETPID, 0, 0, 0, 0);
}

static void pipe(void)
{
    char byte = 0;

    linux_call(SYS_WRITE, ends[1], (long)&byte, 1, 0);
    linux_call(SYS_READ, ends[0], (long)&byte, 1, 0);
}

static void fork(void)
{
    long child = linux_call(SYS_CLONE, SIGCHLD, 0, 0, 0);

    if (!child)
        linux_call(SYS_EXIT, 0, 0, 0, 0);
    linux_call(SYS_WAIT4, child, 0, 0, 0);
}

static void exec(void)
{
    const char *argv[] = {program, "child", (const char *)0};
    long child = linux_call(SYS_CLONE, CLONE_VM_VFORK | SIGCHLD, 0, 0, 0);

    if (!child) {
        linux_call(SYS_EXECVE, (long)program, (long)argv, 0, 0);
        linux_call(SYS_EXIT, 1, 0, 0, 0);
    }
    linux_call(SYS_WAIT4, child, 0, 0, 0);
}

static char *map(void)
{
    return (char *)linux_call(SYS_MMAP, 0, PAGES * PAGE, READ_WRITE, PRIVATE_ANONYMOUS);
}

static void map_and_unmap(void)
{
    linux_call(SYS_MUNMAP, (long)map(), PAGES * PAGE, 0, 0);
}

/* 256 page faults beside what map_and_unmap does. */
static void faults(void)
{
    char *area = map();

    for (int i = 0; i < PAGES; i++)
        area[i * PAGE] = 1;
    linux_call(SYS_MUNMAP, (long)area, PAGES * PAGE, 0, 0);
}

static char text[64];

static char *put(char *to, const char *from)
{
    while (*from)
        *to++ = *from++;
    return to;
}

static void say(const char *name, unsigned long number)
{
    char digits[24], *digit = digits + sizeof digits - 1,
                     *to = put(put(put(text, "count "), name), " ");

    *digit = '\0';
    do
        *--digit = (char)('0' + number % 10);
    while (number /= 10);
    to = put(put(to, digit), "\n");
    linux_call(SYS_WRITE, 1, (long)text, to - text, 0);
}

static void measure(const char *name, void (*round)(void), unsigned count)
{
    unsigned long from;

    for (unsigned i = 0; i <= count / 8; i++)
        round();
    from = now();
    for (unsigned i = 0; i < count; i++)
        round();
    say(name, (now() - from) / count);
}

/* stack: argc, argv..., as the kernel passes them. A child, which has an argument, ends at once. */
void linux_main(const unsigned long *stack)
{
    if (stack[0] == 1) {
        program = (const char *)stack[1];
        linux_call(SYS_PIPE2, (long)ends, 0, 0, 0);
        measure("nothing", nothing, 100000);
        measure("getpid", getpid, 20000);
        measure("pipe", pipe, 5000);
        measure("fork", fork, 500);
        measure("exec", exec, 500);
        measure("map", map_and_unmap, 8000);
        measure("faults", faults, 100);
    }
    linux_call(SYS_EXIT, 0, 0, 0, 0);
}
