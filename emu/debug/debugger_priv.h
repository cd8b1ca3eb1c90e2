/*
 * debugger_priv.h - the inside of the debugger: one session, and what its files
 * do for each other.
 *
 *     debugger.c   the session: lines in, commands out
 *     input.c      where lines come from
 *     commands.c   the table of commands, help, arguments
 *     place.c      addresses: names, sources, memory, where a break may stand
 *     points.c     breakpoints, and the hidden ones that end a step or a finish
 *     run.c        the commands that run the machine, and why it stopped
 *     frame.c      who called this: prologues and the frame-pointer chain
 *     code.c       instructions as text
 *     show.c       registers, memory, backtrace, the state of harts and machine
 *     trace.c      sites, patches, findings, stopping at a patch
 */
#ifndef DEBUG_DEBUGGER_PRIV_H
#define DEBUG_DEBUGGER_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/disasm.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "debug/debugger.h"
#include "debug/expr.h"

enum { ANY_HART = UINT32_MAX, NAME_MAX_LEN = 192 };

/* ---- points ---- */

enum point_kind {
    POINT_BREAK, /* break */
    POINT_ONCE,  /* tbreak: gone when hit */
    POINT_GOAL,  /* where a finish, a next or a step ends; the user never sees it */
    POINT_TURN,  /* a goal that also counts for the instruction the hart stands at */
    POINT_PATCH, /* right behind a store that watch-patch has seen */
};

struct point {
    enum point_kind kind;
    unsigned number; /* the user's; 0 for goals */
    uint64_t va, pa;
    uint32_t hart; /* only this one, or ANY_HART */
    bool on_stack; /* only with this sp, which tells threads apart; then on any hart */
    uint64_t sp;
    uint64_t hits;
};

/* One probe serves all points at an address: blocks take few probes for an instruction. */
struct spot {
    uint64_t pa;
    uint32_t probe;
    unsigned points; /* 0: free */
};

/* The instruction a hart stood at when it was last shown: resuming does not stop there again. */
struct passed {
    uint64_t pc, insns;
};

struct points {
    struct probe_owner owner;
    VEC_OF(struct point) all;
    VEC_OF(struct spot) spots;
    unsigned last_number;
    struct passed *passed; /* by hart */
    struct point hit;      /* valid if `was_hit` */
    bool was_hit;
};

/* ---- stopping at patches ---- */

struct patch_watch {
    char *glob;
    bool each_store; /* else only at the first store of a patch */
};

struct patch_watches {
    VEC_OF(struct patch_watch) all;
    bool was_hit;
    uint32_t hit_site;
    struct writer hit_by; /* of the store at hand */
};

/* ---- the session ---- */

enum { REGS_SHOWN = 33 }; /* x0 to x31, pc */

struct register_file {
    uint64_t value[REGS_SHOWN];
};

struct debugger {
    struct debugger_config config;
    FILE *out;
    struct machine *machine;
    struct cluster *cluster;
    struct hart *view; /* whose registers and addresses commands mean */
    struct points points;
    struct patch_watches patches;
    struct register_file *before; /* by hart: when the machine was last resumed */
    size_t findings_before;       /* the auditor's, at that time */
    struct stop last;
    bool ended; /* the guest can go no further */
    bool quit;
    /* Where an empty line goes on; valid after that command only. */
    uint64_t next_code, next_memory;
    bool repeated; /* this command is the last one, once more */
};

/* One line of what went wrong; the session goes on. */
void complain(const struct debugger *d, const char *format, ...) PRINTF_LIKE(2, 3);
unsigned hart_count(const struct debugger *d);
bool hart_started(const struct hart *h); /* else firmware has not yet said where it begins */

/* ---- input.c ---- */

struct input;

struct input *input_new(struct debugger *d); /* NULL: said */
void input_free(struct input *in);

/* The next line without its newline, valid until the next call; NULL: there are no more. */
const char *input_line(struct input *in);
bool input_is_file(const struct input *in); /* --commands FILE: an empty line means nothing */

/* ---- commands.c ---- */

void command_run(struct debugger *d, const char *line);

/* Calls back for every command whose name starts with `prefix`. */
void commands_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx);

/* Whether an empty line may stand for this one again. */
bool command_repeats(const char *line);

/* Arguments. They move *at behind what they read; false: said already. */
MUST_USE bool arg_value(struct debugger *d, const char **at, const char *what, uint64_t *value);
MUST_USE bool arg_end(const struct debugger *d, const char *at);
/* Without an argument `value` stays as it is. */
MUST_USE bool arg_count(struct debugger *d, const char **at, uint64_t *value);
/* Copies the next word; false: there is none (nothing is said), or it is too long. */
bool arg_word(const char **at, char *word, size_t size);
bool arg_keyword(const char **at, const char *keyword);
MUST_USE bool arg_hart(struct debugger *d, const char **at, uint32_t *hart);

/* ---- place.c ---- */

/* "schedule+0x1c", or "" for what has no name. Physical addresses of the image have names too. */
void place_name(const struct debugger *d, uint64_t address, char *text, size_t size);
struct disasm_names place_names(struct debugger *d);

/* "0xffffffff80001234 <schedule+0x1c>" */
void print_place(const struct debugger *d, uint64_t address);

/* "kernel/sched/core.c:120"; false: not known. */
bool place_line(const struct debugger *d, uint64_t address, char *text, size_t size);
/* Writes the line of source, if the file can be read. */
void print_source(const struct debugger *d, uint64_t address);

/* First and last+1 address of the function; false: nobody knows one there. */
bool place_function(const struct debugger *d, uint64_t address, uint64_t *start, uint64_t *end);

/* The virtual address by which the image knows this one. */
uint64_t place_canonical(const struct debugger *d, uint64_t address);

/* Memory as the hart in view maps it, else as another does, else as the image does; or physical. */
bool place_read(const struct debugger *d, uint64_t va, void *to, unsigned len);
MUST_USE bool place_physical(const struct debugger *d, uint64_t va, uint64_t *pa);

/* The instruction at va, as insn_decode takes it; false: not readable. */
MUST_USE bool place_word(const struct debugger *d, uint64_t va, uint32_t *word);

/* Registers by name: ABI and x names, fp, pc, and CSRs. */
MUST_USE bool register_get(struct hart *h, const char *name, uint64_t *value);
MUST_USE bool register_set(struct hart *h, const char *name, uint64_t value);

/* ---- points.c ---- */

void points_init(struct debugger *d);
void points_free(struct debugger *d);
unsigned point_add(struct debugger *d, struct point p); /* gives break and tbreak a number */
MUST_USE bool point_delete(struct debugger *d, unsigned number);
void points_drop(struct debugger *d, enum point_kind kind);
void points_pass(struct debugger *d, struct hart *h);
bool points_user_at(const struct debugger *d, uint64_t pa);

/* ---- run.c ---- */

void remember_registers(struct debugger *d); /* against which changes are marked */

/* Why the machine stopped, and the instruction at which the view stands. */
void report_stop(struct debugger *d, struct stop stop, const char *done);

/* Whether it stopped at a limit of the whole session. */
bool at_limit(const struct debugger *d, struct stop stop);

/* ---- frame.c ---- */

struct frame {
    uint64_t pc, ra, fp;
    uint64_t cfa; /* sp at the function's entry */
};

/* The function in which the view stands; false: it does not say where it returns to. */
MUST_USE bool frame_innermost(const struct debugger *d, struct frame *f);
/* The caller's, through the chain at fp; false: the chain ends. */
MUST_USE bool frame_caller(const struct debugger *d, const struct frame *f, struct frame *out);

/* ---- code.c ---- */

enum code_mark { CODE_PLAIN, CODE_HERE };

/* One line: mark, address, name, bytes, text. Returns the instruction's size, 0 if unreadable. */
unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark);

/* ---- trace.c ---- */

void trace_init(struct debugger *d); /* listens for patches */
void trace_free(struct debugger *d);
/* What stands at va if it is a site: its state, target, and who has not fenced since. */
void print_site_note(struct debugger *d, uint64_t va);
void print_patch_stop(struct debugger *d);
size_t count_findings(const struct debugger *d);

/* ---- the commands: a function each ---- */

#define COMMAND(function, name, short_name, arguments, repeats, help) \
    void do_##function(struct debugger *d, const char *args);
#include "debug/commands.def"
#undef COMMAND

#endif
