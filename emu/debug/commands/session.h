/*
 * session.h - the session of the text debugger, which every command is given. Commands reach the
 * machine through target.h, and frames, tasks and names of addresses through frames/.
 *
 * the session
 *     debugger.c      debugger.h: begins and ends it, and runs lines
 *     input.c         input.h: reads lines from a terminal or a stream
 *     complete.c      complete.h: completes a line
 *     commands.c      commands.h: the table of commands, and help
 *     info.c          commands.h: the table of the subjects of info
 *     user.c          commands.h: define, document, if, while
 *     alias.c         commands.h: other names of commands
 *     args.c          args.h: the arguments that several commands have
 *     locations.c     args.h: FILE:LINE and other places
 *     context.c       context.h: the machine's side of expressions (debug/lang)
 *     settings.c      set and show
 * runs of the machine
 *     run.c           run.h: the commands that run it; the reason of each stop
 *     lines.c         steps by source lines
 *     skip.c          run.h: functions and files that step does not go into
 *     returned.c      run.h: the value that a function has returned
 *     back.c          run.h: the commands that go back, and checkpoints
 *     back_lines.c    steps back by lines and over calls
 *     saved.c         save and restore
 * points
 *     breaks.c        points.h: sets, changes and deletes breakpoints and watchpoints
 *     points.c        points.h: prints the list of points, and stops at them
 *     catch.c         points.h: catchpoints: the events that they wait for
 *     actions.c       points.h: the commands of points
 *     save_points.c   points.h: the points as commands, in a file
 * data and code
 *     address.c       address.h: prints addresses with their names and source lines
 *     code.c          code.h: disassembly
 *     list.c          list.h: source text and lines
 *     source_path.c   list.h: where source text is looked for
 *     stack.c         stack.h: the frames as the user sees them: backtrace, frame, info locals
 *     data.c          data.h: print, x, display: values of expressions
 *     types.c         ptype, whatis
 *     printf.c        printf, echo, output
 *     find.c          searches memory
 *     names.c         lists functions, variables and types
 *     show.c          registers, memory, the state of harts and machine
 *     machine_info.c  info about registers, devices and page tables
 * tasks
 *     task.c          selects a task of the guest
 *     threads.c       lists harts and tasks
 *     fgraph.c        lists the return stacks of the function graph tracer
 * sites of ftrace
 *     trace.c         trace.h: sites, patches, findings, stops at patches
 *     site.c          trace.h: what each hart would fetch at a site or another place
 *     updates.c       updates of code, the cost of tracing, trampolines
 *     tour.c          a guided tour through the patching of a site
 *     tour_text.c     tour_text.h: the explanations of the tour
 *     tour_store.c    tour_store.h: a store to a site, as the tour prints it
 */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "debug/commands/debugger.h"
#include "debug/frames/frame_list.h"
#include "debug/frames/guest.h"
#include "debug/lang/sources.h"
#include "debug/lang/value.h"
#include "debug/target/target.h"

enum { NAME_MAX_LEN = 192 };
enum { LIST_LINES = 10 }; /* that `list' shows, unless the user sets another number */
enum { REGS_SHOWN = 33 }; /* x0 to x31, pc: by their numbers (target.h) */

struct register_file {
    uint64_t value[REGS_SHOWN];
};

/* The hart and frame whose registers, memory and variables expressions mean. */
struct focus {
    unsigned hart, frame;
    uint64_t
        scope; /* names are looked up as code at this address sees them; 0: as the frame does */
};

/* Names of functions at the patches of whose sites the machine stops. */
struct patch_pattern {
    char *glob;
    bool each_store; /* stop at each store; false: only at the first store of a patch */
};

struct aliases;
struct data;
struct input;
struct line_source;
struct point_note;
struct skips;
struct tour;
struct user_commands;

struct debugger {
    struct debugger_config config;
    FILE *out;
    struct target *target;
    struct guest guest; /* for frames/: the target, and what is known of its program */
    struct debug_info *info;
    struct language *language;

    /* Lines and commands. */
    struct input *in;          /* NULL: commands come one by one, from elsewhere */
    struct line_source *lines; /* NULL: the session's own input */
    VEC_OF(char *) actions;    /* commands of points that have stopped the machine */
    size_t next_action;        /* index of the next one to run; those before it are freed */
    char *body_line;           /* of next_body_line */
    unsigned source_depth;     /* number of nested files of commands */
    struct user_commands *user;
    struct aliases *aliases; /* NULL: none */
    struct tour *tour;       /* NULL: none was begun */
    bool repeated;           /* the command was repeated by an empty line */
    bool quit;
    bool failure, *failed; /* `failure`: the last command gave a message of an error */

    /* Points and stops. */
    VEC_OF(struct point_note) notes;
    VEC_OF(struct patch_pattern) patch_patterns;
    struct skips *skips;                    /* NULL: none */
    struct register_file *before;           /* by hart: when the machine was last resumed */
    struct target_stop last;                /* the last stop */
    bool interrupted;                       /* the last run was stopped by the user */
    char condition_error[LANGUAGE_WHY_MAX]; /* why a point's condition failed in this run, or "" */
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

    /* What is selected and shown. */
    unsigned selected;  /* the hart whose registers and address space commands use */
    unsigned frame;     /* number of the selected frame */
    uint64_t task;      /* selected in place of the hart, and runs on no hart; 0: none */
    struct focus focus; /* what expressions mean by registers, memory and variables */
    struct {
        struct frame_list list; /* of the hart, or of `task' while that one is selected */
        unsigned hart;
    } stack;
    struct {
        struct source_file file;
        unsigned first, last; /* lines that were listed */
        bool known, shown;    /* there is a file; lines of it were listed */
    } listing;
    unsigned list_lines;           /* set listsize; 0: LIST_LINES */
    VEC_OF(char *) source_folders; /* of the command `directory', the newest first */
    bool told_no_source;           /* the user was told where the text was looked for */
    struct data *data;             /* of data.c: where `x' continues, displays */
    /* Where an empty line continues a listing; valid only after that command. */
    uint64_t next_code, next_memory;
    bool dumped; /* the last `disassemble' was in gdb's form, which does not continue */
};

/* Prints an error message, one line; the session continues. */
void complain(const struct debugger *d, const char *format, ...) PRINTF_LIKE(2, 3);
bool session_over(const struct debugger *d);
/* Whether the user has pressed Ctrl-C since the last call, while the machine stands. */
bool user_interrupts(struct debugger *d);
/* Sets a variable of the session, such as $_exitcode, to an int. */
void set_variable(struct debugger *d, const char *name, uint64_t value);

#endif
