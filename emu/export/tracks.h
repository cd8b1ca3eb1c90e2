/*
 * tracks.h - a track for each pair of stack and task, for formats whose tracks have one name. The
 * memory of a stack goes from task to task, and a viewer shows only the last name of a track.
 */
#ifndef EXPORT_TRACKS_H
#define EXPORT_TRACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "log/log_read.h"

/* A call that was selected, until its end. */
struct track_call {
    struct log_call call;
    uint32_t track, stack;
    uint64_t when;
    bool open;
};

struct track {
    uint64_t tp;   /* of the task; is_named: the stack belongs to one */
    uint32_t name; /* a string */
    uint32_t next; /* the stack's next track; 0: none */
    int32_t pid;
    bool is_named;
};

struct track_stack {
    uint32_t first, present;         /* tracks; 0: none */
    VEC_OF(struct track_call) calls; /* by depth */
};

struct tracks {
    const struct log *log;
    VEC_OF(struct track) list; /* by number, from 1 */
    VEC_OF(struct track_stack) stacks;
};

/* `log' must outlive it. */
void tracks_begin(struct tracks *t, const struct log *log);
void tracks_end(struct tracks *t);

/*
 * The track of a CALL. *has_name: it is new, or its task has a new name, which is written to
 * `name'.
 */
uint32_t tracks_enter(struct tracks *t, const struct log_event *e, bool *has_name,
                      char name[LOG_PLACE_MAX]);

/* The track of a RETURN. */
uint32_t tracks_leave(struct tracks *t, const struct log_event *e);

/*
 * The calls that have begun and not ended: the run was killed, or what was selected is over. The
 * innermost of a track comes first.
 */
void tracks_each_open(struct tracks *t, void (*found)(void *ctx, const struct track_call *c),
                      void *ctx);

#endif
