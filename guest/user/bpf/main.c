/*
 * main.c - bpf: loads an object of BPF that clang has compiled, attaches its programs, and shows
 * its maps, somewhat as bpftool does.
 *
 *   bpf load FILE.o                           checks that the kernel accepts its programs
 *   bpf load FILE.o attach                    attaches them until a signal ends it
 *   bpf load FILE.o attach COMMAND [ARGS...]  attaches them while the command runs, then shows
 *                                             the maps
 *
 * A variable `target' of the object becomes the process number of the command. Uses nothing but
 * Linux's system calls and files, so it runs on Linux, too.
 */
#include "bpf.h"

void fail(const char *what, const char *why)
{
    printf("bpf: %s: %s\n", what, why);
    detach_all();
    _exit(1);
}

void fail_err(const char *what, long err)
{
    fail(what, strerror(err < 0 ? -err : err));
}

void *need(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p)
        fail("memory", "there is not enough");
    return p;
}

struct bytes contents(const char *path)
{
    struct bytes b = {NULL, 0};
    size_t room = PAGE_SIZE;
    int fd = open(path, O_RDONLY, 0);
    ssize_t n;

    if (fd < 0)
        return b;
    b.at = need(room + 1);
    while ((n = read(fd, b.at + b.size, room - b.size)) > 0) {
        b.size += n;
        if (b.size == room) {
            char *bigger = need(2 * room + 1);

            memcpy(bigger, b.at, b.size);
            free(b.at);
            b.at = bigger;
            room *= 2;
        }
    }
    close(fd);
    b.at[b.size] = 0;
    return b;
}

/* Values with a part for each hart have parts of all that are possible. */
unsigned int count_cpus(void)
{
    struct bytes list = contents("/sys/devices/system/cpu/possible");
    struct stat st;
    char path[TEXT_MAX];
    unsigned int n = 0;

    if (list.at) {
        const char *last = strrchr(list.at, '-');

        n = strtoul(last ? last + 1 : list.at) + 1;
        free(list.at);
        return n;
    }
    do
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", n);
    while (!stat(path, &st) && ++n);
    return n;
}

/* ---- the command ---- */

static int go[2];

/*
 * A child that waits until the programs are attached before it becomes the command. It has time to
 * begin to wait, so that they see the same of it each time.
 */
static pid_t prepare(char *const *command)
{
    const struct timespec while_it_starts = {.tv_nsec = 2000000};
    char path[PATH_MAX], c;
    pid_t pid;

    pipe(go);
    pid = fork();
    if (pid < 0)
        fail_err("fork", pid);
    if (pid) {
        nanosleep(&while_it_starts, NULL);
        return pid;
    }
    close(go[1]);
    if (read(go[0], &c, 1) != 1)
        _exit(1); /* not loaded */
    close(go[0]);
    if (strchr(command[0], '/'))
        execve(command[0], command, environ);
    snprintf(path, sizeof(path), "/bin/%s", command[0]);
    execve(path, command, environ);
    printf("bpf: %s: there is no such program\n", command[0]);
    _exit(127);
}

static int run_command(pid_t pid)
{
    int status = 0;

    write(go[1], "", 1);
    close(go[0]);
    close(go[1]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void on_signal(int sig)
{
    (void)sig;
}

/* Without an end of its own: until a signal. */
static void wait_for_signal(void)
{
    struct sigaction act = {.handler = (unsigned long)on_signal};
    const struct timespec long_time = {.tv_sec = 1 << 30};

    sigaction(SIGINT, &act, NULL);
    sigaction(SIGTERM, &act, NULL);
    nanosleep(&long_time, NULL);
}

static void report(const struct object *o)
{
    unsigned int i;

    for (i = 0; i < o->nr_maps; i++) {
        if (!strncmp(o->maps[i].name, ".rodata", 7))
            continue;
        printf("map %s\n", o->maps[i].name);
        dump_map(&o->maps[i]);
    }
}

static int load(const char *path, bool attached, char *const *command)
{
    struct object *o = need(sizeof(*o));
    pid_t pid = *command ? prepare(command) : 0;
    unsigned int i;
    int status = 0;

    open_object(o, path);
    make_maps(o, "target", pid);
    make_programs(o);
    for (i = 0; i < o->nr_progs; i++)
        printf("program %s: %s\n", o->progs[i].name, o->progs[i].section);
    for (i = 0; attached && i < o->nr_progs; i++)
        attach(&o->progs[i]);
    if (pid)
        status = run_command(pid);
    else if (attached)
        wait_for_signal();
    detach_all();
    if (pid)
        report(o);
    return status;
}

int main(int argc, char **argv)
{
    bool attached = argc > 3 && !strcmp(argv[3], "attach");

    if (argc < 3 || strcmp(argv[1], "load") != 0 || (argc > 3 && !attached)) {
        printf("usage: bpf load FILE.o [attach [COMMAND [ARGS...]]]\n");
        return 2;
    }
    return load(argv[2], attached, argv + (attached ? 4 : 3));
}
