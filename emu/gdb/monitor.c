/*
 * monitor.c - `monitor COMMAND' in gdb: the server's own commands, and all of the built-in
 * debugger's.
 */
#include <string.h>

#include "gdb/server_priv.h"

static void say(reply_text *out, const char *text)
{
    reply_bytes(out, text, strlen(text));
}

/* Sets a switch to "on" or "off"; without an argument, shows it. */
static void set_switch(const char *name, bool *value, const char *args, reply_text *out)
{
    if (!strcmp(args, "on") || !strcmp(args, "off"))
        *value = !strcmp(args, "on");
    else if (*args)
        reply_print(out, "expected: %s on, or %s off\n", name, name);
    if (!*args)
        reply_print(out, "%s is %s\n", name, *value ? "on" : "off");
}

static void do_physical(struct gdb_server *g, const char *args, reply_text *out)
{
    set_switch("physical", &g->physical, args, out);
}

static void do_lock_harts(struct gdb_server *g, const char *args, reply_text *out)
{
    set_switch("lock-harts", &g->harts_locked, args, out);
}

static void do_step_interrupts(struct gdb_server *g, const char *args, reply_text *out)
{
    bool into = !(g->steps_are & STEP_NO_IRQ);

    set_switch("step-interrupts", &into, args, out);
    g->steps_are = into ? g->steps_are & ~(unsigned)STEP_NO_IRQ : g->steps_are | STEP_NO_IRQ;
}

static void do_autofence(struct gdb_server *g, const char *args, reply_text *out)
{
    bool on = target_autofence(g->target);

    set_switch("autofence", &on, args, out);
    target_set_autofence(g->target, on);
}

static void do_help(struct gdb_server *g, const char *args, reply_text *out);

static const struct own_command {
    const char *name, *arguments, *help;
    void (*run)(struct gdb_server *g, const char *args, reply_text *out);
} own[] = {
    {"physical", "[on|off]", "gdb's addresses of memory are physical, as after Qqemu.PhyMemMode:1",
     do_physical},
    {"autofence", "[on|off]",
     "all harts fetch the code that gdb writes; off: they may run the old one until their fence.i",
     do_autofence},
    {"lock-harts", "[on|off]",
     "a resume of one thread (scheduler-locking) stops the other harts, which changes the run",
     do_lock_harts},
    {"step-interrupts", "[on|off]",
     "a step ends at the handler if there is an interrupt; off: after the handler has returned",
     do_step_interrupts},
    {"help", "[COMMAND]", "show this list, or the line of one command", do_help},
};

static const struct own_command *find_own(const char *line)
{
    size_t len = strcspn(line, " \t");

    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (len == strlen(own[i].name) && !strncmp(line, own[i].name, len))
            return &own[i];
    return NULL;
}

static void help_own(const struct own_command *c, reply_text *out)
{
    char usage[80];

    snprintf(usage, sizeof usage, "%s %s", c->name, c->arguments);
    reply_print(out, "    %-39s %s\n", usage, c->help);
}

/* Runs a command of the built-in debugger. */
static void run_debugger(struct gdb_server *g, const char *line, reply_text *out)
{
    uint64_t insns = target_insns(g->target), cycles = target_cycles(g->target);
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    if (!to)
        return;
    points_drop(g, DROP_WITHDRAWN);
    g->selected = debugger_command(g->debugger, g->selected, line, to);
    fclose(to);
    reply_bytes(out, text, len);
    free(text);
    if (target_insns(g->target) != insns || target_cycles(g->target) != cycles)
        say(out, "The machine has moved; `maintenance flush register-cache' makes gdb read its "
                 "registers again.\n");
    if (debugger_has_quit(g->debugger)) {
        say(out, "The session has ended, and the guest with it.\n");
        end_session(g, GDB_KILLED);
    }
}

static void do_help(struct gdb_server *g, const char *args, reply_text *out)
{
    const struct own_command *c = find_own(args);

    if (c) {
        help_own(c, out);
        return;
    }
    if (*args) {
        char line[128];

        snprintf(line, sizeof line, "help %s", args);
        run_debugger(g, line, out);
        return;
    }
    say(out, "Commands of the gdb server:\n");
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        help_own(&own[i], out);
    say(out, "Commands of rvftrace's debugger, for the thread that gdb has selected:\n");
    run_debugger(g, "help", out);
}

void monitor_run(struct gdb_server *g, const char *line, reply_text *out)
{
    const struct own_command *c;

    line += strspn(line, " \t");
    c = find_own(line);
    if (c) {
        line += strlen(c->name);
        c->run(g, line + strspn(line, " \t"), out);
    } else if (*line) {
        run_debugger(g, line, out);
    }
}
