/*
 * trace_probe.c - the arguments of probe events.
 *
 * Memory is read so that an address may be invalid; nothing is paged in for it.
 *
 * Not instrumented: handlers of probes call it.
 */
#include "trace_probe.h"
#include <asm/page.h>
#include <asm/processor.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

unsigned long __asm_copy_from_user(void *to, const void __user *from, unsigned long n);

/* ---- errors ---- */

DEFINE_MUTEX(trace_probe_mutex);
struct trace_probe_log trace_probe_log;

int trace_probe_log_err(const char *at, enum probe_error err)
{
#define C(name, text) text,
    static const char *const texts[] = {PROBE_ERRORS};
#undef C
    const struct trace_probe_log *log = &trace_probe_log;

    tracing_log_err(&global_trace, trace_probe_log.name, log->command, texts, err,
                    log->pos + (at - log->text));
    return -EINVAL;
}

/* ---- types ---- */

static const struct fetch_type fetch_types[] = {
    {"string", "__data_loc char[]", "\\\"%s\\\"", 4, true, true},
    {"ustring", "__data_loc char[]", "\\\"%s\\\"", 4, true, true},
    {"u8", "u8", "%u", 1, false, false},
    {"u16", "u16", "%u", 2, false, false},
    {"u32", "u32", "%u", 4, false, false},
    {"u64", "u64", "%Lu", 8, false, false},
    {"s8", "s8", "%d", 1, true, false},
    {"s16", "s16", "%d", 2, true, false},
    {"s32", "s32", "%d", 4, true, false},
    {"s64", "s64", "%Ld", 8, true, false},
    {"x8", "u8", "0x%x", 1, false, false},
    {"x16", "u16", "0x%x", 2, false, false},
    {"x32", "u32", "0x%x", 4, false, false},
    {"x64", "u64", "0x%Lx", 8, false, false},
    {"char", "u8", "'%c'", 1, false, false},
    {"symbol", "u64", "%pS", 8, false, false},
};

static const struct fetch_type *find_fetch_type(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(fetch_types); i++)
        if (!strcmp(name, fetch_types[i].name))
            return &fetch_types[i];
    return NULL;
}

/* ---- parsing ---- */

#define REG(name)                             \
    {                                         \
#name, offsetof(struct pt_regs, name) \
    }
static const struct reg_name {
    const char *name;
    unsigned int offset;
} reg_names[] = {
    REG(epc), REG(ra), REG(sp), REG(gp), REG(tp), REG(t0),     REG(t1),      REG(t2),    REG(s0),
    REG(s1),  REG(a0), REG(a1), REG(a2), REG(a3), REG(a4),     REG(a5),      REG(a6),    REG(a7),
    REG(s2),  REG(s3), REG(s4), REG(s5), REG(s6), REG(s7),     REG(s8),      REG(s9),    REG(s10),
    REG(s11), REG(t3), REG(t4), REG(t5), REG(t6), REG(status), REG(badaddr), REG(cause),
};
#undef REG

static bool is_letter(char c)
{
    return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_name(const char *name, char also)
{
    if (!is_letter(*name))
        return false;
    while (is_letter(*name) || (*name >= '0' && *name <= '9') || (also && *name == also))
        name++;
    return !*name;
}

bool is_good_name(const char *name)
{
    return is_name(name, 0);
}

bool is_good_system_name(const char *name)
{
    return is_name(name, '-');
}

bool trace_probe_event_exists(const char *group, const char *event)
{
    bool exists;

    mutex_lock(&event_mutex);
    exists = __find_event_file(&global_trace, group, event);
    mutex_unlock(&event_mutex);
    return exists;
}

int trace_probe_parse_event_name(const char *name, char **group, char **event)
{
    const char *slash = strchr(name, '/');

    if (!slash)
        slash = strchr(name, '.');
    if (slash && slash == name)
        return trace_probe_log_err(name, PROBE_ERR_NO_GROUP_NAME);
    if (slash && slash - name >= MAX_EVENT_NAME_LEN)
        return trace_probe_log_err(name, PROBE_ERR_GROUP_TOO_LONG);
    if (slash) {
        *group = kmemdup_nul(name, slash - name);
        if (!*group)
            return -ENOMEM;
        if (!is_good_system_name(*group))
            return trace_probe_log_err(name, PROBE_ERR_BAD_GROUP_NAME);
        name = slash + 1;
    }
    if (!*name)
        return slash ? 0 : trace_probe_log_err(name, PROBE_ERR_NO_EVENT_NAME);
    if (strlen(name) >= MAX_EVENT_NAME_LEN)
        return trace_probe_log_err(name, PROBE_ERR_EVENT_TOO_LONG);
    if (!is_good_name(name))
        return trace_probe_log_err(name, PROBE_ERR_BAD_EVENT_NAME);
    *event = kstrdup(name);
    return *event ? 0 : -ENOMEM;
}

static int parse_reg(struct probe_arg *arg, const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(reg_names); i++) {
        if (strcmp(name, reg_names[i].name))
            continue;
        arg->base = FETCH_REG;
        arg->value = reg_names[i].offset;
        return 0;
    }
    return trace_probe_log_err(name - 1, PROBE_ERR_BAD_REG_NAME);
}

/* $argN: the functions' arguments are in a0 to a7. */
static int parse_argument(struct probe_arg *arg, const char *number)
{
    unsigned long n;

    if (kstrtoul(number, 10, &n) || n < 1 || n > THREAD_SIZE / sizeof(long))
        return trace_probe_log_err(number - 4, PROBE_ERR_BAD_ARG_NUM);
    arg->base = n <= 8 ? FETCH_REG : FETCH_IMM;
    arg->value = n <= 8 ? offsetof(struct pt_regs, a0) + (n - 1) * sizeof(long) : 0;
    return 0;
}

static int parse_stack_word(struct probe_arg *arg, const char *number)
{
    arg->base = FETCH_STACK;
    if (kstrtoul(number, 10, &arg->value) || arg->value > THREAD_SIZE / sizeof(long))
        return trace_probe_log_err(number - 6, PROBE_ERR_BAD_STACK_NUM);
    return 0;
}

static bool has_arguments(unsigned int flags)
{
    return (flags & (TPARG_FL_FENTRY | TPARG_FL_RETURN)) == TPARG_FL_FENTRY;
}

/* A field of the event that trace_probe_log.source is; -ENOENT: it has none of that name. */
static int parse_field(struct probe_arg *arg, const char *name)
{
    arg->field = trace_find_event_field(trace_probe_log.source, name);
    arg->base = FETCH_FIELD;
    if (arg->field && arg->field->filter_type != FILTER_COMM)
        return arg->field->filter_type == FILTER_CPU ? -ENOENT : 0;
    arg->base = FETCH_COMM;
    return arg->field ? 0 : -ENOENT;
}

static int parse_var(struct probe_arg *arg, const char *name, unsigned int flags)
{
    if (trace_probe_log.source)
        return parse_field(arg, name);
    if (!strcmp(name, "retval")) {
        arg->base = FETCH_REG;
        arg->value = offsetof(struct pt_regs, a0);
        return flags & TPARG_FL_RETURN ? 0
                                       : trace_probe_log_err(name - 1, PROBE_ERR_RETVAL_ON_PROBE);
    }
    if (!strcmp(name, "comm")) {
        arg->base = FETCH_COMM;
        return 0;
    }
    if (!strcmp(name, "stack")) {
        arg->base = FETCH_STACKP;
        return 0;
    }
    if (!strncmp(name, "stack", 5) && name[5] >= '0' && name[5] <= '9')
        return parse_stack_word(arg, name + 5);
    if (!strncmp(name, "arg", 3) && has_arguments(flags))
        return parse_argument(arg, name + 3);
    return trace_probe_log_err(name - 1, PROBE_ERR_BAD_VAR);
}

/* A number with a sign. */
static int parse_offset(const char *text, long *offset)
{
    unsigned long value;

    if (kstrtoul(text + (*text == '-' || *text == '+'), 0, &value))
        return -EINVAL;
    *offset = *text == '-' ? -(long)value : (long)value;
    return 0;
}

/* @ADDR, @SYM[+|-OFFS]: memory there. */
static int parse_memory(struct probe_arg *arg, char *place)
{
    char *sign = strchr(place, '+');
    long offset = 0;
    char c;

    arg->base = FETCH_IMM;
    arg->nr_derefs = 1;
    if (*place >= '0' && *place <= '9')
        return kstrtoul(place, 0, &arg->value)
                   ? trace_probe_log_err(place - 1, PROBE_ERR_BAD_MEM_ADDR)
                   : 0;
    if (!sign)
        sign = strchr(place, '-');
    if (sign == place || (sign && parse_offset(sign, &offset)))
        return trace_probe_log_err(place - 1, PROBE_ERR_BAD_MEM_ADDR);
    c = sign ? *sign : 0;
    if (sign)
        *sign = 0;
    arg->value = kallsyms_lookup_name(place);
    if (sign)
        *sign = c;
    if (!arg->value)
        return -ENOENT;
    arg->value += offset;
    return 0;
}

static int parse_immediate(struct probe_arg *arg, const char *text)
{
    size_t len = strlen(text);
    long value;

    if (*text != '"') {
        arg->base = FETCH_IMM;
        if (parse_offset(text, &value))
            return trace_probe_log_err(text, PROBE_ERR_BAD_IMM);
        arg->value = value;
        return 0;
    }
    if (len < 2 || text[len - 1] != '"')
        return trace_probe_log_err(text + len, PROBE_ERR_IMMSTR_NO_CLOSE);
    arg->base = FETCH_DATA;
    arg->text = kmemdup_nul(text + 1, len - 2);
    return arg->text ? 0 : -ENOMEM;
}

static int parse_body(struct probe_arg *arg, char *body, unsigned int flags);

/* +|-[u]OFFS(FETCHARG) */
static int parse_deref(struct probe_arg *arg, char *body, unsigned int flags)
{
    bool user = body[1] == 'u';
    char *open = strchr(body, '('), sign = body[0];
    size_t len = strlen(body);
    unsigned long value;
    int err;

    if (!open)
        return trace_probe_log_err(body, PROBE_ERR_DEREF_NEED_BRACE);
    if (body[len - 1] != ')')
        return trace_probe_log_err(body + len, PROBE_ERR_DEREF_OPEN_BRACE);
    *open = 0;
    body[len - 1] = 0;
    if (kstrtoul(body + 1 + user, 0, &value))
        return trace_probe_log_err(body, PROBE_ERR_BAD_DEREF_OFFS);
    err = parse_body(arg, open + 1, flags);
    if (err)
        return err;
    if (arg->base == FETCH_COMM || arg->base == FETCH_DATA)
        return trace_probe_log_err(open + 1, PROBE_ERR_COMM_CANT_DEREF);
    if (arg->nr_derefs == MAX_PROBE_DEREFS)
        return trace_probe_log_err(open + 1, PROBE_ERR_TOO_MANY_OPS);
    arg->derefs[arg->nr_derefs].offset = sign == '-' ? -(long)value : (long)value;
    arg->derefs[arg->nr_derefs++].user = user;
    return 0;
}

static int parse_body(struct probe_arg *arg, char *body, unsigned int flags)
{
    switch (*body) {
    case '%': return parse_reg(arg, body + 1);
    case '$': return parse_var(arg, body + 1, flags);
    case '@': return parse_memory(arg, body + 1);
    case '\\': return parse_immediate(arg, body + 1);
    case '+':
    case '-': return parse_deref(arg, body, flags);
    default: return trace_probe_log_err(body, PROBE_ERR_BAD_FETCH_ARG);
    }
}

/* bWIDTH@OFFSET/SIZE: some bits of a number of SIZE bits. */
static int parse_bitfield(struct probe_arg *arg, char *type)
{
    char *at = strchr(type, '@'), *slash = strchr(type, '/');
    unsigned long width, offset, size;
    char name[8];

    if (!slash || kstrtoul(slash + 1, 0, &size))
        return trace_probe_log_err(type, PROBE_ERR_BAD_TYPE);
    snprintf(name, sizeof(name), "u%lu", size);
    arg->type = find_fetch_type(name);
    if (!arg->type)
        return trace_probe_log_err(type, PROBE_ERR_BAD_TYPE);
    *slash = 0;
    if (at && at < slash)
        *at = 0;
    if (!at || at > slash || kstrtoul(type + 1, 0, &width) || kstrtoul(at + 1, 0, &offset) ||
        !width || width > size || offset > size - width)
        return trace_probe_log_err(type, PROBE_ERR_BAD_BITFIELD);
    arg->bit_width = width;
    arg->bit_offset = offset;
    return 0;
}

/* TYPE or TYPE[N] */
static int parse_type(struct probe_arg *arg, char *type)
{
    size_t len = strlen(type);
    char *open = strchr(type, '[');
    unsigned long n = 0;

    if (open) {
        if (!strchr(open, ']'))
            return trace_probe_log_err(type + len, PROBE_ERR_ARRAY_NO_CLOSE);
        if (type[len - 1] != ']')
            return trace_probe_log_err(strchr(open, ']') + 1, PROBE_ERR_BAD_ARRAY_SUFFIX);
        *open = type[len - 1] = 0;
        if (kstrtoul(open + 1, 0, &n) || !n)
            return trace_probe_log_err(open + 1, PROBE_ERR_BAD_ARRAY_NUM);
        if (n > MAX_ARRAY_LEN)
            return trace_probe_log_err(open + 1, PROBE_ERR_ARRAY_TOO_BIG);
    }
    arg->count = n;
    if (type[0] == 'b')
        return n ? trace_probe_log_err(type, PROBE_ERR_BAD_BITFIELD) : parse_bitfield(arg, type);
    arg->type = find_fetch_type(type);
    return arg->type ? 0 : trace_probe_log_err(type, PROBE_ERR_BAD_TYPE);
}

/* The type that follows the body, cut off from it; NULL: none. A string may have colons. */
static char *split_type(char *body)
{
    char *from = body, *colon, *quote;

    if (body[0] == '\\' && body[1] == '"') {
        for (quote = body + 2; *quote; quote++)
            if (*quote == '"')
                from = quote;
    }
    colon = strchr(from, ':');
    if (!colon)
        return NULL;
    *colon = 0;
    return colon + 1;
}

static bool is_string_field(const struct ftrace_event_field *field)
{
    return field->filter_type == FILTER_STATIC_STRING || field->filter_type == FILTER_DYN_STRING ||
           field->filter_type == FILTER_RDYN_STRING || field->filter_type == FILTER_PTR_STRING;
}

/* Whether the type can be had from what was parsed. */
static int check_type(const struct probe_arg *arg, const char *type)
{
    bool is_text = arg->base == FETCH_COMM || arg->base == FETCH_DATA;

    if (arg->count && !arg->nr_derefs)
        return trace_probe_log_err(type, PROBE_ERR_BAD_STRING);
    if (is_text)
        return strcmp(arg->type->name, "string") ? -EINVAL : 0;
    if (arg->type->is_string && !arg->nr_derefs &&
        !(arg->base == FETCH_FIELD && is_string_field(arg->field)))
        return trace_probe_log_err(type, PROBE_ERR_BAD_STRING);
    return 0;
}

static int parse_arg(struct probe_arg *arg, unsigned int flags)
{
    char *body = kstrdup(arg->comm), *type;
    int err;

    if (!body)
        return -ENOMEM;
    trace_probe_log.text = body;
    type = split_type(body);
    err = parse_body(arg, body, flags);
    if (!err && type)
        err = parse_type(arg, type);
    else if (!err)
        arg->type =
            find_fetch_type(arg->base == FETCH_COMM || arg->base == FETCH_DATA ? "string" : "x64");
    if (!err)
        err = check_type(arg, type ? type : body);
    kfree(body);
    return err;
}

static void free_arg(struct probe_arg *arg)
{
    kfree(arg->name);
    kfree(arg->comm);
    kfree(arg->text);
    kfree(arg->field_type);
    kfree(arg);
}

static bool is_used(const struct trace_probe *tp, const char *name)
{
    static const char *const reserved[] = {"common_type",    "common_flags", "common_preempt_count",
                                           "common_pid",     "common_tgid",  "__probe_ip",
                                           "__probe_ret_ip", "__probe_func"};
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(reserved); i++)
        if (!strcmp(name, reserved[i]))
            return true;
    for (i = 0; i < tp->nr_args; i++)
        if (!strcmp(name, tp->args[i]->name))
            return true;
    return false;
}

static int name_field_type(struct probe_arg *arg)
{
    char text[48];

    if (arg->count && arg->type->is_string)
        snprintf(text, sizeof(text), "%s[%u]", arg->type->field_type, arg->count);
    else if (arg->count) /* Linux 6.1 does not say how long */
        snprintf(text, sizeof(text), "%s[]", arg->type->field_type);
    else
        snprintf(text, sizeof(text), "%s", arg->type->field_type);
    arg->field_type = kstrdup(text);
    return arg->field_type ? 0 : -ENOMEM;
}

static int split_name(const struct trace_probe *tp, struct probe_arg *arg, const char *text)
{
    const char *equals = strchr(text, '=');
    char made[16];

    snprintf(made, sizeof(made), "arg%u", tp->nr_args + 1);
    arg->name = equals ? kmemdup_nul(text, equals - text) : kstrdup(made);
    arg->comm = kstrdup(equals ? equals + 1 : text);
    if (!arg->name || !arg->comm)
        return -ENOMEM;
    if (equals && equals - text > MAX_ARG_NAME_LEN)
        return trace_probe_log_err(text, PROBE_ERR_ARG_NAME_TOO_LONG);
    if (!*arg->name)
        return trace_probe_log_err(text, PROBE_ERR_NO_ARG_NAME);
    if (!is_good_name(arg->name))
        return trace_probe_log_err(text, PROBE_ERR_BAD_ARG_NAME);
    if (is_used(tp, arg->name))
        return trace_probe_log_err(text, PROBE_ERR_USED_ARG_NAME);
    if (strlen(arg->comm) > MAX_ARGSTR_LEN)
        return trace_probe_log_err(equals ? equals + 1 : text, PROBE_ERR_ARG_TOO_LONG);
    if (!*arg->comm)
        return trace_probe_log_err(text + strlen(text), PROBE_ERR_NO_ARG_BODY);
    trace_probe_log.pos += equals ? equals + 1 - text : 0;
    return 0;
}

int trace_probe_add_arg(struct trace_probe *tp, const char *text, unsigned int flags)
{
    struct probe_arg *arg;
    int err;

    if (tp->nr_args == MAX_TRACE_ARGS)
        return -E2BIG;
    arg = kzalloc(sizeof(*arg));
    if (!arg)
        return -ENOMEM;
    err = split_name(tp, arg, text);
    if (!err)
        err = parse_arg(arg, flags);
    if (!err)
        err = name_field_type(arg);
    if (err) {
        free_arg(arg);
        return err;
    }
    arg->offset = tp->size;
    tp->size += arg->type->size * max(arg->count, 1u);
    tp->args[tp->nr_args++] = arg;
    return 0;
}

void trace_probe_free_args(struct trace_probe *tp)
{
    while (tp->nr_args)
        free_arg(tp->args[--tp->nr_args]);
}

/* ---- reading ---- */

/* A number, or the address of a string. */
static unsigned long field_value(const struct ftrace_event_field *field, const char *rec)
{
    const char *at = rec + field->offset;
    unsigned int unused = 64 - 8 * field->size;
    u64 value = 0;
    u32 loc;

    memcpy(&loc, at, sizeof(loc));
    switch (field->filter_type) {
    case FILTER_STATIC_STRING: return (unsigned long)at;
    case FILTER_DYN_STRING: return (unsigned long)(rec + (loc & 0xffff));
    case FILTER_RDYN_STRING: return (unsigned long)(at + sizeof(loc) + (loc & 0xffff));
    default: break;
    }
    if (field->size > (int)sizeof(value))
        return (unsigned long)at;
    memcpy(&value, at, field->size);
    return field->is_signed ? (unsigned long)((long)(value << unused) >> unused) : value;
}

/*
 * What does not need memory, or the address where the memory is. from: the registers, or for
 * FETCH_FIELD the entry of the event.
 */
static unsigned long base_value(const struct probe_arg *arg, const void *from)
{
    const struct pt_regs *regs = from;
    unsigned long at;

    switch (arg->base) {
    case FETCH_REG: return *(const unsigned long *)((const char *)from + arg->value);
    case FETCH_STACKP: return regs->sp;
    case FETCH_STACK:
        at = regs->sp + arg->value * sizeof(long);
        return (at ^ regs->sp) & ~(THREAD_SIZE - 1) ? 0 : *(const unsigned long *)at;
    case FETCH_COMM: return (unsigned long)current->comm;
    case FETCH_DATA: return (unsigned long)arg->text;
    case FETCH_IMM: return arg->value;
    case FETCH_FIELD: return field_value(arg->field, from);
    }
    return 0;
}

/* With preemption off a fault is not handled, and ends the copy. */
static bool read_memory(void *to, unsigned long addr, unsigned long n, bool user)
{
    unsigned long left;

    if (user && (n > TASK_SIZE || addr > TASK_SIZE - n))
        return false;
    preempt_disable_notrace();
    left = __asm_copy_from_user(to, (const void __user *)addr, n);
    preempt_enable_notrace();
    return !left;
}

/* Length with the NUL, at most MAX_PROBE_STRING; 0: the memory cannot be read. */
static unsigned int string_size(unsigned long addr, bool user)
{
    unsigned int size = 0;
    char c = 1;

    for (; c && size < MAX_PROBE_STRING; size++)
        if (!read_memory(&c, addr + size, 1, user))
            return 0;
    return size;
}

/* Follows all addresses but the last, which is stored to *addr. */
static bool follow(const struct probe_arg *arg, const void *from, unsigned long *addr)
{
    unsigned int i;

    *addr = base_value(arg, from);
    for (i = 0; i < arg->nr_derefs; i++) {
        *addr += arg->derefs[i].offset;
        if (i + 1 < arg->nr_derefs && !read_memory(addr, *addr, sizeof(*addr), arg->derefs[i].user))
            return false;
    }
    return true;
}

static bool last_is_user(const struct probe_arg *arg)
{
    return arg->nr_derefs && arg->derefs[arg->nr_derefs - 1].user;
}

static bool text_is_user(const struct probe_arg *arg)
{
    return last_is_user(arg) || arg->type->name[0] == 'u';
}

/* The address of string i of the argument, at addr. An array is one of pointers. */
static bool string_at(const struct probe_arg *arg, unsigned long addr, unsigned int i,
                      unsigned long *text)
{
    *text = addr;
    return !arg->count ||
           read_memory(text, addr + i * sizeof(*text), sizeof(*text), last_is_user(arg));
}

static unsigned int strings_size(const struct probe_arg *arg, const void *from)
{
    unsigned long addr, text;
    unsigned int i, size = 0;

    if (!follow(arg, from, &addr))
        return 0;
    for (i = 0; i < max(arg->count, 1u); i++)
        if (string_at(arg, addr, i, &text))
            size += string_size(text, text_is_user(arg));
    return size;
}

unsigned int trace_probe_data_size(const struct trace_probe *tp, const void *from)
{
    unsigned int i, size = 0;

    for (i = 0; i < tp->nr_args; i++)
        if (tp->args[i]->type->is_string)
            size += strings_size(tp->args[i], from);
    return size;
}

/* ---- storing ---- */

/* The part of the entry that is free for the text of strings. */
struct text_room {
    char *entry;
    unsigned int at, end;
};

/* Returns where the text is (length, offset); length 0: it could not be read. */
static u32 store_string(struct text_room *room, unsigned long addr, bool user)
{
    unsigned int at = room->at, left = room->end - at, size = string_size(addr, user);

    size = min(size, left); /* it may have become longer meanwhile */
    if (!size || !read_memory(room->entry + at, addr, size, user))
        return at;
    room->entry[at + size - 1] = 0;
    room->at += size;
    return size << 16 | at;
}

static void store_strings(const struct probe_arg *arg, const void *from, char *to,
                          struct text_room *room)
{
    unsigned long addr, text;
    bool known = follow(arg, from, &addr);
    unsigned int i;

    for (i = 0; i < max(arg->count, 1u); i++) {
        u32 loc = room->at;

        if (known && string_at(arg, addr, i, &text))
            loc = store_string(room, text, text_is_user(arg));
        memcpy(to + i * sizeof(loc), &loc, sizeof(loc));
    }
}

static u64 bits_of(const struct probe_arg *arg, u64 value)
{
    return arg->bit_width == 64 ? value : value >> arg->bit_offset & ((1UL << arg->bit_width) - 1);
}

/* What cannot be read is 0. */
static void store_number(const struct probe_arg *arg, const void *from, char *to)
{
    unsigned int size = arg->type->size * max(arg->count, 1u);
    unsigned long value;

    memset(to, 0, size);
    if (!follow(arg, from, &value))
        return;
    if (arg->nr_derefs && !read_memory(to, value, size, last_is_user(arg)))
        return;
    if (arg->nr_derefs && !arg->bit_width)
        return;
    if (arg->nr_derefs) {
        value = 0;
        memcpy(&value, to, size);
    }
    if (arg->bit_width)
        value = bits_of(arg, value);
    memcpy(to, &value, size);
}

void trace_probe_store_args(const struct trace_probe *tp, const void *from, void *entry,
                            size_t head, unsigned int data_size)
{
    struct text_room room = {entry, head + tp->size, head + tp->size + data_size};
    unsigned int i;

    for (i = 0; i < tp->nr_args; i++) {
        const struct probe_arg *arg = tp->args[i];
        char *to = (char *)entry + head + arg->offset;

        if (arg->type->is_string)
            store_strings(arg, from, to, &room);
        else
            store_number(arg, from, to);
    }
}

/* ---- format and text ---- */

int trace_probe_define_fields(struct trace_event_call *call, const struct trace_probe *tp,
                              size_t head)
{
    unsigned int i;
    int err = 0;

    for (i = 0; !err && i < tp->nr_args; i++) {
        const struct probe_arg *arg = tp->args[i];

        err = trace_define_field(call, arg->field_type, arg->name, head + arg->offset,
                                 arg->type->size * max(arg->count, 1u), arg->type->is_signed,
                                 FILTER_OTHER);
    }
    return err;
}

static void put_formats(struct trace_seq *s, const struct trace_probe *tp)
{
    unsigned int i, j;

    for (i = 0; i < tp->nr_args; i++) {
        const struct probe_arg *arg = tp->args[i];

        trace_seq_printf(s, " %s=%s", arg->name, arg->count ? "{" : "");
        for (j = 0; j < max(arg->count, 1u); j++)
            trace_seq_printf(s, "%s%s", j ? "," : "", arg->type->fmt);
        trace_seq_puts(s, arg->count ? "}" : "");
    }
}

static void put_values(struct trace_seq *s, const struct trace_probe *tp)
{
    unsigned int i, j;

    for (i = 0; i < tp->nr_args; i++) {
        const struct probe_arg *arg = tp->args[i];
        bool text = arg->type->is_string;

        for (j = 0; j < max(arg->count, 1u); j++) {
            trace_seq_printf(s, ", %s%s", text ? "__get_str(" : "REC->", arg->name);
            if (arg->count)
                trace_seq_printf(s, "[%u]", j);
            trace_seq_puts(s, text ? ")" : "");
        }
    }
}

bool trace_probe_match_args(const struct trace_probe *tp, const char *words)
{
    char text[KSYM_NAME_LEN + 32];
    unsigned int i;
    size_t len;

    for (i = 0; i < tp->nr_args && *words; i++) {
        snprintf(text, sizeof(text), " %s=%s", tp->args[i]->name, tp->args[i]->comm);
        len = strlen(text);
        if (strncmp(words, text, len))
            return false;
        words += len;
    }
    return !*words;
}

char *trace_probe_print_fmt(const struct trace_probe *tp, const char *fmt, const char *values)
{
    struct trace_seq *s = kmalloc(sizeof(*s));
    char *text;

    if (!s)
        return NULL;
    trace_seq_init(s);
    trace_seq_printf(s, "\"%s", fmt);
    put_formats(s, tp);
    trace_seq_printf(s, *values ? "\", %s" : "\"", values);
    put_values(s, tp);
    text = kmemdup_nul(s->buffer, s->len);
    kfree(s);
    return text;
}

static void print_number(struct trace_seq *s, const struct fetch_type *type, const char *from)
{
    unsigned int unused = 64 - 8 * type->size;
    u64 value = 0;

    memcpy(&value, from, type->size);
    if (!strcmp(type->name, "symbol"))
        trace_seq_printf(s, "%pS", (void *)value);
    else if (!strcmp(type->name, "char"))
        trace_seq_printf(s, "'%c'", (int)value);
    else if (type->is_signed)
        trace_seq_printf(s, "%ld", (long)(value << unused) >> unused);
    else
        trace_seq_printf(s, type->name[0] == 'x' ? "0x%lx" : "%lu", (unsigned long)value);
}

static void print_string(struct trace_seq *s, const char *from, const char *entry)
{
    u32 loc;

    memcpy(&loc, from, sizeof(loc));
    if (loc >> 16)
        trace_seq_printf(s, "\"%s\"", entry + (loc & 0xffff));
    else
        trace_seq_puts(s, "(fault)");
}

void trace_probe_print_args(struct trace_seq *s, const struct trace_probe *tp, const void *entry,
                            size_t head)
{
    unsigned int i, j;

    for (i = 0; i < tp->nr_args; i++) {
        const struct probe_arg *arg = tp->args[i];
        const char *from = (const char *)entry + head + arg->offset;

        trace_seq_printf(s, " %s=%s", arg->name, arg->count ? "{" : "");
        for (j = 0; j < max(arg->count, 1u); j++, from += arg->type->size) {
            trace_seq_puts(s, j ? "," : "");
            if (arg->type->is_string)
                print_string(s, from, entry);
            else
                print_number(s, arg->type, from);
        }
        trace_seq_puts(s, arg->count ? "}" : "");
    }
}
