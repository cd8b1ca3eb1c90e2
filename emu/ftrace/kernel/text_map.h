/*
 * text_map.h - what is known of the kernel's text: where it is, and its jump labels,
 * also those of modules.
 *
 * Text is what Linux calls so, from _stext to _etext, without the code that only booting needs;
 * of an image without these symbols all of its code.
 */
#ifndef FTRACE_TEXT_MAP_H
#define FTRACE_TEXT_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct image;
struct symbols;
struct text_map;

struct text_map *text_map_new(const struct image *im, const struct symbols *symbols);
void text_map_free(struct text_map *m);

/* Whether all of [pa, pa + size) is text, or of a jump label of a module. */
bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size);

/* The virtual address at which the byte of text, or of a jump label, is run; 0: it is neither. */
uint64_t text_map_va(const struct text_map *m, uint64_t pa);

/* Whether the text is known by the kernel's own symbols. */
bool text_map_is_exact(const struct text_map *m);

/* A jump label of a module comes, or goes. */
void text_map_add_label(struct text_map *m, uint64_t va, uint64_t pa);
void text_map_remove_label(struct text_map *m, uint64_t pa);

/* The jump label that has a byte in [pa, pa + size): its first byte; 0: there is none. */
uint64_t text_map_jump_label(const struct text_map *m, uint64_t pa, unsigned size);
/* The same of modules' only. */
uint64_t text_map_module_label(const struct text_map *m, uint64_t pa, unsigned size);

#endif
