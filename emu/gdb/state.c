/*
 * state.c - the packets that read and write registers and memory.
 *
 * Registers have the numbers of the target layer, which are gdb's. `g` has x0 to x31 and the pc
 * only: gdb asks for each of the others when it needs it.
 */
#include <string.h>

#include "gdb/server_priv.h"

enum { GENERAL_REGISTERS = TARGET_REG_PC + 1 };

/* ---- registers ---- */

/*
 * Appends the value of a register as its bytes in memory; one that cannot be read is unavailable
 * (x).
 */
void reply_register(struct gdb_server *g, unsigned hart, unsigned number)
{
    struct target_register r;
    uint64_t value;
    unsigned bytes;
    const uint8_t *vector = number >= TARGET_REG_V0
                                ? target_vector(g->target, hart, number - TARGET_REG_V0, &bytes)
                                : NULL;

    if (vector)
        reply_hex(&g->reply, vector, bytes);
    else if (!target_register(g->target, number, &r))
        reply_error(g, ERROR_INVALID);
    else if (target_get_register(g->target, hart, number, &value))
        reply_print(&g->reply, "%.*s", (int)r.bits / 4, "xxxxxxxxxxxxxxxx");
    else
        reply_hex(&g->reply, &value, r.bits / 8); /* the host is little-endian, as the guest */
}

void packet_read_registers(struct gdb_server *g, const char *args)
{
    (void)args;
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        reply_register(g, g->selected, i);
}

/* Writes a register; x0 stays 0. False: the register cannot be written. */
static bool write_register(struct gdb_server *g, unsigned number, uint64_t value)
{
    return number == TARGET_REG_X0 ||
           target_set_register(g->target, g->selected, number, value) == TARGET_OK;
}

void packet_write_registers(struct gdb_server *g, const char *args)
{
    uint64_t value[GENERAL_REGISTERS], old;

    if (!take_bytes(&args, value, sizeof value) || *args) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        if (target_get_register(g->target, g->selected, i, &old) || old != value[i])
            (void)!write_register(g, i, value[i]);
    reply_ok(g);
}

void packet_read_register(struct gdb_server *g, const char *args)
{
    uint64_t number;

    if (take_number(&args, &number) && !*args && number < TARGET_REGISTERS_ALL)
        reply_register(g, g->selected, (unsigned)number);
    else
        reply_error(g, ERROR_INVALID);
}

/* Writes v0 to v31 from their bytes. False: there are none, or the packet has others. */
static bool write_vector(struct gdb_server *g, unsigned reg, const char *args)
{
    uint8_t value[1024 / 8];
    unsigned bytes;

    return target_vector(g->target, g->selected, reg, &bytes) && bytes <= sizeof value &&
           take_bytes(&args, value, bytes) && !*args &&
           target_set_vector(g->target, g->selected, reg, value) == TARGET_OK;
}

void packet_write_register(struct gdb_server *g, const char *args)
{
    struct target_register r;
    uint64_t number, value = 0;

    if (!take_number(&args, &number) || !take_char(&args, '=') || number >= TARGET_REGISTERS_ALL)
        reply_error(g, ERROR_INVALID);
    else if (number >= TARGET_REG_V0 && write_vector(g, (unsigned)number - TARGET_REG_V0, args))
        reply_ok(g);
    else if (target_register(g->target, (unsigned)number, &r) &&
             take_bytes(&args, &value, r.bits / 8) && !*args &&
             write_register(g, (unsigned)number, value))
        reply_ok(g);
    else
        reply_error(g, ERROR_INVALID);
}

/* ---- memory ---- */

/*
 * Addresses are as the hart translates them. Where it translates nothing (before the kernel has
 * enabled translation, or in M-mode), the image's virtual addresses are valid, too, so that symbols
 * can be used from the start.
 */
enum target_space space_of_memory(const struct gdb_server *g)
{
    int satp = target_find_register(g->target, "satp");
    uint64_t value = 0;

    if (g->physical)
        return TARGET_BY_PHYSICAL;
    if (target_hart(g->target, g->selected).mode == PRIV_M || satp < 0 ||
        target_get_register(g->target, g->selected, (unsigned)satp, &value) || !value)
        return TARGET_BY_ANY;
    return TARGET_BY_HART;
}

/* Reads "ADDRESS,LENGTH". */
static bool take_range(const char **at, uint64_t *address, uint64_t *len)
{
    return take_number(at, address) && take_char(at, ',') && take_number(at, len);
}

/* Reads as many bytes as possible, up to `len`; gdb asks again for the rest. */
static size_t read_some(const struct gdb_server *g, uint64_t address, uint8_t *to, size_t len)
{
    enum target_space space = space_of_memory(g);
    size_t done = 0;

    while (done < len) {
        size_t part = PAGE_BYTES - (address + done) % PAGE_BYTES;

        part = part < len - done ? part : len - done;
        if (target_read(g->target, g->selected, space, address + done, to + done, part))
            break;
        done += part;
    }
    return done;
}

void packet_read_memory(struct gdb_server *g, const char *args)
{
    uint8_t bytes[PACKET_MAX / 2];
    uint64_t address, len;
    size_t done;

    if (!take_range(&args, &address, &len) || *args) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    len = len < sizeof bytes ? len : sizeof bytes;
    done = read_some(g, address, bytes, (size_t)len);
    if (len && !done)
        reply_error(g, ERROR_FAULT);
    else
        reply_hex(&g->reply, bytes, done);
}

static void write_memory(struct gdb_server *g, uint64_t address, const void *bytes, size_t len)
{
    if (target_write(g->target, g->selected, space_of_memory(g), address, bytes, len))
        reply_error(g, ERROR_FAULT);
    else
        reply_ok(g);
}

void packet_write_memory(struct gdb_server *g, const char *args)
{
    uint8_t bytes[PACKET_MAX / 2];
    uint64_t address, len;

    if (take_range(&args, &address, &len) && take_char(&args, ':') && len <= sizeof bytes &&
        take_bytes(&args, bytes, (size_t)len) && !*args)
        write_memory(g, address, bytes, (size_t)len);
    else
        reply_error(g, ERROR_INVALID);
}

/* Writes memory, by bytes that are not in hexadecimal. */
void packet_write_binary(struct gdb_server *g, const char *args)
{
    const char *end = g->reader.text + g->reader.len;
    uint64_t address, len;

    if (take_range(&args, &address, &len) && take_char(&args, ':') && len == (size_t)(end - args))
        write_memory(g, address, args, (size_t)len);
    else
        reply_error(g, ERROR_INVALID);
}
