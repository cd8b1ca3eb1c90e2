/*
 * description.c - the documents that gdb reads: the registers of a hart, the threads, memory.
 *
 * gdb knows the standard features by their names and looks for registers in them by name (gdb's
 * manual, "RISC-V Features").
 */
#include <inttypes.h>
#include <string.h>

#include "gdb/server_priv.h"

/* ---- registers ---- */

static const struct {
    enum target_register_group group;
    const char *name;
} features[] = {
    {TARGET_GENERAL, "org.gnu.gdb.riscv.cpu"},
    {TARGET_FLOAT, "org.gnu.gdb.riscv.fpu"},
    {TARGET_CSR, "org.gnu.gdb.riscv.csr"},
    {TARGET_VIRTUAL, "org.gnu.gdb.riscv.virtual"},
};

static const char *type_name(enum target_register_type type)
{
    static const char *const names[] = {[TARGET_INT] = "int",
                                        [TARGET_CODE_POINTER] = "code_ptr",
                                        [TARGET_DATA_POINTER] = "data_ptr",
                                        [TARGET_DOUBLE] = "riscv_double"};

    return names[type];
}

/*
 * Returns the feature of a register: gdb wants the CSRs fflags, frm and fcsr beside the
 * floating-point registers.
 */
static enum target_register_group group_of(unsigned number, const struct target_register *r)
{
    enum { FCSR = 3 };

    return number > TARGET_REG_CSR && number <= TARGET_REG_CSR + FCSR ? TARGET_FLOAT : r->group;
}

static void describe_register(unsigned number, const struct target_register *r, reply_text *out)
{
    static const char *const groups[] = {[TARGET_GENERAL] = "general",
                                         [TARGET_FLOAT] = "float",
                                         [TARGET_CSR] = "system",
                                         [TARGET_VIRTUAL] = "system"};

    reply_print(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\" group=\"%s\"/>\n",
                r->name, r->bits, number, type_name(r->type), groups[group_of(number, r)]);
}

/* Describes the feature of a group, if there are registers of it. */
static void describe_feature(const struct gdb_server *g, enum target_register_group group,
                             const char *name, reply_text *out)
{
    struct target_register r;
    bool begun = false;

    for (unsigned i = 0; i < TARGET_REGISTERS; i++) {
        if (!target_register(g->target, i, &r) || group_of(i, &r) != group)
            continue;
        if (!begun)
            reply_print(out, "<feature name=\"%s\">\n", name);
        if (!begun && group == TARGET_FLOAT)
            reply_print(out,
                        "<union id=\"riscv_double\"><field name=\"float\" type=\"ieee_single\"/>"
                        "<field name=\"double\" type=\"ieee_double\"/></union>\n");
        begun = true;
        describe_register(i, &r, out);
    }
    if (begun)
        reply_print(out, "</feature>\n");
}

/* Describes v0 to v31, if there are any, by the elements that they can hold (gdb's manual). */
static void describe_vectors(const struct gdb_server *g, reply_text *out)
{
    static const struct {
        const char *name, *field, *type;
        unsigned bytes;
    } kinds[] = {{"bytes", "b", "uint8", 1},
                 {"shorts", "s", "uint16", 2},
                 {"words", "w", "uint32", 4},
                 {"longs", "l", "uint64", 8},
                 {"quads", "q", "uint128", 16}};
    unsigned bytes;

    if (!target_vector(g->target, 0, 0, &bytes))
        return;
    reply_print(out, "<feature name=\"org.gnu.gdb.riscv.vector\">\n");
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        reply_print(out, "<vector id=\"%s\" type=\"%s\" count=\"%u\"/>\n", kinds[i].name,
                    kinds[i].type, bytes / kinds[i].bytes);
    reply_print(out, "<union id=\"riscv_vector\">");
    for (size_t i = ARRAY_LEN(kinds); i-- > 0;)
        reply_print(out, "<field name=\"%s\" type=\"%s\"/>", kinds[i].field, kinds[i].name);
    reply_print(out, "</union>\n");
    for (unsigned i = 0; i < 32; i++)
        reply_print(out,
                    "<reg name=\"v%u\" bitsize=\"%u\" regnum=\"%u\" type=\"riscv_vector\" "
                    "group=\"vector\"/>\n",
                    i, bytes * 8, TARGET_REG_V0 + i);
    reply_print(out, "</feature>\n");
}

/*
 * Describes the registers. Without an osabi, gdb takes the guest for a program under Linux: then it
 * steps by breakpoints at the instruction that it expects to be next, which it does not know after
 * sret.
 */
static void describe_target(struct gdb_server *g, reply_text *out)
{
    reply_print(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                     "<target>\n<architecture>riscv:rv64</architecture>\n<osabi>none</osabi>\n");
    for (size_t i = 0; i < ARRAY_LEN(features); i++)
        describe_feature(g, features[i].group, features[i].name, out);
    describe_vectors(g, out);
    reply_print(out, "</target>\n");
}

/* ---- threads ---- */

void describe_hart(const struct gdb_server *g, unsigned hart, reply_text *out)
{
    static const char *const modes[] = {[PRIV_U] = "U", [PRIV_S] = "S", [PRIV_M] = "M"};
    static const char *const waits[] = {[HART_WAITS_NOT] = "",
                                        [HART_WAITS_INTERRUPT] = ", waits for an interrupt",
                                        [HART_WAITS_STORE] = ", waits for a store"};
    const struct target_hart h = target_hart(g->target, hart);

    if (!h.started)
        reply_print(out, "not started");
    else
        reply_print(out, "%s-mode%s", modes[h.mode], waits[h.waits]);
}

static void describe_threads(struct gdb_server *g, reply_text *out)
{
    reply_print(out, "<?xml version=\"1.0\"?>\n<threads>\n");
    for (unsigned i = 0; !g->killed && i < target_hart_count(g->target); i++) {
        reply_print(out, "<thread id=\"%s%x\" core=\"%u\" name=\"hart %u\">",
                    g->ids_have_process ? "p1." : "", i + 1, i, i);
        describe_hart(g, i, out);
        reply_print(out, "</thread>\n");
    }
    reply_print(out, "</threads>\n");
}

/* ---- memory ---- */

/*
 * Describes memory as all addresses: they are virtual, and any may be mapped, so that gdb must not
 * refuse one by itself. (No length of 64 bits covers all.)
 */
static void describe_memory(reply_text *out)
{
    const char *half = "8000000000000000";

    reply_print(out,
                "<?xml version=\"1.0\"?>\n<memory-map>\n"
                "<memory type=\"ram\" start=\"0x0\" length=\"0x%s\"/>\n"
                "<memory type=\"ram\" start=\"0x%s\" length=\"0x%s\"/>\n</memory-map>\n",
                half, half, half);
}

bool describe(struct gdb_server *g, const char *object, const char *annex, reply_text *out)
{
    if (!strcmp(object, "features") && !strcmp(annex, "target.xml"))
        describe_target(g, out);
    else if (!strcmp(object, "threads") && !*annex)
        describe_threads(g, out);
    else if (!strcmp(object, "memory-map") && !*annex)
        describe_memory(out);
    else
        return false;
    return true;
}
