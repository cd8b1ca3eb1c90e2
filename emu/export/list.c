/*
 * list.c - the events of a log as lines of text, and as comma-separated values.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "export/export.h"

static void print_bytes(const uint8_t *bytes, unsigned size, FILE *out)
{
    for (unsigned i = 0; i < size; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void print_call(const struct log *log, const struct log_event *e, FILE *out)
{
    const struct log_call *c = e->call.call;
    char text[LOG_PLACE_MAX];
    char arguments[LOG_ARGUMENTS_MAX], result[LOG_VALUE_MAX];
    const char *caller = log_string(log, c->caller), *value;

    fprintf(out, "%*s%s", e->call.depth < 40 ? (int)e->call.depth : 40, "",
            log_call_name(log, c, text));
    if (c->kind == LOG_FUNCTION)
        fprintf(out, " (%s)", log_state_name(c->state));
    if (e->kind == LOG_CALL && log_argument_count(log, c))
        fprintf(out, " with %s", log_arguments(log, c, e->call.values, arguments));
    value = e->kind == LOG_RETURN ? log_result(log, c, e->call.values, result) : NULL;
    if (e->kind == LOG_RETURN)
        fprintf(out, " %s%s%s after %" PRIu64, log_end_name(e->call.end), value ? " " : "",
                value ? value : "", e->call.when - c->when);
    else if (caller)
        fprintf(out, " from %s+0x%" PRIx64, caller, c->caller_offset);
}

static void print_trap(const struct log *log, const struct log_event *e, FILE *out)
{
    char place[LOG_PLACE_MAX];

    log_place(log, e->trap.epc, place);
    fprintf(out, "%s %" PRIu64 " at %s, tval 0x%" PRIx64 ", mode %u to %u",
            e->trap.interrupt ? "interrupt" : "exception", e->trap.cause, place, e->trap.tval,
            e->trap.from, e->trap.to);
}

static const char *site_name(const struct log *log, uint32_t id)
{
    const struct log_site *s = log_site(log, id);
    const char *name = s ? log_string(log, s->function) : NULL;

    return name ? name : "";
}

static void print_store(const struct log *log, const struct log_event *e, FILE *out)
{
    static const char *const writers[] = {"", "firmware ", "a device ", "the debugger ",
                                          "the loader "};
    const struct log_store *s = &e->store;
    char place[LOG_PLACE_MAX];

    log_place(log, s->pc, place);
    fprintf(out, "%sat %s: ", s->writer < ARRAY_LEN(writers) ? writers[s->writer] : "", place);
    print_bytes(s->old_bytes, s->size, out);
    fputs(" -> ", out);
    print_bytes(s->new_bytes, s->size, out);
    if (s->va)
        log_place(log, s->va, place);
    else
        snprintf(place, sizeof place, "physical 0x%" PRIx64, s->pa);
    fprintf(out, " in %s", place);
    if (s->site != LOG_NONE)
        fprintf(out, ", site of %s: %s -> %s", site_name(log, s->site), log_state_name(s->before),
                log_state_name(s->after));
    if (s->late)
        fprintf(out, ", %" PRIu64 " steps after its instruction", s->late);
}

static void print_fence(const struct log *log, const struct log_event *e, FILE *out)
{
    char place[LOG_PLACE_MAX];

    log_place(log, e->fence.pc, place);
    if (e->fence.remote)
        fprintf(out, "for hart %" PRIu32 " ", e->fence.requester);
    fprintf(out, "at %s", place);
}

static void print_stale(const struct log *log, const struct log_event *e, FILE *out)
{
    char place[LOG_PLACE_MAX];

    log_place(log, e->stale.pc, place);
    fprintf(out, "%s at %s: ", e->stale.ran_old ? "old code" : "new code", place);
    if (e->stale.old_known)
        print_bytes(e->stale.old_bytes, e->stale.size, out);
    else
        fputc('?', out);
    fputs(", in memory ", out);
    print_bytes(e->stale.new_bytes, e->stale.size, out);
    if (e->stale.writer_known)
        fprintf(out, ", written by hart %u", e->stale.writer_hart);
}

/* A page, or that there is none. */
static void print_target(bool faults, uint64_t pa, FILE *out)
{
    if (faults)
        fputs("a fault", out);
    else
        fprintf(out, "0x%" PRIx64, pa);
}

static void print_translation(const struct log *log, const struct log_event *e, FILE *out)
{
    char place[LOG_PLACE_MAX];

    log_place(log, e->translation.pc, place);
    fprintf(out, "%s at %s: %s of 0x%" PRIx64 " ",
            e->translation.used_old ? "old entry" : "new entry", place,
            log_access_name(e->translation.access), e->translation.va);
    if (e->translation.global)
        fputs("(global)", out);
    else
        fprintf(out, "(asid %u)", e->translation.asid);
    fputs(", old ", out);
    print_target(e->translation.old_faults, e->translation.old_pa, out);
    fputs(", in the tables ", out);
    print_target(e->translation.new_faults, e->translation.new_pa, out);
    if (e->translation.writer_known) {
        log_place(log, e->translation.writer_pc, place);
        fprintf(out, ", written by hart %u at %s", e->translation.writer_hart, place);
    }
}

static void print_update(const struct log *log, const struct log_event *e, FILE *out)
{
    fprintf(out,
            "by hart %" PRIu32 ": %" PRIu64 " stores, %" PRIu64 " patches, cycles %" PRIu64
            " to %" PRIu64 ", %s",
            e->update.writer, e->update.stores, e->update.patches, e->update.first, e->update.last,
            log_update_end_name(e->update.end));
    for (unsigned i = 0; i < log_run(log)->harts; i++)
        fprintf(out, "; hart %u %s", i, log_role_name(e->update.hart[i].role));
}

static void print_text(const uint8_t *bytes, size_t len, FILE *out)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '\\' && bytes[i] != '"')
            fputc(bytes[i], out);
        else
            fprintf(out, bytes[i] == '\n' ? "\\n" : "\\x%02x", bytes[i]);
}

static void print_details(const struct log *log, const struct log_event *e, FILE *out)
{
    char text[LOG_PLACE_MAX];
    const char *rule, *severity;

    switch (e->kind) {
    case LOG_CALL:
    case LOG_RETURN: print_call(log, e, out); break;
    case LOG_TRAP: print_trap(log, e, out); break;
    case LOG_TRAP_RETURN:
        log_place(log, e->trap_return.pc, text);
        fprintf(out, "to %s, mode %u to %u", text, e->trap_return.from, e->trap_return.to);
        break;
    case LOG_STORE: print_store(log, e, out); break;
    case LOG_FENCE_I:
    case LOG_SFENCE_VMA: print_fence(log, e, out); break;
    case LOG_STALE: print_stale(log, e, out); break;
    case LOG_STALE_TRANSLATION: print_translation(log, e, out); break;
    case LOG_UPDATE: print_update(log, e, out); break;
    case LOG_FINDING:
        rule = log_string(log, e->finding.rule);
        severity = log_string(log, e->finding.severity);
        fprintf(out, "%" PRIu32 ", %s: %s", e->finding.number, severity ? severity : "?",
                rule ? rule : "?");
        break;
    case LOG_IPI_SENT: fprintf(out, "to hart %" PRIu32, e->ipi.hart); break;
    case LOG_SBI:
        fprintf(out, "extension 0x%" PRIx64 ", function %" PRIu64, e->sbi.extension,
                e->sbi.function);
        break;
    case LOG_SWITCH:
        fprintf(out, "%s to ", log_task_name(log, e->switched.from, text));
        fputs(log_task_name(log, e->switched.to, text), out);
        break;
    case LOG_CONSOLE: print_text(e->console.bytes, e->console.len, out); break;
    case LOG_SITE:
        fprintf(out, "%s of %s", e->site.gone ? "gone" : "added", site_name(log, e->site.site));
        break;
    default: break;
    }
}

void export_line(const struct log *log, const struct log_event *e, FILE *out)
{
    char task[LOG_PLACE_MAX], step[24] = "-";

    if (log_has_steps(log))
        snprintf(step, sizeof step, "%" PRIu64, e->step);
    fprintf(out, "%14" PRIu64 " %12s %2u %-20s %-11s ", e->cycle, step, e->hart,
            log_task_name(log, e->task, task), log_kind_name(e->kind));
    print_details(log, e, out);
}

void export_list(struct export_job *job)
{
    struct log_event e;

    fprintf(job->out, "%14s %12s %2s %-20s %-11s\n", "# cycle", "step", "h", "task", "event");
    while (!ferror(job->out) && source_next(job->source, &e)) {
        export_line(job->log, &e, job->out);
        fputc('\n', job->out);
    }
}

/* ---- comma-separated values ---- */

static const char *name_of(const struct log *log, const struct log_event *e,
                           char text[LOG_PLACE_MAX])
{
    switch (e->kind) {
    case LOG_CALL:
    case LOG_RETURN: return log_call_name(log, e->call.call, text);
    case LOG_STORE: return site_name(log, e->store.site);
    case LOG_STALE: return site_name(log, e->stale.site);
    case LOG_SITE: return site_name(log, e->site.site);
    case LOG_FINDING: return log_string(log, e->finding.rule);
    default: return "";
    }
}

/* Replaces quotes; names of functions and tasks normally contain none. */
static void put_quoted(const char *text, FILE *out)
{
    fputc('"', out);
    for (; text && *text; text++)
        fputc(*text == '"' ? '\'' : *text, out);
    fputc('"', out);
}

/* Quotes are doubled: strings among arguments have some. */
static void put_details(const struct log *log, const struct log_event *e, FILE *out)
{
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);

    if (!text)
        return;
    print_details(log, e, text);
    (void)fclose(text);
    fputs(",\"", out);
    for (const char *at = line; *at; at++)
        fputs(*at == '"' ? "\"\"" : (const char[]){*at, '\0'}, out);
    fputs("\",", out);
    free(line);
}

void export_csv(struct export_job *job)
{
    FILE *out = job->out;
    struct log_event e;
    char text[LOG_PLACE_MAX];

    fputs("cycle,hart,instret,time,pid,task,event,name,state,depth,duration,details,step\n", out);
    while (!ferror(out) && source_next(job->source, &e)) {
        const struct log_task *t = log_task(job->log, e.task);
        bool is_call = e.kind == LOG_CALL || e.kind == LOG_RETURN;

        fprintf(out, "%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64 ",", e.cycle, e.hart, e.insns, e.time);
        if (t && t->pid >= 0)
            fprintf(out, "%" PRId32, t->pid);
        fputc(',', out);
        put_quoted(t ? log_string(job->log, t->name) : NULL, out);
        fprintf(out, ",%s,", log_kind_name(e.kind));
        put_quoted(name_of(job->log, &e, text), out);
        fprintf(out, ",%s,",
                is_call && e.call.call->kind == LOG_FUNCTION ? log_state_name(e.call.call->state)
                : e.kind == LOG_STORE && e.store.site != LOG_NONE ? log_state_name(e.store.after)
                                                                  : "");
        if (is_call)
            fprintf(out, "%" PRIu32, e.call.depth);
        fputc(',', out);
        if (e.kind == LOG_RETURN)
            fprintf(out, "%" PRIu64, e.call.when - e.call.call->when);
        put_details(job->log, &e, out);
        if (log_has_steps(job->log))
            fprintf(out, "%" PRIu64, e.step);
        fputc('\n', out);
    }
}
