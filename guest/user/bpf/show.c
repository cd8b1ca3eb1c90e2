/* show.c - lists programs, maps and links, and shows the elements of maps. */
#include "bpf.h"

/* The descriptor of the object with the next id, and its information; or an error. */
static int next_object(int next_cmd, int fd_cmd, uint32_t *id, void *info, unsigned int size)
{
    union bpf_attr attr = {.start_id = *id};
    int err = bpf(next_cmd, &attr), fd;

    if (err)
        return err;
    *id = attr.next_id;
    memset(&attr, 0, sizeof(attr));
    attr.prog_id = *id;
    fd = bpf(fd_cmd, &attr);
    memset(&attr, 0, sizeof(attr));
    memset(info, 0, size);
    attr.info.bpf_fd = fd;
    attr.info.info_len = size;
    attr.info.info = (unsigned long)info;
    if (fd >= 0)
        bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
    return fd;
}

static const char *name_in(const char *const *names, unsigned int count, unsigned int i)
{
    return i < count && names[i] ? names[i] : "other";
}

static const char *map_type(unsigned int type)
{
    static const char *const names[] = {
        [BPF_MAP_TYPE_HASH] = "hash",
        [BPF_MAP_TYPE_ARRAY] = "array",
        [BPF_MAP_TYPE_PERF_EVENT_ARRAY] = "perf_event_array",
        [BPF_MAP_TYPE_PERCPU_HASH] = "percpu_hash",
        [BPF_MAP_TYPE_PERCPU_ARRAY] = "percpu_array",
        [BPF_MAP_TYPE_STACK_TRACE] = "stack_trace",
        [BPF_MAP_TYPE_LRU_HASH] = "lru_hash",
        [BPF_MAP_TYPE_RINGBUF] = "ringbuf",
        [BPF_MAP_TYPE_PROG_ARRAY] = "prog_array",
        [BPF_MAP_TYPE_ARRAY_OF_MAPS] = "array_of_maps",
        [BPF_MAP_TYPE_HASH_OF_MAPS] = "hash_of_maps",
    };

    return name_in(names, ARRAY_SIZE(names), type);
}

static const char *text_of_tag(const unsigned char *tag)
{
    static char text[2 * BPF_TAG_SIZE + 1];
    unsigned int i;

    for (i = 0; i < BPF_TAG_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", tag[i]);
    return text;
}

void show_progs(void)
{
    static const char *const types[] = {
        [BPF_PROG_TYPE_KPROBE] = "kprobe",
        [BPF_PROG_TYPE_TRACEPOINT] = "tracepoint",
        [BPF_PROG_TYPE_PERF_EVENT] = "perf_event",
        [BPF_PROG_TYPE_RAW_TRACEPOINT] = "raw_tracepoint",
    };
    struct bpf_prog_info info;
    uint32_t id = 0;
    int fd;

    while ((fd = next_object(BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, &id, &info,
                             sizeof(info))) >= 0) {
        printf("%u: %s  name %.16s  tag %s%s  %u instructions, %u maps, ran %lu times in %lu ns\n",
               id, name_in(types, ARRAY_SIZE(types), info.type), info.name, text_of_tag(info.tag),
               info.gpl_compatible ? "  gpl" : "", info.xlated_prog_len / 8, info.nr_map_ids,
               (unsigned long)info.run_cnt, (unsigned long)info.run_time_ns);
        close(fd);
    }
}

void show_maps(void)
{
    struct bpf_map_info info;
    uint32_t id = 0;
    int fd;

    while ((fd = next_object(BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, &id, &info,
                             sizeof(info))) >= 0) {
        printf("%u: %s  name %.16s  flags 0x%x  key %uB  value %uB  max_entries %u\n", id,
               map_type(info.type), info.name, info.map_flags, info.key_size, info.value_size,
               info.max_entries);
        close(fd);
    }
}

void show_links(void)
{
    struct bpf_link_info info;
    uint32_t id = 0;
    int fd;

    while ((fd = next_object(BPF_LINK_GET_NEXT_ID, BPF_LINK_GET_FD_BY_ID, &id, &info,
                             sizeof(info))) >= 0) {
        char name[TEXT_MAX] = "";
        union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = sizeof(info)}};

        if (info.type == BPF_LINK_TYPE_RAW_TRACEPOINT) {
            info.raw_tracepoint.tp_name = (unsigned long)name;
            info.raw_tracepoint.tp_name_len = sizeof(name);
            attr.info.info = (unsigned long)&info;
            bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
        }
        printf("%u: %s  prog %u%s%s\n", id,
               info.type == BPF_LINK_TYPE_RAW_TRACEPOINT ? "raw_tracepoint" : "perf_event",
               info.prog_id, *name ? "  at " : "", name);
        close(fd);
    }
}

/* ---- elements ---- */

void print_bytes(const char *what, const void *from, unsigned int size)
{
    const unsigned char *bytes = from;
    static char line[512];
    unsigned int at = snprintf(line, sizeof(line), "%s", what), i;

    for (i = 0; i < size; i++) {
        at += snprintf(line + at, sizeof(line) - at, " %02x", bytes[i]);
        if (at > sizeof(line) - 8) {
            write(1, line, at);
            at = 0;
        }
    }
    write(1, line, at);
}

/* The function that has this address; NULL: it is not known. */
static const char *function_at(uint64_t ip, char *name, size_t size)
{
    static struct bytes symbols;
    unsigned long best = 0, address;
    const char *line, *found = NULL;
    size_t n = 0;

    if (!symbols.at)
        symbols = contents("/proc/kallsyms");
    for (line = symbols.at; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        char digits[17];

        strscpy(digits, line, sizeof(digits));
        if (kstrtoul(digits, 16, &address) || address > ip || address < best || !line[16])
            continue;
        best = address;
        found = line + 19; /* after the type */
    }
    if (!best || !found)
        return NULL;
    for (; n < size - 1 && found[n] > ' '; n++)
        name[n] = found[n];
    name[n] = 0;
    return name;
}

static void print_stack(const uint64_t *ips, unsigned int n)
{
    char name[TEXT_MAX];

    for (; n && *ips; n--, ips++)
        printf("\t%016lx %s\n", (unsigned long)*ips,
               function_at(*ips, name, sizeof(name)) ? name : "?");
}

static void print_element(const struct bpf_map_info *info, const unsigned char *key,
                          const unsigned char *value)
{
    unsigned int cpu, cpus, size = (info->value_size + 7) & ~7u;
    char what[32];

    print_bytes("key:", key, info->key_size);
    switch (info->type) {
    case BPF_MAP_TYPE_STACK_TRACE:
        printf("\n");
        print_stack((const uint64_t *)value, info->value_size / 8);
        return;
    case BPF_MAP_TYPE_PERCPU_ARRAY:
    case BPF_MAP_TYPE_PERCPU_HASH:
        for (cpu = 0, cpus = count_cpus(); cpu < cpus; cpu++) {
            snprintf(what, sizeof(what), "  value (CPU %02u):", cpu);
            print_bytes(what, value + cpu * size, info->value_size);
        }
        break;
    default: print_bytes("  value:", value, info->value_size);
    }
    printf("\n");
}

void dump_map_fd(int fd)
{
    struct bpf_map_info info = {0};
    union bpf_attr attr = {.info = {.bpf_fd = fd, .info_len = sizeof(info)}};
    unsigned char *key, *next, *value;
    unsigned int n = 0;
    int err;

    attr.info.info = (unsigned long)&info;
    err = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
    if (err)
        fail_err("map", err);
    if (info.type == BPF_MAP_TYPE_RINGBUF || info.type == BPF_MAP_TYPE_PERF_EVENT_ARRAY) {
        printf("a map of type %s has no elements\n", map_type(info.type));
        return;
    }
    key = need(info.key_size);
    next = need(info.key_size);
    value = need((info.value_size + 7ul) / 8 * 8 * (count_cpus() + 1));
    memset(&attr, 0, sizeof(attr));
    attr.map_fd = fd;
    attr.next_key = (unsigned long)next;
    while (bpf(BPF_MAP_GET_NEXT_KEY, &attr) == 0) {
        memcpy(key, next, info.key_size);
        memset(&attr, 0, sizeof(attr));
        attr.map_fd = fd;
        attr.key = (unsigned long)key;
        attr.value = (unsigned long)value;
        if (bpf(BPF_MAP_LOOKUP_ELEM, &attr) == 0) {
            print_element(&info, key, value);
            n++;
        }
        attr.next_key = (unsigned long)next;
    }
    printf("%u elements\n", n);
    free(key);
    free(next);
    free(value);
}

void dump_map(const char *which)
{
    struct bpf_map_info info;
    unsigned long number = 0;
    uint32_t id = 0;
    int fd;

    if (*which == '/') {
        fd = get_pinned(which);
        if (fd < 0)
            fail_err(which, fd);
        dump_map_fd(fd);
        close(fd);
        return;
    }
    if (kstrtoul(which, 10, &number))
        number = 0;
    while ((fd = next_object(BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, &id, &info,
                             sizeof(info))) >= 0) {
        if (id == number || !strncmp(info.name, which, sizeof(info.name))) {
            dump_map_fd(fd);
            close(fd);
            return;
        }
        close(fd);
    }
    fail(which, "there is no such map");
}
