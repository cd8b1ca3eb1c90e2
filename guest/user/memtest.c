/* memtest.c - address spaces: demand paging, copy-on-write, protection, faults, run-time code. */
#include "libc.h"

enum { RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

static volatile unsigned char zeros[3 * PAGE_SIZE];
static volatile unsigned long data_word = 0x1234567890abcdef;
static const char constant[] = "constant";

static unsigned char *map(size_t len, int prot, int flags)
{
    return mmap(NULL, len, prot, flags, -1, 0);
}

/* Returns the signal that ends a child which calls fn(arg); 0: none. */
static int signal_of(void (*fn)(void *), void *arg)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        fn(arg);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WTERMSIG(status);
}

static void load(void *p)
{
    (void)*(volatile char *)p;
}

static void store(void *p)
{
    *(volatile char *)p = 1;
}

static void jump(void *p)
{
    ((void (*)(void))p)();
}

static unsigned long deep(unsigned long n)
{
    volatile unsigned char frame[1024];

    frame[0] = n;
    return n ? deep(n - 1) + frame[0] : 0;
}

static void recurse(void *p)
{
    *(volatile char *)p = deep(1 << 20);
}

static void illegal(void *p)
{
    (void)p;
    __asm__ __volatile__(".word 0");
}

static void trap(void *p)
{
    (void)p;
    __asm__ __volatile__("ebreak");
}

static bool all_are(const volatile unsigned char *p, size_t n, unsigned char value)
{
    while (n--)
        if (*p++ != value)
            return false;
    return true;
}

static void test_image(void)
{
    check("bss is zero", all_are(zeros, sizeof(zeros), 0));
    check("data is what the file says", data_word == 0x1234567890abcdef && constant[7] == 't');
    check("constants cannot be written", signal_of(store, (void *)constant) == SIGSEGV);
    check("code cannot be written", signal_of(store, (void *)deep) == SIGSEGV);
    check("data cannot be executed", signal_of(jump, (void *)&data_word) == SIGSEGV);
    check("page 0 is not mapped", signal_of(load, NULL) == SIGSEGV);
    check("the kernel cannot be read", signal_of(load, (void *)0xffffffff80000000) == SIGSEGV);
    check("an address outside of Sv39 is a fault", signal_of(load, (void *)(1ul << 40)) == SIGSEGV);
    check("an unknown instruction is SIGILL", signal_of(illegal, NULL) == SIGILL);
    check("a breakpoint is SIGTRAP", signal_of(trap, NULL) == SIGTRAP);
}

static void test_stack(void)
{
    check("the stack grows by a megabyte", deep(1000) == 124948);
    check("the stack does not grow without limit",
          signal_of(recurse, (void *)&data_word) == SIGSEGV);
}

static void test_brk(void)
{
    unsigned char *start = sbrk(0), *p = sbrk(5 * PAGE_SIZE);

    check("the break moves up", p == start && sbrk(0) == start + 5 * PAGE_SIZE);
    check("new memory is zero", all_are(p, 5 * PAGE_SIZE, 0));
    memset(p, 0xaa, 5 * PAGE_SIZE);
    check("the break moves down", sbrk(-4 * PAGE_SIZE) == start + 5 * PAGE_SIZE);
    check("memory below the new break keeps its contents", all_are(p, PAGE_SIZE, 0xaa));
    check("memory above the new break is not mapped", signal_of(load, p + PAGE_SIZE) == SIGSEGV);
    sbrk(4 * PAGE_SIZE);
    check("memory allocated again is zero", all_are(p + PAGE_SIZE, 4 * PAGE_SIZE, 0));
}

static void test_mmap(void)
{
    unsigned char *p = map(64 * PAGE_SIZE, RW, ANON), *q;

    check("mmap returns a page-aligned address", !is_error(p) && (uintptr_t)p % PAGE_SIZE == 0);
    check("mapped pages are zero", all_are(p, 64 * PAGE_SIZE, 0));
    memset(p, 1, 64 * PAGE_SIZE);
    check("munmap can unmap the middle of a mapping",
          munmap(p + 8 * PAGE_SIZE, 8 * PAGE_SIZE) == 0);
    check("the unmapped middle is not accessible", signal_of(load, p + 8 * PAGE_SIZE) == SIGSEGV);
    check("the rest of the mapping keeps its contents",
          all_are(p, 8 * PAGE_SIZE, 1) && all_are(p + 16 * PAGE_SIZE, 48 * PAGE_SIZE, 1));
    q = mmap(p + 10 * PAGE_SIZE, PAGE_SIZE, RW, ANON | MAP_FIXED, -1, 0);
    check("MAP_FIXED maps at the given address",
          q == p + 10 * PAGE_SIZE && all_are(q, PAGE_SIZE, 0));
    q = mmap(p, PAGE_SIZE, RW, ANON, -1, 0);
    check("mmap does not use a hint that is occupied", !is_error(q) && q != p && *p == 1);
    check("mmap of 0 bytes is EINVAL", (long)map(0, RW, ANON) == -EINVAL);
    check("mmap of too many bytes is ENOMEM", (long)map(1ul << 50, RW, ANON) == -ENOMEM);
    munmap(p, 64 * PAGE_SIZE);
    munmap(q, PAGE_SIZE);
}

/* A table of the last level becomes empty and is filled again, while other memory comes into use.
 */
static void test_whole_table(void)
{
    enum { SPAN = 512 * PAGE_SIZE };
    unsigned char *p = map(2 * SPAN, RW, ANON), *other = map(8 * PAGE_SIZE, RW, ANON);
    unsigned char *q = (unsigned char *)(((uintptr_t)p + SPAN - 1) / SPAN * SPAN);

    munmap(p, 2 * SPAN);
    mmap(q, 2 * PAGE_SIZE, RW, ANON | MAP_FIXED, -1, 0);
    memset(q, 1, 2 * PAGE_SIZE);
    munmap(q, 2 * PAGE_SIZE);
    memset(other, 0xff, 8 * PAGE_SIZE);
    mmap(q, 2 * PAGE_SIZE, RW, ANON | MAP_FIXED, -1, 0);
    check("memory that is mapped again is zero", all_are(q, 2 * PAGE_SIZE, 0));
    munmap(q, 2 * PAGE_SIZE);
    munmap(other, 8 * PAGE_SIZE);
}

static void test_mprotect(void)
{
    unsigned char *p = map(3 * PAGE_SIZE, RW, ANON);

    memset(p, 5, 3 * PAGE_SIZE);
    check("mprotect changes the middle page",
          mprotect(p + PAGE_SIZE, PAGE_SIZE, PROT_READ) == 0 && p[PAGE_SIZE] == 5);
    check("a read-only page cannot be written", signal_of(store, p + PAGE_SIZE) == SIGSEGV);
    check("the neighbouring pages stay writable",
          !signal_of(store, p) && !signal_of(store, p + 2 * PAGE_SIZE));
    mprotect(p, 3 * PAGE_SIZE, PROT_NONE);
    check("a PROT_NONE page cannot be read", signal_of(load, p) == SIGSEGV);
    mprotect(p, 3 * PAGE_SIZE, RW);
    check("the contents survive PROT_NONE", all_are(p, 3 * PAGE_SIZE, 5));
    munmap(p + PAGE_SIZE, PAGE_SIZE);
    check("mprotect of an unmapped page is ENOMEM",
          mprotect(p, 3 * PAGE_SIZE, PROT_READ) == -ENOMEM);
}

static void test_copy_on_write(void)
{
    enum { PAGES = 32 };
    unsigned char *p = map(PAGES * PAGE_SIZE, RW, ANON);
    unsigned char *shared = map(PAGE_SIZE, RW, MAP_SHARED | MAP_ANONYMOUS);
    int i, status = -1;
    pid_t pid;

    memset(p, 1, PAGES * PAGE_SIZE);
    pid = fork();
    if (pid == 0) {
        for (i = 0; i < PAGES; i += 2)
            p[i * PAGE_SIZE] = 2;
        shared[0] = 3;
        for (i = 0; i < PAGES; i++)
            if (p[i * PAGE_SIZE] != (i % 2 ? 1 : 2) || p[i * PAGE_SIZE + 1] != 1)
                _exit(1);
        _exit(0);
    }
    for (i = 1; i < PAGES; i += 2)
        p[i * PAGE_SIZE + 1] = 4;
    waitpid(pid, &status, 0);
    check("the child sees its own writes and no others", status == 0);
    for (i = 0; i < PAGES; i++)
        if (p[i * PAGE_SIZE] != 1 || p[i * PAGE_SIZE + 1] != (i % 2 ? 4 : 1))
            break;
    check("the parent sees its own writes and no others", i == PAGES);
    check("a shared page is the same for parent and child", shared[0] == 3);
    munmap(p, PAGES * PAGE_SIZE);
    munmap(shared, PAGE_SIZE);
}

/* The kernel writes to user memory here: it must copy the page, too. */
static void test_kernel_copies_on_write(void)
{
    char *p = (char *)map(PAGE_SIZE, RW, ANON);
    int fd[2], status = -1;
    pid_t pid;

    pipe(fd);
    p[0] = 'a';
    pid = fork();
    if (pid == 0) {
        write(fd[1], "b", 1);
        read(fd[0], p, 1);
        _exit(p[0] == 'b' ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    check("read() into a page that fork shared changes the reader's", status == 0 && p[0] == 'a');
    write(fd[1], "c", 1);
    mprotect(p, PAGE_SIZE, PROT_READ);
    check("read() into a page that is read-only is EFAULT", read(fd[0], p, 1) == -EFAULT);
    check("write() from address 0 is EFAULT", write(fd[1], NULL, 1) == -EFAULT);
    check("write() from a kernel address is EFAULT",
          write(fd[1], (void *)0xffffffff80000000, 1) == -EFAULT);
    p = (char *)map(2 * PAGE_SIZE, RW, ANON);
    munmap(p + PAGE_SIZE, PAGE_SIZE);
    p[PAGE_SIZE - 1] = 'x';
    check("a path that runs into an unmapped page is EFAULT",
          open(p + PAGE_SIZE - 1, O_RDONLY, 0) == -EFAULT);
    close(fd[0]);
    close(fd[1]);
}

static void test_file(void)
{
    int fd = open("/bin/memtest", O_RDONLY, 0);
    unsigned char *p = mmap(NULL, PAGE_SIZE, RW, MAP_PRIVATE, fd, 0);

    close(fd);
    check("a file can be mapped", !is_error(p) && !memcmp(p, "\177ELF", 4));
    p[0] = 'X';
    check("a private file page can be written", p[0] == 'X');
    munmap(p, PAGE_SIZE);
    fd = open("/bin/memtest", O_RDONLY, 0);
    p = mmap(NULL, PAGE_SIZE, RW, MAP_PRIVATE, fd, 0);
    check("the file itself does not change", p[0] == 0x7f);
    p = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_PRIVATE, fd, 1 << 30);
    check("a page after its end is SIGBUS", signal_of(load, p) == SIGBUS);
    close(fd);
    check("a closed descriptor is EBADF",
          (long)mmap(NULL, PAGE_SIZE, RW, MAP_PRIVATE, 60, 0) == -EBADF);
}

/* A file whose pages two programs share. */
static void test_shared_file(void)
{
    int fd = open("/shared", O_RDWR | O_CREAT | O_TRUNC, 0644), read_only;
    unsigned char *p, *q, c = 0;
    pid_t pid;

    write(fd, "abc", 3);
    p = mmap(NULL, 2 * PAGE_SIZE, RW, MAP_SHARED, fd, 0);
    check("a file can be shared", !is_error(p) && !memcmp(p, "abc", 4));
    p[1] = 'X';
    lseek(fd, 1, SEEK_SET);
    check("a store to it is in the file", read(fd, &c, 1) == 1 && c == 'X');
    lseek(fd, 2, SEEK_SET);
    write(fd, "Y", 1);
    check("a write to the file is in the memory", p[2] == 'Y');
    check("not before its begin",
          (long)mmap(NULL, PAGE_SIZE, RW, MAP_SHARED, fd, -(long)PAGE_SIZE) == -EOVERFLOW);
    pid = fork();
    if (!pid) {
        q = mmap(NULL, PAGE_SIZE, RW, MAP_SHARED, fd, 0);
        q[0] = 'Z';
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    check("so is a store of another program", p[0] == 'Z');
    check("a page after the end is SIGBUS", signal_of(load, p + PAGE_SIZE) == SIGBUS);
    lseek(fd, PAGE_SIZE, SEEK_SET);
    write(fd, "more", 4);
    pid = fork();
    if (!pid) {
        p[PAGE_SIZE] = 'l';
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    check("until the file has it; a child shares what its parent has not touched",
          p[PAGE_SIZE] == 'l');
    read_only = open("/shared", O_RDONLY, 0);
    check("who may only read the file is EACCES",
          (long)mmap(NULL, PAGE_SIZE, RW, MAP_SHARED, read_only, 0) == -EACCES);
    q = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, read_only, 0);
    check("but may read the memory",
          *q == 'Z' && syscall(__NR_mprotect, q, PAGE_SIZE, RW) == -EACCES);
    close(read_only);
    close(fd);
    unlink("/shared");
    check("it stays while it is mapped", p[1] == 'X');
    munmap(p, 2 * PAGE_SIZE);
    munmap(q, PAGE_SIZE);
}

/* li a0, n; ret */
static void write_code(uint32_t *code, int n)
{
    code[0] = 0x00000513 | n << 20;
    code[1] = 0x00008067;
    syscall(__NR_riscv_flush_icache, code, code + 2, 0);
}

static void test_code(void)
{
    uint32_t *code = (uint32_t *)map(PAGE_SIZE, RW | PROT_EXEC, ANON);
    int (*fn)(void) = (int (*)(void))(uintptr_t)code;
    int i, status = -1;
    bool right = true;
    pid_t pid;

    for (i = 0; i < 50; i++) {
        write_code(code, i);
        right &= fn() == i;
        if (i % 10 == 0)
            sched_yield();
    }
    check("code is executed as written, after riscv_flush_icache", right);
    pid = fork();
    if (pid == 0) {
        right = fn() == 49;
        write_code(code, 7);
        _exit(right && fn() == 7 ? 0 : 1);
    }
    write_code(code, 8);
    right = fn() == 8;
    waitpid(pid, &status, 0);
    check("parent and child have their own code", right && status == 0 && fn() == 8);
    mprotect(code, PAGE_SIZE, RW);
    check("code without PROT_EXEC cannot be executed", signal_of(jump, code) == SIGSEGV);
    munmap(code, PAGE_SIZE);
}

/* Allocates a thousand pages forty times: fails if freed memory is not available again. */
static void test_nothing_leaks(void)
{
    enum { BYTES = 1000 * PAGE_SIZE, ROUNDS = 40 };
    int i, at, status;
    bool ok = true;
    pid_t pid;

    for (i = 0; i < ROUNDS; i++) {
        pid = fork();
        if (pid == 0) {
            unsigned char *p = map(BYTES, RW, ANON);

            if (is_error(p))
                _exit(1);
            for (at = 0; at < BYTES; at += PAGE_SIZE)
                p[at] = i;
            _exit(0);
        }
        ok &= waitpid(pid, &status, 0) == pid && status == 0;
    }
    check("the memory of ended programs is freed", ok);
}

/* Touches new pages endlessly. */
static void take_all(void *unused)
{
    (void)unused;
    for (;;) {
        char *p = sbrk(PAGE_SIZE);

        if (p)
            *p = 1;
    }
}

static int test_out_of_memory(void)
{
    check("a program that takes all memory is killed", signal_of(take_all, NULL) == SIGKILL);
    check("another program gets the memory again", signal_of(take_all, NULL) == SIGKILL);
    return check_result();
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "oom"))
        return test_out_of_memory();
    test_image();
    test_stack();
    test_brk();
    test_mmap();
    test_whole_table();
    test_mprotect();
    test_copy_on_write();
    test_kernel_copies_on_write();
    test_file();
    test_shared_file();
    test_code();
    if (argc > 1)
        test_nothing_leaks();
    return check_result();
}
