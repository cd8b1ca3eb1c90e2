/*
 * log_format.h - the event log of a run: the contents of the file, and the events as a reader gets
 * them.
 *
 * docs/log.md describes the bytes. The file is a sequence of frames. Each is compressed by itself,
 * has a checksum, and begins with all that is needed to decode it, except for the definitions
 * (strings, tasks, sites), which are in frames of their own before it. Everything here is
 * independent of the machine.
 */
#ifndef LOG_FORMAT_H
#define LOG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_MAGIC "rvftlog\n"
#define LOG_END   "logends\n"

/*
 * The newest version, which has values of registers; the one that is written without these; and the
 * oldest one that is read.
 */
enum { LOG_VERSION = 3, LOG_VERSION_PLAIN = 2, LOG_VERSION_OLDEST = 1 };
enum { LOG_HEAD_BYTES = 16, LOG_TAIL_BYTES = 16 };
enum { LOG_FRAME_MAGIC = 0x314d5246 /* "FRM1" */, LOG_FRAME_HEAD_BYTES = 48 };

/* Harts of a log, and the bytes of a frame before compression. */
enum { LOG_HARTS_MAX = 64, LOG_RAW_MAX = 64 << 20, LOG_PATCH_BYTES = 8 };

enum log_frame_kind {
    LOG_FRAME_RUN = 1,     /* the run's options; the first frame */
    LOG_FRAME_SYMBOLS = 2, /* functions and other symbols of the image */
    LOG_FRAME_DEFS = 3,    /* strings, tasks and sites, to which later frames refer by number */
    LOG_FRAME_EVENTS = 4,
    LOG_FRAME_END = 5,    /* how the run has ended */
    LOG_FRAME_INDEX = 6,  /* the positions of the frames; the last frame */
    LOG_FRAME_COUNTS = 7, /* entries and cycles of each site, by state; before END */
    LOG_FRAME_TEXT = 8,   /* a stretch of the image's code as the log begins */
    LOG_FRAME_BACK = 9, /* the run has gone back: the next frame of events follows an earlier one */
};

struct log_frame_head {
    uint32_t kind, packed, raw, events;
    uint64_t first, last; /* EVENTS: the lowest and the highest cycle */
    uint32_t harts_low;   /* EVENTS: a bit for each of harts 0 to 31 that has events */
};

/* The columns of a frame of events, in order. */
enum log_column {
    LOG_COLUMN_STATE,   /* harts, stacks and sites when the frame begins */
    LOG_COLUMN_CODES,   /* a number for each event: its kind, or an earlier call of the frame */
    LOG_COLUMN_INSNS,   /* instructions of the hart since its last event */
    LOG_COLUMN_CYCLES,  /* cycles since then, minus the instructions */
    LOG_COLUMN_TIME,    /* change of the difference between the time CSR and the cycles */
    LOG_COLUMN_STEPS,   /* instructions of other harts, where these have changed */
    LOG_COLUMN_DETAILS, /* the rest, by kind */
    LOG_COLUMN_VALUES,  /* arguments and results of calls */
    LOG_COLUMNS,
};

/* The numbers of column CODES. */
enum log_code {
    LOG_CODE_HART,  /* the next events are of another hart */
    LOG_CODE_STACK, /* the hart continues on another stack */
    LOG_CODE_TASK,  /* the hart has another task, or the task another name */
    LOG_CODE_CALL,  /* a call that is not one of the frame's yet */
    LOG_CODE_RETURN,
    LOG_CODE_EVENT = LOG_CODE_RETURN + 8, /* plus enum log_kind */
    LOG_CODE_STEP = 39,  /* other harts have executed instructions since the hart's last event */
    LOG_CODE_KNOWN = 40, /* plus the number of an earlier call of the frame */
};

enum { LOG_NONE = UINT32_MAX };

/* ---- events ---- */

enum log_kind {
    LOG_CALL,   /* a function, tracer, return handler or trap handler begins on a stack */
    LOG_RETURN, /* the innermost one of the stack has ended */
    LOG_TRAP,
    LOG_TRAP_RETURN,
    LOG_STORE, /* to code */
    LOG_FENCE_I,
    LOG_SFENCE_VMA,
    LOG_STALE, /* old code was fetched, or could have been */
    LOG_UPDATE,
    LOG_FINDING,
    LOG_IPI_SENT,
    LOG_IPI_TAKEN,
    LOG_SBI,
    LOG_HART_STARTED,
    LOG_HART_STOPPED,
    LOG_SWITCH, /* the hart has another task */
    LOG_IDLE,   /* the hart waits */
    LOG_WOKEN,  /* the hart continues; the event has the cycles after the wait */
    LOG_CONSOLE,
    LOG_SITE,              /* a site was added, or is gone */
    LOG_STALE_TRANSLATION, /* a translation was used that is not that of the page tables any more */
    LOG_KINDS,
};

enum log_call_kind { LOG_FUNCTION, LOG_TRACER, LOG_RETURN_HANDLER, LOG_TRAP_HANDLER };
enum log_site_state { LOG_INIT, LOG_OFF, LOG_ON, LOG_OTHER, LOG_SITE_STATES };
enum log_call_end {
    LOG_RETURNED,
    LOG_ABANDONED,
    LOG_STRAYED,
    LOG_UNBALANCED,
    LOG_LOST,
    LOG_DROPPED,
    LOG_OPEN, /* at the end of the run */
    LOG_CALL_ENDS,
};

/* Strings, tasks and sites are numbers of definitions; LOG_NONE: not known. */
struct log_call {
    uint8_t kind, state; /* enum log_call_kind; FUNCTION: of its site, as the hart has fetched it */
    uint32_t site;
    uint32_t name;   /* FUNCTION: a string */
    uint32_t caller; /* FUNCTION: a string, the function that `back' is in */
    uint32_t tail_name;
    uint64_t caller_offset; /* offset of `back' in the caller */
    uint64_t pc;            /* of the site; TRAP_HANDLER: the interrupted one */
    uint64_t back;          /* where it returns to */
    uint64_t sp;            /* of its caller */
    uint64_t tail_of;       /* pc of the function that has made the tail call; 0: none */
    uint64_t cause;         /* TRAP_HANDLER: scause */
    /* when it began, and in which task */
    uint8_t hart;
    uint32_t task;
    uint64_t cycle, when, step;
};

/* Values of registers at the begin of a call or at its return. */
enum { LOG_VALUES_MAX = 8, LOG_TEXT_BYTES = 32 };
struct log_text {
    uint8_t len;
    bool known, cut; /* known: the guest's memory could be read; cut: the string is longer */
    char bytes[LOG_TEXT_BYTES];
};
struct log_values {
    uint8_t count;
    uint8_t texts; /* a bit for each value that is the address of a string */
    uint64_t at[LOG_VALUES_MAX];
    struct log_text text[LOG_VALUES_MAX]; /* as many as bits in `texts', in their order */
};

struct log_store {
    uint8_t writer;  /* enum writer_kind (mem/ram.h): hart, firmware, dma... */
    uint64_t pc;     /* the hart's */
    uint64_t pa, va; /* va 0: not known */
    uint8_t size, old_bytes[LOG_PATCH_BYTES], new_bytes[LOG_PATCH_BYTES];
    uint32_t site;
    uint8_t before, after; /* enum log_site_state, of the site in memory */
    uint64_t late;         /* steps of the machine from its instruction to its effect */
};

struct log_update_hart {
    uint8_t role; /* 0 wrote, 1 stood, 2 looped, 3 ran */
    uint64_t fences, stale_cycles;
};

struct log_event {
    enum log_kind kind;
    uint8_t hart;
    uint64_t cycle, insns, time; /* of the hart; of the time CSR */
    uint64_t step;               /* instructions of all harts so far (log_has_steps) */
    uint32_t task;               /* the task that the hart runs */
    union {
        struct {
            uint32_t stack;                  /* from 1 */
            uint64_t when;                   /* the cycle, made monotonic on each stack */
            uint8_t end;                     /* RETURN: enum log_call_end */
            uint32_t depth;                  /* calls that are open around it */
            const struct log_call *call;     /* valid until the next event is read */
            const struct log_values *values; /* the same; NULL: they are not in the log */
        } call;                              /* CALL, RETURN */
        struct {
            bool interrupt;
            uint64_t cause, epc, tval;
            uint8_t from, to; /* privilege: 0 U, 1 S, 3 M */
        } trap;
        struct {
            uint64_t pc;
            uint8_t from, to;
        } trap_return;
        struct log_store store;
        struct {
            bool remote, one_address;
            uint32_t requester; /* a hart */
            uint64_t pc, va;
        } fence; /* FENCE_I, SFENCE_VMA */
        struct {
            uint64_t pc, pa;
            uint8_t size, old_bytes[4], new_bytes[4];
            bool old_known, ran_old, writer_known;
            uint8_t writer_hart;
            uint64_t writer_pc;
            uint32_t site;
        } stale;
        struct {
            uint64_t pc, va;
            uint8_t access; /* 0 load, 1 store, 2 fetch */
            uint8_t mode;   /* privilege: 0 U, 1 S, 3 M */
            uint8_t shift;  /* log2 of the bytes that the entry maps */
            bool old_faults, new_faults, used_old, global, writer_known;
            uint16_t asid;
            uint64_t pte_pa, old_pte, new_pte;
            uint64_t old_pa, new_pa; /* unless it faults */
            uint8_t writer_hart;
            uint64_t writer_pc;
        } translation;
        struct {
            uint32_t writer;
            uint8_t end;          /* 0 open, 1 announced, 2 fenced, 3 quiet, 4 released */
            uint64_t first, last; /* cycles of the writer, at its first and last store */
            uint64_t stores, patches, rounds, ipis;
            struct log_update_hart *hart; /* of each hart; valid until the next event is read */
        } update;
        struct {
            uint32_t number; /* from 1: the same for a finding whose severity has risen */
            uint32_t rule, severity, text; /* strings; `text' is the evidence, in lines */
            uint32_t site;
            uint64_t pc;
        } finding;
        struct {
            uint32_t hart; /* SENT: the receiver; TAKEN: the event's own hart */
            uint32_t interrupt;
        } ipi;
        struct {
            uint64_t extension, function;
        } sbi;
        struct {
            uint32_t from, to; /* tasks; to: also that of the event */
        } switched;
        struct {
            const uint8_t *bytes; /* valid until the next event is read */
            size_t len;
        } console;
        struct {
            uint32_t site;
            bool gone;
        } site;
    };
};

/* ---- definitions ---- */

struct log_task {
    uint64_t tp;
    int32_t pid;    /* -1: not known */
    uint32_t name;  /* a string; LOG_NONE: not known */
    uint64_t stack; /* its lowest address; 0: not known */
};

struct log_site {
    uint64_t va, pa;
    uint32_t function, module; /* strings; module LOG_NONE: of the image */
    uint32_t file, line;       /* file: a string */
    uint8_t kind;              /* enum site_kind (ftrace/sites/sites.h) */
    uint8_t size, state;       /* the state when it was defined */
};

enum {
    LOG_SITE_FUNCTION = 0
}; /* the kind of a function's site; the others are in the trampoline */

/* The states in which a site is counted are the first ones: LOG_INIT, LOG_OFF, LOG_ON. */
enum { LOG_COUNTED = LOG_OTHER };

/*
 * The counts of a site while the log was written: how often a hart came to it, and the cycles of
 * its own instructions.
 */
struct log_count {
    uint64_t entries, cycles;
};

struct log_counts {
    struct log_count of[LOG_COUNTED];
};

/* A type as far as a value can be shown: the kinds of load/prototypes.h. */
enum log_value_kind {
    LOG_VOID,
    LOG_SIGNED,
    LOG_UNSIGNED,
    LOG_BOOL,
    LOG_POINTER,
    LOG_TEXT,
    LOG_FLOAT,
    LOG_AGGREGATE,
    LOG_VALUE_KINDS,
};

struct log_type {
    uint8_t kind;
    uint32_t size;        /* in bytes */
    uint32_t enumeration; /* LOG_NONE: its values have no names */
};

/* A parameter of a function, or its result, and how many values of the log it has. */
struct log_parameter {
    uint32_t name; /* a string */
    struct log_type type;
    uint8_t values;
};

enum { LOG_PARAMETERS_MAX = 16 };

/* Of the function of a site. */
struct log_prototype {
    struct log_parameter result, parameters[LOG_PARAMETERS_MAX];
    uint32_t count;
    bool variadic;
};

struct log_enumerator {
    uint32_t name; /* a string */
    uint64_t value;
};

struct log_symbol {
    uint64_t start, end;
    const char *name;
    bool function;
};

/* The image and the options of the run. */
struct log_run {
    const char *version, *revision, *image, *bootargs, *layout, *timing, *fetch, *firmware;
    const char *modes, *command; /* in words; for a shell. NULL in a log of version 1 */
    uint64_t seed, memory, image_digest, return_to_handler;
    uint32_t harts;
    bool calls_on_only, calls_left_out;
};

/* How the run has ended. */
struct log_ending {
    const char *word; /* "exit", "max-insns", ... */
    uint32_t status;
    uint64_t cycles, insns;
};

#endif
