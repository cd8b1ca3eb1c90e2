/*
 * fdt.c - reads what this kernel needs from the flattened device tree.
 *
 * One pass over the structure block: a node's properties come before its children, so
 * #address-cells and #size-cells of the parent are known when reg is read.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/of_fdt.h>
#include <linux/string.h>

enum {
    FDT_MAGIC = 0xd00dfeed,
    FDT_BEGIN_NODE = 1,
    FDT_END_NODE = 2,
    FDT_PROP = 3,
    FDT_NOP = 4,
    FDT_END = 9,
    MAX_DEPTH = 16,
    MAX_CONTEXTS = 4 * NR_CPUS,
    IRQ_S_EXTERNAL = 9, /* of a hart's own controller */
};

struct fdt_header {
    u32 magic, totalsize, off_dt_struct, off_dt_strings, off_mem_rsvmap;
    u32 version, last_comp_version, boot_cpuid_phys, size_dt_strings, size_dt_struct;
};

/* Properties of an open node that were found so far. */
struct node {
    const char *name;
    u32 address_cells, size_cells; /* for its children */
    u64 reg_base, reg_size;
    u32 phandle, irq;    /* irq: the first cell of interrupts */
    const u32 *extended; /* interrupts-extended */
    u32 extended_len;
    bool has_reg, is_cpu, is_memory, is_uart, is_finisher, is_plic, is_virtio, is_intc, disabled;
};

/* An interrupt line that the PLIC drives: of the controller with this phandle. */
struct context {
    u32 phandle, irq;
};

struct scan {
    const char *strings;
    struct node nodes[MAX_DEPTH];
    int depth;                             /* index of the innermost open node; -1 outside */
    struct context contexts[MAX_CONTEXTS]; /* of the PLIC, by number */
    unsigned int nr_contexts;
    u32 intc_phandle[NR_CPUS]; /* of info->hartids[i]'s own interrupt controller */
    struct fdt_info *info;
};

static u32 be32(const void *p)
{
    const u8 *b = p;

    return (u32)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

static u64 read_cells(const u32 *p, u32 cells)
{
    u64 value = 0;

    while (cells--)
        value = value << 32 | be32(p++);
    return value;
}

/* Returns whether `what` is among the NUL-separated strings of a property. */
static bool stringlist_has(const char *list, u32 len, const char *what)
{
    const char *end = list + len;

    for (; list < end; list += strnlen(list, end - list) + 1)
        if (!strcmp(list, what))
            return true;
    return false;
}

static void scan_reg(struct scan *s, struct node *n, const u32 *value, u32 len)
{
    const struct node *parent = n - 1;
    u32 cells;

    if (s->depth < 1) /* the root has no parent with cell sizes */
        return;
    cells = parent->address_cells + parent->size_cells;
    if (!cells || len < cells * 4)
        return;
    n->has_reg = true;
    n->reg_base = read_cells(value, parent->address_cells);
    n->reg_size = read_cells(value + parent->address_cells, parent->size_cells);
}

static void scan_contexts(struct scan *s, const u32 *value, u32 len)
{
    const u32 *end = value + len / 4;

    for (; value + 2 <= end && s->nr_contexts < MAX_CONTEXTS; value += 2)
        s->contexts[s->nr_contexts++] = (struct context){be32(value), be32(value + 1)};
}

static void scan_compatible(struct node *n, const char *value, u32 len)
{
    n->is_uart = stringlist_has(value, len, "ns16550a");
    n->is_finisher = stringlist_has(value, len, "sifive,test0");
    n->is_plic = stringlist_has(value, len, "sifive,plic-1.0.0") ||
                 stringlist_has(value, len, "riscv,plic0");
    n->is_virtio = stringlist_has(value, len, "virtio,mmio");
    n->is_intc = stringlist_has(value, len, "riscv,cpu-intc");
}

static void scan_property(struct scan *s, const char *name, const void *value, u32 len)
{
    struct node *n = &s->nodes[s->depth];

    if (!strcmp(name, "#address-cells"))
        n->address_cells = be32(value);
    else if (!strcmp(name, "#size-cells"))
        n->size_cells = be32(value);
    else if (!strcmp(name, "reg"))
        scan_reg(s, n, value, len);
    else if (!strcmp(name, "device_type")) {
        n->is_cpu = !strcmp(value, "cpu");
        n->is_memory = !strcmp(value, "memory");
    } else if (!strcmp(name, "compatible"))
        scan_compatible(n, value, len);
    else if (!strcmp(name, "phandle"))
        n->phandle = be32(value);
    else if (!strcmp(name, "interrupts") && len >= 4)
        n->irq = be32(value);
    else if (!strcmp(name, "interrupts-extended")) {
        n->extended = value;
        n->extended_len = len;
    } else if (!strcmp(name, "riscv,ndev"))
        s->info->plic_ndev = be32(value);
    else if (!strcmp(name, "riscv,isa"))
        strscpy(s->info->isa, value, sizeof(s->info->isa));
    else if (!strcmp(name, "status"))
        n->disabled = strcmp(value, "okay") && strcmp(value, "ok");
    else if (!strcmp(name, "timebase-frequency"))
        s->info->timebase = read_cells(value, len / 4);
    else if (!strcmp(name, "linux,initrd-start"))
        s->info->initrd_start = read_cells(value, len / 4);
    else if (!strcmp(name, "linux,initrd-end"))
        s->info->initrd_end = read_cells(value, len / 4);
    else if (!strcmp(name, "bootargs") && !strcmp(n->name, "chosen"))
        strscpy(boot_command_line, value, COMMAND_LINE_SIZE);
}

static void add_virtio(struct fdt_info *info, const struct node *n)
{
    unsigned int i = info->nr_virtio;

    if (i == FDT_MAX_VIRTIO)
        return;
    info->virtio_phys[i] = n->reg_base;
    info->virtio_size[i] = n->reg_size;
    info->virtio_irq[i] = n->irq;
    info->nr_virtio++;
}

static void close_node(struct scan *s)
{
    const struct node *n = &s->nodes[s->depth--];
    struct fdt_info *info = s->info;

    /* A hart's controller is closed before the hart, which will be number nr_harts. */
    if (n->is_intc && s->depth >= 0 && s->nodes[s->depth].is_cpu && info->nr_harts < NR_CPUS)
        s->intc_phandle[info->nr_harts] = n->phandle;
    if (!n->has_reg || n->disabled)
        return;
    if (n->is_cpu && info->nr_harts < NR_CPUS)
        info->hartids[info->nr_harts++] = n->reg_base;
    else if (n->is_virtio)
        add_virtio(info, n);
    else if (n->is_plic && !info->plic_phys) {
        info->plic_phys = n->reg_base;
        info->plic_size = n->reg_size;
        scan_contexts(s, n->extended, n->extended_len);
    } else if (n->is_memory && !info->memory_end) {
        info->memory_start = n->reg_base;
        info->memory_end = n->reg_base + n->reg_size;
    } else if (n->is_uart && !info->uart_phys)
        info->uart_phys = n->reg_base;
    else if (n->is_finisher && !info->finisher_phys)
        info->finisher_phys = n->reg_base;
}

static const char *open_node(struct scan *s, const char *name)
{
    s->nodes[++s->depth] = (struct node){.name = name, .address_cells = 2, .size_cells = 1};
    return name + ALIGN(strlen(name) + 1, 4UL);
}

static const char *take_property(struct scan *s, const char *p)
{
    u32 len = be32(p), name = be32(p + 4);

    scan_property(s, s->strings + name, p + 8, len);
    return p + 8 + ALIGN(len, 4u);
}

/* A context of the PLIC is the position of a hart's external S-mode interrupt in its list. */
static void find_contexts(struct scan *s)
{
    struct fdt_info *info = s->info;
    unsigned int i, c;

    for (i = 0; i < info->nr_harts; i++) {
        info->plic_context[i] = -1;
        for (c = 0; c < s->nr_contexts; c++)
            if (s->contexts[c].phandle == s->intc_phandle[i] &&
                s->contexts[c].irq == IRQ_S_EXTERNAL)
                info->plic_context[i] = c;
    }
}

int early_init_dt_scan(const void *blob, struct fdt_info *info)
{
    const struct fdt_header *header = blob;
    const char *p = (const char *)blob + be32(&header->off_dt_struct);
    struct scan s = {
        .strings = (const char *)blob + be32(&header->off_dt_strings), .depth = -1, .info = info};

    if (be32(&header->magic) != FDT_MAGIC)
        return -EINVAL;
    for (;;) {
        u32 token = be32(p);

        p += 4;
        if (token == FDT_BEGIN_NODE && s.depth + 1 < MAX_DEPTH)
            p = open_node(&s, p);
        else if (token == FDT_END_NODE && s.depth >= 0)
            close_node(&s);
        else if (token == FDT_PROP && s.depth >= 0)
            p = take_property(&s, p);
        else if (token == FDT_END) {
            find_contexts(&s);
            return info->memory_end && info->timebase ? 0 : -EINVAL;
        } else if (token != FDT_NOP)
            return -EINVAL;
    }
}
