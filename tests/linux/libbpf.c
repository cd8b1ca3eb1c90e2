/*
 * libbpf.c - loads guest/bpf/syscalls.bpf.c by libbpf, attaches its programs as libbpf does by
 * itself, runs a command, and says what they have counted:
 *
 *   libbpf FILE.o COMMAND [ARGS...]
 *
 * guests.sh links it statically with Debian 13's libbpf; bpf.sh runs it on two kernels.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As the object has them. */
struct call {
    unsigned int pid, nr;
};
struct count {
    unsigned long long entered, left, sum;
};

/*
 * Debian's static libelf lacks these two of its own. They prepare and end a table of parts of a
 * file that are read by their offset, which libbpf does not do.
 */
void eu_search_tree_init(void *tree);
void eu_search_tree_fini(void *tree, void (*free_node)(void *));
void eu_search_tree_init(void *tree)
{
    (void)tree;
}
void eu_search_tree_fini(void *tree, void (*free_node)(void *))
{
    (void)tree;
    (void)free_node;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* The constant `target' is the only one that the object has. */
static void set_target(const struct bpf_object *object, pid_t pid)
{
    struct bpf_map *map;
    size_t size;

    bpf_object__for_each_map(map, object)
    {
        unsigned int *value = bpf_map__initial_value(map, &size);

        if (value && strstr(bpf_map__name(map), ".rodata"))
            *value = pid;
    }
}

static void show_calls(const struct bpf_object *object)
{
    int fd = bpf_object__find_map_fd_by_name(object, "calls");
    struct call key, *last = NULL;
    struct count count;

    for (; bpf_map_get_next_key(fd, last, &key) == 0; last = &key)
        if (bpf_map_lookup_elem(fd, &key, &count) == 0)
            printf("libbpf: call %u: %llu %llu\n", key.nr, count.entered, count.left);
}

int main(int argc, char **argv)
{
    struct bpf_object *object;
    struct bpf_program *program;
    int go[2], status;
    pid_t pid;
    char c;

    if (argc < 3 || pipe(go))
        return 2;
    pid = fork();
    if (pid == 0) {
        close(go[1]);
        if (read(go[0], &c, 1) == 1)
            execvp(argv[2], argv + 2);
        _exit(127);
    }
    usleep(50000); /* it waits now, so that the programs see the same of it each time */
    object = bpf_object__open_file(argv[1], NULL);
    if (!object)
        fail("open");
    set_target(object, pid);
    if (bpf_object__load(object))
        fail("load");
    bpf_object__for_each_program(program, object)
    {
        if (!bpf_program__attach(program))
            fail("attach");
        printf("libbpf: attached %s\n", bpf_program__section_name(program));
    }
    fflush(stdout);
    if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
        fail("command");
    show_calls(object);
    bpf_object__close(object);
    return status != 0;
}
