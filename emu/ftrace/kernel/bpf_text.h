/*
 * bpf_text.h - text that the kernel makes at run time of programs of BPF: where it is, its names,
 * and whether the kernel has given it up.
 *
 * The guest kernel calls bpf_ksym_add() for each function of a program that is compiled, and
 * bpf_ksym_del() before it frees it; so does Linux, if its compiler has not inlined them. The
 * argument is a struct bpf_ksym: the addresses of the first byte and behind the last one, and the
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
 * The name of the function that has the address, or had it last; NULL: none did. `offset` may be
 * NULL.
 */
const char *bpf_text_name_at(const struct bpf_text *t, uint64_t va, uint64_t *offset);

/* Whether the kernel has given up the text that was at the address. */
bool bpf_text_is_gone(const struct bpf_text *t, uint64_t va);

/* Saves or restores it; `text`: a struct bpf_text. */
void bpf_text_state_io(void *text, struct state_io *io);

#endif
