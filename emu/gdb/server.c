/*
 * server.c - the session with gdb: takes packets, calls their functions, sends the replies.
 *
 * All harts stop together ("all-stop"), so there is always one packet and its reply. While the
 * machine runs, gdb sends Ctrl-C only.
 */
#include "gdb/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdb/server_priv.h"

/* ---- replies ---- */

void reply_ok(struct gdb_server *g)
{
    reply_print(&g->reply, "OK");
}

void reply_error(struct gdb_server *g, unsigned number)
{
    g->reply.len = 0;
    reply_print(&g->reply, "E%02x", number);
}

void end_session(struct gdb_server *g, enum gdb_end end)
{
    g->ended = true;
    g->end = end;
}

static void write_out(struct gdb_server *g, const void *bytes, size_t len)
{
    if (!g->link->write(g->link->ctx, bytes, len) && !g->ended)
        end_session(g, GDB_LOST);
}

void send_packet(struct gdb_server *g, const char *contents, size_t len)
{
    g->wire.len = 0;
    packet_wrap(&g->wire, contents, len);
    write_out(g, g->wire.at, g->wire.len);
}

void send_console(struct gdb_server *g, const char *text, size_t len)
{
    enum { PART = PACKET_MAX / 2 - 8 };
    reply_text packet = {0};

    while (len) {
        size_t part = len < PART ? len : PART;

        packet.len = 0;
        reply_print(&packet, "O");
        reply_hex(&packet, text, part);
        send_packet(g, packet.at, packet.len);
        text += part;
        len -= part;
    }
    VEC_FREE(&packet);
}

void show_rest(struct gdb_server *g)
{
    if (g->link && !g->ended)
        send_console(g, g->shown.at, g->shown.len);
    g->shown.len = 0;
}

/*
 * Sends one line at a time, as each part is a packet. With acknowledgements, which would look like
 * an interrupt, the output is kept, up to a limit, and sent when the machine has stopped.
 */
void gdb_show(struct gdb_server *g, const uint8_t *bytes, size_t len)
{
    enum { LINE_MAX_LEN = 1024, KEPT_MAX = 1 << 16 };

    for (size_t i = 0; g->link && i < len; i++) {
        if (g->shown.len < KEPT_MAX)
            VEC_PUSH(&g->shown, (char)bytes[i]);
        if (g->no_acks && (bytes[i] == '\n' || g->shown.len == LINE_MAX_LEN))
            show_rest(g);
    }
}

/* ---- threads ---- */

void reply_thread(struct gdb_server *g, unsigned hart)
{
    reply_print(&g->reply, g->ids_have_process ? "p1.%x" : "%x", hart + 1);
}

/* Reads one number of a thread: -1 all, 0 any, 1 hart 0, and so on. */
static bool take_thread_number(const char **at, uint64_t count, unsigned *hart)
{
    uint64_t number;

    if (take_word(at, "-1")) {
        *hart = ALL_THREADS;
        return true;
    }
    if (!take_number(at, &number) || number > count)
        return false;
    *hart = number ? (unsigned)number - 1 : ANY_THREAD;
    return true;
}

bool take_thread(const struct gdb_server *g, const char **at, unsigned *hart)
{
    if (take_char(at, 'p')) {
        unsigned process; /* the only one is number 1 */

        if (!take_thread_number(at, 1, &process))
            return false;
        if (!take_char(at, '.')) {
            *hart = ALL_THREADS;
            return true;
        }
    }
    return take_thread_number(at, target_hart_count(g->target), hart);
}

static void packet_select(struct gdb_server *g, const char *args)
{
    bool to_resume = take_char(&args, 'c');
    unsigned hart;

    if ((!to_resume && !take_char(&args, 'g')) || !take_thread(g, &args, &hart)) {
        reply_error(g, ERROR_INVALID);
        return;
    }
    if (to_resume)
        g->resumed = hart;
    else if (hart < target_hart_count(g->target))
        g->selected = hart;
    reply_ok(g);
}

static void packet_is_alive(struct gdb_server *g, const char *args)
{
    unsigned hart;

    if (take_thread(g, &args, &hart) && hart < target_hart_count(g->target))
        reply_ok(g);
    else
        reply_error(g, ERROR_INVALID);
}

/* ---- the end ---- */

static void packet_detach(struct gdb_server *g, const char *args)
{
    (void)args;
    reply_ok(g);
    points_drop(g, DROP_ALL);
    g->killed = g->detached = g->extended && !g->config.owns_guest;
    if (!g->detached)
        end_session(g, g->config.owns_guest ? GDB_KILLED : GDB_DETACHED);
}

static void packet_kill(struct gdb_server *g, const char *args)
{
    (void)args;
    end_session(g, GDB_KILLED);
}

static void packet_extend(struct gdb_server *g, const char *args)
{
    (void)args;
    g->extended = true;
    reply_ok(g);
}

/* ---- packets ---- */

static const struct handler {
    char letter;
    void (*run)(struct gdb_server *g, const char *args);
} handlers[] = {
    {'!', packet_extend},         {'?', packet_why},
    {'b', packet_backwards},      {'c', packet_continue},
    {'C', packet_continue_with},  {'D', packet_detach},
    {'g', packet_read_registers}, {'G', packet_write_registers},
    {'H', packet_select},         {'k', packet_kill},
    {'m', packet_read_memory},    {'M', packet_write_memory},
    {'p', packet_read_register},  {'P', packet_write_register},
    {'q', packet_query},          {'Q', packet_set},
    {'R', packet_restart},        {'s', packet_step},
    {'S', packet_step_with},      {'T', packet_is_alive},
    {'v', packet_verbose},        {'X', packet_write_binary},
    {'z', packet_remove_point},   {'Z', packet_insert_point},
};

/* Whether the packet has no reply: `k`, and `R`, after which gdb asks. */
static bool is_silent(char letter)
{
    return letter == 'k' || letter == 'R';
}

/* Reads from the connection. False: it has ended. */
static bool fill_input(struct gdb_server *g)
{
    g->input_at = 0;
    g->input_len = g->link->read(g->link->ctx, g->input, sizeof g->input);
    return g->input_len != 0;
}

/*
 * Drops each `-' that gdb has sent because a reply took long (remotetimeout, two seconds). Taken
 * for the sign of a damaged reply, it would make gdb get the reply twice, and each later one for
 * the wrong packet.
 */
static void drop_naks(struct gdb_server *g)
{
    while (g->input_at < g->input_len || g->link->ready(g->link->ctx)) {
        if (g->input_at == g->input_len && !fill_input(g)) {
            end_session(g, GDB_LOST);
            return;
        }
        if (g->input[g->input_at] != '-')
            return;
        g->input_at++;
    }
}

/* Runs a packet. An unknown one has an empty reply, by which gdb knows that it cannot be used. */
static void run_packet(struct gdb_server *g)
{
    char letter = g->reader.text[0];

    g->reply.len = 0;
    for (size_t i = 0; i < ARRAY_LEN(handlers); i++)
        if (handlers[i].letter == letter)
            handlers[i].run(g, g->reader.text + 1);
    if (!g->ended)
        drop_naks(g);
    if (!is_silent(letter) && (!g->ended || g->end != GDB_LOST))
        send_packet(g, g->reply.at, g->reply.len);
    if (g->acks_end)
        g->no_acks = true;
}

static void acknowledge(struct gdb_server *g, const char *how)
{
    if (!g->no_acks)
        write_out(g, how, 1);
}

static void take_item(struct gdb_server *g, enum packet_item item)
{
    switch (item) {
    case ITEM_NONE:
    case ITEM_INTERRUPT: break; /* the machine is stopped already */
    case ITEM_DAMAGED: acknowledge(g, "-"); break;
    case ITEM_TOO_LONG:
        acknowledge(g, "+");
        reply_error(g, ERROR_INVALID);
        send_packet(g, g->reply.at, g->reply.len);
        break;
    case ITEM_NAK:
        if (!g->no_acks) /* without acknowledgements nothing can be damaged */
            write_out(g, g->wire.at, g->wire.len);
        break;
    case ITEM_PACKET:
        acknowledge(g, "+");
        run_packet(g);
        break;
    }
}

/* What came while the machine ran was meant to stop it; a packet must wait for the reply. */
void take_interrupts(struct gdb_server *g)
{
    if (g->input_at == g->input_len && g->link->ready(g->link->ctx) && !fill_input(g))
        end_session(g, GDB_LOST);
}

/* Runs the guest until the next packet, if gdb has detached and keeps the connection. */
static void run_detached(struct gdb_server *g)
{
    if (g->detached && !g->link->ready(g->link->ctx) && !gdb_run_free(g))
        end_session(g, GDB_KILLED);
}

static void await_packet(struct gdb_server *g)
{
    run_detached(g);
    if (!g->ended && !fill_input(g))
        end_session(g, GDB_LOST);
}

static void begin_session(struct gdb_server *g, const struct gdb_link *link)
{
    g->link = link;
    g->ended = g->no_acks = g->acks_end = g->ids_have_process = false;
    g->extended = g->killed = g->detached = false;
    g->physical = g->harts_locked = false;
    g->steps_are = STEP_ENABLE | STEP_NO_IRQ | STEP_NO_TIMER;
    g->reader.state = BETWEEN;
    g->input_at = g->input_len = 0;
    g->wire.len = g->shown.len = 0;
    g->selected = target_current_hart(g->target);
    g->resumed = ANY_THREAD;
    g->watch_met = 0;
}

/* Any program that can connect may have sent something: a page in a browser sends POST. */
static bool is_gdbs(uint8_t first)
{
    return first == '$' || first == '+' || first == '-' || first == 0x03;
}

/* Reads the first bytes of the connection. */
static void greet(struct gdb_server *g)
{
    if (!fill_input(g))
        end_session(g, GDB_LOST);
    else if (!is_gdbs(g->input[0]))
        end_session(g, GDB_REFUSED);
}

enum gdb_end gdb_serve(struct gdb_server *g, const struct gdb_link *link)
{
    begin_session(g, link);
    greet(g);
    while (!g->ended) {
        if (g->input_at < g->input_len)
            take_item(g, packet_take(&g->reader, g->input[g->input_at++], g->no_acks));
        else
            await_packet(g);
    }
    points_drop(g, DROP_ALL);
    g->link = NULL;
    if (g->end == GDB_LOST && g->detached)
        return GDB_DETACHED;
    return g->end == GDB_LOST && (g->config.owns_guest || target_ended(g->target)) ? GDB_KILLED
                                                                                   : g->end;
}

struct gdb_server *gdb_new(const struct gdb_config *config)
{
    struct gdb_server *g = xcalloc(1, sizeof *g);

    g->config = *config;
    g->debugger = config->debugger;
    g->target = debugger_target(config->debugger);
    return g;
}

void gdb_free(struct gdb_server *g)
{
    if (!g)
        return;
    points_drop(g, DROP_ALL);
    VEC_FREE(&g->points);
    VEC_FREE(&g->reply);
    VEC_FREE(&g->wire);
    VEC_FREE(&g->document);
    VEC_FREE(&g->shown);
    free(g);
}
