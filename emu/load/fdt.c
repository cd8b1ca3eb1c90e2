/*
 * fdt.c - see fdt.h. Written front to back with libfdt's sequential calls.
 *
 * Sources: the Devicetree Specification 0.4; Linux's Documentation/devicetree/
 * bindings (riscv/cpus.yaml and extensions.yaml, sifive,plic-1.0.0.yaml,
 * sifive,clint.yaml, 8250.yaml, syscon-poweroff.yaml); QEMU's -machine dumpdtb.
 */
#include "load/fdt.h"

#include <assert.h>
#include <inttypes.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"

/* Interrupt numbers at a hart's own controller: the cause codes of mcause. */
enum { HART_SSIP = 1, HART_MSIP = 3, HART_MTIP = 7, HART_SEIP = 9, HART_MEIP = 11 };

/* A tree under construction. After the first error, which is kept, all calls do nothing. */
struct tree {
    void *fdt;
    int error;
    const struct board *board;
};

/* phandles: two for each hart (the hart, its interrupt controller), then those of devices. */
static uint32_t hart_phandle(unsigned hart)
{
    return 2 * hart + 1;
}

static uint32_t intc_phandle(unsigned hart)
{
    return 2 * hart + 2;
}

static uint32_t plic_phandle(const struct board *b)
{
    return 2 * b->hart_count + 1;
}

static uint32_t finisher_phandle(const struct board *b)
{
    return 2 * b->hart_count + 2;
}

static void begin(struct tree *t, const char *name)
{
    if (!t->error)
        t->error = fdt_begin_node(t->fdt, name);
}

/* A node named after its address, as "serial@10000000". */
static void begin_at(struct tree *t, const char *name, uint64_t address)
{
    char *full = xasprintf("%s@%" PRIx64, name, address);

    begin(t, full);
    free(full);
}

static void end(struct tree *t)
{
    if (!t->error)
        t->error = fdt_end_node(t->fdt);
}

static void put(struct tree *t, const char *name, const void *value, size_t size)
{
    if (!t->error)
        t->error = fdt_property(t->fdt, name, value, (int)size);
}

static void put_flag(struct tree *t, const char *name)
{
    put(t, name, NULL, 0);
}

static void put_string(struct tree *t, const char *name, const char *value)
{
    put(t, name, value, strlen(value) + 1);
}

static void put_u32(struct tree *t, const char *name, uint32_t value)
{
    fdt32_t cell = cpu_to_fdt32(value);

    put(t, name, &cell, sizeof cell);
}

static void put_u64(struct tree *t, const char *name, uint64_t value)
{
    fdt64_t cell = cpu_to_fdt64(value);

    put(t, name, &cell, sizeof cell);
}

static void put_reg(struct tree *t, uint64_t base, uint64_t size)
{
    fdt64_t reg[2] = {cpu_to_fdt64(base), cpu_to_fdt64(size)};

    put(t, "reg", reg, sizeof reg);
}

/* A property with several strings: a literal with '\0' between them. */
#define PUT_STRINGS(t, name, literal) put((t), (name), (literal), sizeof(literal))

static void put_irq(struct tree *t, const struct board_device *dev)
{
    if (!dev->irq)
        return;
    assert(t->board->plic.size);
    put_u32(t, "interrupt-parent", plic_phandle(t->board));
    put_u32(t, "interrupts", dev->irq);
}

/* interrupts-extended of the CLINT, SSWI and PLIC: these interrupts at each hart's controller. */
static void put_hart_irqs(struct tree *t, const uint32_t *irqs, unsigned count)
{
    unsigned harts = t->board->hart_count, n = 0;
    fdt32_t *cells = xcalloc(harts, 2 * count * sizeof *cells);

    for (unsigned i = 0; i < harts; i++)
        for (unsigned k = 0; k < count; k++) {
            cells[n++] = cpu_to_fdt32(intc_phandle(i));
            cells[n++] = cpu_to_fdt32(irqs[k]);
        }
    put(t, "interrupts-extended", cells, n * sizeof *cells);
    free(cells);
}

static void write_chosen(struct tree *t)
{
    const struct board *b = t->board;

    begin(t, "chosen");
    if (b->uart.size) {
        char *path = xasprintf("/soc/serial@%" PRIx64, b->uart.base);

        put_string(t, "stdout-path", path);
        free(path);
    }
    if (b->bootargs)
        put_string(t, "bootargs", b->bootargs);
    if (b->initrd_start != b->initrd_end) {
        put_u64(t, "linux,initrd-start", b->initrd_start);
        put_u64(t, "linux,initrd-end", b->initrd_end);
    }
    if (b->rng_seed_size)
        put(t, "rng-seed", b->rng_seed, b->rng_seed_size);
    if (b->kaslr_seed)
        put_u64(t, "kaslr-seed", b->kaslr_seed);
    end(t);
}

static void write_aliases(struct tree *t)
{
    char *path;

    if (!t->board->uart.size)
        return;
    path = xasprintf("/soc/serial@%" PRIx64, t->board->uart.base);
    begin(t, "aliases");
    put_string(t, "serial0", path);
    end(t);
    free(path);
}

static void write_memory(struct tree *t)
{
    begin_at(t, "memory", t->board->ram_base);
    put_string(t, "device_type", "memory");
    put_reg(t, t->board->ram_base, t->board->ram_size);
    end(t);
}

/* Appends one extension's name with its NUL. */
static size_t append_name(char *list, size_t len, const char *name, size_t name_len)
{
    memcpy(list + len, name, name_len);
    list[len + name_len] = '\0';
    return len + name_len + 1;
}

/* One letter; "g" means several (unprivileged specification, chapter 27). */
static size_t append_letter(char *list, size_t len, char letter)
{
    static const char general[] = "i\0m\0a\0f\0d\0zicsr\0zifencei";

    if (letter != 'g')
        return append_name(list, len, &letter, 1);
    memcpy(list + len, general, sizeof general);
    return len + sizeof general;
}

/* Names after underscores. */
static size_t append_names(char *list, size_t len, const char *p)
{
    while (*p == '_') {
        size_t name_len = strcspn(++p, "_");

        len = append_name(list, len, p, name_len);
        p += name_len;
    }
    return len;
}

/*
 * The extensions as a list of strings: Linux prefers it since 6.6 and may be
 * built without the parser of riscv,isa.
 */
static void put_isa_extensions(struct tree *t)
{
    const char *p = t->board->isa + strlen("rv64"), *promises = t->board->promises;
    size_t promises_len = promises ? strlen(promises) : 0;
    char *list = xmalloc((strlen(p) + promises_len) * sizeof "i m a f d zicsr zifencei" + 1);
    size_t len = 0;

    for (; *p && *p != '_'; p++)
        len = append_letter(list, len, *p);
    len = append_names(list, len, p);
    if (promises)
        len = append_names(list, len, promises);
    put(t, "riscv,isa-extensions", list, len);
    free(list);
}

static void put_isa(struct tree *t)
{
    const struct board *b = t->board;

    assert(strncmp(b->isa, "rv64", 4) == 0);
    put_string(t, "riscv,isa", b->isa);
    put_string(t, "riscv,isa-base", "rv64i");
    put_isa_extensions(t);
    if (b->cbom_block)
        put_u32(t, "riscv,cbom-block-size", b->cbom_block);
    if (b->cboz_block)
        put_u32(t, "riscv,cboz-block-size", b->cboz_block);
    put_string(t, "mmu-type", b->mmu_type ? b->mmu_type : "riscv,none");
}

static void write_hart(struct tree *t, unsigned hart)
{
    begin_at(t, "cpu", hart);
    put_u32(t, "phandle", hart_phandle(hart));
    put_string(t, "device_type", "cpu");
    put_u32(t, "reg", hart);
    put_string(t, "status", "okay");
    put_string(t, "compatible", "riscv");
    put_isa(t);
    begin(t, "interrupt-controller");
    put_u32(t, "#address-cells", 0);
    put_u32(t, "#interrupt-cells", 1);
    put_flag(t, "interrupt-controller");
    put_string(t, "compatible", "riscv,cpu-intc");
    put_u32(t, "phandle", intc_phandle(hart));
    end(t);
    end(t);
}

static void write_cpu_map(struct tree *t)
{
    begin(t, "cpu-map");
    begin(t, "cluster0");
    for (unsigned i = 0; i < t->board->hart_count; i++) {
        char *core = xasprintf("core%u", i);

        begin(t, core);
        put_u32(t, "cpu", hart_phandle(i));
        end(t);
        free(core);
    }
    end(t);
    end(t);
}

static void write_cpus(struct tree *t)
{
    begin(t, "cpus");
    put_u32(t, "#address-cells", 1);
    put_u32(t, "#size-cells", 0);
    put_u32(t, "timebase-frequency", t->board->timebase_hz);
    for (unsigned i = 0; i < t->board->hart_count; i++)
        write_hart(t, i);
    write_cpu_map(t);
    end(t);
}

static void write_sswi(struct tree *t)
{
    const struct board_device *dev = &t->board->sswi;

    if (!dev->size)
        return;
    begin_at(t, "sswi", dev->base);
    put_string(t, "compatible", "riscv,aclint-sswi");
    put_reg(t, dev->base, dev->size);
    put_flag(t, "interrupt-controller");
    put_u32(t, "#interrupt-cells", 0);
    put_u32(t, "#address-cells", 0);
    put_hart_irqs(t, (uint32_t[]){HART_SSIP}, 1);
    end(t);
}

static void write_aclint(struct tree *t)
{
    const struct board_device *dev = &t->board->aclint;

    if (!dev->size)
        return;
    begin_at(t, "clint", dev->base);
    PUT_STRINGS(t, "compatible", "sifive,clint0\0riscv,clint0");
    put_reg(t, dev->base, dev->size);
    put_hart_irqs(t, (uint32_t[]){HART_MSIP, HART_MTIP}, 2);
    end(t);
}

static void write_plic(struct tree *t)
{
    const struct board_device *dev = &t->board->plic;

    if (!dev->size)
        return;
    begin_at(t, "plic", dev->base);
    PUT_STRINGS(t, "compatible", "sifive,plic-1.0.0\0riscv,plic0");
    put_reg(t, dev->base, dev->size);
    put_u32(t, "phandle", plic_phandle(t->board));
    put_u32(t, "#address-cells", 0);
    put_u32(t, "#interrupt-cells", 1);
    put_flag(t, "interrupt-controller");
    put_hart_irqs(t, (uint32_t[]){HART_MEIP, HART_SEIP}, 2);
    put_u32(t, "riscv,ndev", t->board->plic_sources);
    end(t);
}

static void write_uart(struct tree *t)
{
    const struct board_device *dev = &t->board->uart;

    if (!dev->size)
        return;
    begin_at(t, "serial", dev->base);
    put_string(t, "compatible", "ns16550a");
    put_reg(t, dev->base, dev->size);
    put_u32(t, "clock-frequency", t->board->uart_clock_hz);
    put_irq(t, dev);
    end(t);
}

static void write_finisher(struct tree *t)
{
    const struct board_device *dev = &t->board->finisher;

    if (!dev->size)
        return;
    begin_at(t, "test", dev->base);
    PUT_STRINGS(t, "compatible", "sifive,test1\0sifive,test0\0syscon");
    put_reg(t, dev->base, dev->size);
    put_u32(t, "phandle", finisher_phandle(t->board));
    end(t);
}

/* A syscon node: Linux's generic driver that writes one value to one register. */
static void write_syscon(struct tree *t, const char *name, const char *compatible, uint32_t value)
{
    if (!t->board->finisher.size)
        return;
    begin(t, name);
    put_string(t, "compatible", compatible);
    put_u32(t, "regmap", finisher_phandle(t->board));
    put_u32(t, "offset", 0);
    put_u32(t, "value", value);
    end(t);
}

/* A node with compatible, reg and interrupts only. */
static void write_plain(struct tree *t, const char *name, const char *compatible,
                        const struct board_device *dev)
{
    if (!dev->size)
        return;
    begin_at(t, name, dev->base);
    put_string(t, "compatible", compatible);
    put_reg(t, dev->base, dev->size);
    put_irq(t, dev);
    end(t);
}

static void write_soc(struct tree *t)
{
    begin(t, "soc");
    put_u32(t, "#address-cells", 2);
    put_u32(t, "#size-cells", 2);
    put_string(t, "compatible", "simple-bus");
    put_flag(t, "ranges");
    write_finisher(t);
    write_plain(t, "rtc", "google,goldfish-rtc", &t->board->rtc);
    write_aclint(t);
    write_sswi(t);
    write_plic(t);
    write_uart(t);
    for (unsigned i = 0; i < t->board->virtio_count; i++)
        write_plain(t, "virtio_mmio", "virtio,mmio", &t->board->virtio[i]);
    end(t);
}

static void put_cells(struct tree *t, const char *name, uint32_t *cells, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cells[i] = cpu_to_fdt32(cells[i]);
    put(t, name, cells, count * sizeof *cells);
}

/* Writes the node from which OpenSBI takes the values of mhpmevent; Linux asks OpenSBI. */
static void write_pmu(struct tree *t)
{
    const struct board *b = t->board;
    uint32_t *selectors = xmalloc(b->event_count * 3 * sizeof *selectors);
    uint32_t *counters = xmalloc(b->event_count * 3 * sizeof *counters);
    uint32_t raw[] = {0, 0, (uint32_t)(~b->raw_events >> 32), (uint32_t)~b->raw_events,
                      b->event_counters};

    for (unsigned i = 0; i < b->event_count; i++) {
        const struct board_event *e = &b->events[i];
        uint32_t fixed = e->sbi == 1 ? 1 : e->sbi == 2 ? 4 : 0; /* cycle, instret */

        memcpy(&selectors[3 * i], (uint32_t[]){e->sbi, 0, e->selector}, 12);
        memcpy(&counters[3 * i], (uint32_t[]){e->sbi, e->sbi, b->event_counters | fixed}, 12);
    }
    begin(t, "pmu");
    put_string(t, "compatible", "riscv,pmu");
    put_cells(t, "riscv,event-to-mhpmevent", selectors, 3 * b->event_count);
    put_cells(t, "riscv,event-to-mhpmcounters", counters, 3 * b->event_count);
    put_cells(t, "riscv,raw-event-to-mhpmcounters", raw, 5);
    end(t);
    free(selectors);
    free(counters);
}

static void write_root(struct tree *t)
{
    begin(t, "");
    put_u32(t, "#address-cells", 2);
    put_u32(t, "#size-cells", 2);
    put_string(t, "compatible", "riscv-virtio");
    put_string(t, "model", "riscv-virtio,rvftrace");
    write_chosen(t);
    write_aliases(t);
    write_memory(t);
    write_cpus(t);
    if (t->board->events)
        write_pmu(t);
    write_soc(t);
    write_syscon(t, "poweroff", "syscon-poweroff", 0x5555);
    write_syscon(t, "reboot", "syscon-reboot", 0x7777);
    end(t);
}

/* Writes the tree into a buffer of `size` bytes. Returns 0 or libfdt's error. */
static int write_tree(const struct board *board, void *fdt, size_t size)
{
    struct tree t = {.fdt = fdt, .board = board};

    t.error = fdt_create(fdt, (int)size);
    if (!t.error)
        t.error = fdt_finish_reservemap(fdt);
    write_root(&t);
    if (!t.error)
        t.error = fdt_finish(fdt);
    return t.error;
}

/* Adds FDT_SLACK bytes after the end of a finished tree; returns it with its new size. */
static uint8_t *pad(uint8_t *fdt, size_t *size)
{
    size_t used = fdt_totalsize(fdt);

    *size = used + FDT_SLACK;
    fdt = xrealloc(fdt, *size);
    memset(fdt + used, 0, FDT_SLACK);
    fdt_set_totalsize(fdt, (uint32_t)*size);
    return fdt;
}

uint8_t *fdt_build(const struct board *board, size_t *size)
{
    size_t room = 1 << 14;
    uint8_t *fdt = xmalloc(room);
    int error;

    while ((error = write_tree(board, fdt, room)) == -FDT_ERR_NOSPACE) {
        room *= 2;
        fdt = xrealloc(fdt, room);
    }
    assert(!error);
    (void)error;
    return pad(fdt, size);
}
