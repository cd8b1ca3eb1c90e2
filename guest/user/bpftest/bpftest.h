/* bpftest.h - what the files of the program bpftest share; main.c says what it does. */
#ifndef USER_BPFTEST_H
#define USER_BPFTEST_H

#include "../bpf_insn.h"
#include "../bpf_syscall.h"
#include "../libc.h"

static inline int update(int fd, const void *key, void *value, uint64_t flags)
{
    return map_op(BPF_MAP_UPDATE_ELEM, fd, key, value, flags);
}

static inline int lookup(int fd, const void *key, void *value)
{
    return map_op(BPF_MAP_LOOKUP_ELEM, fd, key, value, 0);
}

static inline int delete (int fd, const void *key)
{
    return map_op(BPF_MAP_DELETE_ELEM, fd, key, NULL, 0);
}

static inline int next_key(int fd, const void *key, void *next)
{
    return map_op(BPF_MAP_GET_NEXT_KEY, fd, key, next, 0);
}

static inline int raw_tracepoint_open(int prog, const char *name)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (unsigned long)name, .prog_fd = prog}};

    return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* ---- main.c ---- */

extern char log_text[16384];
/* With the verifier's log in log_text. */
int prog_load(unsigned int type, const struct bpf_insn *insns, unsigned int len);
int run(int fd, uint64_t *ctx, unsigned int size, unsigned int *result);
/* Counts in element 0 of a map the calls of getpid() by this task. */
int load_counter(int map, int pid);
void call_getpid(int n);
int open_event(unsigned int type, uint64_t config, pid_t pid, int cpu);

/* ---- maps.c ---- */

void test_array(void);
void test_hash(void);

/* ---- verdicts.c ---- */

void test_load_errors(void);
void test_cases(void);
/* Prints what the kernel does with each program: `verdict NAME: rejected', or the result. */
void show_verdicts(void);

/* ---- events.c ---- */

void test_raw_tracepoint(void);
void test_trace_printk(void);
void test_perf_events(void);
void test_overflow(void);
void test_decision(void);
void test_kprobe(void);
void test_kprobes(void);
void test_limit(void);

/* ---- output.c ---- */

void test_perf_output(void);

#endif
