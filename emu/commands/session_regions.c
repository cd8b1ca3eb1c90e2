/*
 * session_regions.c - regions of interest: --region-from, --region-to and --region-marks.
 *
 * What begins or ends a region is noticed while a hart runs. The machine is stopped there, at the
 * next instruction boundary, where all that is counted can be read; a run in pieces is the same
 * run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "commands/session.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/cost/regions.h"
#include "ftrace/watch.h"
#include "host/host.h"
#include "machine/console_tap.h"
#include "machine/machine.h"

/* The numbers of the guest's marks (struct mark_event). */
enum { MARK_ENTER = 1, MARK_LEAVE = 2 };

enum change { CHANGE_NONE, CHANGE_ENTER, CHANGE_LEAVE };

/* Looks for a text in the console's output. */
struct search {
    const char *text; /* NULL: for none */
    size_t length;
    char *last; /* the output's last bytes, as many as the text has */
};

struct session_regions {
    struct session *session;
    struct regions *regions;
    struct console_tap tap;
    struct search from, to;
    enum change pending;
    bool entered, over; /* of the texts */
    char name[REGION_NAME_MAX];
};

static void search_begin(struct search *s, const char *text)
{
    *s = (struct search){.text = text, .length = text ? strlen(text) : 0};
    s->last = xcalloc(s->length + 1, 1);
}

/* Whether the byte completes the text. */
static bool search_byte(struct search *s, char byte)
{
    if (!s->length)
        return false;
    memmove(s->last, s->last + 1, s->length - 1);
    s->last[s->length - 1] = byte;
    return !memcmp(s->last, s->text, s->length);
}

static void note(struct session_regions *r, enum change change, const char *name)
{
    r->pending = change;
    if (name)
        snprintf(r->name, sizeof r->name, "%s", name);
    machine_ask_stop(r->session->machine);
}

/* The region begins once, and ends at the first text after that. */
static void take_byte(struct session_regions *r, char byte)
{
    if (r->over)
        return;
    if (!r->entered) {
        r->entered = search_byte(&r->from, byte);
        if (r->entered)
            note(r, CHANGE_ENTER, "console");
    } else if (search_byte(&r->to, byte)) {
        r->over = true;
        note(r, CHANGE_LEAVE, NULL);
    }
}

static void see(void *ctx, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        take_byte(ctx, (char)bytes[i]);
}

struct console session_region_console(struct session *s, const struct console *inner)
{
    struct session_regions *r = s->regions = xcalloc(1, sizeof *r);

    r->session = s;
    r->tap = (struct console_tap){*inner, see, r};
    search_begin(&r->from, s->options.region_from);
    search_begin(&r->to, s->options.region_to);
    return console_tap(&r->tap);
}

/* The name at which the mark's register points; "region" if none can be read there. */
static void read_name(struct hart *h, uint64_t va, char name[REGION_NAME_MAX])
{
    size_t len = 0;

    while (len + 1 < REGION_NAME_MAX && hart_peek(h, va + len, &name[len], 1) && name[len] > ' ' &&
           name[len] <= '~')
        len++;
    name[len] = '\0';
    if (!len)
        snprintf(name, REGION_NAME_MAX, "region");
}

static void on_mark(void *ctx, const struct event *e)
{
    struct session_regions *r = ctx;
    char name[REGION_NAME_MAX];

    if (e->mark.number == MARK_LEAVE) {
        note(r, CHANGE_LEAVE, NULL);
    } else if (e->mark.number == MARK_ENTER) {
        read_name(e->mark.hart, e->mark.value, name);
        note(r, CHANGE_ENTER, name);
    }
}

enum exit_status session_begin_regions(struct session *s)
{
    struct session_regions *r = s->regions;
    struct listener l = {.ctx = r, .kinds = EVENT_BIT(EVENT_MARK), .on_event = on_mark};

    if (!r)
        return EXIT_PASS;
    r->regions = regions_new(machine_cluster(s->machine), s->symbols, watch_sites(s->watch),
                             watch_account(s->watch));
    if (s->options.region_marks)
        cluster_listen(machine_cluster(s->machine), &l);
    return EXIT_PASS;
}

/* Whether the run goes on after what the machine was stopped for. */
static bool take_change(struct session_regions *r)
{
    enum change change = r->pending;

    r->pending = CHANGE_NONE;
    if (change == CHANGE_ENTER)
        regions_enter(r->regions, r->name);
    else if (change == CHANGE_LEAVE)
        (void)regions_leave(r->regions);
    return change != CHANGE_NONE && !r->over;
}

struct stop session_run_regions(struct session *s)
{
    struct session_regions *r = s->regions;
    struct stop stop;
    bool goes_on;

    do {
        stop = machine_run(s->machine, session_max_insns(s), s->options.max_cycles);
        goes_on = take_change(r) && stop.reason == STOP_ASKED && !s->audit_failed &&
                  host_request(s->host) == HOST_NO_REQUEST;
    } while (goes_on);
    (void)regions_leave(r->regions);
    if (s->options.region_from && !r->entered)
        diag_warn(&s->diag, "--region-from: the guest has not written `%s'", r->from.text);
    else if (s->options.region_to && !r->over)
        diag_warn(&s->diag, "--region-to: the guest has not written `%s' since the region began",
                  r->to.text);
    return stop;
}

bool session_regions_are_over(const struct session *s)
{
    return s->regions && s->regions->over;
}

const struct regions *session_regions(const struct session *s)
{
    return s->regions ? s->regions->regions : NULL;
}

void session_free_regions(struct session *s)
{
    if (!s->regions)
        return;
    regions_free(s->regions->regions);
    free(s->regions->from.last);
    free(s->regions->to.last);
    free(s->regions);
}
