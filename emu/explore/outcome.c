/*
 * outcome.c - see outcome.h.
 */
#include "explore/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/finding_key.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"

/* ---- contents ---- */

static char *finding_text(const struct report *r, size_t index)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        report_finding(r, index, out);
        (void)fclose(out);
    }
    return text ? text : xstrdup("");
}

void outcome_take_findings(struct outcome *o, const struct report *r)
{
    const struct audit *a = watch_audit(r->watch);

    for (size_t i = 0; i < audit_count(a); i++) {
        const struct finding *f = audit_get(a, i);
        struct finding_key key;
        char text[KEY_TEXT_MAX];

        if (rule_severity(f->rule) == SEVERITY_note || report_pardon(r, i) != PARDON_NONE)
            continue;
        finding_key(&key, f, watch_sites(r->watch), r->symbols);
        finding_key_text(text, &key);
        VEC_PUSH(&o->findings,
                 ((struct outcome_finding){f->rule, xstrdup(text), finding_text(r, i)}));
    }
}

void outcome_free(struct outcome *o)
{
    for (size_t i = 0; i < o->findings.len; i++) {
        free(o->findings.at[i].key);
        free(o->findings.at[i].text);
    }
    VEC_FREE(&o->findings);
    VEC_FREE(&o->turns.turns);
    VEC_FREE(&o->plan.steps);
    free(o->died);
    free(o->stops);
    *o = (struct outcome){0};
}

enum { TEXT_MAX = 1 << 20, STEPS_MAX = 64 * (1 + HOLD_TICKS), OUTCOME_FINDINGS_MAX = 10000 };

static void text_state_io(struct state_io *io, char **text)
{
    size_t len = state_io_count(io, *text ? strlen(*text) : 0, TEXT_MAX);

    if (io->loading) {
        free(*text);
        *text = xcalloc(1, len + 1);
    }
    if (*text)
        state_io_bytes(io, *text, len);
}

static void finding_state_io(struct state_io *io, struct outcome_finding *f)
{
    STATE_IO(io, f->rule);
    text_state_io(io, &f->key);
    text_state_io(io, &f->text);
}

static void step_state_io(struct state_io *io, struct plan_step *s)
{
    STATE_IO(io, s->kind);
    STATE_IO(io, s->hart);
    STATE_IO(io, s->at);
    STATE_IO(io, s->until);
    STATE_IO(io, s->again);
    STATE_IO(io, s->pc);
}

static void turn_state_io(struct state_io *io, struct turn *t)
{
    STATE_IO(io, t->kind);
    STATE_IO(io, t->hart);
    STATE_IO(io, t->at);
    STATE_IO(io, t->pc);
    act_state_io(io, &t->until);
    STATE_IO(io, t->order);
}

static void outcome_state_io(struct state_io *io, struct outcome *o)
{
    state_io_section(io, "outcome", 1);
    STATE_IO(io, o->index);
    STATE_IO_VEC(io, &o->plan.steps, (size_t)STEPS_MAX, step_state_io);
    STATE_IO(io, o->plan.data_from);
    STATE_IO(io, o->plan.data_until);
    STATE_IO(io, o->order);
    STATE_IO(io, o->salt);
    STATE_IO(io, o->races);
    STATE_IO(io, o->acts);
    state_io_bytes(io, &o->interleavings, sizeof o->interleavings);
    STATE_IO(io, o->full);
    STATE_IO_VEC(io, &o->turns.turns, (size_t)UINT32_MAX, turn_state_io);
    STATE_IO(io, o->more_turns);
    STATE_IO(io, o->reason);
    STATE_IO(io, o->code);
    text_state_io(io, &o->died);
    text_state_io(io, &o->stops);
    STATE_IO_VEC(io, &o->findings, (size_t)OUTCOME_FINDINGS_MAX, finding_state_io);
}

/* ---- the channel ---- */

void channel_close_write(struct channel *c)
{
    if (c->write_end >= 0)
        close(c->write_end);
    c->write_end = -1;
}

void channel_close(struct channel *c)
{
    channel_close_write(c);
    if (c->read_end >= 0)
        close(c->read_end);
    if (c->lock >= 0)
        close(c->lock);
    c->read_end = c->lock = -1;
}

bool channel_open(struct channel *c)
{
    int ends[2];

    *c = (struct channel){-1, -1, -1};
    if (pipe2(ends, O_CLOEXEC))
        return false;
    c->read_end = ends[0];
    c->write_end = ends[1];
    c->lock = memfd_create("rvftrace-explore", MFD_CLOEXEC);
    if (c->lock < 0)
        channel_close(c);
    return c->lock >= 0;
}

/* A record lock belongs to a process, and ends with it. */
static void set_lock(const struct channel *c, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};

    while (fcntl(c->lock, F_SETLKW, &lock) && errno == EINTR)
        ;
}

static void send_all(int fd, const void *data, size_t size)
{
    const char *at = data;

    while (size) {
        ssize_t n = write(fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        at += n;
        size -= (size_t)n;
    }
}

static bool receive_all(int fd, void *data, size_t size)
{
    char *at = data;

    while (size) {
        ssize_t n = read(fd, at, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

void channel_send(struct channel *c, struct outcome *o)
{
    struct state_io io;
    uint64_t size;

    state_io_save(&io, 1 << 12);
    outcome_state_io(&io, o);
    size = io.saved.len;
    set_lock(c, F_WRLCK);
    send_all(c->write_end, &size, sizeof size);
    send_all(c->write_end, io.saved.at, io.saved.len);
    set_lock(c, F_UNLCK);
    state_io_free(&io);
}

bool channel_wait(const struct channel *c)
{
    enum { FIFTH_OF_A_SECOND = 200 };
    struct pollfd ready = {.fd = c->read_end, .events = POLLIN};

    return poll(&ready, 1, FIFTH_OF_A_SECOND) > 0;
}

bool channel_receive(struct channel *c, struct outcome *o)
{
    struct state_io io;
    uint64_t size;
    uint8_t *data;
    bool whole;

    *o = (struct outcome){0};
    if (!receive_all(c->read_end, &size, sizeof size))
        return false;
    data = xmalloc(size);
    whole = receive_all(c->read_end, data, size);
    if (whole) {
        state_io_load(&io, data, size);
        outcome_state_io(&io, o);
        whole = state_io_end(&io) == STATE_OK;
    }
    free(data);
    if (!whole)
        outcome_free(o);
    return whole;
}
