/* host.h - the guest kernel's verifier and interpreter of BPF in a program of the host. */
#ifndef TESTS_BPF_HOST_H
#define TESTS_BPF_HOST_H

#include <linux/bpf.h>

enum { HOST_MAP_FD = 50, HOST_MAX_INSNS = 256 }; /* an array, a hash */

struct host_prog {
    struct bpf_prog prog;
    struct bpf_insn insns[HOST_MAX_INSNS];
};

/* Begins the sequence of numbers that the helpers return. */
void host_seed(u64 seed);

/* Verifies a program: 0 or the verifier's error. text NULL: no log. */
int host_load(struct host_prog *p, const struct bpf_insn *insns, unsigned int len, char *text,
              size_t size);
/*
 * Runs it with this context of MAX_BPF_FUNC_ARGS numbers. NULL, or what it did wrong: each register
 * must be what the verifier has said before each instruction.
 */
const char *host_run(const struct host_prog *p, const u64 *ctx, u64 *result);
bool host_check_mem(u64 addr, u64 size, bool write);

#endif
