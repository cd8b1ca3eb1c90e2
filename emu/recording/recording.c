/*
 * recording.c - see recording.h.
 */
#include "recording/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

static const char *const reasons[] = {
    [POLL_CLOCK] = "clock", [POLL_IDLE] = "idle", [POLL_GUEST] = "guest"};

void recording_write_input(char line[RECORDING_LINE], const struct recorded_input *e)
{
    snprintf(line, RECORDING_LINE, "input %" PRIu64 " %" PRIu64 " %s 0x%02x", e->at.insns,
             e->at.cycles, reasons[e->at.reason], e->byte);
}

void recording_write_end(char line[RECORDING_LINE], const struct recorded_end *e)
{
    snprintf(line, RECORDING_LINE, "%s %" PRIu64 " %" PRIu64 " %s %u", e->by_guest ? "end" : "stop",
             e->insns, e->cycles, e->word, e->status);
}

static bool find_reason(const char *word, enum poll_reason *reason)
{
    for (unsigned i = 0; i < ARRAY_LEN(reasons); i++)
        if (!strcmp(reasons[i], word)) {
            *reason = (enum poll_reason)i;
            return true;
        }
    return false;
}

bool recording_read_input(const char *line, struct recorded_input *e)
{
    char word[8], again[RECORDING_LINE];
    unsigned byte;

    if (sscanf(line, "input %" SCNu64 " %" SCNu64 " %7s 0x%2x", &e->at.insns, &e->at.cycles, word,
               &byte) != 4 ||
        !find_reason(word, &e->at.reason))
        return false;
    e->byte = (uint8_t)byte;
    recording_write_input(again, e);
    return !strcmp(line, again);
}

bool recording_read_end(const char *line, struct recorded_end *e)
{
    char kind[8], again[RECORDING_LINE];

    if (sscanf(line, "%7s %" SCNu64 " %" SCNu64 " %15s %u", kind, &e->insns, &e->cycles, e->word,
               &e->status) != 5)
        return false;
    e->by_guest = !strcmp(kind, "end");
    recording_write_end(again, e);
    return !strcmp(line, again);
}
