/*
 * main.c - bpf: loads objects of BPF that clang has compiled, attaches their programs, and shows
 * programs, maps and links, somewhat as bpftool does.
 *
 *   bpf load FILE.o                           checks that the kernel accepts its programs
 *   bpf load FILE.o attach                    attaches them until a signal ends it
 *   bpf load FILE.o attach COMMAND [ARGS...]  attaches them while the command runs, then shows
 *                                             the maps
 *   bpf load FILE.o pin DIR [attach [COMMAND [ARGS...]]]
 *                                             the same with names in a directory of the file system
 *                                             bpf, which keep maps, programs and links; maps that
 *                                             have theirs already are used
 *   bpf attach PATH SECTION [COMMAND [ARGS...]]
 *                                             attaches a program that has a name
 *   bpf prog | bpf map | bpf link             lists what is loaded
 *   bpf map dump ID|NAME|PATH                 shows the elements of a map
 *
 * While the command runs, what programs hand over by maps of type ringbuf and perf_event_array is
 * shown as records. A variable `target' of the object becomes the process number of the command.
 * Uses nothing but Linux's system calls and files, so it runs on Linux, too.
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
    const struct timespec between = {.tv_nsec = 5000000};
    int status = 0;

    write(go[1], "", 1);
    close(go[0]);
    close(go[1]);
    while (has_rings() && waitpid(pid, &status, WNOHANG) == 0) {
        print_records();
        nanosleep(&between, NULL);
    }
    if (!has_rings())
        waitpid(pid, &status, 0);
    print_records();
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
        dump_map_fd(o->maps[i].fd);
    }
}

static int load(const char *path, const char *dir, bool attached, char *const *command)
{
    struct object *o = need(sizeof(*o));
    pid_t pid = *command ? prepare(command) : 0;
    unsigned int i;
    int status = 0;

    open_object(o, path);
    if (dir)
        pin_in(dir);
    make_maps(o, "target", pid);
    make_programs(o);
    for (i = 0; i < o->nr_progs; i++)
        printf("program %s: %s\n", o->progs[i].name, o->progs[i].section);
    for (i = 0; attached && i < o->nr_progs; i++)
        attach(&o->progs[i]);
    if (pid) {
        open_rings(o);
        status = run_command(pid);
    } else if (attached && !dir) {
        wait_for_signal();
    }
    if (!dir)
        detach_all();
    if (pid)
        report(o);
    return status;
}

static int attach_pinned(const char *path, const char *section, char *const *command)
{
    struct program prog = {.name = "pinned", .section = section, .type = type_of_section(section)};
    pid_t pid = *command ? prepare(command) : 0;
    int status = 0;

    prog.fd = get_pinned(path);
    if (prog.fd < 0)
        fail_err(path, prog.fd);
    if (!prog.type)
        fail(section, "programs of this section are not known here");
    attach(&prog);
    if (pid)
        status = run_command(pid);
    else
        wait_for_signal();
    detach_all();
    return status;
}

static int usage(void)
{
    printf("usage: bpf load FILE.o [pin DIR] [attach [COMMAND [ARGS...]]] | attach PATH SECTION "
           "[COMMAND [ARGS...]] | prog | map [dump ID|NAME|PATH] | link\n");
    return 2;
}

static int load_command(int argc, char **argv)
{
    const char *path = *argv++, *dir = NULL;

    argc--;
    if (argc >= 2 && !strcmp(*argv, "pin")) {
        dir = argv[1];
        argc -= 2;
        argv += 2;
    }
    if (argc && strcmp(*argv, "attach") != 0)
        return usage();
    return load(path, dir, argc, argc ? argv + 1 : argv);
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "load"))
        return load_command(argc - 2, argv + 2);
    if (argc > 3 && !strcmp(argv[1], "attach"))
        return attach_pinned(argv[2], argv[3], argv + 4);
    if (argc == 4 && !strcmp(argv[1], "map") && !strcmp(argv[2], "dump"))
        dump_map(argv[3]);
    else if (argc == 2 && !strcmp(argv[1], "prog"))
        show_progs();
    else if (argc == 2 && !strcmp(argv[1], "map"))
        show_maps();
    else if (argc == 2 && !strcmp(argv[1], "link"))
        show_links();
    else
        return usage();
    return 0;
}
