/*
 * code.c - disassembly, with marks for the selected hart's pc, breakpoints and
 * ftrace sites, and with source lines.
 */
#include <inttypes.h>
#include <string.h>

#include "cpu/decode.h"
#include "debug/debugger_priv.h"

/* Prints the disassembler's text with the mnemonic padded to a column instead of its tab. */
static void print_insn_text(FILE *out, const char *text)
{
    int mnemonic = (int)strcspn(text, "\t");

    if (text[mnemonic])
        fprintf(out, "%-7.*s %s", mnemonic, text, text + mnemonic + 1);
    else
        fprintf(out, "%s", text);
}

static void print_bytes(FILE *out, uint32_t word, unsigned size)
{
    enum { WIDTH = 12 };

    for (unsigned i = 0; i < size; i++)
        fprintf(out, "%02x ", word >> (8 * i) & 0xff);
    fprintf(out, "%*s", (int)(WIDTH - 3 * size), "");
}

/* For a jalr that follows its auipc: prints the target of the two. */
static void print_pair_target(struct debugger *d, uint64_t va, uint32_t word)
{
    struct insn low, high;
    uint32_t before;
    char name[NAME_MAX_LEN];

    if (!insn_decode(word, &low) || low.op != OP_jalr || !place_word(d, va - 4, &before) ||
        !insn_decode(before, &high) || high.size != 4 || !insn_is_pair(&high, &low))
        return;
    place_name(d, pair_target(va - 4, &high, &low), name, sizeof name);
    fprintf(d->out, "  # 0x%" PRIx64, pair_target(va - 4, &high, &low));
    if (name[0])
        fprintf(d->out, " <%s>", name);
}

static bool has_break(const struct debugger *d, uint64_t va)
{
    uint64_t pa;

    return place_physical(d, va, &pa) && target_has_breakpoint(d->target, pa);
}

/* Mark, address and name; padded, so that the instructions of a listing are in one column. */
static void print_margin(struct debugger *d, uint64_t va, enum code_mark mark)
{
    enum { NAME_WIDTH = 24 };
    char name[NAME_MAX_LEN], text[NAME_MAX_LEN + 4] = ":";

    place_name(d, va, name, sizeof name);
    if (name[0])
        snprintf(text, sizeof text, " <%s>:", name);
    fprintf(d->out, "%s%c 0x%016" PRIx64 "%-*s ", mark == CODE_HERE ? "=>" : "  ",
            has_break(d, va) ? '*' : ' ', va, NAME_WIDTH, text);
}

unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark)
{
    struct disasm_names names = place_names(d);
    char text[DISASM_MAX];
    uint32_t word;
    unsigned size;

    print_margin(d, va, mark);
    if (!place_word(d, va, &word)) {
        fprintf(d->out, "not readable\n");
        return 0;
    }
    size = disasm(va, word, &names, text);
    print_bytes(d->out, word, size);
    print_insn_text(d->out, text);
    print_pair_target(d, va, word);
    print_site_note(d, va);
    fprintf(d->out, "\n");
    return size;
}

unsigned print_instruction(struct debugger *d, uint64_t va)
{
    struct disasm_names names = place_names(d);
    char text[DISASM_MAX];
    uint32_t word;
    uint64_t pc = selected_pc(d);
    struct stack_frame f;
    unsigned size;

    if (stack_frame(d, d->view.hart, d->view.frame, &f))
        pc = f.u.pc;
    fprintf(d->out, "%s0x%" PRIx64, va == pc ? "=> " : "   ", va);
    print_address_name(d->language, d->out, va);
    fprintf(d->out, ":\t");
    if (!place_word(d, va, &word)) {
        complain(d, "Cannot access memory at address 0x%" PRIx64, va);
        return 0;
    }
    size = disasm(va, word, &names, text);
    fprintf(d->out, "%s\n", text);
    return size;
}

/* ---- disassemble ---- */

/* Prints the source line before the first of its instructions. */
static void print_headings(struct debugger *d, uint64_t va, char last[NAME_MAX_LEN])
{
    char line[NAME_MAX_LEN];

    if (!place_line(d, va, line, sizeof line) || !strcmp(line, last))
        return;
    snprintf(last, NAME_MAX_LEN, "%s", line);
    fprintf(d->out, "%s:\n", line);
}

static void print_listing(struct debugger *d, uint64_t va, uint64_t count)
{
    char line[NAME_MAX_LEN] = "";
    unsigned size = 1;

    while (count-- && size) {
        print_headings(d, va, line);
        size = print_code(d, va, va == selected_pc(d) ? CODE_HERE : CODE_PLAIN);
        va += size;
    }
    d->next_code = va;
}

void do_disassemble(struct debugger *d, const char *args)
{
    uint64_t va = d->repeated ? d->next_code : selected_pc(d), count = 10;

    if (*args && !arg_value(d, &args, "an address", &va))
        return;
    if (!arg_count(d, &args, &count) || !arg_end(d, args))
        return;
    if (d->repeated)
        va = d->next_code;
    print_listing(d, va, count);
}
