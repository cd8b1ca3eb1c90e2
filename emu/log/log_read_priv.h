/*
 * log_read_priv.h - an open log, for the two files of the reader.
 */
#ifndef LOG_READ_PRIV_H
#define LOG_READ_PRIV_H

#include "base/vec.h"
#include "log/log_format.h"
#include "log/log_io.h"

struct log_entry {
    struct log_frame_head head;
    uint64_t offset;
};

/* Code, from LOG_FRAME_TEXT. */
struct log_stretch {
    uint64_t va;
    size_t size;
    uint8_t *bytes;
};

struct log_enumeration {
    VEC_OF(struct log_enumerator) values;
};

struct log {
    const char *path;
    int fd;                   /* -1: `bytes' */
    const uint8_t *bytes;     /* NULL: the file */
    struct ZSTD_DCtx_s *zstd; /* unpacks the frames */
    uint64_t size, events;
    unsigned version;
    char *problem;
    struct log_run run;
    struct log_ending ended;
    bool has_ended;
    char *texts[11]; /* of `run' and `ended' */
    VEC_OF(char *) strings;
    VEC_OF(struct log_symbol) symbols;
    VEC_OF(struct log_task) tasks;
    VEC_OF(struct log_site) sites;
    VEC_OF(struct log_entry) frames; /* of events */
    /*
     * while there is no index: for each frame of events, from 1, the number of the one that it
     * follows, and the last one of the run
     */
    VEC_OF(uint32_t) before;
    uint32_t last;
    VEC_OF(struct log_stretch) codes;
    VEC_OF(struct log_counts) counts; /* of each site */
    bool has_counts, counts_fixed;
    /* prototypes by site, as indices from 1; 0: there is none */
    VEC_OF(uint32_t) prototype_of;
    VEC_OF(struct log_prototype) prototypes;
    VEC_OF(struct log_enumeration) enumerations;
};

/* Unpacks the bytes of a frame; false: it is damaged. */
bool log_unpack(const struct log *l, const struct log_entry *entry, struct log_bytes *to);

#endif
