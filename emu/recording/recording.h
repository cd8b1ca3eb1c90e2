/*
 * recording.h - the lines of a recording: the input bytes and their moments.
 *
 *     rvftrace-recording 1
 *     run harts 2                        must be equal in a replay (identity.h)
 *     input 4210733 5870112 idle 0x6c    instructions, cycles, why the console was called, the byte
 *     end 9120450 12003000 exit 0        instructions, cycles, how the guest ended the run, status
 *     stop 9120450 12003000 timeout 75   the same for a run that the host or a limit ended
 *
 * A line is valid only if it is exactly as rvftrace writes it. `#` begins a
 * comment. Without an `end` or `stop` the recording is truncated (the run was
 * killed); it can be replayed up to its last line.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

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

/* Write lines, without a newline. */
void recording_write_input(char line[RECORDING_LINE], const struct recorded_input *e);
void recording_write_end(char line[RECORDING_LINE], const struct recorded_end *e);

/* Read lines. False: the line is not a valid one of this type. */
bool recording_read_input(const char *line, struct recorded_input *e);
bool recording_read_end(const char *line, struct recorded_end *e);

#endif
