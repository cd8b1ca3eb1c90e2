/*
 * device_log.c - see device_log.h.
 */
#include "commands/device_log.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/new_file.h"
#include "machine/machine.h"

/* new_file_commit reports a failure. */
static void accessed(void *file, const struct machine_access *a)
{
    (void)!fprintf(new_file_stream(file),
                   "%" PRIu64 " %u %c %u 0x%" PRIx64 " 0x%" PRIx64 " %s 0x%" PRIx64 "\n", a->cycles,
                   a->hart, a->write ? 'W' : 'R', a->size, a->pa, a->value, a->device, a->pc);
}

void device_log_listen(struct new_file *file, struct machine_config *config)
{
    config->accessed = accessed;
    config->accessed_ctx = file;
}
