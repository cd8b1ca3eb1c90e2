/*
 * fdt_given.c - see fdt_given.h.
 */
#include "load/fdt_given.h"

#include <inttypes.h>
#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/harts.h"
#include "load/fdt.h"
#include "load/file.h"

/* As much as the board has room for; the comparison takes the square of the tree's size. */
enum { TREE_MAX = 64 << 10 };

/* A given tree that is compared with the board, and the board's own tree. */
struct comparison {
    const char *path;
    const void *given, *own;
    const struct board *board;
    const struct diag *d;
};

static bool is_of_type(const void *fdt, int node, const char *type)
{
    int len;
    const char *value = fdt_getprop(fdt, node, "device_type", &len);

    return value && len == (int)strlen(type) + 1 && !strcmp(value, type);
}

static bool is_enabled(const void *fdt, int node)
{
    int len;
    const char *status = fdt_getprop(fdt, node, "status", &len);

    return !status || !strcmp(status, "okay") || !strcmp(status, "ok");
}

/* The cells of a number of 1 or 2 cells; false: there are other ones. */
static bool take_number(const fdt32_t **cells, int count, uint64_t *number)
{
    *number = 0;
    for (int i = 0; i < count; i++)
        *number = *number << 32 | fdt32_to_cpu(*(*cells)++);
    return count == 1 || count == 2;
}

/* Entry `index` of the node's reg; false: there is none. */
static bool get_reg(const void *fdt, int node, int index, uint64_t *base, uint64_t *size)
{
    int parent = fdt_parent_offset(fdt, node), len;
    int address = fdt_address_cells(fdt, parent), sizes = fdt_size_cells(fdt, parent);
    const fdt32_t *cells = fdt_getprop(fdt, node, "reg", &len);

    *size = 0;
    if (!cells || address < 1 || address > 2 || sizes < 0 || sizes > 2 ||
        (index + 1) * (address + sizes) * (int)sizeof *cells > len)
        return false;
    cells += index * (address + sizes);
    return take_number(&cells, address, base) && (!sizes || take_number(&cells, sizes, size));
}

/* ---- harts ---- */

/* Warns of extensions in riscv,isa that the board's string does not have. */
static void compare_isa(const struct comparison *c, int node)
{
    int len;
    const char *isa = fdt_getprop(c->given, node, "riscv,isa", &len);

    if (!isa || strncmp(isa, "rv64", 4) != 0 || memchr(isa, '\0', (size_t)len) != isa + len - 1)
        return;
    for (const char *word = isa + strcspn(isa, "_"); *word == '_';) {
        size_t size = strcspn(++word, "_");
        char *name = xasprintf("_%.*s_", (int)size, word), *all = xasprintf("%s_", c->board->isa);

        if (size && !strstr(all, name))
            diag_warn(c->d,
                      "%s: %s has the extension %.*s, which the harts do not have; give --isa",
                      c->path, fdt_get_name(c->given, node, NULL), (int)size, word);
        free(name);
        free(all);
        word += size;
    }
}

static enum exit_status compare_harts(const struct comparison *c)
{
    int cpus = fdt_path_offset(c->given, "/cpus"), node, len;
    const fdt32_t *timebase =
        cpus < 0 ? NULL : fdt_getprop(c->given, cpus, "timebase-frequency", &len);
    unsigned count = 0;
    uint64_t seen = 0, hart, size;

    if (timebase && len == (int)sizeof *timebase &&
        fdt32_to_cpu(*timebase) != c->board->timebase_hz) {
        diag_error(c->d, "%s: its timebase-frequency is %" PRIu32 ", and the machine's is %" PRIu32,
                   c->path, fdt32_to_cpu(*timebase), c->board->timebase_hz);
        return EXIT_BAD_FILE;
    }
    for (node = cpus < 0 ? -1 : fdt_first_subnode(c->given, cpus); node >= 0;
         node = fdt_next_subnode(c->given, node)) {
        if (!is_of_type(c->given, node, "cpu") || !is_enabled(c->given, node))
            continue;
        if (!get_reg(c->given, node, 0, &hart, &size) || hart >= HARTS_MAX || seen >> hart & 1) {
            diag_error(c->d, "%s: %s has no hart's number of its own, from 0 to %d", c->path,
                       fdt_get_name(c->given, node, NULL), HARTS_MAX - 1);
            return EXIT_BAD_FILE;
        }
        seen |= UINT64_C(1) << hart;
        count++;
        compare_isa(c, node);
    }
    if (count == c->board->hart_count && (!count || !(seen >> (count - 1) >> 1)))
        return EXIT_PASS;
    diag_error(c->d, "%s: has %u hart%s, and the machine has harts 0 to %u; give --harts", c->path,
               count, count == 1 ? "" : "s", c->board->hart_count - 1);
    return EXIT_BAD_FILE;
}

/* ---- memory ---- */

static enum exit_status compare_memory(const struct comparison *c)
{
    const struct board *b = c->board;
    uint64_t base, size;
    bool any = false;

    for (int node = fdt_first_subnode(c->given, 0); node >= 0;
         node = fdt_next_subnode(c->given, node)) {
        if (!is_of_type(c->given, node, "memory") || !is_enabled(c->given, node))
            continue;
        for (int i = 0; get_reg(c->given, node, i, &base, &size); i++) {
            any |= size != 0;
            if (base >= b->ram_base && size <= b->ram_size &&
                base - b->ram_base <= b->ram_size - size)
                continue;
            diag_error(c->d,
                       "%s: has memory at 0x%" PRIx64 ", 0x%" PRIx64
                       " bytes, and the machine has 0x%" PRIx64 " bytes at 0x%" PRIx64
                       "; give --memory",
                       c->path, base, size, b->ram_size, b->ram_base);
            return EXIT_BAD_FILE;
        }
    }
    if (any)
        return EXIT_PASS;
    diag_error(c->d, "%s: has no memory: no node with the device_type `memory'", c->path);
    return EXIT_BAD_FILE;
}

/* ---- devices ---- */

/* The device at that address in the board's own tree; negative: there is none. */
static int find_own(const struct comparison *c, uint64_t wanted)
{
    int soc = fdt_path_offset(c->own, "/soc");
    uint64_t base, size;

    for (int node = fdt_first_subnode(c->own, soc); node >= 0;
         node = fdt_next_subnode(c->own, node))
        if (get_reg(c->own, node, 0, &base, &size) && base == wanted)
            return node;
    return -1;
}

/* Whether both are compatible with one driver. */
static bool are_alike(const struct comparison *c, int given, int own)
{
    const char *word;

    for (int i = 0; (word = fdt_stringlist_get(c->given, given, "compatible", i, NULL)); i++)
        if (!fdt_node_check_compatible(c->own, own, word))
            return true;
    return false;
}

/* Warns of nodes with registers that are no device of the board. */
static void compare_devices(const struct comparison *c)
{
    char name[256];
    uint64_t base, size;

    for (int node = fdt_next_node(c->given, -1, NULL); node >= 0;
         node = fdt_next_node(c->given, node, NULL)) {
        int own;

        if (is_of_type(c->given, node, "cpu") || is_of_type(c->given, node, "memory") ||
            !fdt_getprop(c->given, node, "compatible", NULL) || !is_enabled(c->given, node) ||
            !get_reg(c->given, node, 0, &base, &size) ||
            fdt_get_path(c->given, node, name, sizeof name))
            continue;
        own = find_own(c, base);
        if (own < 0 || !are_alike(c, node, own))
            diag_warn(c->d, "%s: %s is no device of the machine at 0x%" PRIx64, c->path, name,
                      base);
    }
}

/* ---- /chosen ---- */

static int set_chosen(void *fdt, const struct board *b)
{
    int node = fdt_path_offset(fdt, "/chosen"), error = 0;

    if (node < 0)
        node = fdt_add_subnode(fdt, 0, "chosen");
    if (node < 0)
        return node;
    if (b->bootargs)
        error = fdt_setprop(fdt, node, "bootargs", b->bootargs, (int)strlen(b->bootargs) + 1);
    if (!error && b->initrd_start != b->initrd_end)
        error = fdt_setprop_u64(fdt, node, "linux,initrd-start", b->initrd_start);
    if (!error && b->initrd_start != b->initrd_end)
        error = fdt_setprop_u64(fdt, node, "linux,initrd-end", b->initrd_end);
    if (!error && b->kaslr_seed)
        error = fdt_setprop_u64(fdt, node, "kaslr-seed", b->kaslr_seed);
    return error;
}

/* ---- the file ---- */

static enum exit_status compare(const struct comparison *c)
{
    enum exit_status status = compare_harts(c);

    if (status == EXIT_PASS)
        status = compare_memory(c);
    if (status == EXIT_PASS)
        compare_devices(c);
    return status;
}

static enum exit_status refuse(const char *path, int error, const struct diag *d)
{
    diag_error(d, "%s: not a flattened device tree: %s; `dtc -I dts -O dtb' makes one", path,
               fdt_strerror(error));
    return EXIT_BAD_FILE;
}

enum exit_status fdt_read(const char *path, const struct board *board, const struct diag *d,
                          uint8_t **fdt, size_t *size)
{
    struct comparison c = {.path = path, .board = board, .d = d};
    struct file file;
    enum exit_status status = file_read(path, d, &file);
    uint8_t *tree, *own;
    size_t own_size;
    int error;

    if (status != EXIT_PASS)
        return status;
    if (file.size > TREE_MAX) {
        diag_error(d, "%s: %zu bytes, but a device tree has at most %d", path, file.size, TREE_MAX);
        file_free(&file);
        return EXIT_BAD_FILE;
    }
    error = file.size < FDT_V1_SIZE ? -FDT_ERR_TRUNCATED : fdt_check_full(file.bytes, file.size);
    if (error) {
        file_free(&file);
        return refuse(path, error, d);
    }
    *size = fdt_totalsize(file.bytes) + FDT_SLACK + (board->bootargs ? strlen(board->bootargs) : 0);
    tree = xcalloc(*size, 1);
    error = fdt_open_into(file.bytes, tree, (int)*size);
    file_free(&file);
    own = fdt_build(board, &own_size);
    c.given = tree;
    c.own = own;
    status = error ? refuse(path, error, d) : compare(&c);
    if (status == EXIT_PASS && (error = set_chosen(tree, board)))
        status = refuse(path, error, d);
    free(own);
    if (status != EXIT_PASS)
        free(tree);
    else
        *fdt = tree;
    return status;
}
