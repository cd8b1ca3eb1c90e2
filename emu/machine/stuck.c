/*
 * stuck.c - describes an endless trap loop: the exception that began it, and a hint at the
 * probable mistake.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "cpu/hart.h"
#include "cpu/isa/disasm.h"
#include "cpu/isa/extension.h"
#include "load/image.h"
#include "machine/machine_priv.h"

static const char *const names[] = {
    [EXC_FETCH_MISALIGNED] = "misaligned fetch", [EXC_FETCH_ACCESS] = "fetch access fault",
    [EXC_ILLEGAL] = "illegal instruction",       [EXC_BREAKPOINT] = "breakpoint",
    [EXC_LOAD_MISALIGNED] = "misaligned load",   [EXC_LOAD_ACCESS] = "load access fault",
    [EXC_STORE_MISALIGNED] = "misaligned store", [EXC_STORE_ACCESS] = "store access fault",
    [EXC_ECALL_U] = "ecall from U-mode",         [EXC_ECALL_S] = "ecall from S-mode",
    [EXC_ECALL_M] = "ecall from M-mode",         [EXC_FETCH_PAGE] = "fetch page fault",
    [EXC_LOAD_PAGE] = "load page fault",         [EXC_STORE_PAGE] = "store page fault",
    [EXC_SOFTWARE_CHECK] = "software check",
};

const char *machine_exception_name(uint64_t cause)
{
    return cause < ARRAY_LEN(names) && names[cause] ? names[cause] : "exception";
}

static const char *mode_name(enum privilege mode)
{
    return mode == PRIV_M ? "M-mode" : mode == PRIV_S ? "S-mode" : "U-mode";
}

/* The value of tval as text: the illegal instruction, or the address. */
static void describe_value(char *text, size_t size, const struct hart_exception *e)
{
    char code[DISASM_MAX];

    text[0] = '\0';
    if (e->cause == EXC_ILLEGAL) {
        (void)disasm(e->pc, (uint32_t)e->tval, NULL, code);
        for (char *c = code; *c; c++)
            *c = *c == '\t' ? ' ' : *c;
        snprintf(text, size, " 0x%" PRIx64 " (%s)", e->tval, code);
    } else if (e->tval && e->tval != e->pc) {
        snprintf(text, size, " on 0x%" PRIx64, e->tval);
    }
}

/* Whether it is mret, or an access to an M-mode CSR, in a lower mode. */
static bool wants_machine_mode(const struct hart_exception *e)
{
    enum { SYSTEM = 0x73, MRET = 0x30200073 };

    return e->cause == EXC_ILLEGAL && e->mode != PRIV_M &&
           (e->tval == MRET || (bits(e->tval, 6, 0) == SYSTEM && bits(e->tval, 14, 12) != 0 &&
                                bits(e->tval, 29, 28) == PRIV_M));
}

bool machine_describe_exception(const struct hart *h, char text[MACHINE_STUCK_TEXT], uint64_t *pc,
                                const char **mode, uint64_t *since)
{
    struct hart_exception e = hart_first_exception(h);
    char value[DISASM_MAX + 32];

    if (!e.pc && !e.cause && !e.tval)
        return false;
    describe_value(value, sizeof value, &e);
    snprintf(text, MACHINE_STUCK_TEXT, "%s%s", machine_exception_name(e.cause), value);
    *pc = e.pc;
    *mode = mode_name(e.mode);
    *since = hart_insns(h) - e.insns;
    return true;
}

static bool lacks_extensions(const struct machine *m, const struct hart_exception *e)
{
    return m->config.cluster.extensions &&
           (e->cause == EXC_ILLEGAL || e->cause == EXC_FETCH_MISALIGNED);
}

static const char *remedy(const struct machine *m, const struct hart_exception *e)
{
    if (wants_machine_mode(e))
        return "; M-mode code needs --firmware none";
    if (lacks_extensions(m, e))
        return "; the code may need an extension that --isa leaves out";
    if (m->config.firmware == FIRMWARE_NONE)
        return "; an S-mode kernel needs --firmware builtin";
    if (m->firmware == FIRMWARE_FILE)
        return "; is the file of --firmware M-mode firmware?";
    if (m->image->kind == IMAGE_RAW)
        return "; the image is neither an ELF nor a Linux Image: is it a program?";
    return "";
}

/* How the handler traps itself: at its first instruction, or later. */
static void describe_loop(char *text, size_t size, const struct hart *h)
{
    struct hart_exception e = hart_looping_exception(h);
    char value[DISASM_MAX + 32];

    describe_value(value, sizeof value, &e);
    if (e.pc == hart_pc(h))
        snprintf(text, size, "its trap handler traps at its first instruction");
    else
        snprintf(text, size, "its trap handler at 0x%" PRIx64 " traps there itself (%s%s)",
                 hart_pc(h), machine_exception_name(e.cause), value);
}

void machine_describe_stuck(const struct machine *m, const struct hart *h,
                            char text[MACHINE_STUCK_TEXT])
{
    struct hart_exception e = hart_unhandled_exception(h);
    char value[DISASM_MAX + 32], loop[DISASM_MAX + 96];

    describe_value(value, sizeof value, &e);
    describe_loop(loop, sizeof loop, h);
    snprintf(text, MACHINE_STUCK_TEXT,
             "hart %u is in an endless trap loop at 0x%" PRIx64
             ": %s; the first trap was %s%s at 0x%" PRIx64 " in %s%s",
             hart_id(h), hart_looping_exception(h).pc, loop, machine_exception_name(e.cause), value,
             e.pc, mode_name(e.mode), remedy(m, &e));
}
