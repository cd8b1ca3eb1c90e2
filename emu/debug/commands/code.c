/*
 * code.c - disassembly, with marks for the selected hart's pc, breakpoints and
 * ftrace sites, and with source lines.
 */
#include "debug/commands/code.h"

#include <inttypes.h>
#include <string.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/list.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/commands/trace.h"
#include "debug/frames/place.h"
#include "load/symbols.h"

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

    if (!insn_decode(word, &low) || low.op != OP_jalr || !selected_word(d, va - 4, &before) ||
        !insn_decode(before, &high) || high.size != 4 || !insn_is_pair(&high, &low))
        return;
    place_name(&d->guest, pair_target(va - 4, &high, &low), name, sizeof name);
    fprintf(d->out, "  # 0x%" PRIx64, pair_target(va - 4, &high, &low));
    if (name[0])
        fprintf(d->out, " <%s>", name);
}

static bool has_break(const struct debugger *d, uint64_t va)
{
    uint64_t pa;

    return selected_physical(d, va, &pa) && target_has_breakpoint(d->target, pa);
}

/*
 * Prints mark, address and name, padded, so that the instructions of a listing are in one column.
 */
static void print_margin(struct debugger *d, uint64_t va, enum code_mark mark)
{
    enum { NAME_WIDTH = 24 };
    char name[NAME_MAX_LEN], text[NAME_MAX_LEN + 4] = ":";

    place_name(&d->guest, va, name, sizeof name);
    if (name[0])
        snprintf(text, sizeof text, " <%s>:", name);
    fprintf(d->out, "%s%c 0x%016" PRIx64 "%-*s ", mark == CODE_HERE ? "=>" : "  ",
            has_break(d, va) ? '*' : ' ', va, NAME_WIDTH, text);
}

unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark)
{
    struct disasm_names names = place_names(&d->guest);
    char text[DISASM_MAX];
    uint32_t word;
    unsigned size;

    print_margin(d, va, mark);
    if (!selected_word(d, va, &word)) {
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

/* The address that the text of an instruction has. */
struct named {
    uint64_t address;
    bool known;
};

static void note_address(void *ctx, uint64_t address, char *text, size_t size)
{
    struct named *n = ctx;

    *n = (struct named){address, true};
    if (size)
        *text = '\0';
}

/*
 * Prints an instruction as gdb does: "beqz\ta4,0xffffffff8000a8be <schedule+54>". Returns its size.
 */
static unsigned print_as_gdb(struct debugger *d, uint64_t va, uint32_t word)
{
    struct named n = {0, false};
    const struct disasm_names names = {note_address, &n};
    char text[DISASM_MAX], hex[20];
    unsigned size = disasm(va, word, &names, text);
    size_t len = strlen(text), digits;

    digits = (size_t)snprintf(hex, sizeof hex, "%" PRIx64, n.address);
    if (!n.known || len < digits || strcmp(text + len - digits, hex) != 0) {
        fprintf(d->out, "%s", text);
        return size;
    }
    len -= digits;
    len -= len > 2 && !strncmp(text + len - 2, "0x", 2) ? 2 : 0;
    fprintf(d->out, "%.*s0x%s", (int)len, text, hex);
    print_address_name(d->language, d->out, n.address);
    return size;
}

unsigned print_instruction(struct debugger *d, uint64_t va)
{
    uint32_t word;
    uint64_t pc = selected_pc(d);
    struct stack_frame f;
    unsigned size;

    if (stack_frame(d, d->focus.hart, d->focus.frame, &f))
        pc = f.u.pc;
    fprintf(d->out, "%s0x%" PRIx64, va == pc ? "=> " : "   ", va);
    print_address_name(d->language, d->out, va);
    fprintf(d->out, ":\t");
    if (!selected_word(d, va, &word)) {
        complain(d, "Cannot access memory at address 0x%" PRIx64, va);
        return 0;
    }
    size = print_as_gdb(d, va, word);
    fprintf(d->out, "\n");
    return size;
}

/*
 * Goes over instructions up to `to', `limit' of them at most. Returns the address after the last.
 */
static uint64_t walk_code(const struct debugger *d, uint64_t at, uint64_t to, uint64_t limit,
                          uint64_t *count)
{
    struct insn i;
    uint32_t word;

    for (*count = 0; at < to && *count < limit; ++*count) {
        if (!selected_word(d, at, &word) || !insn_decode(word, &i))
            break;
        at += i.size;
    }
    return at;
}

uint64_t instructions_before(struct debugger *d, uint64_t va, uint64_t count)
{
    uint64_t start, end, all, n;

    if (!place_function(&d->guest, place_canonical(&d->guest, va) - 1, &start, &end) ||
        walk_code(d, start, va, UINT64_MAX, &all) != va)
        return va;
    return walk_code(d, start, va, all > count ? all - count : 0, &n);
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

/* ---- in gdb's form ---- */

/* The options of `disassemble': /r with the bytes, /s or /m with source lines. */
struct dump {
    uint64_t start, end;
    bool bytes, sources, range;
};

static bool take_modifiers(struct debugger *d, const char **args, struct dump *dump)
{
    while (**args == '/') {
        for (++*args; **args && **args != ' ' && **args != '\t'; ++*args) {
            if (!strchr("rbsm", **args)) {
                complain(d, "Invalid disassembly modifier.");
                return false;
            }
            dump->bytes |= **args == 'r' || **args == 'b';
            dump->sources |= **args == 's' || **args == 'm';
        }
        *args += strspn(*args, " \t");
    }
    return true;
}

/* Prints the source line of va, and its file if that is another one; nothing if it was the last. */
static void dump_source(struct debugger *d, uint64_t va, struct source_range *last, bool first)
{
    struct source_range r;

    if (!sources_at(d->info, place_canonical(&d->guest, va), &r) ||
        (!first && r.line == last->line && r.file.name == last->file.name))
        return;
    if (!first)
        fprintf(d->out, "\n");
    if (first || r.file.name != last->file.name)
        fprintf(d->out, "%s:\n", r.file.name);
    list_text(d, &r.file, r.line);
    *last = r;
}

static void print_offset(struct debugger *d, uint64_t va)
{
    uint64_t canonical = place_canonical(&d->guest, va);
    const struct symbol *s = symbols_function_at(d->config.symbols, canonical);

    if (s)
        fprintf(d->out, " <%s+%" PRIu64 ">", s->name, canonical - s->addr);
}

static unsigned dump_instruction(struct debugger *d, const struct dump *dump, uint64_t va,
                                 uint64_t function, uint64_t here)
{
    uint32_t word;
    unsigned size;

    if (!selected_word(d, va, &word)) {
        complain(d, "Cannot access memory at address 0x%" PRIx64, va);
        return 0;
    }
    size = insn_size((uint16_t)word);
    fprintf(d->out, "%s0x%016" PRIx64, va == here ? "=> " : "   ", va);
    if (dump->range)
        print_offset(d, va);
    else
        fprintf(d->out, " <+%" PRIu64 ">", va - function);
    fprintf(d->out, ":\t");
    for (unsigned i = 0; dump->bytes && i < size; i++)
        fprintf(d->out, "%s%02x", i ? " " : "", word >> (8 * i) & 0xff);
    if (dump->bytes)
        fputc('\t', d->out);
    (void)print_as_gdb(d, va, word);
    print_site_note(d, va);
    fprintf(d->out, "\n");
    return size;
}

static uint64_t pc_of_frame(struct debugger *d)
{
    struct stack_frame f;

    return stack_frame(d, d->focus.hart, d->focus.frame, &f) ? f.u.pc : selected_pc(d);
}

static void print_dump(struct debugger *d, const struct dump *dump)
{
    const struct symbol *s = symbols_function_at(d->config.symbols, dump->start);
    struct source_range last = {.line = 0};
    uint64_t here = pc_of_frame(d), va = dump->start;
    unsigned size = 1;

    if (dump->range)
        fprintf(d->out, "Dump of assembler code from 0x%" PRIx64 " to 0x%" PRIx64 ":\n",
                dump->start, dump->end);
    else
        fprintf(d->out, "Dump of assembler code for function %s:\n", s ? s->name : "?");
    for (; va < dump->end && size; va += size) {
        if (dump->sources)
            dump_source(d, va, &last, va == dump->start);
        size = dump_instruction(d, dump, va, dump->start, here);
    }
    fprintf(d->out, "End of assembler dump.\n");
    d->next_code = va;
}

/* Reads ",END" or ",+LENGTH" after START. */
static bool take_end(struct debugger *d, const char **args, struct dump *dump)
{
    bool length;

    *args += 1 + strspn(*args + 1, " \t");
    length = **args == '+';
    *args += length;
    if (!arg_value(d, args, "an end", &dump->end))
        return false;
    dump->end += length ? dump->start : 0;
    dump->range = true;
    return arg_end(d, *args);
}

static bool take_function(struct debugger *d, struct dump *dump)
{
    uint64_t start = dump->start;

    if (place_function(&d->guest, place_canonical(&d->guest, start), &dump->start, &dump->end))
        return true;
    complain(d, "No function contains specified address.");
    return false;
}

/* Prints N lines from ADDR in our own form; without arguments, from the next instruction on. */
static void disassemble_lines(struct debugger *d, uint64_t va, const char *args)
{
    uint64_t count = 10;

    if (!arg_count(d, &args, &count) || !arg_end(d, args))
        return;
    print_listing(d, d->repeated ? d->next_code : va, count);
}

void do_disassemble(struct debugger *d, const char *args)
{
    struct dump dump = {.start = pc_of_frame(d)};
    bool modified;

    if (d->repeated && !d->dumped) {
        disassemble_lines(d, dump.start, "");
        return;
    }
    d->dumped = true;
    modified = *args == '/';
    if (!take_modifiers(d, &args, &dump) ||
        (*args && !arg_code(d, &args, "an address", &dump.start)))
        return;
    if (*args == ',') {
        if (take_end(d, &args, &dump))
            print_dump(d, &dump);
        return;
    }
    if (*args && !modified) {
        d->dumped = false;
        disassemble_lines(d, dump.start, args);
        return;
    }
    if (arg_end(d, args) && take_function(d, &dump))
        print_dump(d, &dump);
}
