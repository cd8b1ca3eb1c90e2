/*
 * rings_facts.c - what a trace.dat says of the guest's rings beside their contents: the clock, what
 * each ring has counted, and the kernel's name. What the kernel does not show is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/symbols.h"
#include "rings/rings.h"
#include "rings/rings_priv.h"

/* ---- the clock ---- */

/* An entry of trace_clocks: a name, a function and whether it counts nanoseconds. */
enum { CLOCK_BYTES = 24, CLOCKS_MAX = 32, CLOCK_NAME_MAX = 16 };

/* The symbol's end. 0: there is no such symbol, or its size is not known. */
static uint64_t find_array(const struct symbols *symbols, const char *name, uint64_t *start)
{
    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *s = symbols_get(symbols, i);

        if (!strcmp(s->name, name) && s->kind != SYMBOL_ABSOLUTE) {
            *start = s->addr;
            return s->end;
        }
    }
    return 0;
}

/* Reads a clock's name. False: it is none, as in what follows the array. */
static bool read_name(struct peek *p, uint64_t va, char name[CLOCK_NAME_MAX + 1])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

    memset(name, 0, CLOCK_NAME_MAX + 1);
    return va && peek_read(p, va, name, CLOCK_NAME_MAX) && *name && !name[strspn(name, letters)];
}

void rings_clock(struct peek *p, const struct ring_trace *trace, struct log_bytes *text)
{
    static const struct peek_member id = {"trace_array", "clock_id"};
    uint64_t at, name_at = rings_are_linux(p) ? 8 : 0, start, end, chosen;
    char name[CLOCK_NAME_MAX + 1], word[CLOCK_NAME_MAX + 4];

    end = find_array(p->symbols, "trace_clocks", &start);
    if (!end || !peek_has(p, &id, &at))
        return;
    chosen = peek_u32(p, trace->va + at);
    for (uint64_t i = 0; i < CLOCKS_MAX && start + (i + 1) * CLOCK_BYTES <= end && !p->bad; i++) {
        if (!read_name(p, peek_u64(p, start + i * CLOCK_BYTES + name_at), name))
            break;
        log_put_bytes(text, word,
                      (size_t)snprintf(word, sizeof word, i == chosen ? "%s[%s]" : "%s%s",
                                       i ? " " : "", name));
    }
    if (text->len)
        log_put_bytes(text, "\n", 2);
}

/* ---- counts ---- */

/* The members have other names in this project's kernel and in Linux. */
enum count { WRITTEN, OVERRUN, COMMIT_OVERRUN, DROPPED, READ, COUNTS };
static const struct peek_member counts[][COUNTS] = {{{"ring_buffer_per_cpu", "written"},
                                                     {"ring_buffer_per_cpu", "overrun"},
                                                     {"ring_buffer_per_cpu", "commit_overrun"},
                                                     {"ring_buffer_per_cpu", "dropped"},
                                                     {"ring_buffer_per_cpu", "read"}},
                                                    {{"ring_buffer_per_cpu", "entries"},
                                                     {"ring_buffer_per_cpu", "overrun"},
                                                     {"ring_buffer_per_cpu", "commit_overrun"},
                                                     {"ring_buffer_per_cpu", "dropped_events"},
                                                     {"ring_buffer_per_cpu", "read"}}};

void rings_counts(struct peek *p, const struct ring_trace *trace, unsigned hart,
                  struct log_bytes *text)
{
    const struct peek_member *of = counts[rings_are_linux(p)];
    uint64_t ring = rings_ring(p, trace, hart), value[COUNTS], at;
    char lines[256];

    for (unsigned i = 0; i < COUNTS && ring; i++) {
        if (!peek_has(p, &of[i], &at))
            return;
        value[i] = peek_u64(p, ring + at);
    }
    if (!ring || p->bad)
        return;
    log_put_bytes(text, lines,
                  (size_t)snprintf(lines, sizeof lines,
                                   "CPU: %u\nentries: %" PRIu64 "\noverrun: %" PRIu64
                                   "\ncommit overrun: %" PRIu64 "\ndropped events: %" PRIu64
                                   "\nread events: %" PRIu64 "\n",
                                   hart, value[WRITTEN] - value[OVERRUN] - value[READ],
                                   value[OVERRUN], value[COMMIT_OVERRUN], value[DROPPED],
                                   value[READ]) +
                      1);
}

/* ---- the kernel ---- */

/* struct new_utsname: texts of 65 bytes. */
enum { UTS_BYTES = 65, UTS_SYSNAME = 0, UTS_NODENAME, UTS_RELEASE, UTS_VERSION, UTS_MACHINE };

void rings_uname(struct peek *p, struct log_bytes *text)
{
    static const struct peek_member name = {"uts_namespace", "name"};
    static const unsigned words[] = {UTS_SYSNAME, UTS_NODENAME, UTS_RELEASE, UTS_MACHINE};
    uint64_t va, at;

    if (symbols_find(p->symbols, "init_uts_ns", &va) && peek_has(p, &name, &at))
        va += at;
    else if (!symbols_find(p->symbols, "init_uts", &va))
        return;
    for (unsigned i = 0; i < ARRAY_LEN(words); i++) {
        char word[UTS_BYTES + 1] = {0};

        if (!peek_read(p, va + (uint64_t)UTS_BYTES * words[i], word, UTS_BYTES))
            return;
        log_put_bytes(text, word, strlen(word));
        log_put_bytes(text, i + 1 < ARRAY_LEN(words) ? " " : "", 1);
    }
}
