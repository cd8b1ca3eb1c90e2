/*
 * text_map.h - the addresses of the kernel's text and of its jump labels, also those of modules.
 *
 * Text is what Linux calls text, from _stext to _etext without the code that only booting needs; in
 * an image without these symbols all code.
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

/* Whether all of [pa, pa + size) is text, or a part of a module's jump label. */
bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size);

/*
 * The virtual address at which the byte, of text or of a jump label, is executed; 0: it is neither.
 */
uint64_t text_map_va(const struct text_map *m, uint64_t pa);

/* Whether the text was found by the kernel's own symbols. */
bool text_map_is_exact(const struct text_map *m);

/* Adds or removes a jump label of a module. */
void text_map_add_label(struct text_map *m, uint64_t va, uint64_t pa);
void text_map_remove_label(struct text_map *m, uint64_t pa);

/* The address of the jump label that has a byte in [pa, pa + size); 0: there is none. */
uint64_t text_map_jump_label(const struct text_map *m, uint64_t pa, unsigned size);
/* The same for labels of modules only. */
uint64_t text_map_module_label(const struct text_map *m, uint64_t pa, unsigned size);

#endif
