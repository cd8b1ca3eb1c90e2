/*
 * server_priv.h - internal to the gdb server.
 *
 *     server.c       the session: packets, their dispatch, replies
 *     state.c        registers and memory
 *     points.c       breakpoints and watchpoints
 *     resume.c       vCont and its relatives, the reply of a stop
 *     query.c        queries and settings
 *     description.c  the documents that gdb reads: registers, threads, memory
 *     monitor.c      `monitor`
 *     packet.c       frames, escapes, numbers
 *     port.c         sockets, standard input and output
 *     service.c      waiting for gdb, and running without it
 */
#ifndef GDB_SERVER_PRIV_H
#define GDB_SERVER_PRIV_H

#include "cpu/observer.h"
#include "debug/commands/debugger.h"
#include "debug/target/target.h"
#include "gdb/packet.h"
#include "gdb/server.h"

/* gdb's numbers of errors, which are the host's on Linux. */
enum { ERROR_FAULT = 14, ERROR_INVALID = 22 };

/* gdb's numbers of signals. */
enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5, SIGNAL_TERM = 15 };

/*
 * A breakpoint or watchpoint that gdb has set; all numbers as in its packet. A breakpoint at an
 * address that no hart maps at present, as one in a program that has not been loaded, is `late': it
 * gets a place in memory when a hart maps the address, and further ones if other memory is mapped
 * there.
 */
enum { POINT_PLACES_MAX = 8 };

struct gdb_point {
    uint64_t address, kind;
    char type; /* '0' software, '1' hardware, '2' write, '3' read, '4' access */
    bool late;
    bool withdrawn; /* gdb has taken the point back, perhaps for one instruction of a hart */
    unsigned places;
    unsigned numbers[POINT_PLACES_MAX]; /* the target's */
    uint64_t pas[POINT_PLACES_MAX];     /* if late */
};

struct gdb_server {
    struct gdb_config config;
    struct debugger *debugger;
    struct target *target;
    const struct gdb_link *link; /* NULL: there is no connection */
    enum gdb_end end;
    bool ended; /* the session is to end */

    struct packet_reader reader;
    uint8_t input[4096];
    size_t input_at, input_len;
    reply_text reply, wire; /* the reply in the making; the last one as it was sent */
    reply_text document;    /* see query.c */
    reply_text shown;       /* output of the console that is not sent yet */
    bool running;           /* the machine runs for gdb: output of its console may be sent */

    bool no_acks, ids_have_process;
    bool extended;      /* the session outlives the guest, which can begin again */
    bool killed;        /* extended: the guest has ended, and begins again later */
    bool detached;      /* extended: the guest runs without gdb */
    bool acks_end;      /* QStartNoAckMode: acknowledgements end after its own reply */
    bool physical;      /* addresses of memory are physical */
    bool harts_locked;  /* a resume of one hart stops the others */
    unsigned steps_are; /* as QEMU has it, see query.c */
    unsigned selected;  /* hart of H g: registers and memory */
    unsigned resumed;   /* hart of H c */

    VEC_OF(struct gdb_point) points;
    struct target_stop stop; /* the last one */
    uint64_t fault_insns;    /* instructions of the machine at the fault of a breakpoint */
    unsigned watch_met;      /* the watchpoint that has stopped the machine, forwards; 0: none */
};

/* Bits of steps_are; their values are QEMU's. */
enum { STEP_ENABLE = 1, STEP_NO_IRQ = 2, STEP_NO_TIMER = 4 };

/* ---- server.c ---- */

void reply_ok(struct gdb_server *g);
void reply_error(struct gdb_server *g, unsigned number);
/* Sends a packet at once, before the reply of the present one. */
void send_packet(struct gdb_server *g, const char *contents, size_t len);
/* Sends text that gdb prints for its user. */
void send_console(struct gdb_server *g, const char *text, size_t len);
void show_rest(struct gdb_server *g); /* sends the kept output of the console */
void end_session(struct gdb_server *g, enum gdb_end end);
/* Reads the bytes that gdb has sent while the machine ran. */
void take_interrupts(struct gdb_server *g);

/* Threads: number 1 is hart 0. */
enum { ANY_THREAD = UINT32_MAX, ALL_THREADS = UINT32_MAX - 1 };

void reply_thread(struct gdb_server *g, unsigned hart);
/* Reads a hart's number, ANY_THREAD or ALL_THREADS. False: there is none. */
MUST_USE bool take_thread(const struct gdb_server *g, const char **at, unsigned *hart);

/* ---- state.c: one function for each packet, with the text after its letter ---- */

void packet_read_registers(struct gdb_server *g, const char *args);
void packet_write_registers(struct gdb_server *g, const char *args);
void packet_read_register(struct gdb_server *g, const char *args);
void packet_write_register(struct gdb_server *g, const char *args);
void packet_read_memory(struct gdb_server *g, const char *args);
void packet_write_memory(struct gdb_server *g, const char *args);
void packet_write_binary(struct gdb_server *g, const char *args);
void reply_register(struct gdb_server *g, unsigned hart, unsigned number);
/* Return the address space of gdb's addresses: of memory, and of points. */
enum target_space space_of_memory(const struct gdb_server *g);

/* ---- points.c ---- */

void packet_insert_point(struct gdb_server *g, const char *args);
void packet_remove_point(struct gdb_server *g, const char *args);
enum drop { DROP_ALL, DROP_WITHDRAWN, DROP_WITHDRAWN_WATCHES };
void points_drop(struct gdb_server *g, enum drop which);
/* Returns the point with the target's number; NULL: it is not one of gdb. */
const struct gdb_point *point_of(const struct gdb_server *g, unsigned number);
/* Turns a stop by a point that had to catch a fault into that of a breakpoint. */
void points_settle(struct gdb_server *g, struct target_stop *s);
bool has_point_at_pc(const struct gdb_server *g, unsigned hart);

/* ---- resume.c ---- */

void packet_continue(struct gdb_server *g, const char *args);
void packet_step(struct gdb_server *g, const char *args);
void packet_continue_with(struct gdb_server *g, const char *args);
void packet_step_with(struct gdb_server *g, const char *args);
void packet_backwards(struct gdb_server *g, const char *args);
void packet_resume_threads(struct gdb_server *g, const char *args);
void packet_restart(struct gdb_server *g, const char *args);
void packet_why(struct gdb_server *g, const char *args);
void reply_stop(struct gdb_server *g);

/* ---- query.c ---- */

void packet_query(struct gdb_server *g, const char *args);
void packet_set(struct gdb_server *g, const char *args);
void packet_verbose(struct gdb_server *g, const char *args);

/* ---- description.c ---- */

/* Appends the document; false: there is none of this name. */
MUST_USE bool describe(struct gdb_server *g, const char *object, const char *annex,
                       reply_text *out);
void describe_hart(const struct gdb_server *g, unsigned hart, reply_text *out);

/* ---- monitor.c ---- */

/* Runs one line of `monitor`; its output is in `out`. */
void monitor_run(struct gdb_server *g, const char *line, reply_text *out);

#endif
