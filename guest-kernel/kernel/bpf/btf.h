/* btf.h - what the files that check types share. */
#ifndef BPF_BTF_H
#define BPF_BTF_H

#include <linux/bpf_verifier.h>
#include <linux/btf.h>

#ifndef ENOTSUPP
#define ENOTSUPP 524
#endif

/* Types that are being checked. */
struct btf_env {
    struct btf *btf;
    struct bpf_verifier_log *log;
    u8 *state; /* of each type: see btf_resolve.c */
};

/* Logs what is wrong with the type; -EINVAL. */
int btf_bad(const struct btf_env *env, u32 id, const struct btf_type *t, const char *why);
/* Whether it is a word. */
bool btf_name_valid(const struct btf *btf, u32 offset);

/* btf_resolve.c: checks what each type says of others, and how large it is. 0 or an error. */
int btf_resolve_all(struct btf_env *env);

#endif
