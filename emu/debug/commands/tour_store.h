/*
 * tour_store.h - prints the instructions of a site for the tour (tour.c), and a store to it: the
 * instructions before and after, side by side.
 */
#ifndef DEBUG_TOUR_STORE_H
#define DEBUG_TOUR_STORE_H

#include <stdbool.h>
#include <stdint.h>

struct code_write;
struct debugger;
struct site;

/* Prints a line for each instruction. */
void tour_print_insns(struct debugger *d, uint64_t va, const uint8_t *bytes, unsigned size);
/* Prints the writer, the instructions before and after the store, and the new target of the site.
 */
void tour_print_store(struct debugger *d, const struct code_write *w, const struct site *s);
/* Prints the writer of the address of an ftrace_ops, and the old and the new one. */
void tour_print_ops_store(struct debugger *d, const struct code_write *w);
/*
 * Whether the site calls the first instruction of a function, and not an address that is half old
 * and half new.
 */
bool tour_calls_function(const struct debugger *d, const struct site *s);

#endif
