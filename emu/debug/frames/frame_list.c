/*
 * frame_list.c - see frame_list.h.
 */
#include "debug/frames/frame_list.h"

#include <dwarf.h>

#include "cpu/isa/isa.h"
#include "debug/frames/guest.h"
#include "debug/lang/dwarf.h"
#include "load/symbols.h"

enum { FRAMES_MAX = 10000 };

/* Adds a frame of the machine as frames of the program. */
static void add_frames(struct frame_list *l, const struct guest *g, const struct unwound *u,
                       unsigned inlined_max)
{
    struct blocks b = {.count = 0};
    unsigned inlined =
        !u->user && debug_blocks(g->info, unwind_code(g, u), &b) ? debug_inlined(&b) : 0;
    unsigned level = inlined > inlined_max ? inlined - inlined_max : 0;

    for (; level <= inlined; level++)
        VEC_PUSH(&l->frames, ((struct stack_frame){*u, level}));
}

void frame_list_begin(struct frame_list *l, const struct guest *g, const struct unwound *first,
                      unsigned inlined_max)
{
    frame_list_clear(l);
    add_frames(l, g, first, inlined_max);
}

void frame_list_clear(struct frame_list *l)
{
    l->frames.len = 0;
    l->complete = false;
}

void frame_list_free(struct frame_list *l)
{
    VEC_FREE(&l->frames);
}

static void add_caller(struct frame_list *l, const struct guest *g)
{
    struct stack_frame *last = &l->frames.at[l->frames.len - 1];
    struct unwound u = last->u, caller;
    bool found = unwind_caller(g, &u, &caller);
    unsigned level = last->level;

    /* The CFA of a frame is found together with its caller. */
    for (size_t i = 0; i <= level && i < l->frames.len; i++) {
        struct stack_frame *f = &l->frames.at[l->frames.len - 1 - i];

        f->u.cfa = u.cfa;
        f->u.cfa_known = u.cfa_known;
    }
    if (found)
        add_frames(l, g, &caller, ALL_INLINED);
    else
        l->complete = true;
}

bool frame_list_at(struct frame_list *l, const struct guest *g, unsigned number,
                   struct stack_frame *f)
{
    while (!l->complete && l->frames.len < FRAMES_MAX && l->frames.len <= number)
        add_caller(l, g);
    if (number >= l->frames.len)
        return false;
    *f = l->frames.at[number];
    return true;
}

bool frame_list_cfa(struct frame_list *l, const struct guest *g, unsigned number, uint64_t *cfa)
{
    struct stack_frame f;

    if (!frame_list_at(l, g, number, &f))
        return false;
    /* The CFA of a frame is found together with its caller. */
    if (!f.u.cfa_known && !l->complete)
        add_caller(l, g);
    f = l->frames.at[number];
    *cfa = f.u.cfa_known ? f.u.cfa : f.u.reg[REG_SP];
    return f.u.cfa_known;
}

/* ---- names and lines ---- */

/* Finds the file and line of the call of an inlined function. */
static bool call_line(Dwarf_Die *inlined, struct source_range *r)
{
    Dwarf_Attribute attr;
    Dwarf_Word file, line;
    Dwarf_Files *files;
    Dwarf_Die unit;
    size_t count;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) != 0 ||
        !dwarf_cu_die(inlined->cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count)
        return false;
    r->file = sources_file(&unit, dwarf_filesrc(files, file, NULL, NULL));
    r->line = (unsigned)line;
    return true;
}

bool frame_line(const struct guest *g, const struct stack_frame *f, struct source_range *r)
{
    uint64_t code = unwind_code(g, &f->u);
    struct blocks b;
    Dwarf_Die die;

    if (f->u.user || !sources_at(g->info, code, r))
        return false;
    if (f->level && debug_blocks(g->info, code, &b)) {
        die = b.at[debug_function_of(&b, f->level - 1)];
        return call_line(&die, r);
    }
    return true;
}

const char *frame_function(const struct guest *g, const struct stack_frame *f, struct blocks *b)
{
    uint64_t code = unwind_code(g, &f->u), offset;
    const struct symbol *s;
    Dwarf_Die die;

    b->count = 0;
    if (f->u.user && !symbols_function_at(g->symbols, code))
        return NULL;
    if (debug_blocks(g->info, code, b)) {
        die = b->at[debug_function_of(b, f->level)];
        return dwarf_diename(&die);
    }
    s = symbols_function_at(g->symbols, code);
    return s ? s->name : symbols_name_at(g->symbols, code, &offset);
}
