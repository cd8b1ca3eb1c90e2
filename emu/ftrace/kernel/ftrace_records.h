/*
 * ftrace_records.h - what the kernel's ftrace believes of its sites: the records (struct
 * dyn_ftrace) in its memory, and what the registered ops with their filters want of each.
 *
 * A record has the number of ops that trace its function, and flags. Where the members of these
 * structs are is known from DWARF or BTF; the flags used here have had the same values in all
 * versions of Linux with RISC-V's ftrace. All of it is in order only while no hart has the kernel's
 * lock of it, ftrace_lock, or has just completed its change.
 */
#ifndef FTRACE_FTRACE_RECORDS_H
#define FTRACE_FTRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct ftrace_records;
struct hart;
struct image;
struct lines;
struct symbols;

/* Flags of a record; the number of ops is in the bits below all of them. */
#define RECORD_ENABLED  (UINT64_C(1) << 31) /* the site is on */
#define RECORD_REGS     (UINT64_C(1) << 30) /* some ops wants all registers */
#define RECORD_REGS_EN  (UINT64_C(1) << 29) /* the site calls the trampoline that saves them */
#define RECORD_TRAMP_EN (UINT64_C(1) << 27) /* it calls a trampoline of its ops */
#define RECORD_TRAMP    (UINT64_C(1) << 28) /* it should call that: the same for the next two */
#define RECORD_DIRECT   (UINT64_C(1) << 24)
#define RECORD_OPS      (UINT64_C(1) << 22)
#define RECORD_DISABLED (UINT64_C(1) << 25) /* it is not patched, as its module is being loaded */
#define RECORD_DIRECT_EN                                                                      \
    (UINT64_C(1) << 23)                   /* it calls a function of the ops, without a tracer \
                                           */
#define RECORD_OPS_EN (UINT64_C(1) << 21) /* `callops': it names its only ops */
#define RECORD_COUNT  ((UINT64_C(1) << 19) - 1)

struct ftrace_record {
    uint64_t at;          /* its own address */
    uint64_t ip, flags;   /* as the kernel has them */
    bool begins_page;     /* it is the first one of a sorted part */
    uint32_t wanted;      /* the number of registered ops that trace the function */
    uint32_t wanted_regs; /* how many of them want all registers */
    uint64_t ops;         /* if it is one: its address */
};

/* Flags of an ops. */
#define OPS_DYNAMIC   (UINT64_C(1) << 1)
#define OPS_SAVE_REGS (UINT64_C(1) << 2)  /* it cannot be called without all registers */
#define OPS_STUB      (UINT64_C(1) << 5)  /* it is not called */
#define OPS_RCU       (UINT64_C(1) << 14) /* it is not called where RCU does not watch */
#define OPS_DIRECT    (UINT64_C(1) << 17) /* sites call a function of its own */

/* A registered ops that is enabled. */
struct ftrace_op {
    uint64_t at, func, flags; /* its address; the function that is called for it */
};

/* Image, symbols and lines must outlive it; lines may be NULL. Never NULL. */
struct ftrace_records *ftrace_records_new(struct cluster *c, const struct image *im,
                                          const struct symbols *symbols, struct lines *lines);
void ftrace_records_free(struct ftrace_records *r); /* NULL is allowed */

/* Whether the kernel has such records, and where their members are is known. */
bool ftrace_records_known(struct ftrace_records *r);

/* Whether the kernel changes code at all: it has not given up, and sysctl has not turned it off. */
bool ftrace_records_dead(const struct ftrace_records *r, struct hart *h);
bool ftrace_records_enabled(const struct ftrace_records *r, struct hart *h);

/* Whether it is the address of a registered ops. */
bool ftrace_records_has_ops(struct ftrace_records *r, struct hart *h, uint64_t ops);

/* Whether an ops is enabled, and its filter is empty, which means all functions. */
bool ftrace_records_wants_all(const struct ftrace_records *r, struct hart *h, uint64_t ops);

/*
 * Reads the registered ops that are enabled, and their filters, for the two below, whose answers
 * stay the same until the next call. False: not all can be read, and there are none.
 */
bool ftrace_records_read_ops(struct ftrace_records *r, struct hart *h);
/*
 * Adds those of the graph tracers, which have filters of their own and are called by way of another
 * ops: `func' is the entry function, and OPS_STUB is set. Returns the number of those before them.
 */
size_t ftrace_records_add_graphs(struct ftrace_records *r, struct hart *h);
/* A registered graph tracer: its address, and its functions; `at' is 0: none has this place. */
struct ftrace_graph {
    uint64_t at, entry, ret;
    bool is_linux; /* it has members of Linux's, which the guest kernel does not have */
};
enum { FTRACE_GRAPHS_MAX = 16 }; /* FGRAPH_ARRAY_SIZE */
/*
 * Reads those in all places of fgraph_array. False: the kernel has none, or they cannot be read.
 */
bool ftrace_records_graphs(const struct ftrace_records *r, struct hart *h,
                           struct ftrace_graph graphs[FTRACE_GRAPHS_MAX]);
/* Reads the ops with index i, from 0 on. False: there are fewer. */
bool ftrace_records_op(const struct ftrace_records *r, size_t i, struct ftrace_op *op);
/*
 * Whether the filter of the ops with index i, or of an ops that it stands for, has the address `ip`
 * of a record.
 */
bool ftrace_records_op_wants(const struct ftrace_records *r, size_t i, uint64_t ip);
/* The same of a site of so many bytes, of which one address is that of the record. */
bool ftrace_records_op_wants_any(const struct ftrace_records *r, size_t i, uint64_t va,
                                 unsigned size);

/*
 * Calls each() for all registered ops, enabled or not, whatever their filters are. False: not all
 * of them can be read.
 */
bool ftrace_records_each_op(struct ftrace_records *r, struct hart *h,
                            void (*each)(void *ctx, const struct ftrace_op *op), void *ctx);

/*
 * Calls each() for the addresses in the filters of all registered ops, enabled or not, and of the
 * tracers' own, `global_ops`; ops: whose filter it is. False: not all of them can be read.
 */
bool ftrace_records_filters(struct ftrace_records *r, struct hart *h,
                            void (*each)(void *ctx, uint64_t ops, uint64_t ip), void *ctx);

/*
 * A number that is another one when ops, their filters, or the set of records have changed since.
 * False: they cannot be read.
 */
bool ftrace_records_version(struct ftrace_records *r, struct hart *h, uint64_t *version);

/*
 * Calls each() for all records, in the kernel's order. False: not all of them or of the filters can
 * be read.
 */
bool ftrace_records_read(struct ftrace_records *r, struct hart *h,
                         void (*each)(void *ctx, const struct ftrace_record *record), void *ctx);

#endif
