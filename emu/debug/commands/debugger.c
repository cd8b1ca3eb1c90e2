/*
 * debugger.c - the session: reads lines and runs their commands.
 */
#include "debug/commands/debugger.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/address.h"
#include "debug/commands/code.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/data.h"
#include "debug/commands/input.h"
#include "debug/commands/list.h"
#include "debug/commands/points.h"
#include "debug/commands/run.h"
#include "debug/commands/session.h"
#include "debug/commands/trace.h"
#include "debug/frames/members.h"
#include "ftrace/watch.h"

void complain(const struct debugger *d, const char *format, ...)
{
    va_list args;

    *d->failed = true;
    va_start(args, format);
    vfprintf(d->out, format, args);
    va_end(args);
    fprintf(d->out, "\n");
}

/* Returns a copy of the line without leading and trailing white space. */
static char *trimmed(const char *line)
{
    char *copy;
    size_t len;

    line += strspn(line, " \t\r");
    copy = xstrdup(line);
    for (len = strlen(copy); len && isspace((unsigned char)copy[len - 1]); len--)
        copy[len - 1] = '\0';
    return copy;
}

/* Runs the line's command; for an empty line the last one, if it is one that repeats. */
static void run_line(struct debugger *d, const struct input *in, const char *line, char **last)
{
    char *command = trimmed(line);

    d->repeated = !*command && !input_is_file(in) && *last && command_repeats(d, *last);
    if (d->repeated) {
        free(command);
        command = xstrdup(*last);
    }
    if (*command && *command != '#') {
        if (d->config.interrupted)
            (void)d->config.interrupted(d->config.ctx); /* an earlier Ctrl-C does not count */
        command_run(d, command);
        free(*last);
        *last = xstrdup(command);
    }
    free(command);
    fflush(d->out);
}

bool session_over(const struct debugger *d)
{
    return d->quit || (d->config.over && d->config.over(d->config.ctx));
}

/*
 * Runs the commands of the points that have stopped the machine. Where one of them runs the
 * machine, the commands of the next stop replace the rest.
 */
void run_actions(struct debugger *d)
{
    struct line_source *outer = d->lines;
    char *command;

    d->lines = NULL; /* the lines that they read are among the actions */
    while (!session_over(d) && (command = actions_next(d))) {
        command_run(d, command);
        fflush(d->out);
        free(command);
    }
    d->lines = outer;
}

const char *next_body_line(struct debugger *d)
{
    if (d->lines)
        return lines_next(d->lines);
    free(d->body_line);
    d->body_line = actions_next(d); /* not NULL: the command is one of a point */
    return d->body_line ? d->body_line : d->in ? input_body_line(d->in) : NULL;
}

static void hold_session(struct debugger *d, struct input *in)
{
    const char *line;
    char *last = NULL;

    d->in = in;
    d->failure = false;
    while (!session_over(d) && !(d->config.batch && d->failure) && (line = input_line(in))) {
        d->failure = false;
        run_line(d, in, line, &last);
        run_actions(d);
    }
    free(last);
}

static void print_greeting(struct debugger *d)
{
    if (d->config.interactive)
        fprintf(d->out, "`help` lists the commands; an empty line repeats the last one.\n");
    (void)print_code(d, selected_pc(d), CODE_HERE);
    fflush(d->out);
}

static void guest_open(struct debugger *d)
{
    const struct debugger_config *c = &d->config;

    d->guest = (struct guest){.target = d->target,
                              .machine = c->machine,
                              .symbols = c->symbols,
                              .info = d->info,
                              .members = members_new(),
                              .ftrace = c->ftrace,
                              .tasks = c->tasks || !c->ftrace ? c->tasks : watch_tasks(c->ftrace)};
}

struct debugger *debugger_new(const struct debugger_config *config)
{
    struct debugger *d = xcalloc(1, sizeof *d);
    const struct target_config target = {.machine = config->machine,
                                         .ftrace = config->ftrace,
                                         .max_insns = config->max_insns,
                                         .max_cycles = config->max_cycles,
                                         .history_max = config->history_max};

    d->config = *config;
    d->out = config->out;
    d->failed = &d->failure;
    d->target = target_new(&target);
    d->selected = target_current_hart(d->target);
    d->last.reason = TARGET_STOP_INTERRUPTED;
    d->before = xcalloc(target_hart_count(d->target), sizeof *d->before);
    remember_registers(d);
    context_open(d);
    guest_open(d);
    data_open(d);
    return d;
}

void debugger_free(struct debugger *d)
{
    trace_free(d);
    actions_free(d);
    aliases_free(d);
    skips_free(d);
    source_path_free(d);
    user_free(d);
    free(d->tour);
    target_free(d->target); /* with the conditions of its points */
    data_close(d);
    context_close(d);
    members_free(d->guest.members);
    free(d->before);
    free(d);
}

/* Returns how the run ended; STOP_ASKED if the session ended before the run. */
struct stop debugger_outcome(const struct debugger *d)
{
    switch (d->last.reason) {
    case TARGET_STOP_LIMIT:
    case TARGET_STOP_EXIT:
    case TARGET_STOP_RESET:
    case TARGET_STOP_STUCK:
    case TARGET_STOP_ASLEEP: return d->last.machine;
    default: return (struct stop){.reason = STOP_ASKED, .hart = machine_current(d->config.machine)};
    }
}

/* ---- for another front end ---- */

struct target *debugger_target(const struct debugger *d)
{
    return d->target;
}

unsigned debugger_command(struct debugger *d, unsigned hart, const char *line, FILE *out)
{
    char *command = trimmed(line);

    d->out = out;
    if (d->selected != hart)
        d->task = 0;
    d->selected = hart;
    d->repeated = false;
    if (*command && *command != '#')
        command_run(d, command);
    d->out = d->config.out;
    free(command);
    return d->selected;
}

void debugger_before_run(struct debugger *d)
{
    remember_registers(d);
    d->task = 0;
    d->condition_error[0] = '\0';
}

void debugger_after_run(struct debugger *d, const struct target_stop *s)
{
    d->last = *s;
    if (s->of_hart)
        d->selected = s->hart;
}

void debugger_explain(struct debugger *d, bool reason, FILE *out)
{
    d->out = out;
    print_stop(d, &d->last, reason ? "done" : NULL);
    d->out = d->config.out;
}

bool debugger_has_quit(const struct debugger *d)
{
    return d->quit;
}

struct stop debugger_run(const struct debugger_config *config)
{
    struct debugger *d = debugger_new(config);
    struct input *in = input_new(d);
    struct stop stop = {.reason = STOP_ASKED, .code = 1, .hart = machine_current(config->machine)};

    if (in) {
        if (!config->batch)
            print_greeting(d);
        hold_session(d, in);
        if (!config->batch || !d->failure)
            stop = debugger_outcome(d);
    }
    input_free(in);
    debugger_free(d);
    return stop;
}
