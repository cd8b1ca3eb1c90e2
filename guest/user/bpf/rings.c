/*
 * rings.c - reads what programs hand over: records of maps of type ringbuf and perf_event_array.
 */
#include "bpf.h"
#include <uapi/linux/perf_event.h>

enum { RINGS_MAX = 16, PERF_PAGES = 8 };

struct ring {
    const char *name;
    uint64_t *consumer, *producer;     /* of a ringbuf */
    struct perf_event_mmap_page *page; /* of an event; or NULL */
    const char *data;
    uint64_t size;
};

static struct ring rings[RINGS_MAX];
static unsigned int nr_rings;

static void *map_pages(int fd, size_t size, int prot, long offset, const char *name)
{
    void *p = mmap(NULL, size, prot, MAP_SHARED, fd, offset);

    if (is_error(p))
        fail_err(name, (long)p);
    return p;
}

static struct ring *new_ring(const char *name)
{
    if (nr_rings == RINGS_MAX)
        fail(name, "there are too many rings");
    rings[nr_rings].name = name;
    return &rings[nr_rings++];
}

static void open_ringbuf(const struct map *map)
{
    struct ring *r = new_ring(map->name);

    r->size = map->max_entries;
    r->consumer = map_pages(map->fd, PAGE_SIZE, PROT_READ | PROT_WRITE, 0, r->name);
    r->producer = map_pages(map->fd, PAGE_SIZE + 2 * r->size, PROT_READ, PAGE_SIZE, r->name);
    r->data = (const char *)r->producer + PAGE_SIZE;
}

static void open_perf_ring(const struct map *map, uint32_t cpu)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .config = PERF_COUNT_SW_BPF_OUTPUT,
                                    .size = sizeof(event),
                                    .sample_type = PERF_SAMPLE_RAW,
                                    .sample_period = 1,
                                    .wakeup_events = 1};
    union bpf_attr attr = {.map_fd = map->fd};
    int fd = syscall(__NR_perf_event_open, &event, -1, cpu, -1, 8), err;
    struct ring *r = new_ring(map->name);

    if (fd < 0)
        fail_err(map->name, fd);
    r->size = PERF_PAGES * PAGE_SIZE;
    r->page = map_pages(fd, PAGE_SIZE + r->size, PROT_READ | PROT_WRITE, 0, r->name);
    r->data = (const char *)r->page + PAGE_SIZE;
    attr.key = (unsigned long)&cpu;
    attr.value = (unsigned long)&fd;
    err = bpf(BPF_MAP_UPDATE_ELEM, &attr);
    if (err)
        fail_err(map->name, err);
}

void open_rings(const struct object *o)
{
    uint32_t cpu, cpus = count_cpus();
    unsigned int i;

    for (i = 0; i < o->nr_maps; i++) {
        const struct map *map = &o->maps[i];

        if (map->type == BPF_MAP_TYPE_RINGBUF)
            open_ringbuf(map);
        for (cpu = 0; map->type == BPF_MAP_TYPE_PERF_EVENT_ARRAY && cpu < cpus; cpu++)
            open_perf_ring(map, cpu);
    }
}

static void print_record(const struct ring *r, const void *data, unsigned int size)
{
    printf("record %s:", r->name);
    print_bytes("", data, size);
    printf("\n");
}

static void read_ringbuf(const struct ring *r)
{
    uint64_t at = *r->consumer;

    while (at < __atomic_load_n(r->producer, __ATOMIC_ACQUIRE)) {
        const char *record = r->data + (at & (r->size - 1));
        uint32_t head = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
        uint32_t len = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

        if (head & BPF_RINGBUF_BUSY_BIT)
            return;
        if (!(head & BPF_RINGBUF_DISCARD_BIT))
            print_record(r, record + BPF_RINGBUF_HDR_SZ, len);
        at += (len + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
        __atomic_store_n(r->consumer, at, __ATOMIC_RELEASE);
    }
}

static void read_perf_ring(const struct ring *r)
{
    uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), at = r->page->data_tail;
    static char copy[1 << 16];

    while (at < head) {
        struct perf_event_header h;
        uint64_t i;

        for (i = 0; i < sizeof(h); i++)
            copy[i] = r->data[(at + i) % r->size];
        memcpy(&h, copy, sizeof(h));
        for (; i < h.size; i++)
            copy[i] = r->data[(at + i) % r->size];
        if (h.type == PERF_RECORD_SAMPLE)
            print_record(r, copy + sizeof(h) + 4, *(const uint32_t *)(copy + sizeof(h)));
        else if (h.type == PERF_RECORD_LOST)
            printf("record %s: %lu lost\n", r->name,
                   (unsigned long)*(const uint64_t *)(copy + sizeof(h) + 8));
        at += h.size;
        __atomic_store_n(&r->page->data_tail, at, __ATOMIC_RELEASE);
    }
}

void print_records(void)
{
    unsigned int i;

    for (i = 0; i < nr_rings; i++)
        if (rings[i].page)
            read_perf_ring(&rings[i]);
        else
            read_ringbuf(&rings[i]);
}

bool has_rings(void)
{
    return nr_rings;
}
