/*
 * debugger.c - the session: a line in, a command out, until there are no more.
 */
#include "debug/debugger.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "debug/debugger_priv.h"

void complain(const struct debugger *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(d->out, format, args);
    va_end(args);
    fprintf(d->out, "\n");
}

unsigned hart_count(const struct debugger *d)
{
    return cluster_hart_count(d->cluster);
}

bool hart_started(const struct hart *h)
{
    return hart_insns(h) || hart_pc(h);
}

/* Without the spaces at both ends. */
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

/* The line's command, or for an empty line the last one if that is meant to be repeated. */
static void run_line(struct debugger *d, const struct input *in, const char *line, char **last)
{
    char *command = trimmed(line);

    d->repeated = !*command && !input_is_file(in) && *last && command_repeats(*last);
    if (d->repeated) {
        free(command);
        command = xstrdup(*last);
    }
    if (*command && *command != '#') {
        command_run(d, command);
        free(*last);
        *last = xstrdup(command);
    }
    free(command);
    fflush(d->out);
}

static bool is_over(const struct debugger *d)
{
    return d->quit || (d->config.over && d->config.over(d->config.ctx));
}

static void hold_session(struct debugger *d, struct input *in)
{
    const char *line;
    char *last = NULL;

    while (!is_over(d) && (line = input_line(in)))
        run_line(d, in, line, &last);
    free(last);
}

static void print_greeting(struct debugger *d)
{
    if (d->config.interactive)
        fprintf(d->out, "`help` lists the commands; an empty line repeats the last one.\n");
    (void)print_code(d, hart_pc(d->view), CODE_HERE);
    fflush(d->out);
}

/* A debugger lives as long as the machine calls it: see debugger.h. */
static struct debugger *debugger_new(const struct debugger_config *config)
{
    struct debugger *d = xcalloc(1, sizeof *d);

    d->config = *config;
    d->out = config->out;
    d->machine = config->machine;
    d->cluster = machine_cluster(config->machine);
    d->view = machine_current(config->machine);
    d->last.reason = STOP_ASKED;
    d->last.hart = d->view;
    d->before = xcalloc(hart_count(d), sizeof *d->before);
    points_init(d);
    trace_init(d);
    remember_registers(d);
    return d;
}

static void debugger_free(struct debugger *d)
{
    points_free(d);
    trace_free(d);
    free(d->before);
    free(d);
}

/* A guest that was left in the middle was asked to stop, whatever the last command stopped at. */
static struct stop outcome(const struct debugger *d)
{
    if (at_limit(d, d->last))
        return d->last;
    switch (d->last.reason) {
    case STOP_EXIT:
    case STOP_RESET:
    case STOP_STUCK:
    case STOP_ASLEEP: return d->last;
    default: return (struct stop){.reason = STOP_ASKED, .hart = d->view};
    }
}

struct stop debugger_run(const struct debugger_config *config)
{
    struct debugger *d = debugger_new(config);
    struct input *in = input_new(d);
    struct stop stop = {.reason = STOP_ASKED, .code = 1, .hart = d->view};

    if (in) {
        print_greeting(d);
        hold_session(d, in);
        stop = outcome(d);
    }
    input_free(in);
    debugger_free(d);
    return stop;
}
