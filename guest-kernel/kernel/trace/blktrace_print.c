/*
 * blktrace_print.c - the tracer `blk`: its entries as text, or as the records that blkparse reads.
 *
 * Not instrumented.
 */
#include "blktrace.h"
#include <linux/bug.h>
#include <linux/kdev_t.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

enum { TRACE_BLK_OPT_CLASSIC = 1 };

static const struct tracer_opt blk_tracer_opts[] = {
    {"blk_classic", TRACE_BLK_OPT_CLASSIC},
    {NULL, 0},
};
static struct tracer_flags blk_tracer_flags = {.opts = blk_tracer_opts};

bool blk_tracer_enabled; /* under trace_types_lock, read by any hart */

/* The record; its first two words are the entry's own. */
static const struct blk_io_trace *te_blk_io_trace(const struct trace_iterator *iter)
{
    return (const struct blk_io_trace *)iter->ent;
}

static u64 get_pdu_int(const struct blk_io_trace *t)
{
    u64 value;

    memcpy(&value, t + 1, sizeof(value));
    return cpu_to_be64(value);
}

/* ---- text ---- */

/* The same letters as blk_fill_rwbs(), of the record's categories. */
static void fill_rwbs(char *rwbs, const struct blk_io_trace *t)
{
    unsigned int tc = t->action >> BLK_TC_SHIFT;

    if (tc & BLK_TC_FLUSH)
        *rwbs++ = 'F';
    if (tc & BLK_TC_DISCARD)
        *rwbs++ = 'D';
    else if (tc & BLK_TC_WRITE)
        *rwbs++ = 'W';
    else
        *rwbs++ = t->bytes ? 'R' : 'N';
    if (tc & BLK_TC_FUA)
        *rwbs++ = 'F';
    if (tc & BLK_TC_AHEAD)
        *rwbs++ = 'A';
    if (tc & BLK_TC_SYNC)
        *rwbs++ = 'S';
    if (tc & BLK_TC_META)
        *rwbs++ = 'M';
    *rwbs = 0;
}

static void log_device(struct trace_seq *s, const struct blk_io_trace *t)
{
    trace_seq_printf(s, "%3d,%-3d ", MAJOR(t->device), MINOR(t->device));
}

static void log_action(struct trace_iterator *iter, const char *act, bool classic)
{
    const struct blk_io_trace *t = te_blk_io_trace(iter);
    struct trace_seq *s = &iter->seq;
    char rwbs[8];

    fill_rwbs(rwbs, t);
    log_device(s, t);
    if (classic)
        trace_seq_printf(s, "%2d %5d.%09lu %5u ", iter->cpu, (int)(iter->ts / NSEC_PER_SEC),
                         (unsigned long)(iter->ts % NSEC_PER_SEC), iter->ent->pid);
    trace_seq_printf(s, "%2s %3s ", act, rwbs);
}

static void blk_log_generic(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd)
{
    if (t->bytes >> SECTOR_SHIFT)
        trace_seq_printf(s, "%llu + %u [%s]\n", t->sector, t->bytes >> SECTOR_SHIFT, cmd);
    else
        trace_seq_printf(s, "[%s]\n", cmd);
}

static void blk_log_with_error(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd)
{
    (void)cmd;
    if (t->bytes >> SECTOR_SHIFT)
        trace_seq_printf(s, "%llu + %u [%d]\n", t->sector, t->bytes >> SECTOR_SHIFT, t->error);
    else
        trace_seq_printf(s, "%llu [%d]\n", t->sector, t->error);
}

static void blk_log_plug(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd)
{
    (void)t;
    trace_seq_printf(s, "[%s]\n", cmd);
}

static void blk_log_unplug(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd)
{
    trace_seq_printf(s, "[%s] %llu\n", cmd, get_pdu_int(t));
}

static void blk_log_split(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd)
{
    trace_seq_printf(s, "%llu / %llu [%s]\n", t->sector, get_pdu_int(t), cmd);
}

/* By action: its letter, its name for option verbose, and what follows. */
static const struct {
    const char *act[2];
    void (*print)(struct trace_seq *s, const struct blk_io_trace *t, const char *cmd);
} what2act[] = {
    [__BLK_TA_QUEUE] = {{"Q", "queue"}, blk_log_generic},
    [__BLK_TA_BACKMERGE] = {{"M", "backmerge"}, blk_log_generic},
    [__BLK_TA_FRONTMERGE] = {{"F", "frontmerge"}, blk_log_generic},
    [__BLK_TA_GETRQ] = {{"G", "getrq"}, blk_log_generic},
    [__BLK_TA_REQUEUE] = {{"R", "requeue"}, blk_log_with_error},
    [__BLK_TA_ISSUE] = {{"D", "issue"}, blk_log_generic},
    [__BLK_TA_COMPLETE] = {{"C", "complete"}, blk_log_with_error},
    [__BLK_TA_PLUG] = {{"P", "plug"}, blk_log_plug},
    [__BLK_TA_UNPLUG_IO] = {{"U", "unplug_io"}, blk_log_unplug},
    [__BLK_TA_UNPLUG_TIMER] = {{"UT", "unplug_timer"}, blk_log_unplug},
    [__BLK_TA_INSERT] = {{"I", "insert"}, blk_log_generic},
    [__BLK_TA_SPLIT] = {{"X", "split"}, blk_log_split},
};

static enum print_line_t print_one_line(struct trace_iterator *iter, bool classic)
{
    const struct blk_io_trace *t = te_blk_io_trace(iter);
    unsigned int what = t->action & (BLK_TC_ACT(1) - 1);
    bool long_act = iter->tr->trace_flags & TRACE_ITER_VERBOSE;
    char cmd[TASK_COMM_LEN];

    if (what >= ARRAY_SIZE(what2act) || !what2act[what].print) {
        trace_seq_printf(&iter->seq, "Unknown action %x\n", what);
    } else {
        trace_find_cmdline(iter->ent->pid, cmd);
        log_action(iter, what2act[what].act[long_act], classic);
        what2act[what].print(&iter->seq, t, cmd);
    }
    return trace_handle_return(&iter->seq);
}

static enum print_line_t blk_trace_event_print(struct trace_iterator *iter, int flags,
                                               struct trace_event *event)
{
    (void)flags;
    (void)event;
    return print_one_line(iter, false);
}

/* The record as blkparse reads it. */
static enum print_line_t blk_trace_event_print_binary(struct trace_iterator *iter, int flags,
                                                      struct trace_event *event)
{
    const struct blk_io_trace *t = te_blk_io_trace(iter);
    struct blk_io_trace old = *t;

    (void)flags;
    (void)event;
    old.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION;
    old.sequence = 0;
    old.time = iter->ts;
    trace_seq_putmem(&iter->seq, &old, sizeof(old));
    trace_seq_putmem(&iter->seq, t + 1, t->pdu_len);
    return trace_handle_return(&iter->seq);
}

static const struct trace_event_functions trace_blk_event_funcs = {
    .trace = blk_trace_event_print,
    .binary = blk_trace_event_print_binary,
};
static struct trace_event trace_blk_event = {.type = TRACE_BLK, .funcs = &trace_blk_event_funcs};

/* ---- the tracer ---- */

static void blk_tracer_start(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(blk_tracer_enabled, true);
}

static void blk_tracer_stop(struct trace_array *tr)
{
    (void)tr;
    WRITE_ONCE(blk_tracer_enabled, false);
}

static int blk_tracer_init(struct trace_array *tr)
{
    blk_tracer_start(tr);
    return 0;
}

static void blk_tracer_print_header(struct seq_file *m, struct trace_iterator *iter)
{
    (void)iter;
    if (blk_tracer_flags.val & TRACE_BLK_OPT_CLASSIC)
        seq_puts(m, "# DEV   CPU TIMESTAMP     PID ACT FLG\n"
                    "#  |     |     |           |   |   |\n");
}

static enum print_line_t blk_tracer_print_line(struct trace_iterator *iter)
{
    if (iter->ent->type != TRACE_BLK || !(blk_tracer_flags.val & TRACE_BLK_OPT_CLASSIC))
        return TRACE_TYPE_UNHANDLED;
    return print_one_line(iter, true);
}

/* A classic line has what the columns of other lines say. */
static int blk_tracer_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
    (void)old_flags;
    (void)bit;
    if (set)
        tr->trace_flags &= ~TRACE_ITER_CONTEXT_INFO;
    else
        tr->trace_flags |= TRACE_ITER_CONTEXT_INFO;
    return 0;
}

static struct tracer blk_tracer = {
    .name = "blk",
    .init = blk_tracer_init,
    .reset = blk_tracer_stop,
    .start = blk_tracer_start,
    .stop = blk_tracer_stop,
    .print_header = blk_tracer_print_header,
    .print_line = blk_tracer_print_line,
    .set_flag = blk_tracer_set_flag,
    .flags = &blk_tracer_flags,
};

int init_blk_tracer(void)
{
    BUG_ON(!register_trace_event(&trace_blk_event));
    return register_tracer(&blk_tracer);
}
