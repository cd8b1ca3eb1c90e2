/*
 * trace_probe.h - the arguments of probe events: parsed, fetched, stored in entries, printed.
 *
 * trace_kprobe.c and trace_eprobe.c use it.
 */
#ifndef KERNEL_TRACE_PROBE_H
#define KERNEL_TRACE_PROBE_H

#include "trace.h"
#include <asm/ptrace.h>

enum {
    MAX_TRACE_ARGS = 128,
    MAX_ARRAY_LEN = 64,
    MAX_PROBE_DEREFS = 14,
    MAX_EVENT_NAME_LEN = 64,
    MAX_ARG_NAME_LEN = 32,
    MAX_ARGSTR_LEN = 63,
    MAX_PROBE_STRING = 1024, /* bytes recorded of a string, with its NUL */
};

/* What a place offers to its arguments. */
enum { TPARG_FL_RETURN = 1, TPARG_FL_FENTRY = 4 };

/* A type of arguments. */
struct fetch_type {
    const char *name;
    const char *field_type; /* in the format file */
    const char *fmt;        /* in the format file */
    int size;               /* of what it takes in the entry */
    bool is_signed;
    bool is_string;
};

/* Where an argument begins. */
enum fetch_base {
    FETCH_REG,   /* value: offset in pt_regs */
    FETCH_STACK, /* value: number of the word */
    FETCH_STACKP,
    FETCH_COMM,
    FETCH_IMM,   /* value */
    FETCH_DATA,  /* text */
    FETCH_FIELD, /* field, of the event that the probe is of */
};

struct probe_deref {
    long offset;
    bool user;
};

/* The base, and addresses that are followed from it. With count, the last one is an array. */
struct probe_arg {
    char *name;
    char *comm;       /* as it was written */
    char *text;       /* of FETCH_DATA */
    char *field_type; /* in the format file */
    const struct fetch_type *type;
    enum fetch_base base;
    unsigned long value;
    const struct ftrace_event_field *field;
    struct probe_deref derefs[MAX_PROBE_DEREFS];
    unsigned int nr_derefs;
    unsigned int count; /* of the array; 0: none */
    unsigned int bit_width, bit_offset;
    unsigned int offset; /* after the head of the entry */
};

struct trace_probe {
    struct probe_arg *args[MAX_TRACE_ARGS];
    unsigned int nr_args;
    unsigned int size; /* of the arguments, without the text of strings */
};

/* 0, -EINVAL, -ENOENT (no such symbol) or -ENOMEM. */
int trace_probe_add_arg(struct trace_probe *tp, const char *arg, unsigned int flags);
void trace_probe_free_args(struct trace_probe *tp);
/* Defines the fields of the arguments; head: size of the head. */
int trace_probe_define_fields(struct trace_event_call *call, const struct trace_probe *tp,
                              size_t head);
/* The print format, from kmalloc(): that of the head and its values. NULL: no memory. */
char *trace_probe_print_fmt(const struct trace_probe *tp, const char *fmt, const char *values);
void trace_probe_print_args(struct trace_seq *s, const struct trace_probe *tp, const void *entry,
                            size_t head);

/*
 * Called by probes. The bytes that strings need; then fills in an entry that has room for them.
 * from: the registers, or the entry of the event whose fields the arguments are.
 */
unsigned int trace_probe_data_size(const struct trace_probe *tp, const void *from);
void trace_probe_store_args(const struct trace_probe *tp, const void *from, void *entry,
                            size_t head, unsigned int data_size);

/* What error_log says: C(name, text), the texts of Linux. */
#define PROBE_ERRORS                                                             \
    C(MAXACT_NO_KPROBE, "Maxactive is not for kprobe")                           \
    C(BAD_MAXACT, "Invalid maxactive number")                                    \
    C(MAXACT_TOO_BIG, "Maxactive is too big")                                    \
    C(BAD_PROBE_ADDR, "Invalid probed address or symbol")                        \
    C(BAD_RETPROBE, "Retprobe address must be an function entry")                \
    C(BAD_ADDR_SUFFIX, "Invalid probed address suffix")                          \
    C(NO_GROUP_NAME, "Group name is not specified")                              \
    C(GROUP_TOO_LONG, "Group name is too long")                                  \
    C(BAD_GROUP_NAME, "Group name must follow the same rules as C identifiers")  \
    C(NO_EVENT_NAME, "Event name is not specified")                              \
    C(EVENT_TOO_LONG, "Event name is too long")                                  \
    C(BAD_EVENT_NAME, "Event name must follow the same rules as C identifiers")  \
    C(EVENT_EXIST, "Given group/event name is already used by another event")    \
    C(RETVAL_ON_PROBE, "$retval is not available on probe")                      \
    C(BAD_STACK_NUM, "Invalid stack number")                                     \
    C(BAD_ARG_NUM, "Invalid argument number")                                    \
    C(BAD_VAR, "Invalid $-valiable specified")                                   \
    C(BAD_REG_NAME, "Invalid register name")                                     \
    C(BAD_MEM_ADDR, "Invalid memory address")                                    \
    C(BAD_IMM, "Invalid immediate value")                                        \
    C(IMMSTR_NO_CLOSE, "String is not closed with '\"'")                         \
    C(TOO_MANY_OPS, "Dereference is too much nested")                            \
    C(DEREF_NEED_BRACE, "Dereference needs a brace")                             \
    C(BAD_DEREF_OFFS, "Invalid dereference offset")                              \
    C(DEREF_OPEN_BRACE, "Dereference brace is not closed")                       \
    C(COMM_CANT_DEREF, "$comm can not be dereferenced")                          \
    C(BAD_FETCH_ARG, "Invalid fetch argument")                                   \
    C(ARRAY_NO_CLOSE, "Array is not closed")                                     \
    C(BAD_ARRAY_SUFFIX, "Array has wrong suffix")                                \
    C(BAD_ARRAY_NUM, "Invalid array size")                                       \
    C(ARRAY_TOO_BIG, "Array number is too big")                                  \
    C(BAD_TYPE, "Unknown type is specified")                                     \
    C(BAD_STRING, "String accepts only memory argument")                         \
    C(BAD_BITFIELD, "Invalid bitfield")                                          \
    C(ARG_NAME_TOO_LONG, "Argument name is too long")                            \
    C(NO_ARG_NAME, "Argument name is not specified")                             \
    C(BAD_ARG_NAME, "Argument name must follow the same rules as C identifiers") \
    C(USED_ARG_NAME, "This argument name is already used")                       \
    C(ARG_TOO_LONG, "Argument expression is too long")                           \
    C(NO_ARG_BODY, "No argument expression")                                     \
    C(DIFF_PROBE_TYPE, "Probe type is different from existing probe")            \
    C(DIFF_ARG_TYPE, "Argument type or name is different from existing probe")   \
    C(SAME_PROBE, "There is already the exact same probe event")                 \
    C(BAD_INSN_BNDRY, "Probe point is not an instruction boundary")              \
    C(FAIL_REG_PROBE, "Failed to register probe event")                          \
    C(NO_EVENT_INFO, "This requires both group and event name to attach")        \
    C(BAD_ATTACH_EVENT, "Attached event does not exist")                         \
    C(BAD_ATTACH_ARG, "Attached event does not have this field")                 \
    C(NO_EP_FILTER, "No filter rule after 'if'")

#define C(name, text) PROBE_ERR_##name,
enum probe_error { PROBE_ERRORS };
#undef C

/*
 * What is parsed, for error_log: text is at a position of a command. Under the mutex of the
 * commands.
 */
struct trace_probe_log {
    const char *command;
    const char *text;
    unsigned int pos;
    const char *name;                /* of what parses it, in error_log */
    struct trace_event_call *source; /* the event whose fields are named by $NAME; NULL: none */
};
extern struct mutex trace_probe_mutex;
extern struct trace_probe_log trace_probe_log;
/* Adds an error at a place in trace_probe_log.text to error_log. Returns -EINVAL. */
int trace_probe_log_err(const char *at, enum probe_error err);

/* `[GROUP/]EVENT` or `GROUP/`, also with a dot; both are copies, or unchanged. 0 or an error. */
int trace_probe_parse_event_name(const char *name, char **group, char **event);
/* Whether there is such an event, of any kind. */
bool trace_probe_event_exists(const char *group, const char *event);
/* Whether words, each with a blank before it, are the first of the arguments. */
bool trace_probe_match_args(const struct trace_probe *tp, const char *words);

/* Whether it is one for an event or argument; of a group: may have `-`. */
bool is_good_name(const char *name);
bool is_good_system_name(const char *name);

#endif
