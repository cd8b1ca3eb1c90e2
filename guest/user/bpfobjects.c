/*
 * bpfobjects.c - maps, programs and links as objects: names in the file system bpf, links, tags,
 * running by a call. Uses nothing but Linux's system calls, so that Linux can be asked, too.
 */
#include "bpf_insn.h"
#include "bpf_syscall.h"
#include "libc.h"

#define DIR "/sys/fs/bpf/"

enum { NOTSUPP = 524 /* Linux's own, which no user's header has */ };

static int update(int fd, uint32_t key, uint64_t value)
{
    return map_op(BPF_MAP_UPDATE_ELEM, fd, &key, &value, 0);
}

/* The element, or an error. */
static long lookup(int fd, uint32_t key)
{
    uint64_t value = 0;
    int err = map_op(BPF_MAP_LOOKUP_ELEM, fd, &key, &value, 0);

    return err ? err : (long)value;
}

static int prog_load(unsigned int type, const struct bpf_insn *insns, unsigned int len)
{
    union bpf_attr attr = {.prog_type = type};

    attr.insns = (unsigned long)insns;
    attr.insn_cnt = len;
    attr.license = (unsigned long)"GPL";
    return bpf(BPF_PROG_LOAD, &attr);
}

static int load_return(unsigned int type, int result)
{
    const struct bpf_insn insns[] = {MOV64_IMM(R0, result), EXIT()};

    return prog_load(type, insns, ARRAY_SIZE(insns));
}

static int info(int fd, void *to, unsigned int size)
{
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = size}};

    attr.info.info = (unsigned long)to;
    memset(to, 0, size);
    return bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static unsigned int prog_id(int fd)
{
    struct bpf_prog_info i;

    return info(fd, &i, sizeof(i)) ? 0 : i.id;
}

static unsigned int map_id(int fd)
{
    struct bpf_map_info i;

    return info(fd, &i, sizeof(i)) ? 0 : i.id;
}

static int fd_by_id(int cmd, unsigned int id)
{
    union bpf_attr attr = {.prog_id = id};

    return bpf(cmd, &attr);
}

/* Soon: what a program used is released after a grace period. */
static bool is_gone(int cmd, unsigned int id)
{
    const struct timespec while_others_end = {.tv_nsec = 10000000};
    int i, fd = -EAGAIN;

    for (i = 0; i < 100 && fd != -ENOENT; i++) {
        if (i)
            nanosleep(&while_others_end, NULL);
        fd = fd_by_id(cmd, id);
        if (fd >= 0)
            close(fd);
    }
    return fd == -ENOENT;
}

/* ---- names ---- */

static int pin(int fd, const char *name)
{
    union bpf_attr attr = {.pathname = (unsigned long)name, .obj_fd = fd};

    return bpf(BPF_OBJ_PIN, &attr);
}

static int get(const char *name, unsigned int flags)
{
    union bpf_attr attr = {.pathname = (unsigned long)name, .file_flags = flags};

    return bpf(BPF_OBJ_GET, &attr);
}

static void test_pin_map(void)
{
    int fd = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0), other;
    unsigned int id = map_id(fd);

    update(fd, 1, 77);
    check("a map gets a name", pin(fd, DIR "map") == 0);
    check("which nothing else can have", pin(fd, DIR "map") == -EEXIST);
    check("a name with a dot is reserved", pin(fd, DIR "a.map") == -EPERM);
    check("so is one of a directory", mkdir(DIR "a.dir", 0700) == -EPERM);
    check("in a directory that is not there is no name", pin(fd, DIR "none/map") == -ENOENT);
    check("nor in another file system", pin(fd, "/tmp/map") == -EPERM);
    close(fd);
    other = get(DIR "map", 0);
    check("by its name it is found again, with its elements", other >= 0 && lookup(other, 1) == 77);
    check("it is the same one", map_id(other) == id);
    close(other);
    other = get(DIR "map", BPF_F_RDONLY);
    check("a descriptor that only reads", lookup(other, 1) == 77 && update(other, 1, 1) == -EPERM);
    close(other);
    check("unknown flags are EINVAL", get(DIR "map", 1) == -EINVAL);
    check("a name that is not there is ENOENT", get(DIR "none", 0) == -ENOENT);
    check("a file that is no object is EACCES", get("/proc/version", 0) == -EACCES);
    check("so is a directory", get(DIR, 0) == -EACCES);
    check("it cannot be read as a file", open(DIR "map", O_RDONLY, 0) == -EIO);
    check("no other files are made there", open(DIR "file", O_CREAT | O_WRONLY, 0600) < 0);
    check("a directory", mkdir(DIR "dir", 0700) == 0);
    check("has names, too",
          rename(DIR "map", DIR "dir/map") == 0 && rmdir(DIR "dir") == -ENOTEMPTY);
    check("while it has its name, it exists", (other = fd_by_id(BPF_MAP_GET_FD_BY_ID, id)) >= 0);
    close(other);
    check("without it, it does not",
          unlink(DIR "dir/map") == 0 && is_gone(BPF_MAP_GET_FD_BY_ID, id));
    check("an empty directory goes", rmdir(DIR "dir") == 0);
}

static int raw_tracepoint_open(int prog, const char *name)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (unsigned long)name, .prog_fd = prog}};

    return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* Counts each run in the map's element 0. */
static int load_counter(int map)
{
    const struct bpf_insn insns[] = {
        COUNT_IN(map),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static void test_pin_link(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog = load_counter(map), link, other;
    union bpf_attr attr = {.link_update = {0}};
    unsigned int id = prog_id(prog);
    long before;

    check("a program gets a name", pin(prog, DIR "prog") == 0);
    other = get(DIR "prog", 0);
    check("by which it is found", prog_id(other) == id);
    close(other);
    check("what is no object gets none", pin(0, DIR "stdin") == -EINVAL);
    link = raw_tracepoint_open(prog, "sys_enter");
    check("a link gets a name", link >= 0 && pin(link, DIR "link") == 0);
    attr.link_update.link_fd = link;
    attr.link_update.new_prog_fd = prog;
    check("a link of a tracepoint keeps its program", bpf(BPF_LINK_UPDATE, &attr) == -EINVAL);
    attr.link_update.link_fd = prog;
    check("what is no link is EINVAL", bpf(BPF_LINK_UPDATE, &attr) == -EINVAL);
    memset(&attr, 0, sizeof(attr));
    attr.link_detach.link_fd = link;
    check("nor is it detached while it exists", bpf(BPF_LINK_DETACH, &attr) == -EOPNOTSUPP);
    close(link);
    close(prog);
    unlink(DIR "prog");
    before = lookup(map, 0);
    check("the name keeps it attached", lookup(map, 0) > before);
    check("a link is not found to be read only", get(DIR "link", BPF_F_RDONLY) == -EINVAL);
    unlink(DIR "link");
    before = lookup(map, 0);
    check("until it is removed", lookup(map, 0) == before);
    check("and then the program is gone, too", is_gone(BPF_PROG_GET_FD_BY_ID, id));
    close(map);
}

/* ---- programs ---- */

static bool has_tag(int prog, const char *tag)
{
    struct bpf_prog_info i;
    char text[2 * BPF_TAG_SIZE + 1];
    unsigned int n;

    info(prog, &i, sizeof(i));
    for (n = 0; n < BPF_TAG_SIZE; n++)
        snprintf(text + 2 * n, 3, "%02x", i.tag[n]);
    return !strcmp(text, tag);
}

static void test_tag(void)
{
    int map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog;
    const struct bpf_insn insns[] = {
        LD_MAP_FD(R1, map),        MOV64_IMM(R0, 0),          ALU64_IMM(BPF_ADD, R0, 1),
        ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1),
        ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1),
        ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1),
        ALU64_IMM(BPF_ADD, R0, 1), ALU64_IMM(BPF_ADD, R0, 1), EXIT(),
    };

    prog = load_return(BPF_PROG_TYPE_KPROBE, 1);
    check("a program's tag is the begin of its text's SHA-1", has_tag(prog, "57cd311f2e27366b"));
    close(prog);
    prog = prog_load(BPF_PROG_TYPE_KPROBE, insns, ARRAY_SIZE(insns));
    check("whatever descriptor its map has", has_tag(prog, "4dedccccd4dbbc75"));
    close(prog);
    close(map);
}

static int run_on(int prog, unsigned int flags, unsigned int cpu, unsigned int *result)
{
    union bpf_attr attr = {.test = {.prog_fd = prog, .flags = flags, .cpu = cpu}};
    int err = bpf(BPF_PROG_TEST_RUN, &attr);

    *result = attr.test.retval;
    return err;
}

static void test_run(void)
{
    static const struct bpf_insn insns[] = {CALL(BPF_FUNC_get_smp_processor_id), EXIT()};
    int prog = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
    int kprobe = load_return(BPF_PROG_TYPE_KPROBE, 0);
    unsigned int result = 99, cpu, wrong = 0;

    for (cpu = 0; cpu < 64 && run_on(prog, BPF_F_TEST_RUN_ON_CPU, cpu, &result) == 0; cpu++)
        wrong += result != cpu;
    check("a program runs on the hart that is asked for", cpu && !wrong);
    check("one that is not there is ENXIO",
          run_on(prog, BPF_F_TEST_RUN_ON_CPU, 1000, &result) == -ENXIO);
    check("without the flag none can be asked for", run_on(prog, 0, 1, &result) == -EINVAL);
    check("other types do not run by a call", run_on(kprobe, 0, 0, &result) == -NOTSUPP);
    close(kprobe);
    close(prog);
}

/* There is nothing to attach it to here, but libraries ask by it what the kernel can do. */
static void test_socket_filter(void)
{
    int prog = load_return(BPF_PROG_TYPE_SOCKET_FILTER, 0);

    check("a program for sockets is accepted", prog >= 0);
    check("but not at a tracepoint", raw_tracepoint_open(prog, "sys_enter") == -EINVAL);
    close(prog);
}

static void test_bind(void)
{
    int prog = load_return(BPF_PROG_TYPE_KPROBE, 0),
        map = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    union bpf_attr attr = {.prog_bind_map = {.prog_fd = prog, .map_fd = map}};
    unsigned int id = map_id(map);
    struct bpf_prog_info i;
    int fd = -1;

    check("a map is bound to a program",
          bpf(BPF_PROG_BIND_MAP, &attr) == 0 && bpf(BPF_PROG_BIND_MAP, &attr) == 0);
    close(map);
    info(prog, &i, sizeof(i));
    check("once, which keeps it",
          i.nr_map_ids == 1 && (fd = fd_by_id(BPF_MAP_GET_FD_BY_ID, id)) >= 0);
    close(fd);
    check("a descriptor that is no map is EINVAL",
          (attr.prog_bind_map.map_fd = prog, bpf(BPF_PROG_BIND_MAP, &attr) == -EINVAL));
    close(prog);
    check("without the program it goes", is_gone(BPF_MAP_GET_FD_BY_ID, id));
}

/* ---- tail calls ---- */

static int run(int prog)
{
    unsigned int result = 0;
    int err = run_on(prog, 0, 0, &result);

    return err ? err : (int)result;
}

/* Adds 1 to the counter, then goes on with the program at the index, or returns. */
static int load_tail_call(int counter, int array, int index, int result)
{
    const struct bpf_insn insns[] = {
        MOV64_REG(R6, R1),    COUNT_IN(counter),        MOV64_REG(R1, R6),     LD_MAP_FD(R2, array),
        MOV64_IMM(R3, index), CALL(BPF_FUNC_tail_call), MOV64_IMM(R0, result), EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static int set_fd(int map, uint32_t key, int fd)
{
    return map_op(BPF_MAP_UPDATE_ELEM, map, &key, &fd, 0);
}

static int remove_key(int map, uint32_t key)
{
    return map_op(BPF_MAP_DELETE_ELEM, map, &key, NULL, 0);
}

static void test_tail_call(void)
{
    int counter = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
    int array = map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 4, 0);
    int to_other = load_tail_call(counter, array, 1, 10);
    int to_itself = load_tail_call(counter, array, 2, 30);
    int end = load_return(BPF_PROG_TYPE_RAW_TRACEPOINT, 20);
    int kprobe = load_return(BPF_PROG_TYPE_KPROBE, 0), other;
    unsigned int id = map_id(array);

    check("without a program there a tail call has no effect", run(to_other) == 10);
    check("an array of programs has values of four bytes",
          map_create(BPF_MAP_TYPE_PROG_ARRAY, 4, 8, 1, 0) == -EINVAL);
    check("a program is put into the array", set_fd(array, 1, end) == 0);
    check("the tail call goes to it", run(to_other) == 20);
    check("who reads the array gets its id", lookup(array, 1) == prog_id(end));
    check("a program of another type is refused", set_fd(array, 1, kprobe) == -EINVAL);
    check("so is what is no program", set_fd(array, 1, counter) == -EINVAL);
    check("the array ends", set_fd(array, 4, end) == -E2BIG && remove_key(array, 4) == -E2BIG);
    check("a program is taken out", remove_key(array, 1) == 0 && remove_key(array, 1) == -ENOENT);
    check("and no longer found", run(to_other) == 10 && lookup(array, 1) == -ENOENT);
    set_fd(array, 2, to_itself);
    update(counter, 0, 0);
    check("a program that calls itself ends", run(to_itself) == 30);
    check("after 33 calls", lookup(counter, 0) == 34);
    close(array);
    other = fd_by_id(BPF_MAP_GET_FD_BY_ID, id);
    check("an array without descriptors has no programs", lookup(other, 2) == -ENOENT);
    close(other);
    close(to_other);
    close(to_itself);
    check("nor does it keep itself", is_gone(BPF_MAP_GET_FD_BY_ID, id));
    close(end);
    close(kprobe);
    close(counter);
}

/* ---- values as memory ---- */

static int create_array(unsigned int flags, unsigned int entries)
{
    union bpf_attr attr = {.map_type = BPF_MAP_TYPE_ARRAY};

    attr.key_size = 4;
    attr.value_size = 8;
    attr.max_entries = entries;
    attr.map_flags = flags;
    return bpf(BPF_MAP_CREATE, &attr);
}

/* 0, or an error. */
static long try_mmap(int map, size_t pages, int prot, int flags)
{
    void *p = mmap(NULL, pages * PAGE_SIZE, prot, flags, map, 0);

    if (is_error(p))
        return (long)p;
    munmap(p, pages * PAGE_SIZE);
    return 0;
}

/* A newer program knows more of a map than the kernel does. */
static void test_newer_info(int map)
{
    struct {
        struct bpf_map_info info;
        uint64_t newer;
    } i = {.newer = 1};
    union bpf_attr attr = {.info = {.bpf_fd = map, .info_len = sizeof(i)}};

    attr.info.info = (unsigned long)&i;
    check("what the kernel does not know must be zero",
          bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == -E2BIG);
    i.newer = 0;
    check("then it tells what it knows", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 &&
                                             attr.info.info_len == sizeof(i.info) &&
                                             i.info.max_entries == 1);
    attr.info.bpf_fd = 1;
    attr.info.info = 0;
    check("not of a file", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr) == -EINVAL);
}

static void test_mmap(void)
{
    enum { ENTRIES = 1000, PAGES = 2, RW = PROT_READ | PROT_WRITE };
    int map = create_array(BPF_F_MMAPABLE, ENTRIES), plain = create_array(0, ENTRIES);
    int constant = create_array(BPF_F_MMAPABLE | BPF_F_RDONLY_PROG, ENTRIES), prog;
    int hash = map_create(BPF_MAP_TYPE_HASH, 4, 8, 1, 0);
    union bpf_attr attr = {.map_fd = map};
    uint64_t *values = mmap(NULL, PAGES * PAGE_SIZE, RW, MAP_SHARED, map, 0), value;
    uint32_t key = 0;
    void *p;

    check("an array is mapped", !is_error(values));
    update(map, ENTRIES - 1, 77);
    check("what is stored is there", values[ENTRIES - 1] == 77);
    values[1] = 88;
    check("and what is written there is stored", lookup(map, 1) == 88);
    prog = load_counter(map);
    check("a program sees it and changes it", run(prog) == 0 && run(prog) == 0 && values[0] == 2);
    close(prog);
    check("not more than there is", try_mmap(map, PAGES + 1, RW, MAP_SHARED) == -EINVAL);
    check("nor for itself alone", try_mmap(map, PAGES, RW, MAP_PRIVATE) == -EINVAL);
    check("nor without the flag", try_mmap(plain, PAGES, RW, MAP_SHARED) == -EINVAL);
    check("nor a hash", try_mmap(hash, 1, RW, MAP_SHARED) == -NOTSUPP);
    check("constants are not written", try_mmap(constant, PAGES, RW, MAP_SHARED) == -EACCES);
    check("but read", try_mmap(constant, PAGES, PROT_READ, MAP_SHARED) == 0);
    p = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ, MAP_SHARED, constant, 0);
    check("nor written later", syscall(__NR_mprotect, p, PAGE_SIZE, RW) == -EACCES);
    munmap(p, PAGES * PAGE_SIZE);
    syscall(__NR_mprotect, values, PAGE_SIZE, PROT_READ);
    check("who can write a mapping keeps the map from being frozen",
          bpf(BPF_MAP_FREEZE, &attr) == -EBUSY);
    munmap(values, PAGE_SIZE);
    check("so does a part of it", bpf(BPF_MAP_FREEZE, &attr) == -EBUSY);
    munmap(values + PAGE_SIZE / sizeof(*values), PAGE_SIZE);
    check("a map that is not mapped can be frozen", bpf(BPF_MAP_FREEZE, &attr) == 0);
    check("and then not written", try_mmap(map, PAGES, RW, MAP_SHARED) == -EPERM);
    test_newer_info(hash);
    attr.map_fd = hash;
    bpf(BPF_MAP_FREEZE, &attr);
    check("nor is an element taken out of a frozen one",
          map_op(BPF_MAP_LOOKUP_AND_DELETE_ELEM, hash, &key, &value, 0) == -EPERM);
    close(hash);
    close(constant);
    close(plain);
    close(map);
}

/* ---- maps of maps ---- */

static int create_outer(unsigned int type, int inner)
{
    union bpf_attr attr = {.map_type = type};

    attr.key_size = attr.value_size = 4;
    attr.max_entries = 2;
    attr.inner_map_fd = inner;
    return bpf(BPF_MAP_CREATE, &attr);
}

/* Adds 1 to element 1 of the map at key 0. checked: only if there is a map. */
static int load_inner_counter(int outer, bool checked)
{
    const struct bpf_insn insns[] = {
        ST_MEM(BPF_W, R10, -4, 0),
        MOV64_REG(R2, R10),
        ALU64_IMM(BPF_ADD, R2, -4),
        LD_MAP_FD(R1, outer),
        CALL(BPF_FUNC_map_lookup_elem),
        JMP_IMM(BPF_JEQ, R0, checked ? 0 : 1, 8),
        MOV64_REG(R1, R0),
        ST_MEM(BPF_W, R10, -4, 1),
        MOV64_REG(R2, R10),
        ALU64_IMM(BPF_ADD, R2, -4),
        CALL(BPF_FUNC_map_lookup_elem),
        JMP_IMM(BPF_JEQ, R0, 0, 2),
        MOV64_IMM(R1, 1),
        ATOMIC_OP(BPF_DW, BPF_ADD, R0, R1, 0),
        MOV64_IMM(R0, 0),
        EXIT(),
    };

    return prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, insns, ARRAY_SIZE(insns));
}

static void test_array_of_maps(void)
{
    int inner = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0), second;
    int outer = create_outer(BPF_MAP_TYPE_ARRAY_OF_MAPS, inner), prog;
    int longer = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 5, 0);
    int hash = map_create(BPF_MAP_TYPE_HASH, 4, 8, 4, 0);
    unsigned int id;

    check("an array of maps", outer >= 0);
    check("has no arrays of maps", create_outer(BPF_MAP_TYPE_ARRAY_OF_MAPS, outer) == -EINVAL);
    check("it needs an example", create_outer(BPF_MAP_TYPE_ARRAY_OF_MAPS, 0) == -EINVAL);
    prog = load_inner_counter(outer, true);
    check("a program may look up a map and then an element", prog >= 0);
    check("but not without a test", load_inner_counter(outer, false) == -EACCES);
    check("without a map there is none", run(prog) == 0);
    check("a map is put into it", set_fd(outer, 0, inner) == 0);
    check("and found by the program", run(prog) == 0 && run(prog) == 0 && lookup(inner, 1) == 2);
    second = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
    check("another one takes its place", set_fd(outer, 0, second) == 0 && run(prog) == 0 &&
                                             lookup(second, 1) == 1 && lookup(inner, 1) == 2);
    check("who reads it gets the map's id", (uint32_t)lookup(outer, 0) == map_id(second));
    check("an array of another length is refused", set_fd(outer, 0, longer) == -EINVAL);
    check("so is a hash", set_fd(outer, 0, hash) == -EINVAL);
    id = map_id(second);
    close(second);
    check("it keeps a map without descriptors", run(prog) == 0 && lookup(outer, 0) == id);
    check("until it is taken out", remove_key(outer, 0) == 0 && remove_key(outer, 0) == -ENOENT &&
                                       is_gone(BPF_MAP_GET_FD_BY_ID, id));
    close(prog);
    close(hash);
    close(longer);
    close(outer);
    close(inner);
}

static void test_hash_of_maps(void)
{
    int inner = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
    int outer = create_outer(BPF_MAP_TYPE_HASH_OF_MAPS, inner);
    int prog = load_inner_counter(outer, true), second = map_create(BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0);
    unsigned int id = map_id(second);
    uint64_t value;
    uint32_t key = 0;

    check("a hash of maps", outer >= 0 && prog >= 0);
    check("has a map by its key",
          set_fd(outer, 0, inner) == 0 && run(prog) == 0 && lookup(inner, 1) == 1);
    check("which another one replaces", set_fd(outer, 0, second) == 0 && run(prog) == 0 &&
                                            lookup(second, 1) == 1 && lookup(inner, 1) == 1);
    check("its elements are not looked up and deleted at once",
          map_op(BPF_MAP_LOOKUP_AND_DELETE_ELEM, outer, &key, &value, 0) == -NOTSUPP);
    check("nor are those of an array",
          map_op(BPF_MAP_LOOKUP_AND_DELETE_ELEM, inner, &key, &value, 0) == -NOTSUPP);
    set_fd(outer, 77, inner);
    check("a third key does not fit", set_fd(outer, 78, inner) == -E2BIG);
    check("its keys go", remove_key(outer, 77) == 0 && remove_key(outer, 77) == -ENOENT);
    close(second);
    check("with it go its maps", (uint32_t)lookup(outer, 0) == id && close(prog) == 0 &&
                                     close(outer) == 0 && is_gone(BPF_MAP_GET_FD_BY_ID, id));
    close(inner);
}

int main(void)
{
    mkdir("/tmp", 0700);
    test_pin_map();
    test_pin_link();
    test_tag();
    test_run();
    test_bind();
    test_socket_filter();
    test_tail_call();
    test_mmap();
    test_array_of_maps();
    test_hash_of_maps();
    return check_result();
}
