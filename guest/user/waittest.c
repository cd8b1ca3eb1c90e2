/* waittest.c - futex(2) and eventfd2(2): tasks that wait for each other. */
#include "libc.h"

enum { FUTEX_WAIT = 0, FUTEX_WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10 };
enum { FUTEX_PRIVATE = 128, EFD_SEMAPHORE = 1 };

static long futex(const volatile uint32_t *word, int op, uint32_t val, const struct timespec *time,
                  uint32_t val3)
{
    return syscall(__NR_futex, word, op, val, time, NULL, val3);
}

static volatile uint32_t *shared_words(void)
{
    return mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void test_futex_errors(void)
{
    static volatile uint32_t word = 5;
    uint64_t start = clock_ns();

    check("a futex with another value is EAGAIN", futex(&word, FUTEX_WAIT, 4, NULL, 0) == -EAGAIN);
    check("an address that is not aligned is EINVAL",
          futex((void *)((char *)&word + 1), FUTEX_WAIT, 5, NULL, 0) == -EINVAL);
    check("one that is not mapped is EFAULT",
          futex((void *)8, FUTEX_WAIT | FUTEX_PRIVATE, 5, NULL, 0) == -EFAULT);
    check("an unknown command is ENOSYS", futex(&word, 99, 5, NULL, 0) == -ENOSYS);
    check("an empty set of bits is EINVAL", futex(&word, WAKE_BITSET, 5, NULL, 0) == -EINVAL);
    check("a wait ends when its time is up",
          futex(&word, FUTEX_WAIT | FUTEX_PRIVATE, 5, &(struct timespec){0, 2000000}, 0) ==
                  -ETIMEDOUT &&
              clock_ns() - start >= 2000000);
    check("nobody is woken when nobody waits", futex(&word, FUTEX_WAKE, 9, NULL, 0) == 0);
}

/* A child that waits, and ends with what the wait returned. */
static pid_t waiter(volatile uint32_t *words, int op, uint32_t bits)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    __atomic_add_fetch(&words[1], 1, __ATOMIC_SEQ_CST);
    _exit(-futex(words, op, 0, NULL, bits));
}

static int status_of(pid_t pid)
{
    int status = -1;

    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Wakes until `wanted` tasks have been woken. */
static int wake(volatile uint32_t *words, int op, int most, uint32_t bits, int wanted)
{
    int woken = 0;

    while (woken < wanted) {
        woken += futex(words, op, most, NULL, bits);
        if (woken < wanted)
            nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    return woken;
}

static void test_futex_wakes(void)
{
    volatile uint32_t *words = shared_words();
    pid_t first = waiter(words, FUTEX_WAIT, 0), second = waiter(words, FUTEX_WAIT, 0);

    check("who waits in another address space is woken, one at a time",
          wake(words, FUTEX_WAKE, 1, 0, 1) == 1 && wake(words, FUTEX_WAKE, 1, 0, 1) == 1);
    check("they wake without an error", !status_of(first) && !status_of(second) && words[1] == 2);
    first = waiter(words, WAIT_BITSET, 1);
    second = waiter(words, WAIT_BITSET, 2);
    check("bits select who is woken", wake(words, WAKE_BITSET, 9, 2, 1) == 1 && !status_of(second));
    check("the other waits on", waitpid(first, NULL, WNOHANG) == 0 &&
                                    wake(words, WAKE_BITSET, 9, ~0u, 1) == 1 && !status_of(first));
    first = waiter(words, FUTEX_WAIT | FUTEX_PRIVATE, 0);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    check("a private one is of its own address space only",
          futex(words, FUTEX_WAKE, 9, NULL, 0) == 0);
    kill(first, SIGKILL);
    waitpid(first, NULL, 0);
    munmap((void *)words, PAGE_SIZE);
}

static uint64_t taken(int fd)
{
    uint64_t n = 0;
    long got = read(fd, &n, sizeof(n));

    return got == sizeof(n) ? n : (uint64_t)got;
}

static long given(int fd, uint64_t n)
{
    return write(fd, &n, sizeof(n));
}

static void test_eventfd(void)
{
    int fd = syscall(__NR_eventfd2, 3, O_NONBLOCK);
    struct {
        int fd;
        short events, revents;
    } p = {fd, 5, 0};
    pid_t pid;

    check("an eventfd begins with its number", taken(fd) == 3);
    check("which is then taken", taken(fd) == (uint64_t)-EAGAIN);
    check("one can write to it, but not read",
          syscall(__NR_ppoll, &p, 1, &(struct timespec){0, 0}, NULL, 0) == 1 && p.revents == 4);
    check("writes add up", given(fd, 4) == 8 && given(fd, 5) == 8 && taken(fd) == 9);
    check("~0 is EINVAL", given(fd, ~0ull) == -EINVAL);
    check("a number that does not fit is EAGAIN",
          given(fd, ~0ull - 1) == 8 && given(fd, 1) == -EAGAIN);
    close(fd);
    check("unknown flags are EINVAL", syscall(__NR_eventfd2, 0, 2) == -EINVAL);
    fd = syscall(__NR_eventfd2, 2, EFD_SEMAPHORE);
    check("of a semaphore each read takes one", taken(fd) == 1 && taken(fd) == 1);
    pid = fork();
    if (!pid)
        _exit(taken(fd));
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    given(fd, 1);
    check("a read waits for a write", status_of(pid) == 1);
    close(fd);
}

int main(void)
{
    test_futex_errors();
    test_futex_wakes();
    test_eventfd();
    return check_result();
}
