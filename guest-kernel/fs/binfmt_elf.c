/*
 * binfmt_elf.c - loads ELF programs, at fixed addresses or position-independent, and with them the
 * interpreter that they name, which loads their libraries.
 *
 * Segments are mapped, not read: pages are read when they are touched. Everything that can fail
 * because of the file is done before the old program is given up.
 */
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/setup.h>
#include <asm/vdso.h>
#include <linux/binfmts.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

enum { MAX_PHDRS = 32, AUX_WORDS = 2 * 17 };

struct elf_image {
    Elf64_Ehdr ehdr;
    Elf64_Phdr phdr[MAX_PHDRS];
    unsigned long bias;    /* added to the file's addresses */
    unsigned long phdr_at; /* user address of the program headers; 0: not mapped */
    unsigned long end;     /* end of the highest segment */
};

/* A program, and the interpreter that begins in its place (interp_file NULL: none). */
struct elf_program {
    struct elf_image image, interp;
    struct file *interp_file;
};

static int read_exactly(struct file *file, void *buf, size_t size, loff_t pos)
{
    ssize_t n = kernel_read(file, buf, size, &pos);

    if (n < 0)
        return n;
    return (size_t)n == size ? 0 : -ENOEXEC;
}

static int check_ehdr(const Elf64_Ehdr *e)
{
    if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
        e->e_ident[EI_DATA] != ELFDATA2LSB || e->e_machine != EM_RISCV)
        return -ENOEXEC;
    if (e->e_type != ET_EXEC && e->e_type != ET_DYN)
        return -ENOEXEC;
    if (e->e_phentsize != sizeof(Elf64_Phdr) || !e->e_phnum || e->e_phnum > MAX_PHDRS)
        return -ENOEXEC;
    return 0;
}

static int read_headers(struct file *file, struct elf_image *elf)
{
    int err = read_exactly(file, &elf->ehdr, sizeof(elf->ehdr), 0);

    if (!err)
        err = check_ehdr(&elf->ehdr);
    if (!err)
        err = read_exactly(file, elf->phdr, elf->ehdr.e_phnum * sizeof(elf->phdr[0]),
                           elf->ehdr.e_phoff);
    elf->bias = elf->ehdr.e_type == ET_DYN ? ELF_ET_DYN_BASE : 0;
    return err;
}

/*
 * The segment must be in user addresses, and its address and file offset must be equal modulo
 * the page size.
 */
static int check_segment(const struct elf_image *elf, const Elf64_Phdr *p)
{
    unsigned long start = elf->bias + p->p_vaddr;

    if (p->p_vaddr > TASK_UNMAPPED_BASE || p->p_memsz > TASK_UNMAPPED_BASE || !p->p_memsz ||
        start < MMAP_MIN_ADDR || start + p->p_memsz > TASK_UNMAPPED_BASE)
        return -ENOEXEC;
    if (p->p_filesz > p->p_memsz || (p->p_vaddr ^ p->p_offset) & ~PAGE_MASK ||
        p->p_offset > (u64)1 << 40)
        return -ENOEXEC;
    return 0;
}

static unsigned long segment_access(const Elf64_Phdr *p)
{
    return (p->p_flags & PF_R ? VM_READ : 0) | (p->p_flags & PF_W ? VM_WRITE : 0) |
           (p->p_flags & PF_X ? VM_EXEC : 0);
}

static int map_fixed(struct mm_struct *mm, unsigned long start, unsigned long end,
                     unsigned long access, struct file *file, loff_t offset)
{
    int err;

    if (start >= end)
        return 0;
    err = do_munmap(mm, start, end - start);
    if (err)
        return err;
    return mmap_region(mm, start, end - start, access, file, offset) == start ? 0 : -ENOMEM;
}

static int map_segment(struct mm_struct *mm, struct elf_image *elf, const Elf64_Phdr *p,
                       struct file *file)
{
    unsigned long vaddr = elf->bias + p->p_vaddr, start = vaddr & PAGE_MASK;
    unsigned long file_end = p->p_filesz ? vaddr + p->p_filesz : start;
    unsigned long page_end = ALIGN(file_end, (unsigned long)PAGE_SIZE);
    int err = check_segment(elf, p);

    if (!err)
        err = map_fixed(mm, start, page_end, segment_access(p), file, p->p_offset & PAGE_MASK);
    if (!err)
        err = map_fixed(mm, page_end, ALIGN(vaddr + p->p_memsz, (unsigned long)PAGE_SIZE),
                        segment_access(p), NULL, 0);
    elf->end = max(elf->end, ALIGN(vaddr + p->p_memsz, (unsigned long)PAGE_SIZE));
    if (elf->ehdr.e_phoff >= p->p_offset && elf->ehdr.e_phoff < p->p_offset + p->p_filesz)
        elf->phdr_at = vaddr + (elf->ehdr.e_phoff - p->p_offset);
    return err;
}

static int map_stack(struct mm_struct *mm)
{
    return map_fixed(mm, STACK_TOP - 2 * PAGE_SIZE, STACK_TOP, VM_READ | VM_WRITE | VM_GROWSDOWN,
                     NULL, 0);
}

/*
 * Maps the vDSO below the area of the stack. Its page is read when a signal handler first
 * returns.
 */
static int map_vdso(struct mm_struct *mm)
{
    mm->context.vdso = get_unmapped_area(mm, 0, PAGE_SIZE);
    return map_fixed(mm, mm->context.vdso, mm->context.vdso + PAGE_SIZE, VM_READ | VM_EXEC,
                     vdso_file, 0);
}

static int map_image(struct mm_struct *mm, struct elf_image *elf, struct file *file)
{
    unsigned int i;
    int err = 0;

    for (i = 0; i < elf->ehdr.e_phnum && !err; i++)
        if (elf->phdr[i].p_type == PT_LOAD)
            err = map_segment(mm, elf, &elf->phdr[i], file);
    return err || elf->end ? err : -ENOEXEC;
}

/* Where a position-independent image has room: below the other mappings. */
static int place_interp(struct mm_struct *mm, struct elf_image *elf)
{
    unsigned long first = ~0ul, end = 0;
    unsigned int i;

    for (i = 0; i < elf->ehdr.e_phnum; i++) {
        const Elf64_Phdr *p = &elf->phdr[i];

        if (p->p_type != PT_LOAD)
            continue;
        if (p->p_vaddr > TASK_UNMAPPED_BASE || p->p_memsz > TASK_UNMAPPED_BASE)
            return -ENOEXEC;
        first = min(first, p->p_vaddr & PAGE_MASK);
        end = max(end, p->p_vaddr + p->p_memsz);
    }
    if (first >= end)
        return -ENOEXEC;
    end = get_unmapped_area(mm, 0, ALIGN(end - first, (unsigned long)PAGE_SIZE));
    if (IS_ERR((void *)end))
        return -ENOMEM;
    elf->bias = end - first;
    return 0;
}

static int map_program(struct mm_struct *mm, struct elf_program *prog, struct file *file)
{
    int err = map_image(mm, &prog->image, file);

    mm->start_brk = mm->brk = prog->image.end;
    if (!err)
        err = map_stack(mm);
    if (!err)
        err = map_vdso(mm);
    if (err || !prog->interp_file)
        return err;
    if (prog->interp.ehdr.e_type == ET_DYN)
        err = place_interp(mm, &prog->interp);
    return err ? err : map_image(mm, &prog->interp, prog->interp_file);
}

/* The interpreter's name, in memory of the caller. NULL: there is none. ERR_PTR. */
static char *read_interp_name(struct file *file, const struct elf_image *elf)
{
    const Elf64_Phdr *p = elf->phdr, *end = p + elf->ehdr.e_phnum;
    char *name;
    int err;

    while (p < end && p->p_type != PT_INTERP)
        p++;
    if (p == end)
        return NULL;
    if (p->p_filesz < 2 || p->p_filesz > PATH_MAX)
        return ERR_PTR(-ENOEXEC);
    name = kmalloc(p->p_filesz);
    if (!name)
        return ERR_PTR(-ENOMEM);
    err = read_exactly(file, name, p->p_filesz, p->p_offset);
    if (!err && name[p->p_filesz - 1])
        err = -ENOEXEC;
    if (!err)
        return name;
    kfree(name);
    return ERR_PTR(err);
}

static int open_interp(struct file *file, struct elf_program *prog)
{
    char *name = read_interp_name(file, &prog->image);
    int err;

    if (!name || IS_ERR(name))
        return PTR_ERR(name);
    file = open_exec(name);
    kfree(name);
    if (IS_ERR(file))
        return PTR_ERR(file);
    prog->interp_file = file;
    err = read_headers(file, &prog->interp);
    return err == -ENOEXEC ? -ELIBBAD : err;
}

/* Clears the rest of the last page of file data, where bss starts. */
static int clear_bss_starts(const struct elf_image *elf)
{
    unsigned int i;

    for (i = 0; i < elf->ehdr.e_phnum; i++) {
        const Elf64_Phdr *p = &elf->phdr[i];
        unsigned long end = elf->bias + p->p_vaddr + p->p_filesz;
        unsigned long rest = -end & ~PAGE_MASK;

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_W) || !p->p_filesz)
            continue;
        if (p->p_memsz > p->p_filesz && clear_user((void *)end, rest))
            return -EFAULT;
    }
    return 0;
}

/* ---- the initial stack ---- */

struct stack_words {
    unsigned long *at, *end;
};

static void put_word(struct stack_words *w, unsigned long word)
{
    if (w->at < w->end)
        *w->at++ = word;
}

static void put_aux(struct stack_words *w, unsigned long type, unsigned long value)
{
    put_word(w, type);
    put_word(w, value);
}

/*
 * Stores the addresses of n strings from offset `string` on, then NULL; returns the offset
 * after them.
 */
static unsigned long put_pointers(struct stack_words *w, const struct linux_binprm *bprm,
                                  unsigned long base, size_t string, int n)
{
    for (; n; n--) {
        put_word(w, base + string);
        string += strlen(bprm->strings + string) + 1;
    }
    put_word(w, 0);
    return string;
}

static void put_auxv(struct stack_words *w, const struct elf_program *prog, unsigned long execfn,
                     unsigned long random)
{
    const struct elf_image *elf = &prog->image;

    put_aux(w, AT_PHDR, elf->phdr_at);
    put_aux(w, AT_PHENT, sizeof(Elf64_Phdr));
    put_aux(w, AT_PHNUM, elf->ehdr.e_phnum);
    put_aux(w, AT_PAGESZ, PAGE_SIZE);
    put_aux(w, AT_BASE, prog->interp_file ? prog->interp.bias : 0);
    put_aux(w, AT_FLAGS, 0);
    put_aux(w, AT_ENTRY, elf->bias + elf->ehdr.e_entry);
    put_aux(w, AT_UID, 0);
    put_aux(w, AT_EUID, 0);
    put_aux(w, AT_GID, 0);
    put_aux(w, AT_EGID, 0);
    put_aux(w, AT_HWCAP, elf_hwcap());
    put_aux(w, AT_CLKTCK, HZ);
    put_aux(w, AT_SECURE, 0);
    put_aux(w, AT_RANDOM, random);
    put_aux(w, AT_EXECFN, execfn);
    put_aux(w, AT_NULL, 0);
}

/*
 * Writes, from the top down: the strings, 16 random bytes, then argc, argv, envp and the
 * auxiliary vector. *sp is set to argc.
 */
static int create_elf_tables(const struct linux_binprm *bprm, const struct elf_program *prog,
                             unsigned long *sp)
{
    unsigned long strings = (STACK_TOP - bprm->len) & ~15ul, random = strings - 16;
    size_t nr = 1 + bprm->argc + 1 + bprm->envc + 1 + AUX_WORDS, next;
    unsigned long *words = kmalloc(nr * sizeof(*words)), seed[2];
    struct stack_words w = {words, words + nr};
    int err;

    if (!words)
        return -ENOMEM;
    get_random_bytes(seed, sizeof(seed));
    put_word(&w, bprm->argc);
    next = put_pointers(&w, bprm, strings, 0, bprm->argc);
    put_pointers(&w, bprm, strings, next, bprm->envc);
    put_auxv(&w, prog, strings + bprm->execfn, random);
    *sp = (random - nr * sizeof(*words)) & ~15ul;
    err = copy_to_user((void *)strings, bprm->strings, bprm->len) ||
                  copy_to_user((void *)random, seed, sizeof(seed)) ||
                  copy_to_user((void *)*sp, words, nr * sizeof(*words))
              ? -EFAULT
              : 0;
    kfree(words);
    return err;
}

/* Runs after the old program is given up: an error ends the process. */
static void start_program(struct linux_binprm *bprm, const struct elf_program *prog)
{
    const struct elf_image *first = prog->interp_file ? &prog->interp : &prog->image;
    unsigned long sp = 0;

    if (clear_bss_starts(&prog->image) || (prog->interp_file && clear_bss_starts(&prog->interp)) ||
        create_elf_tables(bprm, prog, &sp))
        send_sig(SIGKILL, current, 1);
    start_thread(task_pt_regs(current), first->bias + first->ehdr.e_entry, sp);
}

static void record_mappings(struct mm_struct *mm)
{
    struct vm_area_struct *vma;

    mutex_lock(&mm->mmap_lock);
    list_for_each_entry(vma, &mm->mmap, vm_list)
        perf_event_mmap(vma);
    mutex_unlock(&mm->mmap_lock);
}

int load_elf_binary(struct linux_binprm *bprm)
{
    struct elf_program *prog = kzalloc(sizeof(*prog));
    struct mm_struct *mm = mm_alloc();
    int err = prog && mm ? read_headers(bprm->file, &prog->image) : -ENOMEM;

    if (!err)
        err = open_interp(bprm->file, prog);
    if (!err)
        err = map_program(mm, prog, bprm->file);
    if (!err) {
        begin_new_exec(bprm, mm);
        record_mappings(mm);
        start_program(bprm, prog);
    } else if (mm) {
        mmput(mm);
    }
    if (prog && prog->interp_file)
        fput(prog->interp_file);
    kfree(prog);
    return err;
}
