/*
 * trace.h - sites of ftrace and their patches.
 */
#ifndef DEBUG_TRACE_H
#define DEBUG_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct code_write;
struct debugger;
struct site_table;
struct target_stop;
struct writer;

/* ---- trace.c ---- */

const struct site_table *sites_of(const struct debugger *d);
/* Prints a line: address, kind, state, counts. */
void print_site(struct debugger *d, uint32_t id);
bool name_matches(const char *glob, const char *name);

void trace_free(struct debugger *d);
/*
 * If there is a site at va, prints its state, its target, and the harts that have executed no
 * fence.i since the last patch.
 */
void print_site_note(struct debugger *d, uint64_t va);
void print_patch_stop(struct debugger *d, const struct target_stop *s);
/* Prints "patch of site f, store 1", the writer, and the instructions before and after. */
void print_patch_store(struct debugger *d, const struct code_write *w);
/* Prints "hart 0 in f+0x8 (file.c:3) at cycle 77". */
void print_writer(struct debugger *d, const struct writer *who);

/* ---- site.c ---- */

void print_site_counts(struct debugger *d, uint32_t id); /* prints entries and cycles by state */

#endif
