/*
 * trace_probe.h - the arguments of probe events: parsed, fetched, stored in entries, printed.
 *
 * trace_kprobe.c uses it.
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
    FETCH_IMM,  /* value */
    FETCH_DATA, /* text */
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

/* Called by probes. The bytes that strings need; then fills in an entry that has room for them. */
unsigned int trace_probe_data_size(const struct trace_probe *tp, const struct pt_regs *regs);
void trace_probe_store_args(const struct trace_probe *tp, const struct pt_regs *regs, void *entry,
                            size_t head, unsigned int data_size);

/* Whether it is one for an event or argument; of a group: may have `-`. */
bool is_good_name(const char *name);
bool is_good_system_name(const char *name);

#endif
