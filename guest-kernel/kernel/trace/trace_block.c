/*
 * trace_block.c - the letters of an operation on a disk, for the events of block devices.
 *
 * Not instrumented.
 */
#include <linux/blktrace_api.h>

void blk_fill_rwbs(char *rwbs, blk_opf_t opf)
{
    if (opf & REQ_PREFLUSH)
        *rwbs++ = 'F';
    switch (opf & REQ_OP_MASK) {
    case REQ_OP_READ: *rwbs++ = 'R'; break;
    case REQ_OP_WRITE: *rwbs++ = 'W'; break;
    case REQ_OP_FLUSH: *rwbs++ = 'F'; break;
    case REQ_OP_DISCARD: *rwbs++ = 'D'; break;
    default: *rwbs++ = 'N'; break;
    }
    if (opf & REQ_FUA)
        *rwbs++ = 'F';
    if (opf & REQ_RAHEAD)
        *rwbs++ = 'A';
    if (opf & REQ_SYNC)
        *rwbs++ = 'S';
    if (opf & REQ_META)
        *rwbs++ = 'M';
    *rwbs = 0;
}
