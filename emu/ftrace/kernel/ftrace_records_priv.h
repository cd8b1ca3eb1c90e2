/*
 * ftrace_records_priv.h - what ftrace_records.c, which finds and reads the records, and
 * ftrace_ops.c, which reads the ops and what they want, share.
 */
#ifndef FTRACE_RECORDS_PRIV_H
#define FTRACE_RECORDS_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "ftrace/kernel/ftrace_records.h"

/* Flags of ops and of sets. */
enum { OPS_ENABLED = 1 << 0, HASH_MOD = 1 << 0 };

/* Limits, so that damaged lists end: more than a kernel has. */
enum {
    RECORD_BYTES_MAX = 256,
    RECORDS_AT_ONCE = 64,
    OPS_MAX = 1 << 12,
    BUCKET_BITS_MAX = 16,
    ENTRIES_MAX = 1 << 21
};

enum member {
    PAGE_NEXT,
    PAGE_RECORDS,
    RECORD_IP,
    RECORD_FLAGS,
    OPS_NEXT,
    OPS_FLAGS,
    OPS_HASH,
    HASH_FILTER,
    HASH_NOTRACE,
    HASH_COUNT,
    HASH_BUCKETS,
    ENTRY_IP,
    NEEDED, /* the number of those that each kernel has */
    PAGE_INDEX = NEEDED,
    PAGE_COUNT,
    HASH_BITS,
    HASH_FLAGS,
    OPS_SUBOPS,
    OPS_NEXT_SUBOP,
    OPS_FUNC,
    MEMBERS_ALWAYS, /* the number of those that are searched for in all kernels */
    GRAPH_OPS = MEMBERS_ALWAYS,
    GRAPH_ENTRY,
    GRAPH_RETURN,
    GRAPH_PRIVATE,
    MEMBERS
};

/* Not all kernels have all of them; an offset that is not known: */
#define NONE UINT64_MAX

enum structure { STRUCT_PAGE, STRUCT_RECORD, STRUCT_HASH, STRUCTS };

enum variable { VAR_PAGES, VAR_OPS, VAR_OPS_END, VAR_DISABLED, VAR_ENABLED, VARIABLES };

/* What ops want of a function. */
struct want {
    uint64_t count, regs, ops; /* ops: the sum of their addresses */
};

/* The functions that an ops wants: those of a filter, or all if it is empty, without some. */
struct choice {
    struct map filter, notrace;
    bool all;
};

typedef VEC_OF(struct choice) choices;

/* An ops that was read, with the choices of those that it stands for, or its own. */
struct read_op {
    struct ftrace_op op;
    choices of;
};

struct ftrace_records {
    struct cluster *cluster;
    const struct image *image;
    const struct symbols *symbols;
    struct lines *lines;
    bool searched, known, is_linux;
    uint64_t at[MEMBERS], size[STRUCTS], variable[VARIABLES];
    uint64_t
        graphs; /* the address of fgraph_array, if the members of its structs are known; or 0 */
    /* what is wanted now: of a function that no set names, and the differences of the others */
    struct want common;
    VEC_OF(struct want) wants;
    struct map want_of;         /* ip -> index */
    VEC_OF(struct read_op) ops; /* ftrace_records_read_ops */
    uint8_t bytes[RECORDS_AT_ONCE * RECORD_BYTES_MAX];
};

static inline bool read_word(struct hart *h, uint64_t va, uint64_t *value)
{
    return hart_peek(h, va, value, sizeof *value);
}

static inline uint32_t read_half(struct hart *h, uint64_t va)
{
    uint32_t value = 0;

    (void)!hart_peek(h, va, &value, sizeof value);
    return value;
}

static inline bool read_member(const struct ftrace_records *r, struct hart *h, uint64_t base,
                               enum member member, uint64_t *value)
{
    return read_word(h, base + r->at[member], value);
}

/* Calls use() for each registered ops. False: the list is damaged, or use() has returned it. */
bool ftrace_records_each_ops(struct ftrace_records *r, struct hart *h,
                             bool (*use)(struct ftrace_records *r, struct hart *h, uint64_t ops,
                                         void *ctx),
                             void *ctx);

/* The first of the ops that an ops stands for; 0: it stands for itself. */
uint64_t ftrace_records_first_subop(const struct ftrace_records *r, struct hart *h, uint64_t ops);

/* Reads what the ops want of each function. False: it cannot be read. */
bool ftrace_records_read_wants(struct ftrace_records *r, struct hart *h);

void ftrace_records_forget_ops(struct ftrace_records *r); /* those of ftrace_records_read_ops */

#endif
