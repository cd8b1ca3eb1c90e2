/*
 * back_lines.c - steps back: by instructions over calls, by lines, and out of a function to its
 * call.
 *
 * A step back is found among the last instructions that the hart has executed (target_trail). An
 * instruction before these, such as the call of a long function, is found by a second run of the
 * past with a breakpoint.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "debug/commands/address.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/frames/unwind.h"
#include "load/line_rows.h"

enum { TRAIL = 4096 };

/* The last instructions that the hart has executed, then the present one. */
struct past {
    struct debugger *d;
    struct target_executed *at; /* `end' executed ones, then the present one */
    size_t end;
};

enum { NOWHERE = SIZE_MAX };

/* ---- instructions ---- */

static bool insn_at(const struct debugger *d, uint64_t pc, struct insn *i)
{
    uint32_t word;

    return selected_word(d, pc, &word) && insn_decode(word, i);
}

static bool links(const struct insn *i)
{
    return (i->op == OP_jal || i->op == OP_jalr) && (i->rd == REG_RA || i->rd == REG_T0);
}

static bool returns(const struct insn *i)
{
    return i->op == OP_jalr && i->rd == REG_ZERO && (i->rs1 == REG_RA || i->rs1 == REG_T0);
}

/* Returns the address of the call that returns to `back'; 0: no call is before `back'. */
static uint64_t call_before(const struct debugger *d, uint64_t back)
{
    struct insn i;

    for (unsigned size = 4; size >= 2; size -= 2)
        if (insn_at(d, back - size, &i) && i.size == size && links(&i))
            return back - size;
    return 0;
}

static bool ends_trap(const struct debugger *d, uint64_t pc)
{
    struct insn i;

    return insn_at(d, pc, &i) && (i.op == OP_sret || i.op == OP_mret);
}

/* ---- one step back ---- */

/* Finds the last instruction before index i with that pc and stack pointer. */
static size_t find_before(const struct past *past, size_t i, uint64_t pc, uint64_t sp)
{
    while (i--)
        if (past->at[i].pc == pc && past->at[i].sp == sp)
            return i;
    return NOWHERE;
}

/*
 * Finds the first instruction of the handler of the trap that has returned to index i: at a vector,
 * with the interrupted stack pointer.
 */
static size_t find_handler(const struct past *past, size_t i)
{
    static const char *const vectors[] = {"stvec", "mtvec"};
    size_t last = NOWHERE;

    for (unsigned v = 0; v < ARRAY_LEN(vectors); v++) {
        int number = target_find_register(past->d->target, vectors[v]);
        uint64_t base;
        size_t found;

        if (number < 0 ||
            target_get_register(past->d->target, past->d->selected, (unsigned)number, &base))
            continue;
        found = find_before(past, i, base & ~UINT64_C(3), past->at[i].sp);
        if (found != NOWHERE && (last == NOWHERE || found > last))
            last = found;
    }
    return last;
}

/* What a step back comes to. `call': it is in the trail no more: the call of this place. */
struct back_step {
    size_t index;
    uint64_t call, sp;
    bool enters; /* a function, at its return */
};

static bool has_lines(const struct debugger *d, uint64_t pc)
{
    struct line_row row;

    return line_row_at(d->config.lines, place_canonical(&d->guest, pc), &row);
}

/*
 * Goes one instruction back from index i; a call that has returned counts as one, and traps as
 * none.
 */
static struct back_step step_back(const struct past *past, size_t i, bool over)
{
    struct back_step s = {.index = NOWHERE};
    struct insn insn;
    uint64_t call;

    if (!i)
        return s;
    s.index = i - 1;
    if (ends_trap(past->d, past->at[i - 1].pc)) {
        size_t handler = find_handler(past, i);

        if (handler != NOWHERE && handler)
            s.index = handler - 1;
        return s;
    }
    if (!insn_at(past->d, past->at[i - 1].pc, &insn) || !returns(&insn))
        return s;
    call = call_before(past->d, past->at[i].pc);
    if (!call)
        return s;
    if (!over && has_lines(past->d, past->at[i - 1].pc) &&
        !skips_function(past->d, past->at[i - 1].pc)) {
        s.enters = true;
        return s;
    }
    s.index = find_before(past, i, call, past->at[i].sp);
    s.call = call;
    s.sp = past->at[i].sp;
    return s;
}

/* ---- lines ---- */

/* Finds the code of one line around pc, without a gap. */
static bool line_around(const struct debugger *d, uint64_t pc, struct line_row *line)
{
    uint64_t va = place_canonical(&d->guest, pc);
    struct line_row row;

    if (!line_row_at(d->config.lines, va, line))
        return false;
    while (line_row_at(d->config.lines, line->start - 1, &row) && row.line == line->line &&
           !strcmp(row.file, line->file))
        line->start = row.start;
    while (line_row_at(d->config.lines, line->end, &row) && row.line == line->line &&
           !strcmp(row.file, line->file))
        line->end = row.end;
    line->start += pc - va;
    line->end += pc - va;
    return true;
}

static bool is_in(const struct line_row *line, uint64_t pc)
{
    return pc >= line->start && pc < line->end;
}

/*
 * Goes back from index i to the beginning of the line; from the beginning of a line, to that of the
 * line before.
 */
static struct back_step line_before(const struct past *past, size_t i, bool over)
{
    struct back_step s = {.index = i}, before;
    struct line_row line;

    if (!line_around(past->d, past->at[i].pc, &line))
        return step_back(past, i, over);
    if (past->at[i].pc == line.start) {
        s = step_back(past, i, over);
        if (s.index == NOWHERE || !line_around(past->d, past->at[s.index].pc, &line))
            return s;
    }
    while (past->at[s.index].pc != line.start) {
        before = step_back(past, s.index, over);
        if (before.index == NOWHERE)
            return before.call ? before : s;
        if (!is_in(&line, past->at[before.index].pc)) {
            if (!before.enters && s.index != i)
                return s; /* the line was entered in its middle */
            if (!line_around(past->d, past->at[before.index].pc, &line))
                return before;
        }
        s = before;
    }
    return s;
}

/* Whether pc is before the body of its function, where a step forwards would not have stopped. */
static bool is_in_prologue(const struct debugger *d, uint64_t pc)
{
    uint64_t va = place_canonical(&d->guest, pc), start, end;

    if (!place_function(&d->guest, pc, &start, &end))
        return false;
    start -= pc - va;
    end -= pc - va;
    return va < line_rows_body(d->config.lines, start, end);
}

static struct back_step line_back(const struct past *past, bool over)
{
    struct back_step s = line_before(past, past->end, over), before;

    while (s.index != NOWHERE && is_in_prologue(past->d, past->at[s.index].pc)) {
        before = line_before(past, s.index, over);
        if (before.index == NOWHERE && !before.call)
            break;
        s = before;
    }
    return s;
}

static struct back_step insn_back(const struct past *past, bool over)
{
    return step_back(past, past->end, over);
}

/* ---- the commands ---- */

static struct target_stop back_to_call(struct debugger *d, uint64_t call, uint64_t sp)
{
    const struct target_goal g = {.space = TARGET_BY_ANY,
                                  .address = call,
                                  .hart = TARGET_ANY_HART,
                                  .on_stack = true,
                                  .sp = sp};
    uint64_t here = target_insns(d->target);
    struct target_stop s = target_reverse_to(d->target, d->selected, &g);

    if (s.reason != TARGET_STOP_HISTORY)
        return s;
    fprintf(d->out, "the call is not in the history\n");
    return target_goto(d->target, here);
}

/* Goes one step back. *stopped: another stop came first, or there is no past. */
static struct target_stop go_back(struct debugger *d, bool over, bool by_lines, bool *stopped)
{
    struct past past = {.d = d, .at = xcalloc(TRAIL + 1, sizeof *past.at)};
    struct back_step s;
    struct target_stop stop;

    past.end = target_trail(d->target, d->selected, past.at, TRAIL);
    past.at[past.end] = (struct target_executed){target_insns(d->target), selected_pc(d),
                                                 selected_register(d, REG_SP)};
    s = by_lines ? line_back(&past, over) : insn_back(&past, over);
    if (s.index != NOWHERE)
        stop = target_goto(d->target, past.at[s.index].insns);
    else if (s.call)
        stop = back_to_call(d, s.call, s.sp);
    else
        stop = target_reverse_step(d->target, d->selected, past.end + 1);
    free(past.at);
    *stopped = stop.reason != TARGET_STOP_DONE;
    if (!*stopped && s.index != NOWHERE) {
        stop.of_hart = true;
        stop.hart = d->selected;
    }
    /* A call was found in the past: the line that it is in begins before it. */
    if (!*stopped && by_lines && s.index == NOWHERE && s.call) {
        struct line_row line;

        d->selected = stop.hart;
        if (line_around(d, selected_pc(d), &line) && selected_pc(d) != line.start)
            return go_back(d, over, by_lines, stopped);
    }
    return stop;
}

static void reverse(struct debugger *d, const char *args, bool over, bool by_lines,
                    const char *name)
{
    struct target_stop stop = {0};
    bool stopped = false;
    uint64_t count = 1;

    if (!arg_count(d, &args, &count) || !arg_end(d, args) || !set_off_back(d))
        return;
    while (count-- && !stopped) {
        stop = go_back(d, over, by_lines, &stopped);
        if (stop.of_hart)
            d->selected = stop.hart;
    }
    report_stop(d, stop, name);
}

void do_reverse_nexti(struct debugger *d, const char *args)
{
    reverse(d, args, true, false, "reverse-nexti");
}

void do_reverse_step(struct debugger *d, const char *args)
{
    reverse(d, args, false, true, "reverse-step");
}

void do_reverse_next(struct debugger *d, const char *args)
{
    reverse(d, args, true, true, "reverse-next");
}

void do_reverse_finish(struct debugger *d, const char *args)
{
    struct innermost f;
    uint64_t call = 0;

    if (!arg_end(d, args))
        return;
    if (unwind_innermost(&d->guest, d->selected, &f))
        call = call_before(d, f.ra);
    if (!call) {
        complain(d, "the call of this function is not known");
        return;
    }
    if (set_off_back(d))
        report_stop(d, back_to_call(d, call, f.cfa), "reverse-finish");
}
