/*
 * ring_formats.c - see rings.h; what the entries in the pages mean.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/symbols.h"
#include "rings/rings_priv.h"

enum { LIST_MAX = 1 << 16 };

enum member {
    CALL_LIST,
    CALL_CLASS,
    CALL_NAME,
    CALL_EVENT,
    CALL_PRINT,
    CALL_DATA,
    CALL_FLAGS,
    EVENT_TYPE,
    POINT_NAME,
    CLASS_SYSTEM,
    CLASS_GET_FIELDS,
    CLASS_FIELDS,
    FIELD_LINK,
    FIELD_NAME,
    FIELD_TYPE,
    FIELD_OFFSET,
    FIELD_SIZE,
    FIELD_SIGNED,
    MEMBERS,
};

static const struct peek_member members[MEMBERS] = {
    [CALL_LIST] = {"trace_event_call", "list"},
    [CALL_CLASS] = {"trace_event_call", "class"},
    [CALL_NAME] = {"trace_event_call", "name"},
    [CALL_EVENT] = {"trace_event_call", "event"},
    [CALL_PRINT] = {"trace_event_call", "print_fmt"},
    [CALL_DATA] = {"trace_event_call", "data"},
    [CALL_FLAGS] = {"trace_event_call", "flags"},
    [EVENT_TYPE] = {"trace_event", "type"},
    [POINT_NAME] = {"tracepoint", "name"},
    [CLASS_SYSTEM] = {"trace_event_class", "system"},
    [CLASS_GET_FIELDS] = {"trace_event_class", "get_fields"},
    [CLASS_FIELDS] = {"trace_event_class", "fields"},
    [FIELD_LINK] = {"ftrace_event_field", "link"},
    [FIELD_NAME] = {"ftrace_event_field", "name"},
    [FIELD_TYPE] = {"ftrace_event_field", "type"},
    [FIELD_OFFSET] = {"ftrace_event_field", "offset"},
    [FIELD_SIZE] = {"ftrace_event_field", "size"},
    [FIELD_SIGNED] = {"ftrace_event_field", "is_signed"},
};

struct reader {
    struct peek *peek;
    uint64_t at[MEMBERS];
    uint64_t at_len;          /* offset of an array's length; 0: the type contains the length */
    uint32_t flag_tracepoint; /* of an event; the next one: it is dynamic */
    bool backwards;           /* fields are listed from the last to the first */
    FILE *out;
};

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static void put_length(const struct reader *r, uint64_t field, const char *array, bool dynamic)
{
    uint32_t len = r->at_len ? peek_u32(r->peek, field + r->at_len) : 0;

    if (len)
        fprintf(r->out, "[%" PRIu32 "]", len);
    else
        fputs(dynamic ? "[]" : array, r->out);
}

/* The length of an array is after the name, as in C. */
static void put_field(const struct reader *r, uint64_t field, bool dynamic)
{
    struct peek *p = r->peek;
    char *type = peek_text(p, peek_u64(p, field + r->at[FIELD_TYPE]));
    char *name = peek_text(p, peek_u64(p, field + r->at[FIELD_NAME]));
    const char *array = strchr(type, '[');

    if (begins(type, "__data_loc") || begins(type, "__rel_loc"))
        array = NULL;
    fprintf(r->out, "\tfield:%.*s %s", (int)(array ? (size_t)(array - type) : strlen(type)), type,
            name);
    if (array)
        put_length(r, field, array, dynamic);
    fprintf(r->out, ";\toffset:%" PRIu32 ";\tsize:%" PRIu32 ";\tsigned:%d;\n",
            peek_u32(p, field + r->at[FIELD_OFFSET]), peek_u32(p, field + r->at[FIELD_SIZE]),
            peek_u32(p, field + r->at[FIELD_SIGNED]) & 1);
    free(type);
    free(name);
}

static void put_fields(const struct reader *r, uint64_t head, bool dynamic)
{
    uint64_t to_next = r->backwards ? 8 : 0, at = peek_u64(r->peek, head + to_next);

    for (unsigned n = 0; at && at != head && n < LIST_MAX && !r->peek->bad; n++) {
        put_field(r, at - r->at[FIELD_LINK], dynamic);
        at = peek_u64(r->peek, at + to_next);
    }
}

/* The fields of a system call's entry are listed with the system call. */
static uint64_t fields_of(const struct reader *r, uint64_t call, uint64_t class)
{
    static const struct peek_member enter = {"syscall_metadata", "enter_fields"};
    uint64_t at;

    if (!peek_u64(r->peek, class + r->at[CLASS_GET_FIELDS]))
        return class + r->at[CLASS_FIELDS];
    peek_members(r->peek, &enter, 1, &at);
    return peek_u64(r->peek, call + r->at[CALL_DATA]) + at;
}

static char *name_of(const struct reader *r, uint64_t call, uint32_t flags)
{
    uint64_t name = peek_u64(r->peek, call + r->at[CALL_NAME]);

    return peek_text(
        r->peek, flags & r->flag_tracepoint ? peek_u64(r->peek, name + r->at[POINT_NAME]) : name);
}

static void put_format(const struct reader *r, uint64_t call, uint64_t class, uint64_t common)
{
    struct peek *p = r->peek;
    uint32_t flags = peek_u32(p, call + r->at[CALL_FLAGS]);
    char *name = name_of(r, call, flags);
    char *print = peek_text(p, peek_u64(p, call + r->at[CALL_PRINT]));

    fprintf(r->out, "name: %s\nID: %" PRIu32 "\nformat:\n", name,
            peek_u32(p, call + r->at[CALL_EVENT] + r->at[EVENT_TYPE]));
    put_fields(r, common, false);
    fputs("\n", r->out);
    put_fields(r, fields_of(r, call, class), flags & r->flag_tracepoint << 1);
    fprintf(r->out, "\nprint fmt: %s\n", print);
    free(name);
    free(print);
}

/*
 * Finds the flag, whose bit depends on the version of Linux: it is the highest flag of this event,
 * which every kernel has.
 */
static uint32_t find_tracepoint_flag(const struct reader *r)
{
    uint32_t flags =
        peek_u32(r->peek, peek_symbol(r->peek, "event_sched_switch") + r->at[CALL_FLAGS]);

    return flags ? UINT32_C(1) << (31 - __builtin_clz(flags)) : 0;
}

static void take_version(struct reader *r)
{
    static const struct peek_member len = {"ftrace_event_field", "len"};

    r->flag_tracepoint = 16;
    if (!rings_are_linux(r->peek))
        return;
    r->backwards = true;
    r->flag_tracepoint = find_tracepoint_flag(r);
    if (!peek_has(r->peek, &len, &r->at_len))
        r->at_len = 0;
}

void rings_formats(struct peek *p, struct ring_formats *formats)
{
    struct reader r = {.peek = p};
    uint64_t head = peek_symbol(p, "ftrace_events"), at;
    uint64_t common = peek_symbol(p, "ftrace_common_fields");

    *formats = (struct ring_formats){0};
    peek_members(p, members, MEMBERS, r.at);
    take_version(&r);
    at = peek_u64(p, head);
    for (unsigned n = 0; at && at != head && n < LIST_MAX && !p->bad; n++) {
        uint64_t call = at - r.at[CALL_LIST], class = peek_u64(p, call + r.at[CALL_CLASS]);
        struct ring_format f = {peek_text(p, peek_u64(p, class + r.at[CLASS_SYSTEM])), NULL};
        size_t size;

        r.out = open_memstream(&f.text, &size);
        if (!r.out)
            abort(); /* as for any memory: base/alloc.h */
        put_format(&r, call, class, common);
        (void)fclose(r.out);
        VEC_PUSH(&formats->of, f);
        at = peek_u64(p, at);
    }
}

void rings_formats_free(struct ring_formats *formats)
{
    for (size_t i = 0; i < formats->of.len; i++) {
        free(formats->of.at[i].system);
        free(formats->of.at[i].text);
    }
    VEC_FREE(&formats->of);
}

/* ---- printk_formats ---- */

static void put_printk_format(struct peek *p, uint64_t va, struct log_bytes *text)
{
    char line[32], *format;

    if (!va)
        return;
    format = peek_text(p, va);
    log_put_bytes(text, line, (size_t)snprintf(line, sizeof line, "0x%" PRIx64 " : \"", va));
    for (const char *c = format; *c; c++) {
        bool escape = *c == '\n' || *c == '\t' || *c == '\\' || *c == '"';
        int len = snprintf(line, sizeof line, escape ? "\\%03o" : "%c", (unsigned char)*c);

        log_put_bytes(text, line, (size_t)len);
    }
    log_put_bytes(text, "\"\n", 2);
    free(format);
}

static void put_array(struct peek *p, const char *from, const char *to, struct log_bytes *text)
{
    uint64_t at = peek_symbol(p, from), end = peek_symbol(p, to);

    for (; at < end && !p->bad; at += 8)
        put_printk_format(p, peek_u64(p, at), text);
}

void rings_printk_formats(struct peek *p, struct log_bytes *text)
{
    static const struct peek_member held[] = {{"trace_bprintk_fmt", "list"},
                                              {"trace_bprintk_fmt", "fmt"}};
    uint64_t offset[2], head, at;

    put_array(p, "__start___trace_bprintk_fmt", "__stop___trace_bprintk_fmt", text);
    put_array(p, "__start___tracepoint_str", "__stop___tracepoint_str", text);
    if (!symbols_find(p->symbols, "trace_bprintk_fmt_list", &head))
        return; /* Linux without modules */
    peek_members(p, held, 2, offset);
    at = peek_u64(p, head);
    for (unsigned n = 0; at && at != head && n < LIST_MAX && !p->bad; n++) {
        put_printk_format(p, peek_u64(p, at - offset[0] + offset[1]), text);
        at = peek_u64(p, at);
    }
}

/* ---- saved_cmdlines ---- */

void ring_put_cmdline(struct log_bytes *text, uint32_t pid, const char *comm)
{
    char line[64];

    log_put_bytes(text, line, (size_t)snprintf(line, sizeof line, "%" PRIu32 " %s\n", pid, comm));
}

void rings_cmdlines(struct peek *p, struct log_bytes *text)
{
    static const struct peek_member saved[] = {{"saved_cmdlines_buffer", "size"},
                                               {"saved_cmdlines_buffer", "entries"},
                                               {"saved_cmdline", "pid"},
                                               {"saved_cmdline", "comm"},
                                               {"saved_cmdline", NULL}};
    uint64_t at[ARRAY_LEN(saved)], buffer = peek_u64(p, peek_symbol(p, "savedcmd"));
    uint32_t count;

    if (rings_are_linux(p)) {
        rings_linux_cmdlines(p, buffer, text);
        return;
    }
    peek_members(p, saved, ARRAY_LEN(saved), at);
    count = buffer ? peek_u32(p, buffer + at[0]) : 0;
    for (uint32_t i = 0; i < count && i < LIST_MAX && !p->bad; i++) {
        uint64_t entry = buffer + at[1] + i * at[4];
        uint32_t pid = peek_u32(p, entry + at[2]);
        char comm[17] = {0};

        (void)peek_read(p, entry + at[3], comm, 16);
        if (pid)
            ring_put_cmdline(text, pid, comm);
    }
}
