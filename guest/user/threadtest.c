/*
 * threadtest.c - processes that share memory, on several harts: a change of the address space
 * or of code by one is seen by all when its system call returns.
 */
#include "libc.h"

enum { RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS, STACK = 4 * PAGE_SIZE };

static volatile unsigned long *target;
static unsigned long counter;
static int go, done, result;
static int (*code_fn)(void);

static unsigned long load_word(unsigned long *p)
{
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

static pid_t start(void (*fn)(void *), void *arg)
{
    char *stack = mmap(NULL, STACK, RW, ANON, -1, 0);

    return spawn(fn, arg, stack + STACK);
}

static int signal_of(pid_t pid)
{
    int status = -1;

    waitpid(pid, &status, 0);
    return WTERMSIG(status);
}

static void pause_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};

    nanosleep(&time, NULL);
}

/* Writes to the page as long as that is permitted. */
static void keep_writing(void *unused)
{
    (void)unused;
    for (;;) {
        *target = 1;
        __atomic_fetch_add(&counter, 1, __ATOMIC_ACQ_REL);
    }
}

static pid_t start_writer(void)
{
    pid_t pid;

    target = mmap(NULL, PAGE_SIZE, RW, ANON, -1, 0);
    counter = 0;
    pid = start(keep_writing, NULL);
    while (load_word(&counter) < 1000)
        sched_yield();
    return pid;
}

/* Allows for one round that was running when the permission was removed. */
static bool counter_stands_still(void)
{
    unsigned long before = load_word(&counter);

    pause_ms(15);
    return load_word(&counter) <= before + 1;
}

static void test_shootdown(void)
{
    pid_t pid = start_writer();

    mprotect((void *)target, PAGE_SIZE, PROT_READ);
    check("mprotect stops a writer on another hart", counter_stands_still());
    check("mprotect ends the writer by SIGSEGV", signal_of(pid) == SIGSEGV);
    pid = start_writer();
    munmap((void *)target, PAGE_SIZE);
    check("munmap stops a writer on another hart", counter_stands_still());
    check("munmap ends the writer by SIGSEGV", signal_of(pid) == SIGSEGV);
}

/* fork write-protects pages: later writes of a sibling must not appear in the child. */
static void test_fork_under_writer(void)
{
    pid_t writer = start_writer(), pid = fork();
    int status = -1;

    if (pid == 0) {
        unsigned long first = counter;

        pause_ms(15);
        _exit(counter == first ? 0 : 1);
    }
    waitpid(pid, &status, 0);
    check("a fork's memory does not change while the parent's is written to", status == 0);
    kill(writer, SIGKILL);
    check("the writer continues until it is killed", signal_of(writer) == SIGKILL);
}

static void read_until_2(void *unused)
{
    (void)unused;
    while (*target != 2)
        __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
}

static void test_copy_is_seen(void)
{
    pid_t reader, child;

    target = mmap(NULL, PAGE_SIZE, RW, ANON, -1, 0);
    *target = 1;
    go = 0;
    reader = start(read_until_2, NULL);
    child = fork();
    if (child == 0) {
        pause_ms(30);
        _exit(0);
    }
    __atomic_store_n(&go, 0, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&go, __ATOMIC_ACQUIRE))
        sched_yield();
    *target = 2; /* the page is copied */
    check("a thread on another hart reads the copy of a page", signal_of(reader) == 0);
    waitpid(child, NULL, 0);
    go = 0;
}

/* Runs the code each time that `go` is set. */
static void run_code(void *rounds)
{
    int round;

    for (round = 1; round <= (int)(long)rounds; round++) {
        while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) != round)
            ;
        result = code_fn();
        __atomic_store_n(&done, round, __ATOMIC_RELEASE);
    }
}

static void test_code_for_all(void)
{
    enum { ROUNDS = 30 };
    uint32_t *code = mmap(NULL, PAGE_SIZE, RW | PROT_EXEC, ANON, -1, 0);
    bool right = true;
    pid_t pid;
    int i;

    code_fn = (int (*)(void))(uintptr_t)code;
    code[1] = 0x00008067; /* ret */
    pid = start(run_code, (void *)ROUNDS);
    for (i = 1; i <= ROUNDS; i++) {
        code[0] = 0x00000513 | i << 20; /* li a0, i */
        syscall(__NR_riscv_flush_icache, code, code + 2, 0);
        __atomic_store_n(&go, i, __ATOMIC_RELEASE);
        while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) != i)
            sched_yield();
        right &= result == i;
    }
    check("riscv_flush_icache takes effect on other harts", right);
    check("the process that ran the code ends normally", signal_of(pid) == 0);
}

/*
 * Several processes touch the same new pages at the same time: each page is allocated once, and
 * no write is lost.
 */
enum { PAGES = 64, TOUCHERS = 4 };
static unsigned char *pages;

static void touch_all(void *which)
{
    long me = (long)which;
    int i;

    for (i = 0; i < PAGES; i++)
        pages[i * PAGE_SIZE + me] = me + 1;
}

static void test_faults_together(void)
{
    pid_t pid[TOUCHERS];
    bool right = true;
    long i, j;

    pages = mmap(NULL, PAGES * PAGE_SIZE, RW, ANON, -1, 0);
    for (i = 0; i < TOUCHERS; i++)
        pid[i] = start(touch_all, (void *)i);
    for (i = 0; i < TOUCHERS; i++)
        right &= signal_of(pid[i]) == 0;
    for (i = 0; i < PAGES; i++)
        for (j = 0; j < TOUCHERS; j++)
            right &= pages[i * PAGE_SIZE + j] == j + 1;
    check("pages touched by several processes have all their writes", right);
}

int main(void)
{
    test_shootdown();
    test_fork_under_writer();
    test_copy_is_seen();
    test_code_for_all();
    test_faults_together();
    return check_result();
}
