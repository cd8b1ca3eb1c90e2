/*
 * describe.c - see describe.h.
 */
#include "ftrace/report/describe.h"

#include <inttypes.h>
#include <string.h>

#include "cpu/isa/decode.h"
#include "ftrace/audit/finding.h"
#include "ftrace/sites/sites.h"
#include "load/lines.h"
#include "load/symbols.h"
#include "mem/ram.h"

static void name_for_disasm(void *ctx, uint64_t address, char *text, size_t size)
{
    symbols_text_at(ctx, address, text, size);
}

struct disasm_names describe_names(const struct symbols *symbols)
{
    /* The callback only reads, but its context is not const. */
    return (struct disasm_names){name_for_disasm, (void *)(uintptr_t)symbols};
}

/*
 * In GCC's debug information the nops of -fpatchable-function-entry are in no function, and the
 * last line of the function before seems to hold for them.
 */
static bool line_of_entry(const struct symbols *symbols, struct lines *lines, uint64_t va,
                          struct line_place *place)
{
    const struct symbol *function = symbols_function_at(symbols, va);

    if (!function || va - function->addr >= SITE_BYTES_MAX)
        return false;
    for (uint64_t at = va; at <= function->addr + SITE_BYTES_MAX && at < function->end; at += 2)
        if (lines_of_function(lines, at, place))
            return true;
    return false;
}

bool describe_line(const struct symbols *symbols, struct lines *lines, uint64_t va,
                   struct line_place *place)
{
    bool found = lines_at(lines, va, place) && place->line;

    return (found && place->function) || line_of_entry(symbols, lines, va, place) || found;
}

void describe_call(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                   uint64_t code, uint64_t next)
{
    struct line_place place;
    uint64_t offset = 0;
    const char *name = symbols_name_at(symbols, code, &offset);
    size_t used;

    offset += next - code;
    if (name && offset)
        snprintf(text, PLACE_MAX, "%s+0x%" PRIx64, name, offset);
    else if (name)
        snprintf(text, PLACE_MAX, "%s", name);
    else
        snprintf(text, PLACE_MAX, "0x%" PRIx64, next);
    used = strlen(text);
    if (describe_line(symbols, lines, code, &place))
        snprintf(text + used, PLACE_MAX - used, " (%s:%u)", place.file, place.line);
}

void describe_place(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                    uint64_t va)
{
    describe_call(text, symbols, lines, va, va);
}

void describe_moment(char text[MOMENT_MAX], uint64_t cycle, uint64_t step)
{
    int used = snprintf(text, MOMENT_MAX, "cycle %" PRIu64, cycle);

    if (step)
        snprintf(text + used, MOMENT_MAX - (size_t)used, ", step %" PRIu64, step);
}

void describe_writer(char text[PLACE_MAX], const struct symbols *symbols, struct lines *lines,
                     const struct writer *who)
{
    static const char *const kinds[] = {
        [WRITER_HART] = "hart",         [WRITER_FIRMWARE] = "firmware for hart",
        [WRITER_DMA] = "a device",      [WRITER_DEBUGGER] = "the debugger",
        [WRITER_LOADER] = "the loader", [WRITER_DEBUGGER_FENCED] = "the debugger",
    };
    char place[PLACE_MAX], when[MOMENT_MAX];

    if (who->kind != WRITER_HART) {
        snprintf(text, PLACE_MAX, "%s", kinds[who->kind]);
        return;
    }
    if (!who->pc) { /* stores to an open page (mem/ram.h) are not recorded one by one */
        snprintf(text, PLACE_MAX, "hart %u, before the page held code", who->hart);
        return;
    }
    describe_place(place, symbols, lines, who->pc);
    describe_moment(when, who->cycle, who->step);
    snprintf(text, PLACE_MAX, "hart %u in %.160s at %s", who->hart, place, when);
}

static bool pair_leads(uint64_t va, const uint8_t *bytes, uint64_t *to)
{
    uint32_t words[2];
    struct insn auipc, jalr;

    memcpy(words, bytes, sizeof words);
    if (!insn_decode(words[0], &auipc) || !insn_decode(words[1], &jalr) ||
        !insn_is_pair(&auipc, &jalr))
        return false;
    *to = pair_target(va, &auipc, &jalr);
    return true;
}

/* An auipc/jalr pair is one call: its target is printed after it. */
static void add_pair_target(char *text, size_t room, const struct symbols *symbols, uint64_t va,
                            const uint8_t *bytes, unsigned size)
{
    char name[PLACE_MAX];
    unsigned at = 0;
    uint64_t to;

    while (at + 8 <= size && !pair_leads(va + at, bytes + at, &to))
        at += 4;
    if (at + 8 > size)
        return;
    symbols_text_at(symbols, to, name, sizeof name);
    if (name[0])
        snprintf(text, room, " <%s>", name);
    else
        snprintf(text, room, " <0x%" PRIx64 ">", to);
}

void describe_code(char *text, size_t room, const struct symbols *symbols, uint64_t va,
                   const uint8_t *bytes, unsigned size)
{
    struct disasm_names names = describe_names(symbols);
    size_t used = 0;

    text[0] = '\0';
    for (unsigned at = 0; at + 2 <= size && used < room;) {
        char insn[DISASM_MAX];
        uint32_t word = 0;
        unsigned step;

        memcpy(&word, bytes + at, size - at < 4 ? size - at : 4);
        step = disasm(va + at, word, &names, insn);
        for (char *tab = strchr(insn, '\t'); tab; tab = strchr(tab, '\t'))
            *tab = ' ';
        used += (size_t)snprintf(text + used, room - used, "%s%s", at ? "; " : "", insn);
        at += step;
    }
    if (used < room)
        add_pair_target(text + used, room - used, symbols, va, bytes, size);
}

static void describe_fence(char *text, const struct symbols *symbols, struct lines *lines,
                           const struct fact *fact)
{
    char place[PLACE_MAX], when[MOMENT_MAX];

    describe_place(place, symbols, lines, fact->pc);
    describe_moment(when, fact->cycle, fact->step);
    if (fact->hart == fact->requester)
        snprintf(text, FACT_TEXT_MAX, "by hart %u at %.200s, %s", fact->hart, place, when);
    else
        snprintf(text, FACT_TEXT_MAX, "for hart %u by hart %u at %.200s, %s", fact->hart,
                 fact->requester, place, when);
}

static void describe_bytes(char *text, const struct symbols *symbols, const struct fact *fact)
{
    size_t used;

    describe_code(text, FACT_TEXT_MAX, symbols, fact->va, fact->bytes, fact->size);
    used = strlen(text);
    for (unsigned i = 0; i < fact->size && used < FACT_TEXT_MAX; i++)
        used += (size_t)snprintf(text + used, FACT_TEXT_MAX - used, "%s%02x", i ? " " : "  (",
                                 fact->bytes[i]);
    if (used < FACT_TEXT_MAX)
        snprintf(text + used, FACT_TEXT_MAX - used, ")");
}

/* "; the first one was made by hart 0 in memcpy+0x1c (string.c:20) at cycle 1234", if it is known.
 */
static void add_first_store(char *text, const struct symbols *symbols, struct lines *lines,
                            const struct fact *fact)
{
    struct writer first = {
        .hart = fact->hart, .pc = fact->pc, .cycle = fact->cycle, .step = fact->step};
    size_t used = strlen(text);
    char place[PLACE_MAX];

    if (!fact->pc)
        return;
    describe_writer(place, symbols, lines, &first);
    snprintf(text + used, FACT_TEXT_MAX - used, "; the first store to the page was made by %s",
             place);
}

static void describe_site(char *text, const struct site_table *sites, uint32_t id)
{
    const struct site *s = site_get(sites, id);

    snprintf(text, FACT_TEXT_MAX, "%s, 0x%" PRIx64, s->function[0] ? s->function : "?", s->va);
}

static void describe_task(char *text, const struct fact *fact)
{
    int used = snprintf(text, FACT_TEXT_MAX, "%s", (const char *)fact->bytes);

    if (fact->pid >= 0)
        snprintf(text + used, FACT_TEXT_MAX - (size_t)used, ", pid %" PRId32, fact->pid);
}

/* "replace_pair (code.c:41)"; without the directory, which makes a stack hard to read. */
static size_t describe_frame(char *text, size_t room, const struct symbols *symbols,
                             struct lines *lines, const struct call_stack *stack, unsigned i)
{
    uint64_t code = call_stack_code(stack, i);
    const char *name = symbols_name_at(symbols, code, NULL), *file;
    const char *kind = stack->user >> i & 1         ? "user code at "
                       : i && stack->exact >> i & 1 ? "trap in "
                                                    : "";
    struct line_place place;
    int used = name ? snprintf(text, room, "%s%s", kind, name)
                    : snprintf(text, room, "%s0x%" PRIx64, kind, stack->at[i]);

    if ((size_t)used >= room || !describe_line(symbols, lines, code, &place))
        return (size_t)used;
    file = strrchr(place.file, '/');
    return (size_t)(used + snprintf(text + used, room - (size_t)used, " (%s:%u)",
                                    file ? file + 1 : place.file, place.line));
}

/* "patch_insn_write (patch.c:49) <- replace_pair (code.c:41) <- ...": each is called by the next.
 */
static void describe_stack(char *text, const struct symbols *symbols, struct lines *lines,
                           const struct call_stack *stack)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < stack->count && used < FACT_TEXT_MAX; i++) {
        used += (size_t)snprintf(text + used, FACT_TEXT_MAX - used, "%s", i ? FRAME_SEPARATOR : "");
        if (used < FACT_TEXT_MAX)
            used += describe_frame(text + used, FACT_TEXT_MAX - used, symbols, lines, stack, i);
    }
    if (stack->more && used < FACT_TEXT_MAX)
        snprintf(text + used, FACT_TEXT_MAX - used, FRAME_SEPARATOR "...");
}

/* A trampoline that was made at run time may have no name. */
static void describe_detour(char *text, const struct symbols *symbols, struct lines *lines,
                            const struct fact *fact)
{
    char place[PLACE_MAX];

    describe_place(place, symbols, lines, fact->va);
    if (fact->message != MESSAGE_NONE && !symbols_name_at(symbols, fact->va, NULL))
        snprintf(text, FACT_TEXT_MAX, "the trampoline at %s %s", place,
                 message_text(fact->message));
    else
        snprintf(text, FACT_TEXT_MAX, "%s", place);
}

void describe_fact(char text[FACT_TEXT_MAX], const struct site_table *sites,
                   const struct symbols *symbols, struct lines *lines, const struct fact *fact)
{
    char place[PLACE_MAX], when[MOMENT_MAX];

    switch (fact->kind) {
    case FACT_SITE: describe_site(text, sites, fact->site); break;
    case FACT_FENCE: describe_fence(text, symbols, lines, fact); break;
    case FACT_STORE:
        if (fact->size) {
            describe_moment(when, fact->writer.cycle, fact->writer.step);
            snprintf(text, FACT_TEXT_MAX, "by hart %u in user code at 0x%" PRIx64 ", %s",
                     fact->writer.hart, fact->writer.pc, when);
            break;
        }
        describe_writer(place, symbols, lines, &fact->writer);
        snprintf(text, FACT_TEXT_MAX, "by %s", place);
        add_first_store(text, symbols, lines, fact);
        break;
    case FACT_MOMENT:
        describe_place(place, symbols, lines, fact->pc);
        describe_moment(when, fact->cycle, fact->step);
        snprintf(text, FACT_TEXT_MAX, "by hart %u at %s, %s", fact->hart, place, when);
        break;
    case FACT_BYTES: describe_bytes(text, symbols, fact); break;
    case FACT_UNFENCED:
        snprintf(text, FACT_TEXT_MAX, "a fence.i on hart %u after that store%s", fact->hart,
                 message_text(fact->message));
        break;
    case FACT_PLACE: describe_detour(text, symbols, lines, fact); break;
    case FACT_MESSAGE:
        snprintf(text, FACT_TEXT_MAX, "%s", message_text(fact->message));
        add_first_store(text, symbols, lines, fact);
        break;
    case FACT_REGISTER:
        snprintf(text, FACT_TEXT_MAX, "%s = 0x%" PRIx64, fact_register_name(fact), fact->va);
        symbols_text_at(symbols, fact->va, place, sizeof place);
        if (place[0])
            snprintf(text + strlen(text), FACT_TEXT_MAX - strlen(text), " <%s>", place);
        break;
    case FACT_TASK: describe_task(text, fact); break;
    case FACT_STACK: describe_stack(text, symbols, lines, &fact->stack); break;
    case FACT_TEXT: snprintf(text, FACT_TEXT_MAX, "%s", fact->text); break;
    case FACT_RECORD:
        snprintf(text, FACT_TEXT_MAX,
                 "0x%" PRIx64 ", count %" PRIu64 ", %s; ops that trace the function: %" PRIu64,
                 fact->va, fact->pc, fact->size ? "on" : "off", fact->cycle);
        break;
    case FACT_KEY:
        describe_place(place, symbols, lines, fact->va);
        snprintf(text, FACT_TEXT_MAX, "%s, %" PRId32 " user%s", place, fact->pid,
                 fact->pid == 1 ? "" : "s");
        break;
    case FACT_JUMP:
        describe_place(place, symbols, lines, fact->va);
        snprintf(text, FACT_TEXT_MAX, "a jump to %s", place);
        break;
    case FACT_KINDS: break;
    }
}
