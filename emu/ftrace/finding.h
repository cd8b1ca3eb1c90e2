/*
 * finding.h - what the auditor has found: a broken rule, how often, and the evidence.
 *
 * Evidence is a list of labelled facts, which every report prints alike. They
 * are in the order in which the machine did things: the cycles of two harts are
 * two clocks, and do not say which of two events came first.
 *
 * All of it is plain data without pointers.
 */
#ifndef FTRACE_FINDING_H
#define FTRACE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "ftrace/rules.h"
#include "mem/ram.h"

enum { FACTS_MAX = 12, FACT_BYTES_MAX = 16, EXAMPLES_MAX = 8 };

enum fact_kind {
    FACT_SITE,     /* site */
    FACT_FENCE,    /* hart, cycle, pc, requester: a fence.i of the hart */
    FACT_STORE,    /* writer, pa */
    FACT_FETCH,    /* hart, pc, cycle */
    FACT_BYTES,    /* va, bytes, size */
    FACT_UNFENCED, /* hart, message: it lacks a fence.i after the store */
    FACT_MESSAGE,  /* message */
};

/* As users read it: fact_label_name(). */
enum fact_label {
    LABEL_SITE,
    LABEL_FENCED,
    LABEL_WRITTEN,
    LABEL_FETCHED,
    LABEL_EXECUTED,
    LABEL_OLD,
    LABEL_IN_MEMORY,
    LABEL_MISSING,
    LABEL_UNKNOWN,
    LABEL_ORDER,
};

/* What is said in words. */
enum message {
    MESSAGE_NONE,
    MESSAGE_WRITER,      /* the writer is not known */
    MESSAGE_BYTES,       /* whether the bytes were written is not known */
    MESSAGE_CLOCKS,      /* cycles of different harts */
    MESSAGE_NEVER,       /* the hart has never executed a fence.i */
    MESSAGE_SINCE_START, /* the hart has executed none since its firmware started the kernel there
                          */
};

struct fact {
    enum fact_label label;
    enum fact_kind kind;
    enum message message;
    uint32_t site, hart, requester;
    uint64_t pc, va, cycle;
    struct writer writer;
    uint8_t size;
    uint8_t bytes[FACT_BYTES_MAX];
};

/* One occurrence. */
struct example {
    enum rule rule;
    uint32_t hart, site; /* site: NO_SITE if it is none */
    uint64_t pc, cycle;
};

/* All breaches with one cause (audit.h). The evidence is that of the first one. */
struct finding {
    enum rule rule;
    uint64_t count;
    uint64_t by_rule[RULE_COUNT]; /* of the count: more than one rule where a hart never fenced */
    uint64_t harts;               /* that fetched, a bit each */
    struct example examples[EXAMPLES_MAX]; /* different places or harts, the first ones */
    unsigned example_count;
    struct fact facts[FACTS_MAX];
    unsigned fact_count;
};

const char *fact_label_name(enum fact_label label);
const char *message_text(enum message message);

#endif
