/*
 * recording.h - the lines of a recording: what the console answered, and when.
 *
 *     rvftrace-recording 1
 *     run harts 2                        what a replay must have the same (identity.h)
 *     input 4210733 5870112 idle 0x6c    instructions, cycles, why the console was asked, the byte
 *     end 9120450 12003000 exit 0        the same, how the guest ended the run, its status
 *     stop 9120450 12003000 timeout 75   the same, of a run that the host or a limit ended
 *
 * A line is valid when it is exactly as rvftrace writes it. `#` begins a
 * comment. Without an `end` or `stop` the recorded run was cut off, and may be
 * replayed as far as it got.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"

#define RECORDING_MAGIC "rvftrace-recording"

enum { RECORDING_VERSION = 1, RECORDING_LINE = 128, RECORDING_WORD = 16 };

struct recorded_input {
    struct moment at;
    uint8_t byte;
};

struct recorded_end {
    uint64_t insns, cycles;
    bool by_guest;
    unsigned status;
    char word[RECORDING_WORD]; /* as `ended` in the report */
};

/* Lines without their newline. */
void recording_write_input(char line[RECORDING_LINE], const struct recorded_input *e);
void recording_write_end(char line[RECORDING_LINE], const struct recorded_end *e);

/* False: it is no such line. */
bool recording_read_input(const char *line, struct recorded_input *e);
bool recording_read_end(const char *line, struct recorded_end *e);

#endif
