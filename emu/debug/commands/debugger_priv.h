/*
 * debugger_priv.h - internal to the text debugger: the session, and the
 * functions that its files share. All of them reach the machine through target.h.
 *
 *     debugger.c   the session: reads lines and runs commands
 *     input.c      reads lines from a terminal or a stream
 *     complete.c   how a line can be completed
 *     commands.c   the table of commands, help, arguments
 *     place.c      prints addresses with their names and source lines
 *     breaks.c     the commands that set and list breakpoints
 *     catch.c      catchpoints: what they wait for, and what they have seen
 *     actions.c    the commands of breakpoints
 *     user.c       define, document, if, while: commands and blocks of lines
 *     alias.c      other names of commands
 *     skip.c       functions and files that step does not go into
 *     save_points.c  the points as commands, in a file
 *     settings.c   set and show
 *     locations.c  FILE:LINE and other places that commands take
 *     run.c        the commands that run the machine; the reason of each stop
 *     returned.c   the value that a function has returned
 *     lines.c      stepping by source lines
 *     back.c       the commands that go back, and checkpoints
 *     back_lines.c steps back by lines and over calls
 *     stack.c      the frames as the user sees them: backtrace, frame, info locals
 *     code.c       disassembly
 *     context.c    the machine's side of expressions (expr.h)
 *     data.c       print, x, display, ptype: values by expressions
 *     find.c       bytes in memory
 *     layout.c     where the members of a struct are
 *     list.c       source text and lines
 *     names.c      lists of functions, variables and types
 *     info.c       the subjects of info
 *     machine_info.c  info about registers, devices and page tables
 *     threads.c    harts and the guest's tasks
 *     tasks.c      the selection of a task of the guest
 *     show.c       registers, memory, the state of harts and machine
 *     trace.c      sites, patches, findings, stopping at a patch
 *     site.c       what each hart would fetch at a site or another place
 *     tour.c       a guided tour through the patching of a site
 *     fgraph.c     these stacks, beside the calls that the machine has recorded
 *     updates.c    updates of code, the cost of tracing, trampolines
 */
#ifndef DEBUG_DEBUGGER_PRIV_H
#define DEBUG_DEBUGGER_PRIV_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "cpu/disasm.h"
#include "cpu/isa.h"
#include "debug/commands/debugger.h"
#include "debug/frames/frame.h"
#include "debug/frames/frame_list.h"
#include "debug/frames/guest.h"
#include "debug/frames/members.h"
#include "debug/frames/place.h"
#include "debug/frames/return_stack.h"
#include "debug/frames/tasks.h"
#include "debug/frames/unwind.h"
#include "debug/lang/expr.h"
#include "debug/lang/sources.h"
#include "debug/target/target.h"

enum { NAME_MAX_LEN = 192 };
enum { LIST_LINES = 10 }; /* that `list' shows, unless the user sets another number */

/* ---- stopping at patches ---- */

struct patch_pattern {
    char *glob;
    bool each_store; /* stop at each store; false: only at the first store of a patch */
};

/* ---- points ---- */

typedef VEC_OF(char *) line_list;

enum after_stop { POINT_KEEP, POINT_DISABLE, POINT_DELETE, POINT_COUNT };

/* What is known of a point beside the target. */
struct point_note {
    unsigned number;
    char *what;  /* as the user gave it, for `info breakpoints' */
    char *place; /* of a breakpoint: the location, as one that means the same anywhere */
    enum after_stop after_stop;
    unsigned left;      /* COUNT: so many stops, the last of which disables it */
    line_list commands; /* run after it has stopped the machine */
};

/* ---- the session ---- */

enum { REGS_SHOWN = 33 }; /* x0 to x31, pc: by their numbers (target.h) */

struct register_file {
    uint64_t value[REGS_SHOWN];
};

struct input;

/* The hart and frame whose registers, memory and variables expressions mean. */
struct focus {
    unsigned hart, frame;
    uint64_t scope; /* names are those that are seen here; 0: in the frame */
};

struct aliases;
struct members;
struct skips;
struct tour;
struct user_commands;

/*
 * Where the lines of a command that takes several come from while a file or a block of lines runs;
 * innermost first.
 */
struct line_source {
    struct line_source *outer;
    FILE *file; /* NULL: the lines */
    char *line; /* of the file, or the one with its arguments */
    size_t size;
    char *const *lines;
    size_t count, next;
    const char *args; /* of a user's command, for $arg0 and so on; NULL: as they are */
};

struct debugger {
    struct debugger_config config;
    struct tour *tour; /* NULL: none was begun */
    struct input *in;  /* NULL: commands come one by one, from elsewhere */
    VEC_OF(struct point_note) notes;
    VEC_OF(char *) actions;    /* commands of points that have stopped the machine */
    size_t next_action;        /* the next one of them to run; those before it are freed */
    char *body_line;           /* of next_body_line */
    struct line_source *lines; /* NULL: the session's own input */
    struct user_commands *user;
    struct aliases *aliases; /* NULL: none */
    struct skips *skips;     /* NULL: none */
    FILE *out;
    struct target *target;
    struct guest guest; /* for frames/: the target, and what is known of its program */
    unsigned selected;  /* the hart whose registers and address space commands use */
    VEC_OF(struct patch_pattern) patch_patterns;
    struct register_file *before;           /* by hart: when the machine was last resumed */
    struct target_stop last;                /* the last stop */
    char condition_error[LANGUAGE_WHY_MAX]; /* why a point's condition failed in this run; "": none
                                             */
    bool quit;
    bool interrupted;      /* the last run was stopped by the user */
    bool failure, *failed; /* `failure`: the last command gave a message of an error */
    unsigned source_depth; /* of files of commands */
    struct debug_info *info;
    struct language *language;
    struct focus focus; /* what expressions mean by registers, memory and variables */
    struct {
        struct source_file file;
        unsigned first, last; /* lines that were listed */
        bool known, shown;    /* there is a file; lines of it were listed */
    } listing;
    unsigned list_lines; /* set listsize; 0: LIST_LINES */
    struct {
        struct frame_list list; /* of the hart, or of `task' while that one is selected */
        unsigned hart;
    } stack;
    unsigned frame;    /* the selected one, of the selected hart */
    uint64_t task;     /* or of this task, which runs on no hart; 0: of the hart */
    struct data *data; /* of data.c: what `x' continues with, displays */
    /* Where an empty line continues a listing; valid only after that command. */
    uint64_t next_code, next_memory;
    bool dumped;   /* the last `disassemble' was in gdb's form, which does not continue */
    bool repeated; /* the command was repeated by an empty line */
    /*
     * A step has ended where the code of an inlined function begins: the machine is shown at its
     * call, in `call', until it runs on or a step goes into the function.
     */
    struct {
        bool shown;
        unsigned depth; /* of line_rows_inlined */
        uint64_t pc;
        const char *file;
        unsigned line;
    } call;
};

void run_actions(struct debugger *d); /* the commands of the points that have stopped the machine */
/* Prints an error message, one line; the session continues. */
void complain(const struct debugger *d, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same for an error of the target layer about an address. */
void complain_of_address(const struct debugger *d, enum target_error error, uint64_t address);

/* ---- input.c ---- */

FILE *open_commands(const char *path);       /* NULL: errno says why; a directory is none */
struct input *input_new(struct debugger *d); /* NULL: the reason was printed */
void input_free(struct input *in);

/* The next line without its newline, valid until the next call; NULL: there are no more. */
const char *input_line(struct input *in);
/* The same within a command that takes several lines. */
const char *input_body_line(struct input *in);
bool input_is_file(const struct input *in); /* --commands FILE: empty lines are ignored */

/* ---- commands.c ---- */

void command_run(struct debugger *d, const char *line);
bool command_is_known(const char *name); /* exactly */
/* The whole name of the command that the word means, as far as it is known. */
void command_meant(const struct debugger *d, const char *word, size_t len, char *name, size_t size);
/* Whether the line begins with a command or its beginning. */
bool command_fits(const struct debugger *d, const char *line);

/* Calls back for every command whose name starts with `prefix`. */
void commands_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx);

/* Whether an empty line repeats this one. */
bool command_repeats(const struct debugger *d, const char *line);

/*
 * Arguments. Each moves *at past what it has read. False: a message was printed, for a missing one
 * "expected WHAT".
 */
MUST_USE bool arg_value(struct debugger *d, const char **at, const char *what, uint64_t *value);
/* The same for a place in code: the name of a function alone is where its symbol is. */
MUST_USE bool arg_code(struct debugger *d, const char **at, const char *what, uint64_t *value);
MUST_USE bool arg_end(const struct debugger *d, const char *at);
/* Without an argument `value` stays as it is. */
MUST_USE bool arg_count(struct debugger *d, const char **at, uint64_t *value);
/* Copies the next word; false: there is none (nothing is printed), or it is too long. */
bool arg_word(const char **at, char *word, size_t size);
bool arg_keyword(const char **at, const char *keyword);
/* The letters after a command's name, as in `x/4i'. False: a message was printed. */
MUST_USE bool arg_format(struct debugger *d, const char **at, struct print_format *f);
MUST_USE bool arg_hart(struct debugger *d, const char **at, uint32_t *hart);
/* The same by the number that gdb gives it, which is one more. */
MUST_USE bool arg_thread(struct debugger *d, const char **at, uint32_t *hart);
/* A unit of memory, b, h, w or d, as its size in bytes; 0: the next word is none of these. */
unsigned arg_unit(const char **at);

/* ---- context.c ---- */

void context_open(struct debugger *d);
void context_close(struct debugger *d);
/* Before each command: expressions see the selected frame of the selected hart. */
void context_command(struct debugger *d);
/* From now on expressions see this hart's innermost frame. Returns what they saw before. */
struct focus context_look(struct debugger *d, unsigned hart);

/* NULL: a message was printed. The caller frees it. */
struct expr *arg_expr(struct debugger *d, const char **at, enum expr_extent extent,
                      const char *what);
/*
 * A place in memory: the address and size of a variable or other object; for a number or a pointer
 * that is not in memory, that address and size 0.
 */
MUST_USE bool arg_variable(struct debugger *d, const char **at, const char *what, uint64_t *address,
                           uint64_t *size);

/* ---- data.c ---- */

void data_open(struct debugger *d);
void data_close(struct debugger *d);
void data_show_displays(struct debugger *d); /* after each stop */
void data_list_displays(struct debugger *d); /* info display */
/* Where `x' without an address continues, and in which format. */
void data_continue_at(struct debugger *d, uint64_t address, char letter);

/* ---- list.c ---- */

/* The next `list' shows the line of the selected frame; after each stop. */
void list_follow(struct debugger *d);
void list_one(struct debugger *d); /* prints that line */
/* Prints a line of a source file with its number; nothing if the file cannot be read. */
void list_text(struct debugger *d, const struct source_file *file, unsigned line);

/* ---- info.c ---- */

void info_help(struct debugger *d);
void info_apropos(struct debugger *d, const char *word); /* the subjects whose help has it */
void info_for_each(const char *prefix, void (*found)(void *ctx, const char *name), void *ctx);

#define INFO(function, name, arguments, help) \
    void info_##function(struct debugger *d, const char *args);
#include "debug/commands/info.def"
#undef INFO

/* ---- place.c ---- */

/* "0xffffffff80001234 <schedule+0x1c>" */
void print_place(const struct debugger *d, uint64_t address);

/* "kernel/sched/core.c:120"; false: not known. */
bool place_line(const struct debugger *d, uint64_t address, char *text, size_t size);
/* Prints the source line, if its file can be read. */
void print_source(const struct debugger *d, uint64_t address);

/* Memory of the selected hart at any address that the target can find (TARGET_BY_ANY). */
bool selected_read(const struct debugger *d, uint64_t va, void *to, unsigned len);
MUST_USE bool selected_physical(const struct debugger *d, uint64_t va, uint64_t *pa);
/* The instruction at va, as insn_decode takes it; false: not readable. */
MUST_USE bool selected_word(const struct debugger *d, uint64_t va, uint32_t *word);

/* A register of the selected hart; `number` must be one that every hart has. */
uint64_t selected_register(const struct debugger *d, unsigned number);
uint64_t selected_pc(const struct debugger *d);

/* ---- breaks.c ---- */

/* The last arguments of all commands that set a point: [hart N] [if CONDITION]. */
bool is_limit(const char *at); /* whether they come next, or nothing */
/* The words from `start' to `end', without the space at their end. */
void words_before(char text[NAME_MAX_LEN], const char *start, const char *end);
MUST_USE bool arg_limits(struct debugger *d, const char **args, struct target_point *p);
/*
 * Adds the point and prints it; condition and catch are released with it, or on an error.
 * `more': further places of a breakpoint. `what': the user's words.
 */
void add_point(struct debugger *d, const struct target_point *p, const uint64_t *more, size_t count,
               const char *what);

/* Prints the first line of a stop at a point: "breakpoint 1, hart 0". */
void print_point_stop(struct debugger *d, const struct target_stop *s);
/* ADDR[,SIZE] [physical], of which it sets address, size and space. */
MUST_USE bool arg_watched(struct debugger *d, const char **args, struct target_point *p);
const char *point_condition(const struct target_point *p); /* its text; NULL: it has none */
void print_points(struct debugger *d);                     /* info breakpoints */
void print_watchpoints(struct debugger *d);                /* info watchpoints */

/* ---- catch.c ---- */

#define TASK_SWITCH "task-switch"
void print_switch(struct debugger *d); /* the two tasks, at __switch_to */
/* Calls back for the word of each kind of event. */
void catch_for_each(void (*found)(void *ctx, const char *word), void *ctx);
void print_catch_stop(struct debugger *d, const struct target_stop *s);

/* ---- actions.c ---- */

void note_add(struct debugger *d, unsigned number, const char *what);
struct point_note *note_find(struct debugger *d, unsigned number); /* NULL: it has none */
void actions_free(struct debugger *d);
void actions_forget(struct debugger *d); /* those that have not run */
/* Before the stop is printed: its points' commands are to run. True: it is not to be printed. */
bool actions_at_stop(struct debugger *d, const struct target_stop *s);
/* The next command to run; the caller frees it. NULL: there is none. */
char *actions_next(struct debugger *d);
/* The next line of a command that takes several; NULL: there are no more. */
const char *next_body_line(struct debugger *d);

/* ---- user.c ---- */

/* The next line, valid until the next call; NULL: there are no more. */
const char *lines_next(struct line_source *s);
/*
 * Reads lines up to the `end' that belongs to the command, with those of commands within.
 * *otherwise: the first line after an `else', or NO_ELSE; NULL: no matter.
 */
#define NO_ELSE SIZE_MAX
MUST_USE bool block_read(struct debugger *d, line_list *to, size_t *otherwise);
void block_free(line_list *l);
/* Runs a user's command of exactly this name. False: there is none. */
bool user_run(struct debugger *d, const char *line, size_t len);
bool user_has(const struct debugger *d, const char *name, size_t len);
void user_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name), void *ctx);
void user_help(struct debugger *d, bool all, const char *name, size_t len, bool *found);
void user_free(struct debugger *d);
bool session_over(const struct debugger *d);

/* Whether the user has pressed Ctrl-C since the last call, while the machine stands. */
bool user_interrupts(struct debugger *d);

/* ---- alias.c ---- */

/* The line with the alias that its first `len' bytes are replaced; NULL: they are none. */
char *alias_expand(const struct debugger *d, const char *line, size_t len);
void aliases_for_each(const struct debugger *d, void (*found)(void *ctx, const char *name),
                      void *ctx);
void aliases_free(struct debugger *d);

/* ---- skip.c ---- */

/* Whether `step' does not go into the function at pc. */
bool skips_function(const struct debugger *d, uint64_t pc);
void skips_free(struct debugger *d);

/* ---- save_points.c ---- */

void save_points(struct debugger *d, const char *path); /* save breakpoints */

/* ---- run.c ---- */

void remember_registers(struct debugger *d); /* to mark later which registers changed */

enum input_use { GIVE_INPUT, KEEP_INPUT };

/* Before the machine runs; remembers its registers. */
void begin_running(struct debugger *d, enum input_use use);
/* The same; false: the guest has ended, and a message was printed. */
MUST_USE bool resume(struct debugger *d, enum input_use use);

/*
 * Selects the hart that the stop concerns, and prints the reason and its next
 * instruction. False: the user ends the session, and nothing was printed.
 */
bool report_stop(struct debugger *d, struct target_stop s, const char *done);

/* Sets a variable of the session, such as $_exitcode, to an int. */
void set_variable(struct debugger *d, const char *name, uint64_t value);

/* Prints the reason of a stop, and its patch and findings; done NULL: only these. */
void print_stop(struct debugger *d, const struct target_stop *s, const char *done);

/* ---- locations.c ---- */

/*
 * The addresses of a location: FILE:LINE, a line of the present file, or ADDR (as FUNCTION or
 * *ADDR). Moves *at past it. False: a message was printed.
 */
enum { PLACES_MAX = 64 };
MUST_USE bool arg_places(struct debugger *d, const char **at, uint64_t places[PLACES_MAX],
                         size_t *count);

/* ---- back.c ---- */

/* Before a command that goes back. False: there is no history, and a message was printed. */
MUST_USE bool set_off_back(struct debugger *d);

void print_checkpoints(struct debugger *d); /* info checkpoints */
void delete_checkpoint(struct debugger *d, const char *args);

/* ---- stack.c ---- */

/* The frames of a hart, the innermost first. False: there are no more. The state of the machine is
   looked at again after stack_forget. */
MUST_USE bool stack_frame(struct debugger *d, unsigned hart, unsigned number,
                          struct stack_frame *f);
/* sp at the entry of the frame's function. False: not known; *cfa is the frame's sp then. */
bool stack_cfa(struct debugger *d, unsigned hart, unsigned number, uint64_t *cfa);
void stack_forget(struct debugger *d);
/* The selected frame is the innermost one again. */
void stack_reset(struct debugger *d);
/* An address inside the selected frame's code, as the debug information has it. */
uint64_t frame_code(struct debugger *d);
/* "0x... in FUNCTION () at FILE:LINE", without arguments. */
void stack_print_place(struct debugger *d, const struct unwound *u);
/* ---- returned.c ---- */

/* "Value returned is $1 = 0", of the function with this pc, which has just returned. */
void print_returned(struct debugger *d, uint64_t pc);

/* ---- code.c ---- */

enum code_mark { CODE_PLAIN, CODE_HERE };

/* Prints one line: mark, address, name, bytes, text. Returns the instruction's size, 0: not mapped.
 */
unsigned print_code(struct debugger *d, uint64_t va, enum code_mark mark);
/* Where `count' instructions before va begin, as far as its function goes back; else va. */
uint64_t instructions_before(struct debugger *d, uint64_t va, uint64_t count);
/* The same as `x/i' shows it. */
unsigned print_instruction(struct debugger *d, uint64_t va);

/* ---- site.c ---- */

void print_site_counts(struct debugger *d, uint32_t id); /* entries and cycles by state */

/* ---- trace.c ---- */

/* A line: address, kind, state, counts. */
void print_site(struct debugger *d, uint32_t id);
bool name_matches(const char *glob, const char *name);

void trace_free(struct debugger *d);
/* If there is a site at va: its state, its target, and the harts that have not fenced since. */
void print_site_note(struct debugger *d, uint64_t va);
void print_patch_stop(struct debugger *d, const struct target_stop *s);
/* "patch of site f, store 1", the writer, and the instructions before and after. */
void print_patch_store(struct debugger *d, const struct code_write *w);
/* "hart 0 in f+0x8 (file.c:3) at cycle 77" */
void print_writer(struct debugger *d, const struct writer *who);

/* ---- the commands: one function for each ---- */

#define COMMAND(function, name, short_name, arguments, repeats, help) \
    void do_##function(struct debugger *d, const char *args);
#include "debug/commands/commands.def"
#undef COMMAND

#endif
