/*
 * device_log.h - --device-log: each access of a hart to a device's registers, a line each.
 *
 *     CYCLE HART R|W BYTES ADDRESS VALUE DEVICE PC
 */
#ifndef COMMANDS_DEVICE_LOG_H
#define COMMANDS_DEVICE_LOG_H

struct machine_config;
struct new_file;

/* Has a machine of this configuration write to the file, which is open; its owner commits it. */
void device_log_listen(struct new_file *file, struct machine_config *config);

#endif
