/*
 * query.c - queries (q), settings (Q) and packets with names (v).
 */
#include <inttypes.h>
#include <string.h>

#include "gdb/server_priv.h"

/* ---- the features of the server ---- */

static void tell_features(struct gdb_server *g, const char *args)
{
    g->ids_have_process = strstr(args, "multiprocess+") != NULL;
    reply_print(&g->reply,
                "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;qXfer:memory-map:read+;"
                "QStartNoAckMode+;multiprocess+;vContSupported+;swbreak+;hwbreak+",
                (unsigned)PACKET_MAX);
    if (target_keeps_history(g->target))
        reply_print(&g->reply, ";ReverseStep+;ReverseContinue+");
}

/* ---- documents ---- */

/* Sends a part of a document: "OBJECT:read:ANNEX:OFFSET,LENGTH". */
static void send_document(struct gdb_server *g, const char *args)
{
    char object[32], annex[32];
    uint64_t offset, len;
    int used = 0;

    if (sscanf(args, "%31[^:]:read:%n", object, &used) != 1 || !used) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    args += used;
    used = (int)strcspn(args, ":");
    snprintf(annex, sizeof annex, "%.*s", used, args);
    args += used;
    if (!take_char(&args, ':') || !take_number(&args, &offset) || !take_char(&args, ',') ||
        !take_number(&args, &len) || *args) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    if (!offset) { /* all parts are of the document as it was at the first */
        g->document.len = 0;
        if (!describe(g, object, annex, &g->document)) {
            reply_error(g, 0);
            return;
        }
    }
    offset = offset < g->document.len ? offset : g->document.len;
    len = len < PACKET_MAX / 2 ? len : PACKET_MAX / 2; /* each byte may need an escape */
    len = len < g->document.len - offset ? len : g->document.len - offset;
    reply_print(&g->reply, offset + len == g->document.len ? "l" : "m");
    if (len)
        reply_bytes(&g->reply, g->document.at + offset, (size_t)len);
}

/* ---- threads ---- */

static void list_threads(struct gdb_server *g, const char *args)
{
    (void)args;
    if (g->killed)
        reply_print(&g->reply, "l");
    for (unsigned i = 0; !g->killed && i < target_hart_count(g->target); i++) {
        reply_print(&g->reply, i ? "," : "m");
        reply_thread(g, i);
    }
}

static void end_list(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, "l");
}

static void tell_thread(struct gdb_server *g, const char *args)
{
    reply_text text = {0};
    unsigned hart;

    if (take_thread(g, &args, &hart) && hart < target_hart_count(g->target)) {
        describe_hart(g, hart, &text);
        reply_hex(&g->reply, text.at, text.len);
    } else {
        reply_error(g, ERROR_INVALID);
    }
    VEC_FREE(&text);
}

static void tell_present_thread(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, "QC");
    reply_thread(g, g->selected);
}

/*
 * Replies 1 if gdb has found the guest running, and detaches at its end; 0 if the guest ends with
 * gdb.
 */
static void reply_attached(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, g->config.owns_guest ? "0" : "1");
}

/* ---- monitor ---- */

/*
 * Runs a command, given in hexadecimal. Its output is sent before the reply, which can be too short
 * for it.
 */
static void run_monitor(struct gdb_server *g, const char *args)
{
    char line[PACKET_MAX / 2 + 1];
    size_t len = strlen(args) / 2;
    reply_text out = {0};

    if (!take_bytes(&args, line, len) || *args) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    line[len] = '\0';
    monitor_run(g, line, &out);
    send_console(g, out.at, out.len);
    reply_ok(g);
    VEC_FREE(&out);
}

/* ---- settings that QEMU has, too ---- */

static void tell_memory_mode(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, g->physical ? "1" : "0");
}

static void set_memory_mode(struct gdb_server *g, const char *args)
{
    uint64_t physical;

    if (!take_number(&args, &physical)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    g->physical = physical != 0;
    reply_ok(g);
}

static void tell_step_bits(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, "ENABLE=%x,NOIRQ=%x,NOTIMER=%x", (unsigned)STEP_ENABLE,
                (unsigned)STEP_NO_IRQ, (unsigned)STEP_NO_TIMER);
}

static void tell_steps(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, "0x%x", g->steps_are);
}

static void set_steps(struct gdb_server *g, const char *args)
{
    uint64_t bits;

    (void)!take_word(&args, "0x");
    if (!take_number(&args, &bits) || bits > (STEP_ENABLE | STEP_NO_IRQ | STEP_NO_TIMER)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    g->steps_are = (unsigned)bits;
    reply_ok(g);
}

/* ---- settings ---- */

static void end_acks(struct gdb_server *g, const char *args)
{
    (void)args;
    g->acks_end = true;
    reply_ok(g);
}

static void set_non_stop(struct gdb_server *g, const char *args)
{
    if (strcmp(args, "0") != 0)
        reply_print(&g->reply, "E.non-stop is not possible: all harts stop together");
    else
        reply_ok(g);
}

/* ---- packets with names ---- */

static void tell_actions(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_print(&g->reply, "vCont;c;C;s;S;r");
}

static void attach(struct gdb_server *g, const char *args)
{
    g->killed = g->detached = false;
    packet_why(g, args);
}

static void kill_guest(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_ok(g);
    g->killed = true; /* gdb's `run' kills the guest first */
    if (!g->extended)
        end_session(g, GDB_KILLED);
}

/* `run' in gdb: goes back to the beginning of the history. */
static void run_again(struct gdb_server *g, const char *args)
{
    if (!target_keeps_history(g->target)) {
        reply_print(&g->reply, "E.the guest cannot begin again: no history is kept");
        return;
    }
    g->killed = g->detached = false;
    packet_restart(g, args);
    packet_why(g, args);
}

struct named {
    const char *name; /* the function is given the rest of the packet */
    void (*run)(struct gdb_server *g, const char *args);
};

/* A name that is the beginning of another one comes after that one. */
static const struct named queries[] = {
    {"Supported", tell_features},
    {"Xfer:", send_document},
    {"fThreadInfo", list_threads},
    {"sThreadInfo", end_list},
    {"ThreadExtraInfo,", tell_thread},
    {"C", tell_present_thread},
    {"Attached", reply_attached},
    {"Rcmd,", run_monitor},
    {"qemu.PhyMemMode", tell_memory_mode},
    {"qemu.sstepbits", tell_step_bits},
    {"qemu.sstep", tell_steps},
};

static const struct named settings[] = {
    {"StartNoAckMode", end_acks},
    {"NonStop:", set_non_stop},
    {"qemu.PhyMemMode:", set_memory_mode},
    {"qemu.sstep=", set_steps},
};

static const struct named verbose[] = {
    {"Cont?", tell_actions}, {"Cont", packet_resume_threads},
    {"Attach;", attach},     {"Kill;", kill_guest},
    {"Run;", run_again},
};

static bool ends_name(char c)
{
    return !c || c == ':' || c == ';' || c == ',';
}

/* Whether the packet has the name. After a name without a separator one must follow, or the end. */
static bool has_name(const char *args, const char *name, const char **rest)
{
    size_t len = strlen(name);

    *rest = args + len;
    return !strncmp(args, name, len) && (strchr(":;,=?", name[len - 1]) || ends_name(**rest));
}

static void run_named(struct gdb_server *g, const struct named *list, size_t count,
                      const char *args)
{
    const char *rest;

    for (size_t i = 0; i < count; i++)
        if (has_name(args, list[i].name, &rest)) {
            list[i].run(g, rest);
            return;
        }
}

void packet_query(struct gdb_server *g, const char *args)
{
    run_named(g, queries, ARRAY_LEN(queries), args);
}

void packet_set(struct gdb_server *g, const char *args)
{
    run_named(g, settings, ARRAY_LEN(settings), args);
}

void packet_verbose(struct gdb_server *g, const char *args)
{
    run_named(g, verbose, ARRAY_LEN(verbose), args);
}
