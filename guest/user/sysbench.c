/*
 * sysbench.c - measures system calls, processes and page faults.
 *
 *   sysbench getpid|pipe|fork|exec|fault|file|yield [N [uncounted]]
 *
 * Prints `sysbench NAME: n=N result=HEX cycles=C insns=I`. The result depends only on the name
 * and N; cycles and insns are the hart's counters, or 0 if several processes may run on several
 * harts, or if it is `uncounted': Linux need not let programs read the counters.
 */
#include "libc.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x100000001b3ull;
}

static int status_of(pid_t pid)
{
    int status = -1;

    waitpid(pid, &status, 0);
    return status;
}

/* Repeats a trivial system call. */
static uint64_t bench_getpid(unsigned long n)
{
    uint64_t hash = 1;
    pid_t pid = getpid();

    while (n--)
        hash = mix(hash, getpid() - pid);
    return hash;
}

/* Sends a word back and forth between two processes: two task switches each time. */
static uint64_t bench_pipe(unsigned long n)
{
    uint64_t word = 1, hash = 1;
    int to[2], from[2];
    unsigned long i;
    pid_t pid;

    pipe(to);
    pipe(from);
    pid = fork();
    if (pid == 0) {
        for (i = 0; i < n && read(to[0], &word, sizeof(word)) == sizeof(word); i++) {
            word = mix(word, i);
            write(from[1], &word, sizeof(word));
        }
        _exit(i == n ? 0 : 1);
    }
    for (i = 0; i < n; i++) {
        write(to[1], &word, sizeof(word));
        read(from[0], &word, sizeof(word));
        hash = mix(hash, word);
    }
    return mix(hash, status_of(pid));
}

/* Creates children that exit at once. */
static uint64_t bench_fork(unsigned long n)
{
    uint64_t hash = 1;
    unsigned long i;

    for (i = 0; i < n; i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(i & 0xff);
        hash = mix(hash, status_of(pid));
    }
    return hash;
}

/* Starts children that run a program which exits at once. */
static uint64_t bench_exec(unsigned long n)
{
    static char program[] = "/bin/sysbench", name[] = "exit";
    char *const argv[] = {program, name, NULL};
    uint64_t hash = 1;

    while (n--) {
        pid_t pid = fork();

        if (pid == 0) {
            execve(program, argv, environ);
            _exit(1);
        }
        hash = mix(hash, status_of(pid));
    }
    return hash;
}

/* Writes files, reads them back and removes them. */
static uint64_t bench_file(unsigned long n)
{
    enum { CHUNK = 512, CHUNKS = 8 };
    static unsigned char chunk[CHUNK];
    uint64_t hash = 1;

    while (n--) {
        int fd = open("/sysbench.tmp", O_CREAT | O_TRUNC | O_RDWR, 0600), i;
        struct stat st = {0};

        for (i = 0; i < CHUNKS; i++) {
            memset(chunk, (int)(n + i), CHUNK);
            hash = mix(hash, write(fd, chunk, CHUNK));
        }
        lseek(fd, 0, SEEK_SET);
        for (i = 0; i < CHUNKS; i++) {
            hash = mix(hash, read(fd, chunk, CHUNK));
            hash = mix(hash, chunk[i]);
        }
        fstat(fd, &st);
        hash = mix(hash, st.st_size);
        close(fd);
        hash = mix(hash, unlink("/sysbench.tmp"));
    }
    return hash;
}

/* Two processes yield to each other. */
static uint64_t bench_yield(unsigned long n)
{
    pid_t pid = fork();
    unsigned long i;

    for (i = 0; i < n; i++)
        sched_yield();
    if (pid == 0)
        _exit(0);
    return mix(n, status_of(pid));
}

/* Touches new pages. */
static uint64_t bench_fault(unsigned long n)
{
    enum { PAGES = 16 };
    uint64_t hash = 1;

    while (n--) {
        unsigned char *p = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int i;

        for (i = 0; i < PAGES; i++) {
            p[i * PAGE_SIZE] = i + n;
            hash = mix(hash, p[i * PAGE_SIZE] + p[i * PAGE_SIZE + 1]);
        }
        munmap(p, PAGES * PAGE_SIZE);
    }
    return hash;
}

static const struct bench {
    const char *name;
    uint64_t (*run)(unsigned long n);
    unsigned long n;
    bool alone;
} benches[] = {
    {"getpid", bench_getpid, 1000, true}, {"pipe", bench_pipe, 100, false},
    {"fork", bench_fork, 10, false},      {"exec", bench_exec, 5, false},
    {"fault", bench_fault, 10, true},     {"file", bench_file, 10, true},
    {"yield", bench_yield, 100, false},
};

static uint64_t read_cycle(void)
{
    uint64_t value;

    __asm__ __volatile__("rdcycle %0" : "=r"(value));
    return value;
}

static uint64_t read_instret(void)
{
    uint64_t value;

    __asm__ __volatile__("rdinstret %0" : "=r"(value));
    return value;
}

static bool is_on_one_hart(void)
{
    uint64_t harts = 0;

    syscall(__NR_sched_getaffinity, 0, sizeof(harts), &harts);
    return !(harts & (harts - 1));
}

static void run(const struct bench *b, unsigned long n, bool counted)
{
    uint64_t cycles = counted ? read_cycle() : 0, insns = counted ? read_instret() : 0;
    uint64_t result = b->run(n);

    cycles = counted ? read_cycle() - cycles : 0;
    insns = counted ? read_instret() - insns : 0;
    printf("sysbench %s: n=%lu result=%lx cycles=%lu insns=%lu\n", b->name, n, result, cycles,
           insns);
}

int main(int argc, char **argv)
{
    size_t i;

    if (argc > 1 && !strcmp(argv[1], "exit")) /* for bench_exec */
        return 0;
    for (i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        if (argc > 1 && strcmp(argv[1], benches[i].name))
            continue;
        run(&benches[i], argc > 2 ? strtoul(argv[2]) : benches[i].n,
            argc <= 3 && (benches[i].alone || is_on_one_hart()));
        if (argc > 1)
            return 0;
    }
    if (argc > 1)
        printf("usage: sysbench [getpid|pipe|fork|exec|fault|file|yield [N [uncounted]]]\n");
    return argc > 1;
}
