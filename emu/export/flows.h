/*
 * flows.h - arrows from a store to code to each hart's next fence.i, past the stale fetches of that
 * hart in between.
 *
 * A store has an arrow for each hart, which has a number of its own, from 1 on. Of the stores
 * between two fences, of whatever harts, the first FLOW_STORES have arrows: a kernel that patches
 * itself while it boots makes hundreds of thousands.
 */
#ifndef EXPORT_FLOWS_H
#define EXPORT_FLOWS_H

#include <stdint.h>

#include "base/vec.h"
#include "log/log_read.h"

enum { FLOW_STORES = 16 };

/* An arrow from a store to a hart that has not executed its fence.i yet, where it will end. */
struct flow_arrow {
    uint64_t id, pa;
    unsigned hart, size;
};

struct flows {
    unsigned harts;
    unsigned stores; /* since the last fence */
    uint64_t last;   /* number */
    VEC_OF(struct flow_arrow) open;
    VEC_OF(uint64_t) ids; /* those of the last event */
};

void flows_begin(struct flows *f, const struct log *log);
void flows_end(struct flows *f);

/*
 * The arrows that begin at a STORE, go past a STALE fetch, or end at a FENCE_I; other events have
 * none. They are f->ids until the next call.
 */
void flows_follow(struct flows *f, const struct log_event *e);

#endif
