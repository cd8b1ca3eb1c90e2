/*
 * bpf_text.h - text that the kernel generates at run time for programs of BPF: its addresses, its
 * names, and whether the kernel has freed it.
 *
 * The guest kernel calls bpf_ksym_add() for each function of a program that is compiled, and
 * bpf_ksym_del() before it frees it; so does Linux, unless its compiler has inlined them. The
 * argument is a struct bpf_ksym: the addresses of its first byte and after its last one, and the
 * name.
 */
#ifndef FTRACE_BPF_TEXT_H
#define FTRACE_BPF_TEXT_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_text;
struct cluster;
struct image;
struct state_io;
struct symbols;

/* Image and symbols are not needed afterwards. Never NULL. */
struct bpf_text *bpf_text_new(struct cluster *c, const struct image *im,
                              const struct symbols *symbols);
void bpf_text_free(struct bpf_text *t); /* before the cluster; NULL is allowed */

/*
 * The name of the function that has the address, or was the last one to have it; NULL: none was.
 * `offset` may be NULL.
 */
const char *bpf_text_name_at(const struct bpf_text *t, uint64_t va, uint64_t *offset);

/* Whether the kernel has freed the text that was at the address. */
bool bpf_text_is_gone(const struct bpf_text *t, uint64_t va);

/* Saves or restores a struct bpf_text. */
void bpf_text_state_io(void *text, struct state_io *io);

#endif
