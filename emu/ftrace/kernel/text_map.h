/*
 * text_map.h - the addresses of the kernel's text and of its jump labels, also those of modules.
 *
 * Text is what Linux calls text, from _stext to _etext without the code that only booting needs; in
 * an image without these symbols all code. Further areas are added while the guest runs: modules
 * and programs of BPF, from when they are complete until they are freed (live_text.h).
 */
#ifndef FTRACE_TEXT_MAP_H
#define FTRACE_TEXT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image;
struct image_labels;
struct symbols;
struct text_map;

enum text_kind { TEXT_NONE, TEXT_IMAGE, TEXT_MODULE, TEXT_BPF };

/* Text that was added: a run of pages of a module, or a function of a program. */
struct text_area {
    enum text_kind kind;
    uint64_t va, size;
    uint64_t owner; /* the address of the struct module; else 0 */
};

/* The image must outlive it. */
struct text_map *text_map_new(const struct image *im, const struct symbols *symbols);
void text_map_free(struct text_map *m);

const struct image_labels *text_map_labels(const struct text_map *m); /* of the image */

/* Whether all of [pa, pa + size), which is in one page, is text, or a part of a module's label. */
bool text_map_has(const struct text_map *m, uint64_t pa, uint64_t size);

/*
 * The virtual address at which the byte, of text or of a jump label, is executed; 0: it is neither.
 */
uint64_t text_map_va(const struct text_map *m, uint64_t pa);

/* The kind of the text at a virtual address, and its physical address. TEXT_NONE: it is none. */
enum text_kind text_map_find(const struct text_map *m, uint64_t va, uint64_t *pa);

/* Adds an area; *pages: the physical address of each of its pages. */
void text_map_add_area(struct text_map *m, const struct text_area *area, const uint64_t *pages);
/* Removes the areas of an owner, or those of BPF, that begin in [start, end). */
void text_map_remove_areas(struct text_map *m, uint64_t owner, uint64_t start, uint64_t end);
size_t text_map_area_count(const struct text_map *m);
const struct text_area *text_map_area(const struct text_map *m, size_t i);

/* The image's text; false: there is no i-th range. */
bool text_map_range(const struct text_map *m, size_t i, uint64_t *va, uint64_t *size);

/*
 * Whether all of [va, va + size) is data of the image, at its own virtual address: a segment that
 * is not executable, or in an image without segments what the kernel's symbols say. False, too, if
 * that is not known.
 */
bool text_map_is_data(const struct text_map *m, uint64_t va, uint64_t size);

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
