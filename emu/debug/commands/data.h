/*
 * data.h - values of expressions, displays, and where `x' continues.
 */
#ifndef DEBUG_DATA_H
#define DEBUG_DATA_H

#include <stdint.h>

struct debugger;

void data_open(struct debugger *d);
void data_close(struct debugger *d);
void data_show_displays(struct debugger *d); /* after each stop */
void data_list_displays(struct debugger *d); /* info display */
/* Sets the address and format with which `x' without an address continues. */
void data_continue_at(struct debugger *d, uint64_t address, char letter);

#endif
