/*
 * filter.h - programs in BPF as text of the kernel: those that are compiled, and their names.
 *
 * kernel/bpf/jit.c has what is the same on all machines, arch/riscv/net the compiler.
 */
#ifndef LINUX_FILTER_H
#define LINUX_FILTER_H

#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/types.h>

struct bpf_prog;
struct bpf_prog_info;
struct seq_file;

/* The text of a program, and its name; debuggers read it, as they do Linux's. */
struct bpf_ksym {
    unsigned long start, end;
    char name[KSYM_NAME_LEN];
    struct list_head lnode;
};

/* The text of a program, in pages of its own. */
struct bpf_jit_image {
    u32 *text;
    u32 size; /* bytes */
    struct bpf_ksym ksym;
};

#ifdef CONFIG_BPF_SYSCALL

/* Compiles a verified program if that is on and possible; else it will be interpreted. May sleep.
 */
void bpf_prog_select_runtime(struct bpf_prog *prog);
/* Its text has no name any more, and is no text to who follows a stack; it may still run. */
void bpf_prog_kallsyms_del_all(struct bpf_prog *prog);
/* Frees the text, a grace period after the program could be started last. May sleep. */
void bpf_jit_free(struct bpf_prog *prog);
/* Fills in what BPF_OBJ_GET_INFO_BY_FD answers about it; info has sizes and addresses of arrays. */
int bpf_jit_fill_info(const struct bpf_prog *prog, struct bpf_prog_info *info);
void bpf_jit_init(void); /* /proc/sys/net/core */

/* Text of a program; not instrumented. */
bool is_bpf_text_address(unsigned long addr);
/* Finds the program that has the address. It may be freed once interrupts and preemption are on.
 */
bool bpf_address_lookup(unsigned long addr, struct ksym *sym);
void bpf_kallsyms_show(struct seq_file *m); /* for /proc/kallsyms */

/* Debuggers of the machine may watch these two: text of programs comes and goes. */
void bpf_ksym_add(struct bpf_ksym *ksym);
void bpf_ksym_del(struct bpf_ksym *ksym);

/* ---- for the compiler ---- */

/*
 * arch/riscv/net: compiles the program. False: it has something that cannot be compiled, or there
 * is no memory.
 */
bool bpf_int_jit_compile(struct bpf_prog *prog);
/* Pages for size bytes of text, executable and not writable, with its name. NULL: no memory. */
struct bpf_jit_image *bpf_jit_binary_alloc(const struct bpf_prog *prog, u32 size);
/* Writes the text, and makes it visible to all harts. 0 or an error. */
int bpf_jit_binary_write(struct bpf_jit_image *image, const u32 *text);
void bpf_jit_binary_free(struct bpf_jit_image *image); /* NULL is allowed */

#else

static inline void bpf_jit_init(void) {}

static inline bool is_bpf_text_address(unsigned long addr)
{
    (void)addr;
    return false;
}

static inline bool bpf_address_lookup(unsigned long addr, struct ksym *sym)
{
    (void)addr;
    (void)sym;
    return false;
}

static inline void bpf_kallsyms_show(struct seq_file *m)
{
    (void)m;
}

#endif

#endif
