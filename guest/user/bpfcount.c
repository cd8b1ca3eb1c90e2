/*
 * bpfcount.c - counts an event of the kernel by a program in eBPF at its tracepoint.
 *
 *   bpfcount SYSTEM:EVENT RESULT CMD [ARGS...]
 *       Runs the command, and says how often the program ran meanwhile on any hart, and how many
 *       of these events perf has counted: none if RESULT, which the program returns, is 0.
 *   bpfcount SYSTEM:EVENT
 *       Attaches one program after the other until the kernel refuses; says how many there are.
 */
#include "bpf_insn.h"
#include "bpf_syscall.h"
#include "libc.h"
#include <uapi/linux/perf_event.h>

enum { CPUS_MAX = 8, PROGRAMS_MAX = 100 };

static int check_result_of(const char *what, int result)
{
    if (result >= 0)
        return result;
    printf("bpfcount: %s: %s\n", what, strerror(-result));
    _exit(1);
}

static int create_counter(void)
{
    union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY};

    attr.key_size = sizeof(uint32_t);
    attr.value_size = sizeof(uint64_t);
    attr.max_entries = 1;
    return check_result_of("map", bpf(BPF_MAP_CREATE, &attr));
}

static uint64_t counted(int map)
{
    union bpf_attr attr = {.map_fd = map};
    uint32_t key = 0;
    uint64_t value = 0;

    attr.key = (unsigned long)&key;
    attr.value = (unsigned long)&value;
    check_result_of("map", bpf(BPF_MAP_LOOKUP_ELEM, &attr));
    return value;
}

/* Adds 1 to the only element of the map. */
static int load_program(int map, int result)
{
    const struct bpf_insn insns[] = {
        COUNT_IN(map),
        MOV64_IMM(R0, result),
        EXIT(),
    };
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_TRACEPOINT};

    attr.insns = (unsigned long)insns;
    attr.insn_cnt = ARRAY_SIZE(insns);
    attr.license = (unsigned long)"GPL";
    return check_result_of("program", bpf(BPF_PROG_LOAD, &attr));
}

/* The number of SYSTEM:EVENT; 0: there is none. */
static unsigned long event_id(const char *name)
{
    const char *colon = strchr(name, ':');
    char path[160], text[32] = "";
    int fd;

    if (!colon)
        return 0;
    snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%s/id", (int)(colon - name), name,
             colon + 1);
    fd = open(path, O_RDONLY, 0);
    if (fd < 0)
        return 0;
    read(fd, text, sizeof(text) - 1);
    close(fd);
    return strtoul(text);
}

/* Of all tasks on this hart; an error: there is no such hart. */
static int open_event(unsigned long id, int cpu)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr)};

    attr.config = id;
    return syscall(__NR_perf_event_open, &attr, -1, cpu, -1, 0);
}

static int attach(int event, int program)
{
    return syscall(__NR_ioctl, event, PERF_EVENT_IOC_SET_BPF, program);
}

static void run_command(char *const *command)
{
    char path[PATH_MAX];
    int status;
    pid_t pid = fork();

    if (!pid) {
        snprintf(path, sizeof(path), "/bin/%s", command[0]);
        execve(path, command, environ);
        execve("/bin/sh", command, environ); /* a command of the shell */
        _exit(127);
    }
    waitpid(pid, &status, 0);
}

static int count_command(unsigned long id, int result, char *const *command)
{
    int event[CPUS_MAX], cpus = 0, map = create_counter(), cpu;
    uint64_t value, of_perf = 0, of_program;

    while (cpus < CPUS_MAX && (event[cpus] = open_event(id, cpus)) >= 0)
        cpus++;
    check_result_of("event", event[0]);
    check_result_of("attach", attach(event[0], load_program(map, result)));
    run_command(command);
    of_program = counted(map);
    for (cpu = 0; cpu < cpus; cpu++)
        of_perf += read(event[cpu], &value, sizeof(value)) == sizeof(value) ? value : 0;
    printf("%lu by the program, %lu by perf\n", (unsigned long)of_program, (unsigned long)of_perf);
    return 0;
}

/*
 * Attaches at most `most` programs, and keeps their events open. Returns 0, or the error of the
 * first one that was refused; *n counts the others.
 */
static int attach_some(unsigned long id, int map, int most, int *n)
{
    int i, err = 0;

    for (i = 0; i < most && !err; i++) {
        int program = load_program(map, 0);

        err = attach(check_result_of("event", open_event(id, 0)), program);
        close(program);
        *n += !err;
    }
    return err;
}

/* A process has fewer descriptors than an event may have programs: each child adds its own. */
static int count_programs(unsigned long id)
{
    enum { PROGRAMS_OF_PROCESS = 20, FIRST_FD = 3 };
    int n = 0, err, status, fd;
    pid_t child;

    for (;;) {
        err = attach_some(id, create_counter(), PROGRAMS_OF_PROCESS, &n);
        if (err || n > PROGRAMS_MAX)
            break;
        child = fork();
        if (child) {
            waitpid(child, &status, 0);
            return 0;
        }
        for (fd = FIRST_FD; fd <= FIRST_FD + PROGRAMS_OF_PROCESS; fd++)
            close(fd);
    }
    printf("%d programs, then: %s\n", n, strerror(-err));
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long id = argc > 1 ? event_id(argv[1]) : 0;

    if (!id || argc == 3) {
        printf("usage: bpfcount SYSTEM:EVENT [RESULT CMD...]\n");
        return 1;
    }
    return argc == 2 ? count_programs(id) : count_command(id, strtoul(argv[2]) != 0, argv + 3);
}
