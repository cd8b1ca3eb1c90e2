/*
 * select.h - the options that select what --trace and --itrace write: set_NAME of their rows in
 * options.def.
 */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include <stdbool.h>

bool set_from(void *options, const char *text, char *problem);
bool set_until(void *options, const char *text, char *problem);
bool set_only_hart(void *options, const char *text, char *problem);

#endif
